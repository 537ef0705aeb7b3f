"""What is true of a text with gaps: the guesses, what a gap looks at, what each word costs, and more hidden."""

from collections.abc import Mapping, Sequence
from math import exp, log

import numpy as np

from core.probing.masked_words.masked_places import HidingCurve, MaskedToken, PseudoLikelihood
from core.text import Tokens
from dashboard import typeset
from dashboard.number_format import compare

ALIKE = 0.05  # bits: costs that differ by less are printed alike
ENOUGH = 10  # words: with fewer, how many are guessed is a case and no measurement


def about_guesses(gaps: Sequence[MaskedToken]) -> str:
    """How many hidden tokens are guessed, and how probable they were found."""
    known = [gap for gap in gaps if gap.true is not None]
    if not known:
        return "Click a word to mask it: the model predicts what should stand there."
    right = sum(gap.rank == 1 for gap in known)
    if len(known) == 1:
        (gap,) = known
        verdict = "first" if right else ordinal(gap.rank or 0)
        return (
            f"The masked word is the model's {verdict} prediction, with a probability of "
            f"**{_percent(gap.probability)}**."
        )
    mean = exp(sum(log(max(gap.probability, 1e-30)) for gap in known) / len(known))
    return (
        f"The first prediction is right for **{right} of {len(known)} masked tokens**, whose probability is "
        f"{_percent(mean)} on average (the geometric mean)."
    )


def about_looks(rows: Mapping[str, np.ndarray], place: int, tokens: Tokens) -> str:
    """Which side a gap looks to, on average over all heads, and the strongest link to another token."""
    if not rows:
        return "No head lets the mask attend to the tokens of the text, so there is no attention to describe."
    special = np.array(tokens.special)
    mean = np.mean(list(rows.values()), axis=0)
    own = np.where(special, 0.0, mean)
    left, right = own[:place].sum(), own[place + 1 :].sum()
    strongest = {name: np.where(special | (np.arange(len(row)) == place), -1.0, row) for name, row in rows.items()}
    head = max(strongest, key=lambda name: strongest[name].max())
    key = int(strongest[head].argmax())
    sentence = (
        f"On average over {len(rows)} heads, the mask gives {left:.0%} of its attention to tokens before it, "
        f"{right:.0%} to tokens after it, {own[place]:.0%} to itself and {mean[special].sum():.0%} to special tokens."
    )
    if strongest[head][key] < 0:
        return sentence
    layer, number = head.split(".")
    name = typeset.plain(typeset.readable(tokens.labels[key]))
    return (
        f"{sentence} In **layer {layer}, head {number}**, it gives {strongest[head][key]:.0%} to “{name}”, its "
        "strongest link."
    )


def about_cost(scores: PseudoLikelihood) -> str:
    """The pseudo-perplexity, and which word has the largest share of it."""
    costs = scores.by_word.tolist()
    if not costs:
        return "This text has no word that costs anything."
    sentence = f"The pseudo-perplexity of the text is **{scores.perplexity:,.1f}**: "
    mean = f"{scores.total / max(scores.tokens, 1) / log(2):.1f} bits"
    if scores.tokens == 1:
        return f"{sentence}its only token costs {mean} when it is masked."
    sentence += f"each of its {scores.tokens} tokens, masked alone, costs {mean} on average."
    if len(costs) == 1:
        return sentence
    ranked = sorted(range(len(costs)), key=lambda place: -costs[place])
    dearest, bits = ranked[0], [costs[place] / log(2) for place in ranked[:2]]
    name = typeset.plain(typeset.readable(scores.words[dearest].label))
    share = f", {costs[dearest] / scores.total:.0%} of the whole text" if scores.total else ""
    if compare(bits[0], bits[1], margin=ALIKE) == "as much":
        other = typeset.plain(typeset.readable(scores.words[ranked[1]].label))
        return f"{sentence} “{name}” and “{other}” cost most, {bits[0]:.1f} bits each."
    return f"{sentence} “{name}” costs most: {bits[0]:.1f} bits{share}."


def about_more(curve: HidingCurve) -> str:
    """What is still guessed when one word is hidden, and when all of them are."""
    first, last = curve.answers[0], curve.answers[-1]
    if not len(first):
        return "No word of this text can be predicted, so masking more changes nothing."
    before, after = _of(first.accuracy, len(first)), _of(last.accuracy, len(last))
    sentence = f"With one word masked at a time, the first prediction is right for **{before}** {_words(len(first))}"
    change = {"less": f"falls to {after}", "more": f"rises to {after}"}.get(
        compare(last.accuracy, first.accuracy), "stays"
    )
    sure = (
        ""
        if change == "stays" or len(first) >= ENOUGH
        else f" {len(first)} {_words(len(first))} are too few to call that a rule."
    )
    return f"{sentence}; when all {curve.words} are masked at once, that {change}.{sure}"


def _words(count: int) -> str:
    return "word" if count == 1 else "words"


def _of(share: float, count: int) -> str:
    return f"{round(share * count)} of {count}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _percent(value: float) -> str:
    return f"{value:.1%}" if value >= 0.0005 else "less than 0.1%"
