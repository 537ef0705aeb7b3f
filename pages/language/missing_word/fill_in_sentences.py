"""What is true of a text with gaps: the guesses, what a gap looks at, what each word costs, and more hidden."""

from collections.abc import Mapping, Sequence
from math import exp, log

import numpy as np

from core.cloze.hidden import Gap, HiddenMore, PseudoLikelihood
from core.text import Tokens
from dashboard import layout


def about_guesses(gaps: Sequence[Gap]) -> str:
    """How many hidden tokens are guessed, and how probable they were found."""
    known = [gap for gap in gaps if gap.true is not None]
    if not known:
        return "Click a word: it is hidden from the model, which says what should stand there."
    right = sum(gap.rank == 1 for gap in known)
    if len(known) == 1:
        (gap,) = known
        told = "is the model's first guess" if right else f"comes {ordinal(gap.rank or 0)} among its guesses"
        return f"What was hidden {told}, with a probability of **{_percent(gap.probability)}**."
    mean = exp(sum(log(max(gap.probability, 1e-30)) for gap in known) / len(known))
    return (
        f"Of **{len(known)} hidden tokens** the first guess is right for **{right}**; they have a probability of "
        f"{_percent(mean)} on average (the geometric mean)."
    )


def about_looks(looks: Mapping[str, np.ndarray], place: int, tokens: Tokens) -> str:
    """Which side a gap looks to, on average over all heads, and the strongest link to another token."""
    if not looks:
        return "This model has no layer that connects all tokens, so nothing can be said about what the gap looks at."
    special = np.array(tokens.special)
    mean = np.mean(list(looks.values()), axis=0)
    own = np.where(special, 0.0, mean)
    left, right = own[:place].sum(), own[place + 1 :].sum()
    strongest = {name: np.where(special | (np.arange(len(row)) == place), -1.0, row) for name, row in looks.items()}
    head = max(strongest, key=lambda name: strongest[name].max())
    key = int(strongest[head].argmax())
    sentence = (
        f"Over all {len(looks)} heads the gap gives {left:.0%} of its attention to what stands before it, {right:.0%} "
        f"to what stands after it, {own[place]:.0%} to itself and {mean[special].sum():.0%} to special tokens."
    )
    if strongest[head][key] < 0:
        return sentence
    layer, number = head.split(".")
    name = layout.plain(layout.readable(tokens.labels[key]))
    return (
        f"{sentence} Its strongest link: **layer {layer}, head {number}** gives {strongest[head][key]:.0%} to “{name}”."
    )


def about_cost(scores: PseudoLikelihood) -> str:
    """The pseudo-perplexity, and which word has the largest share of it."""
    costs = scores.by_word.tolist()
    if not costs:
        return "This text has no word that costs anything."
    dearest = max(range(len(costs)), key=costs.__getitem__)
    name = layout.plain(layout.readable(scores.words[dearest].label))
    share = f", {costs[dearest] / scores.total:.0%} of the whole text" if scores.total else ""
    return (
        f"The pseudo-perplexity of the text is **{scores.perplexity:,.1f}**: each of its {scores.tokens} tokens, "
        f"hidden alone, costs {scores.total / max(scores.tokens, 1) / log(2):.1f} bits on average. “{name}” costs "
        f"most: {costs[dearest] / log(2):.1f} bits{share}."
    )


def about_more(found: HiddenMore) -> str:
    """What is still guessed when one word is hidden, and when all of them are."""
    first, last = found.answers[0], found.answers[-1]
    change = "falls" if last.accuracy < first.accuracy else "rises" if last.accuracy > first.accuracy else "stays"
    to = f" to {_of(last.accuracy, len(last))}" if change != "stays" else ""
    return (
        f"With one word hidden at a time the first guess is right for **{_of(first.accuracy, len(first))}** words; "
        f"when all {found.words} are hidden at once that {change}{to}."
    )


def _of(share: float, count: int) -> str:
    return f"{round(share * count)} of {count}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _percent(value: float) -> str:
    return f"{value:.1%}" if value >= 0.0005 else "less than 0.1%"
