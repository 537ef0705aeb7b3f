"""The chosen part: what it is for, what it did to this input, and its numbers to take away."""

import io

import numpy as np
import streamlit as st
import torch

from core.anatomy import Arrays, Part
from core.anatomy.parts import Shape
from dashboard import layout
from pages.foundations.inside_the_transformer import (
    attention_part,
    embedding_part,
    head_part,
    maps,
    mlp_part,
    norm_part,
)
from pages.foundations.inside_the_transformer import compute as inside
from pages.foundations.inside_the_transformer import words as said
from pages.foundations.inside_the_transformer.compute import Walk

VIEWS = {
    "embedding": embedding_part.show,
    "positions": embedding_part.show,
    "norm": norm_part.show,
    "attention": attention_part.show,
    "cross-attention": attention_part.show,
    "MLP": mlp_part.show,
    "linear": mlp_part.show,
    "head": head_part.show,
}


def show(walk: Walk, part: Part) -> None:
    """Everything about one part."""
    with layout.waiting_place():
        arrays = inside.part_arrays(walk, part.key)
    if not layout.is_presented():
        st.markdown(f"**{said.KINDS[part.kind]}.** {said.PURPOSES[part.kind]}")
        st.caption(_facts(part))
    if part.kind in VIEWS:
        VIEWS[part.kind](walk, part, arrays)
    maps.show(walk, part, arrays)
    if not layout.is_presented():
        _download(walk, part, arrays)


def _facts(part: Part) -> str:
    weights = f"{part.parameters:,} weights" if part.parameters else "no weights of its own"
    return f"`{part.class_name}` with {weights}; in {_shapes(part.inputs)}, out {_shapes(part.outputs)}"


def _shapes(shapes: tuple[Shape, ...]) -> str:
    return ", ".join(" × ".join(map(str, shape)) for shape in shapes[:3]) or "nothing"


def _download(walk: Walk, part: Part, arrays: Arrays) -> None:
    st.download_button(
        "This part's numbers (NPZ)",
        data=lambda: packed(walk, arrays),
        file_name=f"attention-atlas-{part.key.replace(' ', '-')}.npz",
        mime="application/octet-stream",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        help="Everything that went in and came out, with the labels: numpy.load(file, allow_pickle=False)",
    )


def packed(walk: Walk, arrays: Arrays) -> bytes:
    """The bytes of an NPZ file: `in_0`, `in_1` … and `out_0` … as the part got and made them, and the labels."""
    kept: dict[str, np.ndarray] = {}
    for name, tensors in (("in", arrays.inputs), ("out", arrays.outputs)):
        for number, tensor in enumerate(tensors):
            numbers = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
            kept[f"{name}_{number}"] = numbers.numpy()
    for lane, labels in walk.labels.items():
        kept[f"labels_{lane}".rstrip("_")] = np.array(labels)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **kept)
    return file.getvalue()
