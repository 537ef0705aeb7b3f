"""What was measured of the six small models of weights/positions, and what one of them has learned."""

import json
from typing import cast

import pandas as pd

from core.errors import ModelError
from core.models.character import load_characters
from core.models.self_attention import Attention, Layer
from core.order.learned_positions import BucketBias
from core.zoo.embedded import WEIGHTS
from dashboard.kept import keep

FOLDER = WEIGHTS / "positions"
WAYS = ("none", "learned", "sinusoidal", "rotary", "alibi", "relative")


@keep(computes=False)
def our_biases() -> tuple[BucketBias, ...]:
    """What the model with relative biases has learned, a table for each layer."""
    if not (FOLDER / "relative.safetensors").exists():
        raise _missing("The weights")
    _, models = load_characters(FOLDER, ("relative",))
    layers = [cast(Layer, layer) for layer in models["relative"].get_submodule("body.layers").children()]
    return tuple(_bias(f"layer {number}", layer.attention) for number, layer in enumerate(layers))


def _bias(path: str, attention: Attention) -> BucketBias:
    return BucketBias(path, attention.relative.weight.detach().float(), bidirectional=False, longest=128)


@keep(computes=False)
def lengths() -> pd.DataFrame:
    """Mean bits for the next character (`bits`) after `length` characters, for each way of `positions`.

    ModelError if the file is missing or is not of this kind.
    """
    file = FOLDER / "lengths.csv"
    if not file.exists():
        raise _missing("The measurements")
    table = pd.read_csv(file)
    if not {"positions", "length", "bits"} <= set(table) or not set(table["positions"]) <= set(WAYS):
        raise ModelError(f"{file.name} in {FOLDER.name}/ does not hold positions, length and bits: make it again.")
    return table.sort_values(["positions", "length"], ignore_index=True)


@keep(computes=False)
def trained_length() -> int:
    """How many characters each of the six models was trained on at once."""
    file = FOLDER / "config.json"
    if not file.exists():
        raise _missing("The sizes")
    models = json.loads(file.read_text(encoding="utf-8"))["models"]
    return int(next(iter(models.values()))["sizes"]["context"])


def _missing(what: str) -> ModelError:
    return ModelError(
        f"{what} of the six small models are missing from weights/{FOLDER.name}/. Fetch the project again, or train "
        "them: make train-positions."
    )
