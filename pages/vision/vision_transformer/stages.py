"""The stages from pixels to scores: a table with the shapes of this picture in this model, and the real arrays."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.vision.picture_sequence import PictureSequence
from dashboard import theme
from dashboard.frame import layout
from dashboard.output import charts, export
from dashboard.output.data_table import data_table
from dashboard.recordings.picture_notices import name_prefix
from pages.vision.vision_transformer import words
from pages.vision.vision_transformer.compute import Followed
from pages.vision.vision_transformer.figures import Matrix, matrices


def show_table(followed: Followed) -> None:
    """Each stage with its shape and what happens there."""
    data_table(
        table_of(followed.sequence),
        hide_index=True,
        column_config={
            name: st.column_config.TextColumn(width=width)  # pixels: the longest of them
            for name, width in {"step": 90, "shape": 115, "numbers": 80, "what happens": 580}.items()
        },
        height="content",
    )
    if not theme.is_presented():
        export.download_arrays(
            "All stages (NPZ)",
            lambda: export.npz(arrays_of(followed.sequence)),
            name=f"{followed.model.title}-sequence",
            about="Every array of the table as float32",
        )


def table_of(sequence: PictureSequence) -> pd.DataFrame:
    """One row a stage: its name, its shape, how many numbers it holds, what happens there."""
    what = words.WHAT if sequence.features is None else words.WHAT | words.WHAT_OF_FEATURES
    numbers = _numbers_of(sequence)
    rows = [
        (words.STAGES[name], _sides(array.shape), f"{array.size:,}", what[name].format(**numbers))
        for name, array in arrays_of(sequence).items()
    ]
    return pd.DataFrame(rows, columns=["step", "shape", "numbers", "what happens"])


def arrays_of(sequence: PictureSequence) -> dict[str, np.ndarray]:
    """The array of each stage by its name, in the order in which this model makes them."""
    positions = sequence.positions
    added = {"positions": None if positions is None else torch.cat([positions.prefix, positions.patches])}
    joining = {"prefix": sequence.prefix if len(sequence.prefix) else None}
    arrays = {
        "pixels": sequence.pixels,
        "features": sequence.features,
        "patches": sequence.cut if sequence.features is None else None,
        "flattened": sequence.flattened,
        "projected": sequence.projected,
        "embedding_norm": sequence.embedded,
        **(added | joining if positions and positions.order == "before" else joining | added),
        "tokens": sequence.joined,
        "token_norm": None if sequence.encoder_input is sequence.joined else sequence.encoder_input,
        "encoded": sequence.encoded,
        "encoder_norm": sequence.normed,
        "logits": sequence.logits,
    }
    return {name: array.numpy() for name, array in arrays.items() if array is not None}


def _numbers_of(sequence: PictureSequence) -> dict[str, object]:
    """What the words about the stages leave open."""
    labels, (high, wide) = sequence.patches.prefix, sequence.projection.patch
    kinds, *places = sequence.cut.shape[1:] if sequence.features is None else sequence.features.shape
    joined = "prefix and patches" if labels else "patches"
    return {
        "high": high,
        "wide": wide,
        "rows": sequence.patches.rows,
        "columns": sequence.patches.columns,
        "height": sequence.pixels.shape[1],
        "width": sequence.pixels.shape[2],
        "kinds": kinds,
        "places": _sides(places),
        "numbers": sequence.flattened.shape[1],
        "channels": sequence.projected.shape[1],
        "bias": " + b" if sequence.projection.bias is not None else "",
        "prefix": ", ".join(name_prefix(labels)),
        "who": _who_gets_positions(sequence),
        "joined": f"{joined}, positions added" if sequence.positions else joined,
        "blocks": sequence.blocks,
        "merged": words.MERGED if sequence.is_merged else "",
        "read": " and ".join(f"the {name} token" if name in labels else f"the {name}" for name in sequence.read)
        or "a summary of the tokens",
    }


def _who_gets_positions(sequence: PictureSequence) -> str:
    labels, own = sequence.patches.prefix, 0 if sequence.positions is None else len(sequence.positions.prefix)
    if not own:
        return "the patches alone" if labels else "the patches"
    if own == len(labels):
        return "all tokens"
    return f"the patches and the first {own} of {len(labels)} other tokens"


def _sides(shape: Sequence[int]) -> str:
    return " × ".join(f"{side:,}" for side in shape)


def show_arrays(sequence: PictureSequence, patch: int) -> None:
    """The sequence as matrices of numbers: a row is a token, the followed patch is framed."""
    token = sequence.token_of(patch)
    stages = [
        ("flattened", sequence.flattened, patch),
        ("projected", sequence.projected, patch),
        ("tokens", sequence.encoder_input, token),
        ("encoded", sequence.encoded, None if sequence.is_merged else token),
    ]
    parts = [
        Matrix(words.STAGES[name], _sides(values.shape), values.numpy(), marked) for name, values, marked in stages
    ]
    st.subheader("The sequence, as it is", anchor=False)
    charts.chart(
        partial(matrices, parts, look=theme.look()),
        name="vision-sequence",
        alt="The numbers of all patches flattened, projected, with positions added and after the encoder: a row is a "
        "token, a column a channel",
    )
    layout.caption(words.ARRAYS)
