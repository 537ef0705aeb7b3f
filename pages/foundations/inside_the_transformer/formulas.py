"""The formulas of the page, with the numbers of what is shown."""

import streamlit as st

from core.anatomy import Stream
from core.anatomy.logit_lens import Lens
from dashboard import contents
from pages.foundations.inside_the_transformer.compute import Walk


def blocks(walk: Walk) -> None:
    """One block, as this model makes it."""
    pre = is_pre_norm(walk)
    st.latex(
        r"x \leftarrow x + \mathrm{Sublayer}(\mathrm{Norm}(x))"
        if pre
        else r"x \leftarrow \mathrm{Norm}(x + \mathrm{Sublayer}(x))"
    )
    order = "before each sublayer (pre-norm)" if pre else "after each sum (post-norm)"
    st.markdown(
        f"This model normalises {order}. The order, the branches and the sums of the diagram are read off the run "
        "itself: every module that ran, and every addition of two tensors of token vectors."
    )
    contents.STEPS.link("Attention step by step")


def stream(stream: Stream) -> None:
    """The stream as a sum."""
    st.latex(r"x_L = x_0 + \sum_{l=1}^{L} \big(\mathrm{attention}_l + \mathrm{MLP}_l\big)")
    st.markdown(
        f"The vector of each token, {stream.points[0].shape[-1]} numbers, is read before the first of "
        f"{len(stream.points) - 1} blocks and after each. Lengths are Euclidean. Where norms stand on the stream "
        "itself (post-norm), the sum holds only until the next norm."
    )


def lens(walk: Walk, lens: Lens) -> None:
    """The lens, and how well it fits at the last layer."""
    st.latex(r"p_l = \mathrm{softmax}\big(\mathrm{head}(\mathrm{norm}(x_l))\big)")
    own = walk.walked.logits
    assert own is not None
    difference = (lens.logits.reshape(own.shape) - own.float()).abs().max().item()
    st.markdown(
        "The model runs again with its last block returning the stream $x_l$ of an earlier one, so all that comes "
        "after the blocks is its own. At the last layer this must give the model's own scores: the largest difference "
        f"is {f'{difference:.0e}' if difference else 'exactly 0'}."
    )


def is_pre_norm(walk: Walk) -> bool:
    """Whether the first branch of the last stack begins with a norm."""
    branch = next(step for step in walk.walked.stack.blocks[0].steps if step.kind == "branch")
    return bool(branch.parts) and branch.parts[0].kind == "norm"


def sizes() -> None:
    """The rule of thumb; the exact formulas stand above, beside the counts."""
    st.latex(r"N \approx 12\,L\,d^2 \qquad C \approx 2N\ \text{for each token}")
    st.markdown(
        "*L* blocks of width *d*: attention has four matrices of *d* × *d*, an MLP that is four times wider has eight. "
        "Every weight of a matrix is used once for each token, in one multiplication and one addition."
    )
