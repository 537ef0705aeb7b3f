"""The eight formulas with the shapes and numbers of what is shown, and all their arrays as a file."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from core.attention.equations import Step
from dashboard import export


def formulas(steps: Sequence[Step], *, head: int, query: int) -> None:
    """The whole of attention in one line, one row of it in numbers, and every step with its shapes."""
    [scale] = (step for step in steps if step.name == "scale")
    divisor = scale.formula.partition("=")[2].replace("S", r"Q K^{\top}")
    st.latex(rf"H = \operatorname{{softmax}}\left({divisor} + M\right) V")
    weights = next(step for step in steps if step.name == "normalise").arrays["A"][head, query]
    largest = weights.topk(min(3, len(weights))).indices.sort().values.tolist()
    # One term a line: so it fits the narrow column.
    terms = r" \\ &+ ".join(rf"{weights[place]:.2f}\,v_{{{place}}}" for place in largest)
    more = r" + \cdots" if len(weights) > len(largest) else ""
    st.latex(rf"\begin{{aligned}} h_{{{query}}} =&\;\; {terms}{more} \end{{aligned}}")
    with st.expander("All steps, with their shapes"):
        for step in steps:
            st.caption(step.name.capitalize())
            for operation in step.operations:
                st.latex(rf"\small {operation.formula}")


def download(steps: Sequence[Step], *, tokens: Sequence[str], name: str) -> None:
    """A button for an NPZ file with every array of every step, for all heads."""
    export.download_arrays(
        "All steps, all heads (NPZ)",
        lambda: arrays_of(steps, tokens),
        name=name,
        about="Every matrix by its symbol",
    )


def arrays_of(steps: Sequence[Step], tokens: Sequence[str]) -> bytes:
    """The bytes of an NPZ file; what goes in (X, W_Q, ...) and what comes out (Q, ...), with the tokens."""
    matrices: dict[str, Any] = {
        matrix.symbol: matrix.values.numpy()
        for step in steps
        for operation in step.operations
        for matrix in (*operation.inputs, operation.output)
        if matrix.symbol != r"K^{\top}"
    }
    return export.npz({"tokens": np.array(tokens), **matrices})
