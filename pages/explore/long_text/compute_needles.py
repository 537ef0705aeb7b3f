"""A needle in a book: what the heads do with it, at one place and at many, and what is lost without the best heads."""

from dataclasses import dataclass

from core.errors import ModelError
from core.long_context.needles import Ablation, Needle, Probe, ablate, make_needle, probe_grid, probe_needle
from core.progress import Progress, no_progress
from core.zoo import TextModel
from dashboard.cache.memo import cached
from dashboard.cache.models import long_text_model
from dashboard.long_text.books import book_text

LENGTHS = (512, 2048, 8192)  # tokens of a haystack
DEPTHS = (0, 25, 50, 75, 100)  # percent of the text before the needle, where all places are measured


@dataclass(frozen=True)
class Planting:
    """What is planted where: a model's name, a book's name, the sentence, the words of its cue, and a question."""

    name: str
    book: str
    sentence: str
    cue_words: int
    question: str = ""

    @property
    def model(self) -> TextModel:
        """The model that reads; ModelError if it predicts no next token."""
        return reader(self.name)

    @property
    def needle(self) -> Needle:
        """The sentence in tokens; InputError where nothing is left to be copied."""
        return make_needle(self.model, self.sentence, cue_words=self.cue_words, question=self.question)


def reader(name: str) -> TextModel:
    """A model for long texts; ModelError if it predicts no next token."""
    model = long_text_model(name)
    if not model.is_causal:
        raise ModelError(
            f"{model.title} does not predict the next token, so no answer can be measured: choose a language model "
            "that continues texts."
        )
    return model


def lengths(model: TextModel) -> tuple[int, ...]:
    """The lengths of haystacks that a model can read, in tokens; its context where that is less than the least."""
    return tuple(length for length in LENGTHS if length <= model.context) or (model.context,)


def grid_lengths(model: TextModel, length: int) -> tuple[int, ...]:
    """The lengths at which all depths are measured: the first two, and all up to the chosen one."""
    available = lengths(model)
    return tuple(other for place, other in enumerate(available) if place < 2 or other <= length)


@cached("Reading the text with and without the needle …", unit="steps")
def probe(planting: Planting, length: int, depth: int, progress: Progress = no_progress) -> Probe:
    """The needle at one depth, in percent."""
    text = book_text(planting.book)
    return probe_needle(planting.model, text, planting.needle, length, (depth / 100,), progress)


@cached("Reading the text at every depth …", unit="steps")
def grid(planting: Planting, measured: tuple[int, ...], progress: Progress = no_progress) -> tuple[Probe, ...]:
    """The needle at all DEPTHS of some lengths."""
    depths = tuple(depth / 100 for depth in DEPTHS)
    return probe_grid(planting.model, book_text(planting.book), planting.needle, measured, depths, progress)


@cached("Reading without heads …", unit="steps")
def ablation(planting: Planting, length: int, depth: int, count: int, progress: Progress = no_progress) -> Ablation:
    """The same reading as `probe` without the `count` best heads, and without as many others."""
    retrieval = probe(planting, length, depth, progress).retrievals[0]
    return ablate(planting.model, retrieval, count, progress=progress)
