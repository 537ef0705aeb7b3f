"""Many runs of one kind: the losses of Chinchilla's models, the scores of Pythia's while they learned."""

from dataclasses import dataclass
from pathlib import Path

from .table import FOLDER, SOURCE, Columns, Number, Whole, Words, read_as, read_table

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
    """A model of Hoffmann et al. 2022: how large, what its training cost, and its loss (nats a token) at the end."""

    parameters: float
    training_flops: float
    loss: float
    source: str


_CHINCHILLA: Columns = (
    Number("parameters", low=1e6, high=1e12, required=True),
    Number("training_flops", low=1e15, high=1e26, required=True),
    Number("loss", high=12.0, required=True, open=True),
    SOURCE,
)


def chinchilla_runs(file: Path = FOLDER / "chinchilla.csv") -> tuple[ChinchillaRun, ...]:
    """The 245 points of figure 4 that Epoch AI read off; ValueError where a row is wrong."""
    return read_as(ChinchillaRun, file, _CHINCHILLA, unique=("parameters", "training_flops"))


@dataclass(frozen=True)
class PythiaScore:
    """What a Pythia model scored on a task after so many steps, without examples (zero-shot).

    `accuracy` and its standard error are shares; the perplexity is that of LAMBADA's last word, None elsewhere.
    """

    model: str
    parameters: int
    step: int
    task: str
    accuracy: float
    stderr: float
    perplexity: float | None
    source: str

    @property
    def tokens(self) -> int:
        """How many tokens it had read."""
        return self.step * PYTHIA_BATCH

    @property
    def deduplicated(self) -> bool:
        """Whether it read the Pile without its repetitions."""
        return self.model.endswith("-deduped")

    @property
    def without_embeddings(self) -> int:
        """Its parameters without the tables of token vectors at both ends."""
        return _PYTHIA[self.model.split("-")[1]][1]


_SCORES: Columns = (
    Words("model"),
    Whole("parameters"),
    Whole("step", low=0),
    Words("task", among=TASKS, kind="tasks"),
    *(Number(name, high=1.0, required=True) for name in ("accuracy", "stderr")),
    Number("perplexity", low=1.0),
    SOURCE,
)


def pythia_scores(file: Path = FOLDER / "pythia.csv") -> tuple[PythiaScore, ...]:
    """16 models at 18 checkpoints on 8 tasks; ValueError where a row is wrong."""
    found = []
    for row in read_table(file, _SCORES, unique=("model", "step", "task")):
        size = row.cells["model"].partition("-")[2].removesuffix("-deduped")
        if PYTHIA_SIZES.get(size) != row.cells["parameters"]:
            raise ValueError(f"{row.place}: a '{row.cells['model']}' has not {row.cells['parameters']:,} parameters.")
        found.append(PythiaScore(*row.cells.values()))
    return tuple(found)
