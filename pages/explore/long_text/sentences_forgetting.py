"""What to notice in Forgetting, computed from the runs."""

import math

import torch
from torch import Tensor

from core.long_context.cache_rules import SINKS
from core.long_context.forgetting import ForgetfulRun
from dashboard import typeset
from dashboard.number_format import CLEAR, POINT, amount, compare
from dashboard.number_format import Comparison as Side
from pages.explore.long_text.compute_forgetting import Comparison, Setting

LEAST = 0.01  # bits: smaller differences count as equal however many tokens there are
# Standard errors between the extremes of five rules: for the largest of ten differences 5 % by chance (Bonferroni).
EXTREMES = 2.8
FEW = 32  # tokens after the budget: fewer tell nothing


def notices(comparison: Comparison, setting: Setting) -> tuple[str, ...]:
    """Which rule costs least and most, what the first tokens are worth, whether a score beats chance, what is saved."""
    budget = setting.budget
    if comparison.count <= budget:
        return (
            f"Nothing is dropped: the text has {comparison.count:,} tokens and the budget holds {budget:,}. Choose a "
            "smaller budget or more tokens.",
        )
    if comparison.count - 1 - budget < FEW:
        return (
            f"Too little is read to compare rules: {comparison.count - 1 - budget} tokens are predicted after the "
            f"budget of {budget:,} keys is full, and {FEW} are needed. Choose more tokens or a smaller budget.",
        )
    return (
        about_rules(comparison, budget),
        about_first_tokens(comparison, budget),
        about_largest(comparison, budget),
        about_score(comparison, budget),
        about_lost(comparison, budget),
        about_bytes(comparison, budget),
    )


def about_rules(comparison: Comparison, budget: int) -> str:
    """The rules with the smallest and the largest rise, if they can be told apart."""
    rises = {name: float(_rise(comparison, name, budget).mean()) for name in comparison.runs}
    if not all(map(math.isfinite, rises.values())):
        return "The loss is not a number under some rule: this model does not stand the text."
    best, worst = min(rises, key=rises.__getitem__), max(rises, key=rises.__getitem__)
    full = float(comparison.full.losses[budget:].mean())
    start = f"With {budget:,} of {comparison.count:,} keys per head"
    if spread(comparison, best, worst, budget) != "more":
        return (
            f"{start}, the rules cost about the same: between {_signed(rises[best])} and {_signed(rises[worst])} bits "
            f"per token over the full cache, which needs {full:.2f}."
        )
    return (
        f"{start}, the cheapest rule is **{best.lower()}**, **{_signed(rises[best])} bits** per token over the full "
        f"cache ({full:.2f}); the dearest is {worst.lower()}, **{_signed(rises[worst])}**."
    )


def spread(comparison: Comparison, best: str, worst: str, budget: int) -> Side:
    """Whether the dearest rule costs more than the cheapest, which were picked among all."""
    return _side(comparison.runs[worst].losses - comparison.runs[best].losses, budget, errors=EXTREMES)


def about_first_tokens(comparison: Comparison, budget: int) -> str:
    """Whether a window collapses without the first tokens, and how much attention these get."""
    without, with_them = (float(_rise(comparison, name, budget).mean()) for name in ("Window", "Window and sinks"))
    share = comparison.full.attention_to_first(SINKS, after=budget)
    attention = f"the full map gives them {share:.1%} of its attention"
    numbers = f"the window costs {_signed(without)} bits per token without them and {_signed(with_them)} with them"
    side = _side(comparison.runs["Window"].losses - comparison.runs["Window and sinks"].losses, budget)
    return {
        "more": f"The first {SINKS} tokens hold the window up: {numbers}; {attention}.",
        "less": f"The first {SINKS} tokens take more room than they are worth: {numbers}; {attention}.",
        "as much": f"Nothing collapses without the first {SINKS} tokens: {numbers}, too close to be told apart; "
        f"{attention}. In models with attention sinks, which Xiao et al. describe, the loss leaps there.",
        "unknown": f"Whether the first {SINKS} tokens hold the window up is unknown: a loss is not a number.",
    }[side]


def about_largest(comparison: Comparison, budget: int) -> str:
    """The token whose loss rises most under the window, and how far back the same token stood before."""
    rise = _rise(comparison, "Window", budget)
    if not bool(rise.isfinite().all()) or float(rise.max()) < 1:
        return "Under the window no token's loss rises by a bit or more."
    place = budget + int(rise.argmax())  # of the loss; that of the token is one further
    tokens, token = comparison.tokens, place + 1
    before, after = float(comparison.full.losses[place]), float(comparison.runs["Window"].losses[place])
    earlier = [position for position in range(token) if tokens.ids[position] == tokens.ids[token]]
    if not earlier:
        where = "the text has not had it before"
    elif token - earlier[-1] <= budget:
        where = f"the text had it last {token - earlier[-1]:,} tokens earlier, within the window"
    else:
        where = f"the text had it last {token - earlier[-1]:,} tokens earlier, beyond the window"
    return (
        f"Under the window the loss rises most at “{typeset.plain(typeset.in_word(tokens, token))}” (position "
        f"{token:,}): from {before:.1f} to {after:.1f} bits; {where}."
    )


def about_score(comparison: Comparison, budget: int) -> str:
    """Whether accumulated attention chooses better than chance, with as many of the newest keys."""
    side = _side(comparison.runs["Random"].losses - comparison.runs["Heavy hitters"].losses, budget)
    saved = float((comparison.runs["Random"].losses - comparison.runs["Heavy hitters"].losses)[budget:].mean())
    return {
        "more": f"Accumulated attention chooses better than chance: heavy hitters save {abs(saved):.3f} bits per token "
        "against a random sample, with as many of the newest keys.",
        "less": f"Chance chooses better than accumulated attention here: by {abs(saved):.3f} bits per token.",
        "as much": "Heavy hitters and a random sample cannot be told apart: accumulated attention chooses no better "
        f"than chance ({_signed(saved)} bits per token).",
        "unknown": "Whether accumulated attention chooses better than chance is unknown: a loss is not a number.",
    }[side]


def about_lost(comparison: Comparison, budget: int) -> str:
    """Whether the rule that loses the most attention also costs the most."""
    lost = {name: run.mean_lost for name, run in comparison.runs.items()}
    least, most = min(lost, key=lost.__getitem__), max(lost, key=lost.__getitem__)
    if compare(lost[most], lost[least], margin=POINT) != "more":
        return f"All rules lose about as much of the full map's attention, {lost[least]:.1%} to {lost[most]:.1%}."
    rises = {name: float(_rise(comparison, name, budget).mean()) for name in comparison.runs}
    worst = max(rises, key=rises.__getitem__)
    agreement = (
        "this rule also costs the most bits"
        if worst == most
        else f"under {worst.lower()}, which costs the most bits, it is {lost[worst]:.1%}: how much attention is lost "
        "does not say what it was worth"
    )
    return (
        f"The least attention is lost under {least.lower()}, {lost[least]:.1%}, and the most under {most.lower()}, "
        f"{lost[most]:.1%}; {agreement}."
    )


def about_bytes(comparison: Comparison, budget: int) -> str:
    """What the cache takes with and without a rule; all rules keep as many keys."""
    full, small = comparison.full.bytes, comparison.runs["Window"].bytes
    return (
        f"The cache takes {amount(small)}B in place of {amount(full)}B, {full / small:.3g} times less, and stays at "
        f"{budget:,} keys however long the text becomes."
    )


def about_head(run: ForgetfulRun, layer: int, head: int) -> str:
    """What the head on the map loses, and where it stands among all."""
    own, every = float(run.lost_by_head[layer][head]), torch.cat(list(run.lost_by_head))
    rank = int((every > own).sum()) + 1
    if not math.isfinite(own):
        return "The attention that this head loses is not a number."
    if float(every.max()) < POINT:
        return f"No head loses {POINT:.0%} of its attention or more; this one {own:.2%}."
    others = f"{rank - 1} of {len(every)} heads lose more" if rank > 1 else f"none of {len(every)} heads loses more"
    return (
        f"This head loses **{own:.1%}** of its attention, averaged over all queries; {others}, and the mean of all is "
        f"{float(every.mean()):.1%}."
    )


def _rise(comparison: Comparison, name: str, budget: int) -> Tensor:
    return (comparison.runs[name].losses - comparison.full.losses)[budget:]


def _side(difference: Tensor, budget: int, *, errors: float = CLEAR) -> Side:
    """Whether a paired difference of losses is above 0, below, or neither, after the budget is full.

    `errors`: by how many standard errors.
    """
    after = difference[budget:].double()
    error = float(after.std()) / math.sqrt(len(after))
    return compare(float(after.mean()), 0.0, margin=max(LEAST, errors * error))


def _signed(bits: float) -> str:
    return f"{round(bits, 3) + 0.0:+.3f}".replace("-", "−")
