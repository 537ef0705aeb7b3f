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
    taken = {name: share for name, share in step.taken.items() if share >= 0.0005}
    tokens = f"{step.remaining:,} of {step.vocabulary:,} tokens"
    if step.remaining == step.vocabulary:
        return f"The filters keep all {step.vocabulary:,} tokens."
    if not taken:
        return f"The filters keep {tokens}, holding almost all of the probability."
    if len(taken) == 1:
        ((name, share),) = taken.items()
        return f"{name[:1].upper()}{name[1:]} keeps {tokens}, holding **{1 - share:.1%}** of the probability."
    removed = ", ".join(f"{name} removes **{share:.1%}**" for name, share in taken.items())
    return f"The filters keep {tokens}: {removed} of the probability."


def about_draw(step: Step, label: Callable[[int], str]) -> str:
    """Which token the seed draws, and the one that the model itself holds most probable."""
    name, share = quoted(label(step.drawn)), f"{step.expected_drawn:.1%}"
    if step.rank == 1:
        return f"The next token is **{name}**, the model's most probable one ({share})."
    best = quoted(label(step.best))
    return (
        f"The next token is **{name}**, number {step.rank:,} in the model's ranking ({share}); greedy decoding would "
        f"take {best} ({step.expected_best:.1%})."
    )


def about_entropy(step: Step) -> str:
    """How unsure the model is, and how unsure the draw."""
    before, after = step.entropies
    sentence = f"The entropy is **{before:.1f} bits**, that of a choice among {2**before:,.1f} equally probable tokens"
    if compare(after, before, margin=ALIKE) == "as much":
        return f"{sentence}; sampling changes it by less than {ALIKE} bits."
    return f"{sentence}; with temperature and filters it is {after:.1f} bits, that of {2**after:,.1f} tokens."


def about_ranks(ranks: Sequence[int]) -> tuple[str, ...]:
    """How many of the written tokens were the most probable ones, and the least expected of them."""
    if not ranks:
        return ()
    firsts, worst = sum(rank == 1 for rank in ranks), max(ranks)
    if len(ranks) == 1:
        return (f"The token written is number {ranks[0]:,} in the model's ranking.",)
    sentence = f"Of the {len(ranks)} tokens written, **{firsts}** were the model's most probable ones"
    return (f"{sentence}; the least probable one was number {worst:,}." if worst > 1 else f"{sentence}.",)


def about_farthest(look: FarthestHead | None, labels: Sequence[str]) -> tuple[str, ...]:
    """The head whose newest token looks farthest back."""
    if look is None:
        return ()
    far = len(labels) - 1 - look.key
    newest, key = quoted(labels[-1]), quoted(labels[look.key])
    where = "itself" if not far else f"{key}, {far} token{'s' if far > 1 else ''} back"
    return (
        f"**Layer {look.layer}, head {look.head}** attends farthest back from the newest token, {newest}: "
        f"{look.distance:.1f} tokens on average (without the first token), most to {where} ({look.weight:.0%}).",
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
