"""Readings of measurements on held-out data: the files that our own training scripts wrote (core/results)."""

import math

from core.errors import InputError
from core.results import character_results, dalle_results, image_gpt_results, position_results, translator_results
from core.results.shrinking import Pruned, measured
from core.results.tables import small_data_runs
from core.zoo.translators import TRANSLATION
from dashboard.lessons.readings.answers import Amount, Choice, percent
from dashboard.lessons.readings.texts import CHARACTER_NETWORKS

POSITION_TITLES = {
    "none": "no positions",
    "learned": "learned",
    "sinusoidal": "sinusoidal",
    "rotary": "rotary",
    "alibi": "ALiBi",
    "relative": "relative biases",
}
HARMLESS_LOSS = 0.01  # of the quality: a network that loses less counts as unharmed


def best_translator() -> Choice:
    """BLEU of the three translators on held-out sentences."""
    models = translator_results.results().models
    return Choice({TRANSLATION[name]: float(result["bleu"]) for name, result in models.items()}, "BLEU")


def best_beyond(length: int) -> Choice:
    """Bits per character after `length` characters, by the kind of positional encoding."""
    rows = {POSITION_TITLES[row.positions]: row.bits for row in position_results.lengths() if row.length == length}
    return Choice(rows, "bits", least=True, extra={"trained": f"{position_results.trained_length()}"})


def copies_over(distance: int) -> Choice:
    """The share of digits that each of five networks repeats correctly after `distance` other characters."""
    return Choice(
        {CHARACTER_NETWORKS[row.model]: row.accuracy for row in character_results.copied() if row.distance == distance}
    )


def kind_that_holds(split: str = "test", candidates: str = "1") -> Choice:
    """The share of statements of each kind that hold in DALL-E's drawings.

    Beside it: the share that holds in the picture of another sentence, as "colour by chance".
    """
    in_drawings, others = _held_out(split, candidates)
    chance = {f"{kind} by chance": percent(share.share) for kind, share in others.items()}
    return Choice({kind: share.share for kind, share in in_drawings.items()}, extra=chance)


def kind_above_chance(split: str = "test", candidates: str = "1") -> Choice:
    """The excess, in percentage points, of statements of each kind that hold in DALL-E's drawings over other pictures.

    Beside it: both shares, as "colour drawn" and "colour by chance", and the standard error of the difference, as
    "colour error".
    """
    in_drawings, others = _held_out(split, candidates)
    extra = dict[str, str]()
    for kind, share in in_drawings.items():
        extra[f"{kind} drawn"], extra[f"{kind} by chance"] = percent(share.share), percent(others[kind].share)
        extra[f"{kind} error"] = f"{100 * math.hypot(share.error, others[kind].error):.0f}"
    return Choice(
        {kind: 100 * (in_drawings[kind].share - others[kind].share) for kind in in_drawings}, "points", extra=extra
    )


def _held_out(split: str, candidates: str) -> tuple[dict[str, dalle_results.Share], dict[str, dalle_results.Share]]:
    """The shares of each kind of statement that hold in DALL-E's drawings, and in pictures of other sentences."""
    results = dalle_results.results().held[split]
    in_drawings, others = results[candidates], results[dalle_results.CHANCE]
    kinds = [
        kind for kind in in_drawings if kind in others and kind not in (dalle_results.WHOLE_SENTENCE, dalle_results.ALL)
    ]
    return {kind: in_drawings[kind] for kind in kinds}, {kind: others[kind] for kind in kinds}


def best_from_pictures(pictures: int) -> Choice:
    """The accuracy on CIFAR-10 of networks trained on so many of its pictures."""
    runs = (run for run in small_data_runs() if run.pictures == pictures)
    return Choice({run.model: run.accuracy_percent / 100 for run in runs})


def bits_of_a_pixel(way: str = "image-GPT") -> Amount:
    """Bits per pixel of 512 colours, by image-GPT or by one of its baselines."""
    bits = image_gpt_results.results().bits
    assert bits is not None
    return Amount(bits.by_way[way].mean, "bits", digits=1)


def heads_to_spare(model: str) -> Amount:
    """The number of heads that can be pruned before 1 % of the quality is lost, in the best order, without training.

    Beside it: the number of all "heads", the loss without those ("lost"), and the next larger number that was tried
    ("more"), with its loss ("lost then"). InputError if 1 % is less than the standard error of the measurement.
    """
    rows = [row for row in measured(Pruned, model) if not row.trained]
    intact = next(row for row in rows if row.is_full)
    if intact.error is not None and intact.error > HARMLESS_LOSS * intact.quality:
        raise InputError(
            f"The quality of “{model}” was measured on {intact.questions:,} questions, with a standard error of "
            f"{intact.error / intact.quality:.1%} of it: a loss of {HARMLESS_LOSS:.0%} cannot be told from none. Ask "
            "of another model."
        )
    losses = {
        count: min(row.quality_loss(intact) for row in rows if row.removed == count)
        for count in {r.removed for r in rows}
    }
    removable = max(count for count, lost in losses.items() if lost < HARMLESS_LOSS)
    extra = {"heads": f"{intact.heads}", "lost": percent(losses[removable])}
    if next_count := min((count for count in losses if count > removable), default=None):
        extra |= {"more": f"{next_count}", "lost then": percent(losses[next_count])}
    return Amount(float(removable), "heads", within=0.2, extra=extra)
