"""Results of six small models with different position encodings: bits beyond their training length."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, cast

from ..models.character import load_characters
from ..models.self_attention import Attention, Layer
from ..order.learned_positions import BucketBias
from ..published.table import NonNegativeFloat, PositiveInt, one_of
from ..zoo.embedded import WEIGHTS
from .result_files import naming, object_of, read_json, read_rows

FOLDER = WEIGHTS / "positions"
TRAINED = "make train-positions DATA=PATH"
WAYS = ("none", "learned", "sinusoidal", "rotary", "alibi", "relative")


@dataclass(frozen=True)
class LengthBits:
    """Mean bits of the next character after `length` characters, for the model with one of WAYS."""

    positions: Annotated[str, one_of(WAYS)]
    length: PositiveInt
    bits: NonNegativeFloat


def lengths(folder: Path = FOLDER) -> tuple[LengthBits, ...]:
    """lengths.csv, sorted by WAYS and length; learned positions end at the training length.

    ModelError where the file is missing or makes no sense.
    """
    unique = ("positions", "length")
    rows = read_rows(folder / "lengths.csv", LengthBits, unique=unique, covers={"positions": WAYS}, made_by=TRAINED)
    return tuple(sorted(rows, key=lambda row: (row.positions, row.length)))


def trained_length(folder: Path = FOLDER) -> int:
    """The context of the models in characters, from config.json; ModelError as of `lengths`."""
    model = object_of({"sizes": object_of({"context": PositiveInt})})
    shape = object_of({"models": object_of(dict.fromkeys(WAYS, model))})
    config = read_json(folder / "config.json", shape, made_by=TRAINED)
    return config["models"][WAYS[0]]["sizes"]["context"]


def learned_biases(folder: Path = FOLDER) -> tuple[BucketBias, ...]:
    """The learned biases of the model with relative positions, for each layer; ModelError where it is missing."""
    file = folder / "relative.safetensors"
    with naming(file, TRAINED):
        if not file.exists():
            raise FileNotFoundError(file)
    _, models = load_characters(folder, ("relative",))
    layers = [cast(Layer, layer) for layer in models["relative"].get_submodule("body.layers").children()]
    return tuple(_bias(f"layer {number}", layer.attention) for number, layer in enumerate(layers))


def _bias(path: str, attention: Attention) -> BucketBias:
    return BucketBias(path, attention.relative.weight.detach().float(), bidirectional=False, longest=128)
