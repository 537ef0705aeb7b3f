"""The stages from pixels to scores: a table with the shapes of this picture in this model, and the real arrays."""

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.vision.picture_sequence import PictureSequence
from dashboard import charts, export, layout
from pages.vision.vision_transformer import words_sequence as said
from pages.vision.vision_transformer.compute_sequence import Followed
from pages.vision.vision_transformer.figures_matrices import Matrix, matrices
from pages.vision.vision_transformer.sequence_patch import Place


def show_table(followed: Followed) -> None:
    """Each stage with its shape and what happens there."""
    st.dataframe(
        table_of(followed),
        hide_index=True,
        column_config={
            "step": st.column_config.TextColumn(width=90),
            "shape": st.column_config.TextColumn(width=115),
            "numbers": st.column_config.TextColumn(width=80),
            "what happens": st.column_config.TextColumn(width=580),  # pixels: the longest of them
        },
        height="content",
    )
    if not layout.is_presented():
        export.download_arrays(
            "All stages (NPZ)",
            lambda: export.npz(arrays_of(followed.sequence)),
            name=f"{followed.model.title}-sequence",
            about="Every array of the table as float32",
        )


def table_of(followed: Followed) -> pd.DataFrame:
    """One row a stage: its name, its shape, how many numbers it holds, what happens there."""
    rows = []
    for name, array in arrays_of(followed.sequence).items():
        shape = " × ".join(f"{side:,}" for side in array.shape)
        rows.append((said.STAGES[name], shape, f"{array.size:,}", told(followed, name)))
    return pd.DataFrame(rows, columns=["step", "shape", "numbers", "what happens"])


def arrays_of(sequence: PictureSequence) -> dict[str, np.ndarray]:
    """The array of each stage by its name, in the order in which this model makes them."""
    positions = sequence.positions
    found = {
        "pixels": sequence.pixels,
        "patches": sequence.cut,
        "flattened": sequence.flattened,
        "projected": sequence.projected,
        "embedding_norm": sequence.embedded,
        "positions": None if positions is None else torch.cat([positions.prefix, positions.patches]),
        "prefix": sequence.prefix if len(sequence.prefix) else None,
        "tokens": sequence.joined,
        "token_norm": None if sequence.entering is sequence.joined else sequence.entering,
        "encoded": sequence.encoded,
        "encoder_norm": sequence.normed,
        "logits": sequence.logits,
    }
    if positions is None or positions.order == "after":  # first the prefix tokens join, then positions are added
        order = [name for name in found if name != "positions"]
        order.insert(order.index("tokens"), "positions")
        found = {name: found[name] for name in order}
    return {name: array.numpy() for name, array in found.items() if array is not None}


def told(followed: Followed, name: str) -> str:
    """What happens at a stage, with this model's own numbers."""
    sequence, patch = followed.sequence, followed.sequence.projection.patch
    labels = sequence.patches.prefix
    _, height, width = sequence.pixels.shape
    joined = "prefix and patches" if labels else "patches"
    words = {
        "high": patch[0],
        "wide": patch[1],
        "rows": sequence.patches.rows,
        "columns": sequence.patches.columns,
        "height": height,
        "width": width,
        "numbers": sequence.flattened.shape[1],
        "channels": sequence.projected.shape[1],
        "bias": " + b" if sequence.projection.bias is not None else "",
        "prefix": listed(labels),
        "who": _who(sequence),
        "joined": f"{joined}, positions added" if sequence.positions else joined,
        "blocks": sequence.blocks,
        "merged": said.MERGED if sequence.is_merged else "",
        "read": read_by_head(sequence),
    }
    return said.WHAT[name].format(**words)


def read_by_head(sequence: PictureSequence) -> str:
    """What the head reads, in words."""
    if not sequence.read:
        return "a summary of the tokens"
    names = [f"the {name} token" if name in sequence.patches.prefix else f"the {name}" for name in sequence.read]
    return " and ".join(names)


def listed(labels: tuple[str, ...]) -> str:
    """The labels of prefix tokens in words: "class, 4 registers"."""
    registers = sum(label.startswith("register") for label in labels)
    named = [label for label in labels if not label.startswith("register")]
    if registers:
        named.append("1 register" if registers == 1 else f"{registers} registers")
    return ", ".join(named)


def _who(sequence: PictureSequence) -> str:
    positions = sequence.positions
    if positions is None or not len(positions.prefix):
        return "the patches alone" if sequence.patches.prefix else "the patches"
    if len(positions.prefix) == len(sequence.patches.prefix):
        return "all tokens"
    return f"the patches and the first {len(positions.prefix)} of {len(sequence.patches.prefix)} other tokens"


def show_arrays(followed: Followed, place: Place) -> None:
    """The sequence as matrices of numbers: a row is a token, the followed patch is framed."""
    sequence = followed.sequence
    patch = place[0] * sequence.patches.columns + place[1]
    token = sequence.token_of(patch)
    shown = [
        ("flattened", sequence.flattened, patch),
        ("projected", sequence.projected, patch),
        ("tokens", sequence.entering, token),
        ("encoded", sequence.encoded, None if sequence.is_merged else token),
    ]
    parts = [
        Matrix(said.STAGES[name], f"{len(values):,} × {values.shape[1]:,}", values.numpy(), marked)
        for name, values, marked in shown
    ]
    figure = matrices(parts, look=layout.look())
    st.subheader("The sequence, as it is", anchor=False)
    charts.chart(
        figure,
        name="vision-sequence",
        alt="The numbers of all patches flattened, projected, with positions added and after the encoder: a row is a "
        "token, a column a channel",
        table=None,
    )
    if not layout.is_presented():
        st.caption(said.ARRAYS)
