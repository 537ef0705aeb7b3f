"""The five character models, what was measured of them, and what they made of a line; kept for the next visitor."""

import json
from pathlib import Path
from typing import Literal

import pandas as pd
import streamlit as st

from core.costs import layer_costs as measured
from core.costs.one_pass import Cost
from core.errors import ModelError
from core.models.character import Alphabet, CharacterModel, load_characters
from core.progress import Progress
from core.zoo.embedded import WEIGHTS
from dashboard.kept import computing
from pages.foundations.before_attention.answers import Answers, ask
from pages.foundations.before_attention.reading import Reading, read_line

FOLDER = WEIGHTS / "characters"
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


@st.cache_data(max_entries=2)
def table(name: Literal["reach", "copy"]) -> pd.DataFrame:
    """What was measured after training: a row for each distance, a column for each model."""
    rows = pd.read_csv(_measured(f"{name}.csv"))
    return rows.pivot(index="distance", columns="model", values="norm" if name == "reach" else "accuracy")


@st.cache_data(max_entries=1)
def results() -> dict[str, dict[str, float]]:
    """Parameters, bits per character and seconds per epoch, by the names of the models."""
    return json.loads(_measured("results.json").read_text(encoding="utf-8"))["models"]


def _measured(file: str) -> Path:
    if not (FOLDER / file).exists():
        raise ModelError(f"weights/characters/{file} is missing: fetch the project again.")
    return FOLDER / file


def layer_costs() -> tuple[Cost, ...] | None:
    """Time and memory of one layer of each kind, if they have been measured since the server started."""
    return _MEASURED.get("layers")


def measure_layers(progress: Progress) -> None:
    """Measure them; all visitors share the result, as they share the machine."""
    with computing():
        _MEASURED["layers"] = measured.measure_layers(progress)
