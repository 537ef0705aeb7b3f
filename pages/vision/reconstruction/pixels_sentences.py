"""What is said of image-GPT's pixels: numbers in, sentences out."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from dashboard.number_format import compare, signed

LEVELS = 255  # of a channel: errors are told in its steps
ALIKE = 0.05  # of a mean squared error: a smaller difference counts as none
ABOUT = 0.05  # the same of bits a pixel


def steps(error: float) -> float:
    """The root of a mean squared error (values 0 to 1), in steps of 256 levels."""
    return LEVELS * error**0.5


def tell_palette(error: float, colours: int, used: int) -> str:
    """What is lost when pixels become colours of the palette; `used`: how many of them the picture needs."""
    return (
        f"In {colours} colours, of which this picture uses {used}, each value is off by about **{steps(error):.0f}** "
        f"of {LEVELS} steps."
    )


def tell_bits(bits: Float[np.ndarray, "row column"], rows: int, colours: int) -> tuple[str, ...]:
    """How many bits the part takes that is drawn, beside even guessing, and which of its pixels surprises most."""
    drawn = bits[rows:]
    even = np.log2(colours)
    place = int(drawn.argmax())
    row, column = rows + place // drawn.shape[1], place % drawn.shape[1]
    part = "The true picture" if rows == 0 else f"What truly lies below row {rows - 1}"
    beside = {"less": "less than", "more": "more than"}.get(compare(drawn.mean(), even, margin=ABOUT), "about")
    return (
        f"{part} takes **{drawn.mean():.2f} bits** a pixel, {beside} the {even:.2f} of even guessing among {colours} "
        "colours.",
        f"The most surprising pixel there is in row {row}, column {column}: {drawn.max():.1f} bits."
        if compare(drawn.max(), drawn.min(), margin=ABOUT) == "more"
        else "All pixels there are about as surprising.",
    )


def tell_draws(errors: Sequence[float], even: float, apart: float | None, *, has_rows: bool) -> tuple[str, ...]:
    """How near the completions come to the truth, beside one even colour and beside one another.

    Errors up to ALIKE of the even colour's apart count as equal.
    """
    best, many = int(np.argmin(errors)), len(errors) > 1
    nearer = sum(compare(error, even, margin=ALIKE * even) == "less" for error in errors)
    off = f"off by {steps(errors[best]):.0f} of {LEVELS} steps"
    who = f"Completion {best + 1} comes nearest to the truth, {off}" if many else f"The completion is {off}"
    if many and compare(max(errors), errors[best], margin=ALIKE * max(errors)) != "more":
        who = f"All {len(errors)} completions come about as near to the truth, {off}"
    colour = "the mean colour of what is given" if has_rows else "an even grey"
    beside = f"{colour}, without a network, by {steps(even):.0f}" if even else f"{colour}, without a network, is exact"
    sentences = [f"{who}; {beside}. {_tell_nearer(errors, even, nearer)}"]
    if apart == 0:
        sentences.append("All completions are the same.")
    elif apart is not None:
        between, away = round(steps(apart)), round(steps(float(np.mean(errors))))
        how = "more than" if between > away else "less than" if between < away else "about as much as"
        sentences.append(f"Two completions differ by {between} steps, {how} one differs from the truth ({away}).")
    return tuple(sentences)


def _tell_nearer(errors: Sequence[float], even: float, nearer: int) -> str:
    """How many completions are nearer than the even colour."""
    if len(errors) > 1:
        return f"{nearer} of {len(errors)} completions {'is' if nearer == 1 else 'are'} nearer than that."
    how = {"less": "nearer than that", "more": "farther than that"}
    return f"It is {how.get(compare(errors[0], even, margin=ALIKE * even), 'about as near')}."


def tell_filled(
    errors: Mapping[str, float], right: float, hidden: int, mean_bits: float, colours: int
) -> tuple[str, ...]:
    """What the network's three answers are worth beside the mean of seen neighbours."""
    names = {
        "best": "its most probable colour",
        "drawn": "a colour drawn",
        "mean": "the mean of what it expects",
        "neighbours": "the mean of seen neighbours",
    }
    first = min(errors, key=lambda name: errors[name])
    own = min(("best", "drawn", "mean"), key=lambda name: errors[name])
    sentences = [
        f"{hidden:,} pixels are hidden. Nearest to them comes **{names[first]}**, off by {steps(errors[first]):.1f} of "
        f"{LEVELS} steps; "
        + ", ".join(f"{names[name]} by {steps(error):.1f}" for name, error in errors.items() if name != first)
        + "."
    ]
    sentences.append(_tell_beside_neighbours(errors[own], errors["neighbours"]))
    sentences.append(
        f"The exact colour, one of {colours}, is its first guess for {right:.0%} of them; the true colours take "
        f"{signed(mean_bits)} bits each."
    )
    return tuple(sentences)


def _tell_beside_neighbours(own: float, neighbours: float) -> str:
    """The best of the network's answers beside the mean of seen neighbours."""
    match compare(own, neighbours, margin=ALIKE * neighbours):
        case "less":
            less = 1 - own / neighbours
            return f"So the network knows more here than the neighbours alone show: its error is {less:.0%} smaller."
        case "more" if not neighbours:
            return "The mean of the neighbours is exact here; the network is not."
        case "more":
            return f"So here the neighbours alone show more: the network's error is {own / neighbours - 1:.0%} larger."
        case _:
            return "So the network does no better here than the mean of the neighbours."


def tell_heads(heads: Sequence) -> tuple[str, ...]:
    """The heads that look most to the left, most above and farthest away, and what goes to the start."""

    def named(head) -> str:
        return f"layer {head.layer}, head {head.head}"

    left, above = (max(heads, key=lambda head: getattr(head, name)) for name in ("left", "above"))
    start = max(heads, key=lambda head: head.start)
    sentences = [
        f"Most to the pixel on the **left** goes in {named(left)}: {left.left:.0%}. Most to the pixel **above** goes "
        f"in {named(above)}: {above.above:.0%}."
    ]
    placed = [head for head in heads if np.isfinite(head.distance)]
    if placed:
        near, far = (pick(placed, key=lambda head: head.distance) for pick in (min, max))
        sentences.append(
            f"Nearest looks {named(near)}, {near.distance:.1f} pixels away on average, farthest {named(far)}, "
            f"{far.distance:.1f}."
        )
    share = float(np.mean([head.start for head in heads]))
    sentences.append(
        f"To the start token, which is not a pixel, heads give {share:.0%} on average, most in {named(start)}: "
        f"{start.start:.0%}."
    )
    return tuple(sentences)


def tell_both(
    errors: Mapping[str, float], draws: Sequence[float], *, mae: str, palette: str, mean: str
) -> tuple[str, ...]:
    """Which of the two comes nearer to the truth; `mae`, `palette` and `mean` are names of `errors`."""
    best, middle = min(draws), float(np.mean(draws))
    several = f" on average and {steps(best):.0f} in the nearest of {len(draws)} completions" if len(draws) > 1 else ""
    sentences = [
        f"The **autoencoder** is off by {steps(errors[mae]):.0f} of {LEVELS} steps, **image-GPT** by "
        f"{steps(middle):.0f}{several}; the mean colour of the upper half by {steps(errors[mean]):.0f}."
    ]
    nearer = sum(compare(error, errors[mae], margin=ALIKE * errors[mae]) == "less" for error in draws)
    come = "comes" if nearer == 1 else "come"
    counted = f"{nearer} of {len(draws)} completions {come} nearer to the truth than the autoencoder."
    if middle:
        left = errors[palette] / middle
        counted += f" If every colour were right, {left:.0%} of their error would be left: that of the palette."
    return (*sentences, counted)


def tell_rough(truth: float, mae: float, draws: float) -> str:
    """How much detail each puts there, by how much neighbouring pixels differ."""

    def beside(one: float) -> str:
        if not truth:
            return "beside none in the truth"
        return f"{one / truth:.0%} of it"

    return (
        f"In the true lower half neighbouring pixels differ by {LEVELS * truth:.0f} steps. The autoencoder puts "
        f"{LEVELS * mae:.0f} there ({beside(mae)}), image-GPT {LEVELS * draws:.0f} ({beside(draws)})."
    )
