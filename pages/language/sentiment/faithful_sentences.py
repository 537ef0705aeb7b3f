"""What is worth noticing in Faithful?: numbers in, sentences out."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.attribution.agreement import Agreement, shared_by_chance, tau_by_chance
from core.results.faithfulness_results import MEASURES, RANDOM, Faithful, Mean, RankAgreement
from dashboard.number_format import compare
from pages.language.sentiment.compute_faithful import Curves, value_of

SIDES = ("deletion", "insertion")
ALIKE = 0.005  # areas: smaller differences are told as none
SAME = 0.995  # a tau from here on would be printed as 1


def about_best(curves: Curves, titles: Mapping[str, str]) -> str:
    """Which explanation has the smallest area under deletion and the largest under insertion, beside chance.

    One is called the most faithful only where no random order does as well and no other comes within ALIKE of it.
    """
    return f"On this review {_best(curves, titles, 'deletion')} {capital(_best(curves, titles, 'insertion'))}"


def _best(curves: Curves, titles: Mapping[str, str], side: str) -> str:
    gains = {name: curves.gain(name, side) for name in curves.explanations}
    first, *others = sorted(gains, key=lambda name: -gains[name])
    area = f"area under {side} {value_of(curves.explanations[first], side):.3f}"
    chance = f"random orders {value_of(curves.random, side):.3f}"
    if equal := curves.as_good(first, side):
        return (
            f"**no** explanation is surely better than chance by {side}: {equal} of {len(curves.draws)} random orders "
            f"do as well as the best, {titles[first]} ({area}; {chance})."
        )
    near = [first, *(name for name in others if compare(gains[name], gains[first], margin=ALIKE) == "as much")]
    if len(near) > 1:
        names = listed([f"**{titles[name]}**" for name in near])
        return f"{names} are as faithful as one another by {side} ({area}; {chance})."
    what = "is the most faithful" if others else "is better than chance"
    return f"**{titles[first]}** {what} by {side} ({area}; {chance})."


def about_chance(curves: Curves, titles: Mapping[str, str], side: str) -> str:
    """Which explanations beat all random orders of this review, and which may owe it to chance."""
    sure, unsure, none = [], [], []
    for name in curves.explanations:
        equal = curves.as_good(name, side)
        if not equal:
            sure.append(titles[name])
        elif curves.gain(name, side) > 0:
            unsure.append(f"{titles[name]} ({equal} of {len(curves.draws)} do as well)")
        else:
            none.append(titles[name])
    parts = []
    if sure:
        parts.append(f"**{listed(sure)}** {_beat(sure)} all {len(curves.draws)} random orders of this review")
    if unsure:
        parts.append(f"{listed(unsure)} {_beat(unsure)} their mean, but not all of them, which may be chance")
    if none:
        parts.append(f"{listed(none)} {'is' if len(none) == 1 else 'are'} no better than their mean")
    return f"By {side}, {'; '.join(parts)}."


def about_ends(curves: Curves, verdict: str) -> str:
    """What the model says of the whole text and of one without any word: where all curves begin and end."""
    curve = curves.random
    full_probability, nothing = curve.deletion[0].item(), curve.deletion[-1].item()
    begin = (
        f"The model gives {verdict} {full_probability:.1%} for the whole text, and {nothing:.1%} for a text with no "
        "word left"
    )
    if nothing >= full_probability - 0.05:
        sure = "surer" if compare(nothing, full_probability, margin=0.05) == "more" else "about as sure"
        return f"{begin}: it is {sure} without the words, so the curves say little here."
    return f"{begin}. All curves begin and end there."


def about_measured(results: Faithful, titles: Mapping[str, str], side: str) -> str:
    """Over many reviews: which explanations gain most over random orders, and which cannot be told from them."""
    gains = {name: results.by_method[name][side].gain for name in results.methods}
    known = {name: gain for name, gain in gains.items() if gain is not None}
    ranking = sorted(known, key=lambda name: -known[name].mean)
    best = ranking[0]
    chance = results.by_method[RANDOM][side].value.mean
    better = results.by_method[best][side].better or 0.0
    share = "every review" if better == 1 else f"{better:.1%} of the reviews"
    words = "larger" if MEASURES[side] else "smaller"
    if known[best].low > 0:
        text = (
            f"Over {results.reviews:,} held-out reviews **{titles[best]}** gains most by {side}: its area is "
            f"{interval(known[best])} {words} than that of random orders ({chance:.3f}), and it is better than they "
            f"are in {share}."
        )
    else:
        text = (
            f"Over {results.reviews:,} held-out reviews no explanation is surely better than random orders by {side}."
        )
    if len(ranking) > 1 and known[best].low > 0:
        second = ranking[1]
        apart = known[best].low > known[second].high
        text += (
            f" Next comes {titles[second]} ({known[second].mean:.3f}); the two intervals "
            f"{'do not overlap' if apart else 'overlap: by them alone neither is surely the better one'}."
        )
    worse = [titles[name] for name in ranking if known[name].high < 0]
    unsure = [titles[name] for name in ranking if known[name].low <= 0 <= known[name].high]
    if unsure and known[best].low > 0:
        text += f" {capital(listed(unsure))} cannot be told from chance."
    if worse:
        text += f" {capital(listed(worse))} {'is' if len(worse) == 1 else 'are'} worse than chance."
    return text


def about_agreement(agreement: Agreement, titles: Mapping[str, str]) -> str:
    """Which two explanations agree most and least, and how many pairs do no better than chance."""
    if len(agreement.names) < 2 or agreement.words < 2:
        return "There are no two explanations to compare here, or no two words."
    pairs = pairs_of(agreement)
    known = {pair: tau for pair, tau in pairs.items() if not np.isnan(tau)}
    if not known:
        return "No two explanations rank these words: each pair has one that gives all words the same."
    limit = tau_by_chance(agreement.words)
    same = [f"{titles[one]} and {titles[other]}" for (one, other), value in known.items() if value > SAME]
    ranking = sorted((pair for pair in known if known[pair] <= SAME), key=lambda pair: -known[pair])
    parts = [f"{'; '.join(same)} rank the words the same, or nearly so"] if same else []
    if ranking:
        one, other = (titles[name] for name in ranking[0])
        alike = "the words most alike" if not same else "them most alike of all others"
        parts.append(f"**{one}** and **{other}** rank {alike}: Kendall's τ is {tau(known[ranking[0]])}")
    if len(ranking) > 1:
        one, other = (titles[name] for name in ranking[-1])
        parts.append(f"least alike are {one} and {other} ({tau(known[ranking[-1]])})")
    comparison = capital("; ".join(parts))
    within = sum(abs(value) <= limit for value in known.values())
    chance = f"In 95 of 100 cases two random orders of {agreement.words} words have a τ within ±{limit:.2f}"
    count = f"{within} of {len(known)} pairs {'is' if within == 1 else 'are'} within that" if within else "no pair is"
    return f"{comparison}. {chance}: {count}."


def about_first(agreement: Agreement, titles: Mapping[str, str]) -> str:
    """Of the first words of the explanations, how many are the same, beside chance."""
    if len(agreement.names) < 2 or agreement.words <= agreement.first:  # of so few words all are among the first
        return ""
    rows = {
        (agreement.names[one], agreement.names[other]): agreement.shared[one, other]
        for one in range(len(agreement.names))
        for other in range(one + 1, len(agreement.names))
    }
    most = max(rows, key=lambda pair: rows[pair])
    equal = sum(share == rows[most] for share in rows.values())
    which = "the most of all pairs" if equal == 1 else f"as do {equal - 1} other pairs, and none shares more"
    mean, limit = shared_by_chance(agreement.words)
    words = "word" if agreement.first == 1 else "words"
    return (
        f"Of their first {agreement.first} {words}, {titles[most[0]]} and {titles[most[1]]} share {rows[most]:.0%}, "
        f"{which}; two random orders share {mean:.0%} on average, and seldom more than {limit:.0%}."
    )


def about_agreed(agreements: Sequence[RankAgreement], titles: Mapping[str, str]) -> str:
    """Over many reviews: which two explanations rank words most and least alike."""
    known = sorted((one for one in agreements if one.measure == "tau"), key=lambda one: -one.value.mean)
    if not known:
        return ""

    def description(one: RankAgreement) -> str:
        value = one.value
        return (
            f"{titles[one.one]} and {titles[one.other]} (mean τ {tau(value.mean)}, 95% interval {tau(value.low)} to "
            f"{tau(value.high)})"
        )

    if len(known) == 1:
        return f"Over held-out reviews: {description(known[0])}."
    apart = "" if known[0].value.low > known[-1].value.high else " Their intervals overlap: it may be the other way."
    return f"Over held-out reviews most alike: {description(known[0])}; least: {description(known[-1])}.{apart}"


def about_taken(verdict: str, count: int, words: int, before: float, after: float, *, keep: bool, now: str = "") -> str:
    """What the model says without some words, or of nothing else; `now`: its verdict then."""
    what = (
        f"From the {count} most important of {words} words alone"
        if keep
        else f"Without the {count} most important of {words} words"
    )
    change = f"{'less' if after < before else 'more'} than from the whole text ({before:.1%})"
    if f"{after:.1%}" == f"{before:.1%}":
        change = "as from the whole text"
    turned = f" Its prediction is now **{now}**." if now and now != verdict else ""
    return f"{what}, the model gives {verdict} a probability of **{after:.1%}**, {change}.{turned}"


def pairs_of(agreement: Agreement) -> dict[tuple[str, str], float]:
    """Kendall's tau of each pair of explanations."""
    return {
        (agreement.names[one], agreement.names[other]): float(agreement.tau[one, other])
        for one in range(len(agreement.names))
        for other in range(one + 1, len(agreement.names))
    }


def listed(names: Sequence[str]) -> str:
    """Names in a row: "a", "a and b", "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def interval(value: Mean) -> str:
    """A mean with its interval, for a gain that is above 0."""
    return f"{value.mean:.3f} (95% interval {value.low:.3f} to {value.high:.3f})"


def tau(value: float) -> str:
    """Two digits and a true minus; never a minus zero."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def capital(text: str) -> str:
    """The same with a capital letter first, also where it begins in bold."""
    place = 2 if text.startswith("**") else 0
    return text[:place] + text[place : place + 1].upper() + text[place + 1 :]


def _beat(names: Sequence[str]) -> str:
    return "beats" if len(names) == 1 else "beat"
