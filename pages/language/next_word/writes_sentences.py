"""What is said of a step of writing, in sentences and in a formula: numbers in, words out."""

from collections.abc import Callable, Sequence

from core.generation.newest_token import FarthestHead
from core.generation.rules import Rules
from dashboard import typeset
from dashboard.number_format import compare
from pages.language.next_word.compute_writes import Step

ALIKE = 0.05  # bits: smaller differences would be printed alike


def about_filters(step: Step) -> str:
    """How much of the probability each filter took away, and how many tokens remain."""
    taken = [f"{name} **{share:.1%}**" for name, share in step.taken.items() if share >= 0.0005]
    remain = "one token remains" if step.remaining == 1 else f"{step.remaining:,} remain"
    if step.remaining == step.vocabulary:
        return f"No filter takes anything away: all {step.vocabulary:,} tokens may be sampled."
    if not taken:
        return f"The filters take away almost no probability; of {step.vocabulary:,} tokens {remain}."
    return f"Of the probability the filters take away: {', '.join(taken)}. Of {step.vocabulary:,} tokens {remain}."


def about_draw(step: Step, label: Callable[[int], str]) -> str:
    """Which token the seed draws, and the one that the model itself holds most probable."""
    name, share = quoted(label(step.drawn)), f"{step.expected_drawn:.1%}"
    if step.rank == 1:
        return f"Next is **{name}**, which the model itself finds most probable ({share})."
    best = quoted(label(step.best))
    return (
        f"Next is **{name}**, only number {step.rank:,} in the model's own ranking ({share}); greedy choice would take "
        f"{best} ({step.expected_best:.1%})."
    )


def about_entropy(step: Step) -> str:
    """How unsure the model is, and how unsure the draw."""
    before, after = step.entropies
    sentence = (
        f"The model is unsure by **{before:.1f} bits**, as if it chose among {2**before:,.1f} equally probable tokens"
    )
    if compare(after, before, margin=ALIKE) == "as much":
        return f"{sentence}; the rules change that by less than {ALIKE} bits."
    return f"{sentence}; after all rules the choice is unsure by {after:.1f} bits, as among {2**after:,.1f}."


def about_ranks(ranks: Sequence[int]) -> tuple[str, ...]:
    """How many of the written tokens were the most probable ones, and the least expected of them."""
    if not ranks:
        return ()
    firsts, worst = sum(rank == 1 for rank in ranks), max(ranks)
    if len(ranks) == 1:
        return (f"The token that was written is number {ranks[0]:,} in the model's ranking there.",)
    sentence = f"Of the {len(ranks)} tokens written, **{firsts}** are what the model found most probable"
    return (f"{sentence}; the least expected one was number {worst:,}." if worst > 1 else f"{sentence}.",)


def about_farthest(look: FarthestHead | None, labels: Sequence[str]) -> tuple[str, ...]:
    """The head whose newest token looks farthest back."""
    if look is None:
        return ()
    far = len(labels) - 1 - look.key
    newest, key = quoted(labels[-1]), quoted(labels[look.key])
    where = "itself" if not far else f"{key}, {far} token{'s' if far > 1 else ''} back"
    return (
        f"From the newest token, {newest}, **layer {look.layer}, head {look.head}** looks farthest: "
        f"{look.distance:.1f} tokens (weights times distances, the first token left aside), most to {where} "
        f"({look.weight:.0%}).",
    )


def quoted(label: str) -> str:
    """A token in a sentence, in quotation marks."""
    return f"“{typeset.plain(typeset.readable(label))}”"


def formula_of(step: Step, rules: Rules) -> list[str]:
    """The rules in LaTeX, with the numbers of the token that is drawn."""
    known = step.of_drawn
    z = rf"z = {known.logit:.3f}"
    raw = known.lowered == known.logit
    if not rules.temperature:
        return [rf"\hat y = \arg\max_i z_i, \quad {z}"]
    if raw:
        z = rf"z' = {z}"
    else:
        sign = r"\cdot" if known.logit < 0 else "/"
        z += rf", \quad z' = z {sign} \theta = {known.logit:.3f} {sign} {rules.penalty:g} = {known.lowered:.3f}"
    return [
        z,
        rf"p = \frac{{e^{{z'/T}}}}{{\sum_j e^{{z'_j/T}}}} = \frac{{e^{{{known.lowered:.3f}/{rules.temperature:g}}}}}"
        rf"{{e^{{{known.log_sum:.3f}}}}} = {known.weighed:.4f}",
        rf"q = \frac{{p}}{{\sum_{{j \in K}} p_j}} = \frac{{{known.weighed:.4f}}}{{{step.left:.4f}}} "
        rf"= {known.chance:.4f}",
        rf"{known.begins:.4f} \le u = {step.dice:.4f} < {known.begins + known.chance:.4f}",
    ]
