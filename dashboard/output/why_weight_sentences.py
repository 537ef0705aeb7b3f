"""What the explanation of a weight says: sentences and formulas with its numbers."""

import math
from collections.abc import Sequence

import numpy as np

from core.heads.weight_explanation import Scores, Values, WeightExplanation, Written
from dashboard.number_format import signed, small
from dashboard.recordings.layer_outputs import NextWord

NEAR = 0.005  # nats: less is not told from nothing

CHECKED = "Computed again from query and key, in 64-bit numbers, the row equals the weights of the map."
ABLATED = "Some heads are ablated in these maps, so what the heads write is not added up. Choose the maps “as it is”."
NOT_THE_MAP = (
    "Run once more, the model gives this row other weights than the map, by up to {difference:.1e}. So nothing is "
    "explained here."
)
UNDIVIDED = (
    "This layer's output is no sum of what its heads write, so what one head adds to the next word cannot be computed."
)


def title(explanation: WeightExplanation, query: str, key: str) -> str:
    """The question; names are Markdown."""
    return f"Why does {query} attend to {key} with weight {_weight(explanation.weight)}?"


def products(scores: Scores, query: str, key: str) -> str:
    """What the dot product is of."""
    return (
        f"**1. Products.** The query of {query} and the key of {key} have {len(scores.products)} channels; their "
        f"products sum to **{signed(scores.dot)}**."
    )


def score(scores: Scores) -> str:
    """What the scale does, and what the mask or a bias does to the score."""
    added = float(scores.bias[scores.place])
    if not scores.permitted[scores.place]:
        more = "; the mask forbids this key, so whatever the product its weight is 0"
    elif added:
        more = f"; the model adds {signed(added)} to this pair, a bias for the position or a mask"
    else:
        more = ""
    return f"**2. Score.** The scale keeps sums over {len(scores.products)} channels moderate{more}."


def score_formula(scores: Scores) -> str:
    """Dot product times scale, plus what is added to it, as LaTeX."""
    width = len(scores.products)
    root = rf"1/\sqrt{{{width}}}" if math.isclose(scores.scale, width**-0.5) else r"\mathrm{scale}"
    terms = rf"\underbrace{{{_tex(scores.dot)}}}_{{q \cdot k}} \times \underbrace{{{scores.scale:.4g}}}_{{{root}}}"
    if not scores.permitted[scores.place]:
        return rf"{terms} \underbrace{{-\infty}}_{{\mathrm{{mask}}}} = -\infty"
    added = float(scores.bias[scores.place])
    bias = rf" + \underbrace{{{_tex(added)}}}_{{\mathrm{{bias}}}}" if added else ""
    return rf"{terms}{bias} = {_tex(scores.score)}"


def softmax(explanation: WeightExplanation, key: str) -> str:
    """What the softmax makes of the score, beside an even row where the mask is known."""
    weight = f"the weight of {key} is **{_weight(explanation.weight)}**"
    if explanation.scores is None:
        return f"**3. Softmax.** As it was recorded, {weight}."
    count = int(explanation.scores.permitted.sum())
    keys = "the only key" if count == 1 else f"the {count:,} keys"
    even = f"; spread evenly it would be {_weight(1 / count)}" if count > 1 and explanation.weight > 0 else ""
    return f"**3. Softmax.** Over {keys} that this row may attend to, {weight}{even}."


def softmax_formula(explanation: WeightExplanation, scores: Scores) -> str:
    """The weight as a power of e, with the logarithm of the row's sum, as LaTeX."""
    score = _tex(scores.score) if scores.permitted[scores.place] else r"-\infty"
    normaliser = scores.log_normaliser
    sign = "-" if round(normaliser, 2) >= 0 else "+"
    return (
        rf"\frac{{e^{{{score}}}}}{{\sum_j e^{{s_j}}}} = e^{{{score} {sign} {_tex(abs(normaliser))}}} = "
        rf"{_latex(_weight(explanation.weight))}"
    )


def mix(explanation: WeightExplanation, values: Values, key: str) -> str:
    """The share of the key in the output of the head."""
    share, length = float(values.shares[explanation.key]), float(values.output.norm())
    if math.isnan(share):
        return "**4. Values.** The output of this head is zero here."
    start = f"**4. Values.** {_percent(share)} of this head's output comes from {key}"
    against = ": its weighted value points against the output" if share <= -NEAR else ""
    return (
        f"{start}{against}. The output is the sum of weight × value over all keys, {length:.2f} long; shares are "
        "measured along it and sum to 100%."
    )


def written(explanation: WeightExplanation, layer: Written, key: str) -> str:
    """The length of what the head writes, its share in the layer, and the part that comes from the cell."""
    lengths = layer.heads
    own = float(lengths[explanation.head])
    if not own > 0:
        return "**5. Output.** Through the output projection this head writes nothing at this token."
    among = ""
    if len(lengths) > 1:
        among = f", {layer.share(explanation.head):.0%} of the lengths of all {len(lengths)} heads of the layer"
    return (
        f"**5. Output.** Through the output projection the head writes a vector of length **{own:.2f}**{among}. The "
        f"part that comes from {key} is {small(layer.cell)} long."
    )


def next_word(explanation: WeightExplanation, word: NextWord, names: Sequence[str], key: str) -> str:
    """What the head, and the cell in it, add between the two most probable next tokens; names are Markdown."""
    parts = word.heads[explanation.call.path][explanation.head]
    head, cell = float(parts.sum()), float(parts[explanation.key])
    first, second = names
    return (
        f"**6. Next word.** After this token the model ranks {first} before {second}, by {signed(word.difference)} "
        f"nats. This head adds {_toward(head, names)}; what comes from {key} adds {_toward(cell, names)}."
    )


def left_out(start: str, values: Sequence[float], key: str) -> str:
    """What a number in nats, which `start` names, is, and what it would be without the head and without one key in it.

    `values` are these three.
    """
    plain, *without = values
    head, cell = (_becomes(plain, value) for value in without)
    return (
        f"{start} {signed(plain)} nats. Without what this head writes at this token it {head}; without what comes from "
        f"{key} alone it {cell}. Each was measured by running the model again."
    )


def _becomes(before: float, after: float) -> str:
    if not math.isfinite(after):
        return "is no finite number"
    if signed(before) == signed(after):
        return f"stays at {signed(after)}"
    return f"{'rises' if after > before else 'falls'} to {signed(after)}"


def some_keys(count: int, total: int, of: str, *, is_among: bool) -> str:
    """That the figure shows some keys of a row; whether the cell's own is among the largest anyway."""
    if is_among:
        return f"The {count} largest of {total:,} {of}."
    return f"The {count - 1} largest of {total:,} {of}, and that of this key."


def listed(names: Sequence[str], numbers: np.ndarray) -> str:
    """The rows of a figure, for who cannot see it."""
    return "; ".join(f"{name} {signed(number)}" for name, number in zip(names, numbers.tolist(), strict=True))


def _toward(nats: float, names: Sequence[str]) -> str:
    if abs(nats) < NEAR:
        return f"less than {NEAR} nats to either"
    return f"{small(abs(nats))} nats toward {names[0] if nats > 0 else names[1]}"


def _weight(weight: float) -> str:
    """As in the view, with more digits where two would show nothing."""
    return small(weight) if weight == weight else "not a number"


def _percent(share: float) -> str:
    if 0 < abs(share) < 0.0005:
        return "Less than 0.1%"
    return f"{round(share, 3) + 0.0:.1%}".replace("-", "−")


def _tex(number: float) -> str:
    return signed(number).replace("−", "-")


def _latex(text: str) -> str:
    """A number of `small` in LaTeX: its power of ten has raised digits there."""
    mantissa, times, power = text.partition("\u00a0×\u00a010")
    if not times:
        return text.replace("−", "-")
    return rf"{mantissa} \times 10^{{{power.translate(str.maketrans('⁻⁰¹²³⁴⁵⁶⁷⁸⁹', '-0123456789'))}}}".replace("−", "-")
