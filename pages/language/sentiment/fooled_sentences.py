"""What the section Fooled says of what was counted: numbers in, sentences out."""

from collections.abc import Mapping, Sequence

from core.sentiment.behavioural_tests import BehaviouralTestResult, Rate
from dashboard import typeset
from dashboard.number_format import compare_shares

SHOULD = {
    "change": "the prediction should change",
    "stay": "the prediction should stay",
    "stronger": "the prediction should not weaken",
    "weaker": "the prediction should not strengthen",
}
Counted = Mapping[str, Sequence[BehaviouralTestResult]]  # by the names of models


def rate_of(tests: Sequence[BehaviouralTestResult]) -> Rate | None:
    """All tests together; None where there is none."""
    return Rate(sum(one.failed for one in tests), sum(one.pairs for one in tests)) if tests else None


def with_interval(rate: Rate) -> str:
    """A rate with its interval: "68 of 75 pairs (91%; 82% to 95%)"."""
    low, high = rate.interval
    return f"{rate.failed:,} of {rate.pairs:,} pairs ({rate.share:.0%}; {low:.0%} to {high:.0%})"


def apart(first: Rate, second: Rate) -> bool:
    """Whether the intervals of two rates share nothing."""
    (low, high), (other_low, other_high) = first.interval, second.interval
    return high < other_low or other_high < low


def about_kind(title: str, counted: Counted) -> str:
    """What should happen on a kind, who fails most on it and who least."""
    model_rates = {name: rate for name, tests in counted.items() if (rate := rate_of(tests))}
    shoulds = dict.fromkeys(one.should for tests in counted.values() for one in tests)
    what = " or ".join(SHOULD[should] for should in shoulds)
    begin = f"**{title}**: {what}" + (", depending on the pair" if len(shoulds) > 1 else "") + "."
    if not model_rates:
        return f"{begin} No model has read these pairs yet."
    worst, best = (pick(model_rates, key=lambda name: model_rates[name].share) for pick in (max, min))
    if model_rates[worst].share == model_rates[best].share:
        named = f"All {len(model_rates)} models fail" if len(model_rates) > 1 else f"{typeset.plain(worst)} fails"
        return f"{begin} {named} on {with_interval(model_rates[worst])}."
    sure = "The intervals do not overlap" if apart(model_rates[worst], model_rates[best]) else "The intervals overlap"
    return (
        f"{begin} {typeset.plain(worst)} fails most, on {with_interval(model_rates[worst])}; {typeset.plain(best)} "
        f"least, on {with_interval(model_rates[best])}. {sure}."
    )


def about_stubborn(counted: Counted) -> str:
    """What a model that always says the same would do on these pairs."""
    tests = next(iter(counted.values()))
    change = sum(one.pairs for one in tests if one.should == "change")
    every = sum(one.pairs for one in tests)
    if change == every:
        return f"A model that always says the same would fail on all {every:,} pairs here."
    if not change:
        return f"A model that always says the same would fail on none of these {every:,} pairs."
    sides = [
        compare_shares(rate.failed, rate.pairs, change, every)
        for rate in (rate_of(model_tests) for model_tests in counted.values())
        if rate
    ]
    return (
        f"A model that always says the same would fail on {change:,} of {every:,} pairs here. By more than two "
        f"standard errors, {sides.count('more')} of {len(sides)} models fail on more and {sides.count('less')} on "
        "fewer."
    )


def about_right(counted: Counted) -> str | None:
    """How many single sentences of the pairs get the verdict that they ask for; None where no classes tell."""
    right_shares = {
        name: sum(one.right or 0 for one in tests) / (2 * sum(one.pairs for one in tests))
        for name, tests in counted.items()
        if tests and all(one.right is not None for one in tests)
    }
    if not right_shares:
        return None
    best, worst = (pick(right_shares, key=lambda name: right_shares[name]) for pick in (max, min))
    sentences = {name: 2 * sum(one.pairs for one in counted[name]) for name in right_shares}
    most, least = ((round(right_shares[name] * sentences[name]), sentences[name]) for name in (best, worst))
    if len(right_shares) == 1 or compare_shares(*most, *least) != "more":
        shares = _range(right_shares[worst], right_shares[best])
        return f"Taken one by one, {shares} of these sentences are predicted right, whichever model reads them."
    return (
        f"Taken one by one, the sentences of these pairs are predicted right in {right_shares[best]:.0%} of cases by "
        f"{typeset.plain(best)}, and in {right_shares[worst]:.0%} by {typeset.plain(worst)}."
    )


def about_sides(counted: Counted) -> str:
    """Over the whole list: do models fail to change their mind, or change it without a reason?"""
    shares, sides = dict[str, tuple[float, float]](), list[str]()
    for name, tests in counted.items():
        change, stay = (rate_of([one for one in tests if one.should == should]) for should in ("change", "stay"))
        if change and stay:
            shares[name] = (change.share, stay.share)
            sides.append(compare_shares(change.failed, change.pairs, stay.failed, stay.pairs))
    if not shares:
        return "No model has read pairs of both kinds, so the two cannot be compared."
    low, high = min(change for change, _ in shares.values()), max(change for change, _ in shares.values())
    least, most = min(stay for _, stay in shares.values()), max(stay for _, stay in shares.values())
    return (
        f"Over the whole list, the models fail on {_range(low, high)} of the pairs on which the prediction should "
        f"change, and on {_range(least, most)} of those on which it should stay: **{sides.count('more')} of "
        f"{len(sides)}** err clearly more often by not changing it, {sides.count('less')} by changing it (by more than "
        "two standard errors)."
    )


def about_baseline(counted: Counted, baseline: str) -> str | None:
    """Which models fail less often on the whole list than the one that only counts words; None without it."""
    rates = {name: rate for name, tests in counted.items() if (rate := rate_of(tests))}
    if baseline not in rates:
        return None
    own = rates.pop(baseline)
    less = [name for name in rates if rates[name].share < own.share and apart(rates[name], own)]
    more = [name for name in rates if rates[name].share > own.share and apart(rates[name], own)]
    return (
        f"{typeset.plain(baseline)}, which counts words and pairs of words, fails on {with_interval(own)} of all "
        f"kinds. Clearly less often, so that the intervals do not overlap: {_named(less)}. Clearly more often: "
        f"{_named(more)}."
    )


def about_unread(counted: Counted) -> str | None:
    """How much of these sentences no model with a list of words can read; None where all read everything."""
    shares = {
        name: sum(one.unread * one.pairs for one in tests) / sum(one.pairs for one in tests)
        for name, tests in counted.items()
        if tests
    }
    most = max(shares, key=lambda name: shares[name])
    if not shares[most]:
        return None
    return (
        f"Some words are read as unknown: {shares[most]:.1%} by {typeset.plain(most)}. "
        f"{sum(not share for share in shares.values())} of {len(shares)} models know them all."
    )


def about_own(changed: Mapping[str, bool]) -> str:
    """Which models changed their mind on the visitor's own pair."""
    who = [name for name, moved in changed.items() if moved]
    if not who:
        return f"**No model** changes its prediction between the two texts: all {len(changed)} stay."
    if len(who) == len(changed):
        return f"**All {len(changed)}** models change their prediction."
    stayed = [name for name, moved in changed.items() if not moved]
    return (
        f"**{len(who)} of {len(changed)}** models change their prediction: {_named(who)}. Unchanged: {_named(stayed)}."
    )


def _named(names: Sequence[str]) -> str:
    return ", ".join(map(typeset.plain, names)) or "none"


def _range(low: float, high: float) -> str:
    return f"{low:.0%}" if f"{low:.0%}" == f"{high:.0%}" else f"{low:.0%} to {high:.0%}"
