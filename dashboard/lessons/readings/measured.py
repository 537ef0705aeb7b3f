"""Readings of what was measured on held-out data: the files that our own training scripts wrote (core/measured)."""

from core.measured import character_results, dalle_results, image_gpt_results, position_results, translator_results
from core.measured.shrinking import Pruned, measured
from core.measured.tables import small_data_runs
from core.zoo.translators import TRANSLATION
from dashboard.lessons.readings.answers import Amount, Choice
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
    return Choice(rows, "bits", least=True)


def copies_over(distance: int) -> Choice:
    """The share of digits that each of five networks repeats rightly after `distance` other characters."""
    return Choice({OLDER[row.model]: row.accuracy for row in character_results.copied() if row.distance == distance})


def kind_that_holds(split: str = "test", candidates: str = "1") -> Choice:
    """The share of statements of each kind that hold in what DALL-E draws."""
    held = dalle_results.results().held[split][candidates]
    return Choice({kind: share.share for kind, share in held.items() if kind not in ("whole sentence", "all words")})


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
    """How many heads of a model can go, in the order that is best for it, before 1 % of its quality is lost."""
    rows = measured(Pruned, model)
    whole = next(row for row in rows if row.is_whole)
    return Amount(float(max((row.removed for row in rows if row.lost(whole) < LOST), default=0)), "heads", within=0.2)
