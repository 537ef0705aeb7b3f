"""What is true of a sentence beside its translation: what gaps gain, what a head looks at, and how well it aligns."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from core.probing.masked_words.across_languages import GuessPair
from core.results.translator_results import PAIRS, Alignment, Guesses
from dashboard import typeset
from dashboard.number_format import POINT, compare
from dashboard.output.alignment_table import DIAGONAL, IBM_MODEL, TEXTS, TITLES, comparable, pairs_of
from pages.language.missing_word.fill_in_sentences import ordinal

OTHER = {"English": "French", "French": "English"}
EVEN = 0.05  # bits: less is no change worth a word
FAINT_LINK = 0.05  # of a word's attention: a strongest link that gets less says nothing of the order


def about_gap(gap: GuessPair, language: str) -> str:
    """How the guess for one gap changes when the other language is there."""
    beside, alone = gap.with_other, gap.alone
    if beside.true is None:
        return f"This mask is your own `[MASK]` in the {language} sentence, so no true word is known."
    change = f"worth **{gap.bits:.1f} bits**" if gap.bits >= 0 else f"a loss of **{-gap.bits:.1f} bits**"
    verdict = f"the {OTHER[language]} sentence is {change}"
    if abs(gap.bits) < EVEN:
        verdict = f"the {OTHER[language]} sentence changes almost nothing (less than {EVEN} bits)"
    return (
        f"With the {OTHER[language]} sentence, the masked word has a probability of "
        f"**{_percent(beside.probability)}** ({ordinal(beside.rank or 0)} prediction); without it, "
        f"**{_percent(alone.probability)}** ({ordinal(alone.rank or 0)} prediction): {verdict}."
    )


def about_all(english: Sequence[GuessPair], french: Sequence[GuessPair]) -> str:
    """Over all gaps: how many first guesses are right with the other language and alone, and the bits together."""
    known = [gap for gap in (*english, *french) if gap.with_other.true is not None]
    if not known:
        return "Click a word of either sentence to mask it: it is predicted with and without the other language."
    beside = sum(gap.with_other.rank == 1 for gap in known)
    alone = sum(gap.alone.rank == 1 for gap in known)
    bits = sum(gap.bits for gap in known)
    gained = f"is worth {bits:.1f} bits" if bits >= 0 else f"costs {-bits:.1f} bits"
    if abs(bits) < EVEN:
        gained = f"changes almost nothing (less than {EVEN} bits)"
    if len(known) == 1:
        with_other, without = ("right" if right else "wrong" for right in (beside, alone))
        return (
            f"The masked token's first prediction is **{with_other}** with the other language and **{without}** "
            f"without it; the other language {gained}."
        )
    return (
        f"Of **{len(known)} masked tokens**, the first prediction is right for **{beside}** with the other language "
        f"and for **{alone}** without it; the other language {gained} in all."
    )


def about_links(
    weights: Float[np.ndarray, "target source"], french: Sequence[str], english: Sequence[str], name: str
) -> str:
    """How much of a head's attention crosses, its strongest link, and how often links cross one another."""
    if not weights.size:
        return f"**{name}**: there are no words on both sides, so nothing can cross."
    row, column = divmod(int(weights.argmax()), weights.shape[1])
    return (
        f"**{name}**: a French word gives {weights.sum(axis=1).mean():.0%} of its attention to the English words on "
        f"average, the rest to its own sentence and to special tokens. The strongest link: {_quoted(french[row])} "
        f"gives {weights[row, column]:.0%} to {_quoted(english[column])}. {_about_order(weights, english)}"
    )


def _about_order(weights: Float[np.ndarray, "target source"], english: Sequence[str]) -> str:
    """How many pairs of strongest links cross, of those links that are strong enough to say anything."""
    strongest = weights.argmax(axis=1)[weights.max(axis=1) >= FAINT_LINK].tolist()
    counted = f"Counted is the strongest link of each French word, if it has {FAINT_LINK:.0%} or more."
    if len(strongest) < 2:
        left = "there is no link" if not strongest else "there is only one link"
        return f"Nothing can be said of the order: {left}. {counted}"
    if len(set(strongest)) == 1:
        word = _quoted(english[strongest[0]])
        return f"Nothing can be said of the order: all {len(strongest)} links go to {word}. {counted}"
    pairs = len(strongest) * (len(strongest) - 1) // 2
    crossings = sum(
        int(strongest[later] < strongest[earlier]) for later in range(len(strongest)) for earlier in range(later)
    )
    if not crossings:
        return f"**None of {pairs}** pairs of links crosses: both sentences go the same way. {counted}"
    return f"**{crossings} of {pairs}** pairs of links {'crosses' if crossings == 1 else 'cross'}. {counted}"


def about_alignment(alignment: Alignment) -> tuple[str, ...]:
    """The chosen head of `bert-pairs` against the others on each text, of what was measured on the same pairs."""
    return (
        tuple(_about_text(alignment, text, title) for text, title in TEXTS.items()) if PAIRS in alignment.models else ()
    )


def _about_text(alignment: Alignment, text: str, title: str) -> str:
    of, rates = alignment.models[PAIRS], comparable(alignment, text)
    own = float(of["agreement"][text]["aer"])
    head = f"layer {of['layer']}, head {of['head']}"
    if PAIRS not in rates:
        used = int(of["agreement"][text]["pairs"])
        return (
            f"{title}: {head} was measured on {used} of {pairs_of(alignment, text)} pairs only, so its error rate of "
            f"{own:.0%} has nothing to be compared with."
        )
    titles = TITLES | {IBM_MODEL: IBM_MODEL, DIAGONAL: "the diagonal"}
    others = sorted((name for name in rates if name != PAIRS), key=rates.__getitem__)
    sides: dict[str, list[str]] = {"less": [], "as much": [], "more": []}
    for name in others:
        sides[compare(rates[name], own, margin=POINT)].append(f"{titles[name]} {rates[name]:.0%}")
    kinds = {"less": "below it", "as much": "within a point of it", "more": "above it"}
    comparisons = [f"{', '.join(sides[side])} {what}" for side, what in kinds.items() if sides[side]]
    return (
        f"{title}, {pairs_of(alignment, text)} pairs: the links of {head} have an alignment error rate of "
        f"**{own:.0%}** (less is better); {'; '.join(comparisons)}."
    )


def about_measured(guesses: Mapping[str, Guesses]) -> str:
    """What the other language is worth over the held-out sentences, in each language."""
    clauses = [
        f"{language}, {of.tokens:,} hidden tokens: **{of.accuracy_alone:.0%}** right alone, **{of.accuracy:.0%}** "
        f"with the {OTHER[language]} sentence (perplexity {of.perplexity_alone:,.1f} and {of.perplexity:,.1f})"
        for language, of in guesses.items()
    ]
    return f"Over the held-out sentences: {'; '.join(clauses)}."


def _quoted(label: str) -> str:
    return f"“{typeset.plain(typeset.readable(label))}”"


def _percent(value: float) -> str:
    return f"{value:.1%}" if value >= 0.0005 else "less than 0.1%"
