"""Sentences of "What to notice" about one query: each is computed from the steps that are shown."""

from collections.abc import Sequence

from torch import Tensor

from core.attention.equations import Step
from core.heads.measures import entropy
from dashboard import layout

SATURATED = 0.99  # a largest weight above which the others hardly count


def step_notices(
    steps: Sequence[Step], other: Sequence[Step], *, tokens: Sequence[str], head: int, query: int, scale: bool
) -> tuple[str, ...]:
    """What the query finds, what the scale does to it, and what the mask does; `other` has the scale switched."""

    def name(place: int) -> str:
        return f"“{layout.plain(layout.readable(tokens[place]))}”"

    weights = _row(steps, "normalise", head, query)
    scaled, unscaled = (weights, _row(other, "normalise", head, query))[:: 1 if scale else -1]
    return (
        _about_choice(name, steps, weights, head, query),
        _about_scale(name(query), scaled, unscaled),
        _about_mask(name, steps, head, query),
    )


def _about_choice(name, steps: Sequence[Step], weights: Tensor, head: int, query: int) -> str:
    allowed = weights[~_row(steps, "mask", head, query).isneginf()]
    if len(allowed) == 1:
        return f"{name(query)} may look at one token only, so that one gets **100%**, whatever its score is."
    if float(allowed.max() - allowed.min()) < 0.005:
        return f"{name(query)} cannot decide: all {len(allowed)} tokens it may look at get **{float(allowed[0]):.0%}**."
    best = int(weights.argmax())
    found = "itself" if best == query else name(best)
    score = _number(float(_row(steps, "score", head, query)[best]))
    return (
        f"{name(query)} gives **{float(weights[best]):.0%}** of its attention to {found}: of all it may look at, "
        f"no key agrees better with its query (score {score})."
    )


def _about_scale(name: str, scaled: Tensor, unscaled: Tensor) -> str:
    largest = [float(weights.max()) for weights in (scaled, unscaled)]
    bits = [float(entropy(weights[None])) for weights in (scaled, unscaled)]
    if abs(largest[1] - largest[0]) < 0.005:
        return f"The scale changes little here: the largest weight of {name} is {largest[0]:.2f} with it and without."
    sentence = (
        f"With the scale the largest weight of {name} is **{largest[0]:.2f}**, without it **{largest[1]:.2f}**; "
        f"the entropy of its row is {bits[0]:.2f} bits with it, and {bits[1]:.2f} without. "
    )
    if largest[1] > SATURATED > largest[0]:
        return sentence + (
            "Without it softmax is saturated: one weight is almost 1, and a small change of a score changes almost "
            "nothing. A model learns by small changes, so it could hardly learn here."
        )
    return sentence + "Larger differences make a sharper choice, not another one: the order of the weights stays."


def _about_mask(name, steps: Sequence[Step], head: int, query: int) -> str:
    masked = _row(steps, "mask", head, query).isneginf()
    hidden = int(masked.sum())
    if hidden:
        return (
            f"The mask hides {hidden} of {len(masked)} tokens from {name(query)}: their weights are exactly 0, and "
            "what they would have had goes to the others."
        )
    if _step(steps, "mask").operations[0].inputs[1].values.isneginf().any():
        return f"The mask hides nothing from {name(query)}, the last token; it hides the later ones from all others."
    return f"Nothing is masked: {name(query)} may look at all {len(masked)} tokens, also at those after it."


def _row(steps: Sequence[Step], name: str, head: int, query: int) -> Tensor:
    return _step(steps, name).operations[0].output.of(head)[query]


def _step(steps: Sequence[Step], name: str) -> Step:
    return next(step for step in steps if step.name == name)


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
