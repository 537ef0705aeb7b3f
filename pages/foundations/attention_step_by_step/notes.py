"""Below the steps: sentences about one query, computed from the steps that are shown; the formulas; all arrays."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st
from torch import Tensor

from core.attention.equations import Step
from core.heads.measures import entropy
from dashboard import typeset
from dashboard.number_format import small
from dashboard.output import export

SATURATED = 0.99  # a largest weight above which the others hardly count
CLOSE = 0.005  # weights that differ by less read the same


def notices(
    steps: Sequence[Step], other: Sequence[Step], *, tokens: Sequence[str], head: int, query: int, scale: bool
) -> tuple[str, ...]:
    """What the query finds, what the scale does to it, and what the mask does; `other` has the scale switched."""

    def name(place: int) -> str:
        return f"“{typeset.plain(typeset.readable(tokens[place]))}”"

    weights, scores = _of(steps, "normalise", head)[query], _of(steps, "score", head)[query]
    masked = _of(steps, "mask", head).isneginf()
    scaled, unscaled = (weights, _of(other, "normalise", head)[query])[:: 1 if scale else -1]
    return (
        tell_choice(name, weights, scores, masked[query], query),
        tell_scale(name(query), scaled, unscaled),
        tell_mask(name, masked, query),
    )


def tell_choice(name: Callable[[int], str], weights: Tensor, scores: Tensor, masked: Tensor, query: int) -> str:
    """Which key a query finds; weights, scores and what is masked have one entry for each token."""
    allowed = weights[~masked]
    if len(allowed) == 1:
        return f"{name(query)} may attend to only one token, so that one gets **100%**, whatever its score."
    if float(allowed.max() - allowed.min()) < CLOSE:
        return (
            f"{name(query)} cannot decide: all {len(allowed)} tokens that it may attend to get about "
            f"**{float(allowed.mean()):.0%}**."
        )
    best = int(weights.argmax())
    best_name = "itself" if best == query else name(best)
    score = f"{float(scores[best]):.4g}".replace("-", "−")
    return (
        f"{name(query)} gives **{float(weights[best]):.0%}** of its attention to {best_name}, whose key has the "
        f"highest score with its query ({score})."
    )


def tell_scale(name: str, scaled: Tensor, unscaled: Tensor) -> str:
    """What the scale does to the weights of a query, by the same weights with it and without."""
    largest = [float(weights.max()) for weights in (scaled, unscaled)]
    bits = [float(entropy(weights[None])) for weights in (scaled, unscaled)]
    if abs(largest[1] - largest[0]) < CLOSE:
        return f"The scale changes little here: the largest weight of {name} is {largest[0]:.2f} with it and without."
    sentence = (
        f"With the scale the largest weight of {name} is **{largest[0]:.2f}**, without it **{largest[1]:.2f}**; the "
        f"entropy of its row is {bits[0]:.2f} bits with it, and {bits[1]:.2f} without. "
    )
    if largest[1] > SATURATED > largest[0]:
        slopes = [weight * (1 - weight) for weight in largest]
        return sentence + (
            f"Without it softmax is saturated: its slope at a weight *a* is *a* (1 − *a*), here {small(slopes[1])}, "
            f"with the scale {small(slopes[0])}; a model learns through these slopes."
        )
    return sentence + (
        "Larger differences make the choice sharper but do not change it: the order of the weights stays the same."
    )


def tell_mask(name: Callable[[int], str], masked: Tensor, query: int) -> str:
    """What the mask hides from a query; `masked` (query, key) is the mask of all of them."""
    hidden, count = int(masked[query].sum()), masked.shape[1]
    if hidden:
        weights = "its weight is" if hidden == 1 else "their weights are"
        return (
            f"The mask hides {hidden} of {count} tokens from {name(query)}: {weights} exactly 0, and the others share "
            "all its attention."
        )
    if count == 1:
        return f"There is nothing to mask: {name(query)} is the only token."
    if masked.any():
        return (
            f"The mask hides nothing from {name(query)}, the last token; from every other token it hides the later "
            "ones."
        )
    after = ", also at those after it" if query < count - 1 else ""
    return f"Nothing is masked: {name(query)} may look at all {count} tokens{after}."


def _of(steps: Sequence[Step], name: str, head: int) -> Tensor:
    return next(step for step in steps if step.name == name).operations[0].output.of_head(head)


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
    """A button for an NPZ file with every array of every step, for all heads, and the tokens."""
    export.download_arrays(
        "All steps, all heads (NPZ)",
        lambda: export.npz({"tokens": np.array(tokens), **arrays_of(steps)}),
        name=name,
        about="Every matrix by its symbol",
    )


def arrays_of(steps: Sequence[Step]) -> dict[str, Any]:
    """Every matrix by its symbol: what goes in (X, W_Q, ...) and what comes out (Q, ...)."""
    return {
        matrix.symbol: matrix.values.numpy()
        for step in steps
        for operation in step.operations
        for matrix in (*operation.inputs, operation.output)
        if matrix.symbol != r"K^{\top}"
    }
