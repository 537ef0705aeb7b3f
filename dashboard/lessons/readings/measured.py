"""Readings of what was measured on held-out data: the files that our own training scripts wrote (core/results)."""

import math

from core.errors import InputError
from core.results import character_results, dalle_results, image_gpt_results, position_results, translator_results
from core.results.shrinking import Pruned, measured
from core.results.tables import small_data_runs
from core.zoo.translators import TRANSLATION
from dashboard.lessons.readings.answers import Amount, Choice, percent
from dashboard.lessons.readings.texts import OLDER

WAYS = {
    "none": "no positions",
    "learned": "learned",
    "sinusoidal": "sinusoidal",
    "rotary": "rotary",
    "alibi": "ALiBi",
    "relative": "relative biases",
}
LOST = 0.01  # of the quality: a network that loses less counts as unharmed


def best_translator() -> Choice:
    """BLEU of the three translators on held-out sentences."""
    models = translator_results.results().models
    return Choice({TRANSLATION[name]: float(of["bleu"]) for name, of in models.items()}, "BLEU")


def best_beyond(length: int) -> Choice:
    """Bits a character after `length` characters, by the way in which order was told."""
    rows = {WAYS[row.positions]: row.bits for row in position_results.lengths() if row.length == length}
    return Choice(rows, "bits", least=True, beside={"trained": f"{position_results.trained_length()}"})


def copies_over(distance: int) -> Choice:
    """The share of digits that each of five networks repeats rightly after `distance` other characters."""
    return Choice({OLDER[row.model]: row.accuracy for row in character_results.copied() if row.distance == distance})


def kind_that_holds(split: str = "test", candidates: str = "1") -> Choice:
    """The share of statements of each kind that hold in what DALL-E draws.

    Beside it: the share that holds in the picture of another sentence, as "colour by chance".
    """
    drawn, others = _held(split, candidates)
    chance = {f"{kind} by chance": percent(share.share) for kind, share in others.items()}
    return Choice({kind: share.share for kind, share in drawn.items()}, beside=chance)


def kind_above_chance(split: str = "test", candidates: str = "1") -> Choice:
    """By how many points of a per cent more statements of each kind hold in what DALL-E draws than in other pictures.

    Beside it: both shares, as "colour drawn" and "colour by chance", and the standard error of the difference, as
    "colour error".
    """
    drawn, others = _held(split, candidates)
    beside = dict[str, str]()
    for kind, share in drawn.items():
        beside[f"{kind} drawn"], beside[f"{kind} by chance"] = percent(share.share), percent(others[kind].share)
        beside[f"{kind} error"] = f"{100 * math.hypot(share.error, others[kind].error):.0f}"
    return Choice({kind: 100 * (drawn[kind].share - others[kind].share) for kind in drawn}, "points", beside=beside)


def _held(split: str, candidates: str) -> tuple[dict[str, dalle_results.Share], dict[str, dalle_results.Share]]:
    """The shares of each kind of statement in what DALL-E draws and in the picture of another sentence."""
    held = dalle_results.results().held[split]
    drawn, others = held[candidates], held[dalle_results.CHANCE]
    kinds = [kind for kind in drawn if kind in others and kind not in (dalle_results.WHOLE, dalle_results.ALL)]
    return {kind: drawn[kind] for kind in kinds}, {kind: others[kind] for kind in kinds}


def best_from_pictures(pictures: int) -> Choice:
    """The accuracy on CIFAR-10 of networks trained on so many of its pictures."""
    runs = (run for run in small_data_runs() if run.pictures == pictures)
    return Choice({run.model: run.accuracy_percent / 100 for run in runs})


def bits_of_a_pixel(way: str = "image-GPT") -> Amount:
    """How many bits a pixel of 512 colours takes, by image-GPT or by one of what it is compared with."""
    bits = image_gpt_results.results().bits
    assert bits is not None
    return Amount(bits.by_way[way].mean, "bits", digits=1)


def heads_to_spare(model: str) -> Amount:
    """How many heads of a model can go before 1 % of its quality is lost, in the best order, with no training after.

    Beside it: all its "heads", what is "lost" without those, and without "more" heads ("lost then"), the next number
    that was tried. InputError where 1 % is less than the standard error of the measurement.
    """
    rows = [row for row in measured(Pruned, model) if not row.trained]
    intact = next(row for row in rows if row.is_whole)
    if intact.error is not None and intact.error > LOST * intact.quality:
        raise InputError(
            f"The quality of “{model}” was measured on {intact.questions:,} questions, with a standard error of "
            f"{intact.error / intact.quality:.1%} of it: a loss of {LOST:.0%} cannot be told from none. Ask of another "
            "model."
        )
    least = {
        count: min(row.lost(intact) for row in rows if row.removed == count) for count in {r.removed for r in rows}
    }
    spare = max(count for count, lost in least.items() if lost < LOST)
    beside = {"heads": f"{intact.heads}", "lost": percent(least[spare])}
    if more := min((count for count in least if count > spare), default=None):
        beside |= {"more": f"{more}", "lost then": percent(least[more])}
    return Amount(float(spare), "heads", within=0.2, beside=beside)
