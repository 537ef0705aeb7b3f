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
from pages.vision.vision_transformer.compute import Followed
from pages.vision.vision_transformer.figures import Matrix, matrices
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Picture to sequence")
STAGES = {
    "pixels": "Pixels",
    "features": "Features",
    "patches": "Patches",
    "flattened": "Flattened",
    "projected": "Projected",
    "embedding_norm": "Normed",
    "prefix": "Joining",
    "positions": "Positions",
    "tokens": "Tokens",
    "token_norm": "Normed",
    "encoded": "Encoded",
    "encoder_norm": "Normed",
    "logits": "Scores",
}
# What happens at each stage, for the table.
STEPS = {
    "pixels": "the photograph as the model takes it, {height} × {width}; each colour shifted and scaled",
    "patches": "cut into {rows} rows and {columns} columns of patches, {high} × {wide} pixels each",
    "flattened": "each patch as one vector: all of red, then green, then blue, row by row",
    "projected": "every vector times the same matrix E{bias}: {numbers} numbers become {channels} channels",
    "embedding_norm": "a norm that belongs to the projection",
    "prefix": "tokens that are not patches, the same for every picture: {prefix}",
    "positions": "one vector for each place, added to {who}",
    "tokens": "the sequence that the encoder reads: {joined}",
    "token_norm": "one more norm before the first block",
    "encoded": "after {blocks} blocks of attention and MLP{merged}",
    "encoder_norm": "the last norm, token by token",
    "logits": "the head reads {read}: one score for each class",
}
# The same of a hybrid, whose patches are cut from features.
STEPS_OF_HYBRID = {
    "features": "what a convolutional network makes of it: {kinds} numbers at each of {places} places",
    "flattened": "each patch as one vector: its features, one after another",
}


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
    export.download_arrays(
        "All stages (NPZ)",
        lambda: export.npz(arrays_of(followed.sequence)),
        name=f"{followed.model.title}-sequence",
        about="Every array of the table as float32",
    )


def table_of(sequence: PictureSequence) -> pd.DataFrame:
    """One row a stage: its name, its shape, how many numbers it holds, what happens there."""
    steps = STEPS if sequence.features is None else STEPS | STEPS_OF_HYBRID
    numbers = _numbers_of(sequence)
    rows = [
        (STAGES[name], _sides(array.shape), f"{array.size:,}", steps[name].format(**numbers))
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
    """The values for the places in STEPS."""
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
        "merged": ", in which patches were merged: there are fewer tokens now" if sequence.is_merged else "",
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
    parts = [Matrix(STAGES[name], _sides(values.shape), values.numpy(), marked) for name, values, marked in stages]
    st.subheader("The sequence, as it is", anchor=False)
    charts.chart(
        partial(matrices, parts, look=theme.look()),
        name="vision-sequence",
        alt="The numbers of all patches flattened, projected, with positions added and after the encoder: a row is a "
        "token, a column a channel",
    )
    layout.caption(SECTION.text("Sequence of tokens"))
