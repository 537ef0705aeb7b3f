"""What is said of a needle: whether the model uses it, which heads retrieve it, and what is lost without them."""

import math
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from core.heads.ablation import Head
from core.long_context.needles import Ablation, Probe, Retrieval
from dashboard.number_format import CLEAR, Comparison, compare

RETRIEVES = 0.1  # the retrieval score above which Wu et al. 2024, section 3, call a head a retrieval head
RARE = 0.05  # a score is above chance if even attention would give it to any head more rarely than this
SLIGHT = 0.02  # of the attention: shares that differ by less count as equal


def effect(gains: Float[Tensor, " answer"]) -> Comparison:
    """Whether the needle saves "more" than nothing, by CLEAR standard errors over the answer's tokens."""
    error = float(gains.std() * len(gains) ** 0.5) if len(gains) > 1 else math.nan
    return compare(float(gains.sum()), 0.0, margin=CLEAR * error)


def about_gain(probe: Probe) -> str:
    """What the needle saves of the cost of its answer."""
    without, bits = float(probe.bits_without.sum()), float(probe.retrievals[0].bits.sum())
    verdict = {
        "more": "The model uses the needle",
        "less": "The needle makes its own words less probable",
        "as much": "The needle makes no clear difference",
        "unknown": "One token is too little to tell whether the needle is used",
    }[effect(probe.gains())]
    count = len(probe.bits_without)
    return (
        f"{verdict}: with it in the text, the {'one token' if count == 1 else f'{count} tokens'} of the answer cost "
        f"**{bits:.1f} bits**, without it {without:.1f}."
    )


def about_heads(retrieval: Retrieval) -> str:
    """Which heads retrieve, by the score of Wu et al. and against chance."""
    if not retrieval.ranked:
        return "No head has a map of this text."
    best, count, heads = retrieval.ranked[0], len(retrieval.bits), len(retrieval.ranked)
    score, copy = float(retrieval.heads.scores[best]), float(retrieval.heads.copies[best])
    hits = round(score * count)
    tokens = "the one token" if count == 1 else f"the {count} tokens"
    if not hits:
        return (
            f"No head retrieves: at none of {tokens} of the answer has any of the {heads} heads its largest weight on "
            f"the token to be copied. {named(best)} gives it most, {copy:.1%} on average."
        )
    chance = f"attention to a token at random would reach {retrieval.even_score * count:.2f}"
    sentence = f"has its largest weight on the token to be copied at **{hits} of {tokens}** of the answer ({chance})"
    if not above_chance(hits, count, retrieval.even_score, heads):
        return f"No head clearly retrieves: the best of {heads}, {named(best).lower()}, {sentence}."
    if score <= RETRIEVES:
        return f"{named(best)} {sentence}: too few to call it a retrieval head, which needs more than {RETRIEVES:.0%}."
    many = int((retrieval.heads.scores > RETRIEVES).sum())
    others = "No other head" if many == 1 else f"{many - 1} more {'head' if many == 2 else 'heads'}"
    verb = "reaches" if many <= 2 else "reach"
    return f"**{named(best)}** retrieves: it {sentence}. {others} of {heads} {verb} more than {RETRIEVES:.0%}."


def above_chance(hits: int, count: int, chance: float, heads: int) -> bool:
    """Whether `hits` of `count` tokens are more than the best of so many heads reaches with even attention.

    The binomial probability of so many hits or more, times the number of heads (Bonferroni), is below RARE.
    """
    tail = sum(math.comb(count, hit) * chance**hit * (1 - chance) ** (count - hit) for hit in range(hits, count + 1))
    return heads * tail < RARE


def most_attentive(retrieval: Retrieval) -> tuple[Head, float, float]:
    """The head that gives the needle most attention, that share, and what it gives other text in the same place."""
    shares = retrieval.heads.shares.nan_to_num(nan=-1.0)
    best = divmod(int(shares.argmax()), shares.shape[1])
    return best, float(shares[best]), float(retrieval.elsewhere[best])


def attraction(share: float, elsewhere: float) -> Comparison:
    """Whether a needle gets more attention than other text in its place: at least twice as much, and clearly."""
    return compare(share, elsewhere, margin=max(SLIGHT, elsewhere))


def about_shares(retrieval: Retrieval) -> str:
    """Which head gives the needle most attention, beside even attention and another text in its place."""
    best, share, elsewhere = most_attentive(retrieval)
    verdict = {
        "more": "it attends to the needle because of what it says",
        "as much": "as much as to any text there",
        "less": "less than to other text there",
        "unknown": "no number",
    }[attraction(share, elsewhere)]
    return (
        f"Question, cue and answer give the needle up to **{share:.1%}** of a head's attention "
        f"({named(best).lower()}); even attention would give {retrieval.even_share:.1%}, and where the text goes on in "
        f"its place, that place gets {elsewhere:.1%} from the same head: {verdict}."
    )


def about_grid(probes: Sequence[Probe] | None) -> str:
    """Where the needle helps, and the best head over all places."""
    if probes is None:
        return "Measure all depths and lengths, below: then this notice will say where the needle is used."
    places = [(probe, number) for probe in probes for number in range(len(probe.retrievals))]
    clear = [place for place in places if effect(place[0].gains(place[1])) == "more"]
    gain = {place: float(place[0].gains(place[1]).sum()) for place in places}
    most = max(places, key=gain.__getitem__)
    sentence = f"The needle clearly saves bits at **{len(clear)} of {len(places)}** depths and lengths"
    if clear:
        sentence += (
            f", most with {most[0].length:,} tokens at a depth of {most[0].retrievals[most[1]].depth:.0%}: "
            f"{gain[most]:.1f} bits"
        )
    scores = torch.stack([probe.retrievals[number].heads.scores for probe, number in places]).mean(0)
    best = divmod(int(scores.nan_to_num(nan=-1.0).argmax()), scores.shape[1])
    if float(scores[best]) == 0:
        return f"{sentence}. No head retrieves a single token at any of them."
    verdict = "a retrieval head" if float(scores[best]) > RETRIEVES else f"not more than the {RETRIEVES:.0%} it needs"
    return f"{sentence}. On average {named(best).lower()} has the highest score, {scores[best]:.0%}: {verdict}."


def about_ablation(probe: Probe, ablation: Ablation | None) -> str:
    """Whether the answer depends more on the best heads than on others."""
    if ablation is None:
        return "Silence the best heads, below: then this notice will say what the answer loses."
    count, draws = len(ablation.best), len(ablation.draws)
    before, mean, error = float(probe.retrievals[0].bits.sum()), *mean_and_error(ablation.random_bits)
    best, others = ("the best head", "another") if count == 1 else (f"the {count} best heads", f"{count} others")
    sentence = (
        f"Without {best} the answer costs **{ablation.bits:.1f} bits** instead of {before:.1f}; without {others}, "
        f"drawn {draws} times, {mean:.1f} ± {error:.1f}."
    )
    if effect(probe.gains()) != "more":
        return f"{sentence} The needle saves nothing here that could be lost."
    text, rest = ablation.text_bits, probe.retrievals[0].text_bits
    beside = f"A token of the text before it costs {text:.2f} bits instead of {rest:.2f}"
    if depends(ablation):
        random_text = float(ablation.random_text_bits.mean())
        return (
            f"{sentence} The answer depends on these heads more than on any of the others drawn. {beside} "
            f"({random_text:.2f} without others)."
        )
    return f"{sentence} These heads matter no more for it than some drawn at random. {beside}."


def depends(ablation: Ablation) -> bool:
    """Whether the answer costs more without the best heads than without any of the others drawn, and clearly so."""
    mean, error = mean_and_error(ablation.random_bits)
    is_dearest = ablation.bits > float(ablation.random_bits.max())
    return is_dearest and compare(ablation.bits, mean, margin=CLEAR * error) == "more"


def mean_and_error(values: Float[Tensor, " draw"]) -> tuple[float, float]:
    """The mean, and its standard error; NaN for a single value."""
    return float(values.mean()), float(values.std() / len(values) ** 0.5) if len(values) > 1 else math.nan


def named(head: Head) -> str:
    """A head by its numbers."""
    return f"Layer {head[0]}, head {head[1]}"
