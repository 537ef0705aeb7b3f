"""The five character models, what was measured of them, and what they made of a line; kept for the next visitor."""

from typing import Literal

import pandas as pd
import streamlit as st

from core.costs import layer_costs as measured
from core.costs.one_pass import Cost
from core.measured import character_results
from core.models.character import Alphabet, CharacterModel, load_characters
from core.progress import Progress
from dashboard.kept import computing, keep
from pages.foundations.before_attention.answers import Answers, ask
from pages.foundations.before_attention.reading import Reading, read_line

FOLDER = character_results.FOLDER
Task = Literal["text", "copy"]
_MEASURED: dict[str, tuple[Cost, ...]] = {}


@st.cache_resource(max_entries=2, show_spinner="Loading the models …")
def models(task: Task) -> tuple[Alphabet, dict[str, CharacterModel]]:
    """The five models that read Shakespeare, or the five that copy digits; shared, so they are only ever read."""
    return load_characters(FOLDER / "copy" if task == "copy" else FOLDER)


@st.cache_data(max_entries=64, show_spinner="Five models read …")
def reading(line: str) -> Reading:
    """What the five models make of a line."""
    with computing():
        return read_line(*models("text"), line)


@st.cache_data(max_entries=64, show_spinner="Five models answer …")
def answers(digits: str, distance: int, draw: int) -> Answers:
    """What the five models answer to a question of the copy task."""
    with computing():
        return ask(models("copy")[1], digits, distance, draw)


@keep(computes=False)
def table(name: Literal["reach", "copy"]) -> pd.DataFrame:
    """What was measured after training: a row for each distance, a column for each model."""
    reach = name == "reach"
    rows = character_results.reach(FOLDER) if reach else character_results.copied(FOLDER)
    return pd.DataFrame(list(rows)).pivot(index="distance", columns="model", values="norm" if reach else "accuracy")


@keep(computes=False)
def results() -> dict[str, dict[str, float]]:
    """Parameters, bits per character and seconds per epoch, by the names of the models."""
    return {name: vars(of) for name, of in character_results.results(FOLDER).items()}


def layer_costs() -> tuple[Cost, ...] | None:
    """Time and memory of one layer of each kind, if they have been measured since the server started."""
    return _MEASURED.get("layers")


def measure_layers(progress: Progress) -> None:
    """Measure them; all visitors share the result, as they share the machine."""
    with computing():
        _MEASURED["layers"] = measured.measure_layers(progress)
