"""Many runs of one kind: the losses of Chinchilla's models, the scores of Pythia's while they learned."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from .table import FOLDER, NonNegativeInt, PositiveFloat, PositiveInt, Proportion, Text, one_of, read_table

# Biderman et al. 2023, https://github.com/EleutherAI/pythia: (all, without embeddings), from the models' cards.
_PYTHIA = {
    "70m": (70_426_624, 18_915_328),
    "160m": (162_322_944, 85_056_000),
    "410m": (405_334_016, 302_311_424),
    "1b": (1_011_781_632, 805_736_448),
    "1.4b": (1_414_647_808, 1_208_602_624),
    "2.8b": (2_775_208_960, 2_517_652_480),
    "6.9b": (6_857_302_016, 6_444_163_072),
    "12b": (11_846_072_320, 11_327_027_200),
}
PYTHIA_SIZES = {name: every for name, (every, _) in _PYTHIA.items()}
PYTHIA_BATCH = 1024 * 2048  # tokens of a step: 143,000 steps are 299,892,736,000 tokens
TASKS = ("arc_challenge", "arc_easy", "lambada_openai", "logiqa", "piqa", "sciq", "winogrande", "wsc")


@dataclass(frozen=True)
class ChinchillaRun:
    """A model of Hoffmann et al. 2022: its size, training compute, and final loss (nats a token)."""

    parameters: Annotated[float, Meta(ge=1e6, le=1e12)]
    training_flops: Annotated[float, Meta(ge=1e15, le=1e26)]
    loss: Annotated[float, Meta(gt=0, le=12)]
    source: Text


def chinchilla_runs(file: Path = FOLDER / "chinchilla.csv") -> tuple[ChinchillaRun, ...]:
    """The 245 points of figure 4 that Epoch AI read off; ValueError where a row is wrong."""
    return read_table(file, ChinchillaRun, unique=("parameters", "training_flops"))


@dataclass(frozen=True)
class PythiaScore:
    """The zero-shot score of a Pythia model on a task after some training steps.

    `accuracy` and its standard error are shares; the perplexity is that of LAMBADA's last word, None elsewhere.
    """

    model: Text
    parameters: PositiveInt
    step: NonNegativeInt
    task: Annotated[str, one_of(TASKS)]
    accuracy: Proportion
    stderr: Proportion
    perplexity: PositiveFloat | None
    source: Text

    def __post_init__(self):
        size = self.model.partition("-")[2].removesuffix("-deduped")
        if PYTHIA_SIZES.get(size) != self.parameters:
            raise ValueError(f"a '{self.model}' has not {self.parameters:,} parameters")

    @property
    def tokens(self) -> int:
        """The number of training tokens so far."""
        return self.step * PYTHIA_BATCH

    @property
    def deduplicated(self) -> bool:
        """Whether it was trained on the deduplicated Pile."""
        return self.model.endswith("-deduped")

    @property
    def without_embeddings(self) -> int:
        """The parameters without those of embedding and unembedding."""
        return _PYTHIA[self.model.split("-")[1]][1]


def pythia_scores(file: Path = FOLDER / "pythia.csv") -> tuple[PythiaScore, ...]:
    """16 models at 18 checkpoints on 8 tasks; ValueError where a row is wrong."""
    return read_table(file, PythiaScore, unique=("model", "step", "task"))
