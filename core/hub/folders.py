"""Checks of a model's folder before a library opens anything in it: safetensors only, no code of its own."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..machine import free_memory
from .safetensors_headers import count_numbers

ROOM = 1.25  # memory for activations and for the library, beside the weights themselves
LARGEST_CONFIG = 5_000_000  # bytes; with the names of 21,841 classes, twice, it is less than two million
LARGEST_VOCABULARY = 60_000_000  # bytes of any other file: Gemma's tokenizer.json has 33 million
_SHARD = re.compile(r"[A-Za-z0-9][\w.-]{0,200}\.safetensors", re.ASCII)


@dataclass(frozen=True)
class Weights:
    """The safetensors files of a model and how many numbers are in them."""

    files: tuple[Path, ...]
    parameters: int


def check_files(folder: Path, name: str) -> None:
    """Raise ModelError if the folder holds anything that blocks or is too large to be read, such as a pipe."""
    try:
        for path in folder.iterdir():
            if path.is_dir() or path.suffix == ".safetensors":  # read_weights checks those
                continue
            if not path.is_file():
                raise ModelError(
                    f"'{name}' holds '{shorten(path.name)}', which is not a file that can be read. Remove it."
                )
            if _is_read(path) and path.stat().st_size > LARGEST_VOCABULARY:
                raise ModelError(
                    f"{path.name} of '{name}' has {path.stat().st_size / 1e6:,.0f} MB; at most "
                    f"{LARGEST_VOCABULARY / 1e6:.0f} are read. Choose another model."
                )
    except OSError as error:
        raise ModelError(f"The folder of '{name}' cannot be read. Check who may open it.") from error


def _is_read(path: Path) -> bool:
    """Whether it is one of the files beside the weights that libraries open."""
    return path.suffix in (".json", ".txt", ".model", ".spm", ".jinja")


def shorten(text: object, most: int = 60) -> str:
    """Untrusted text for a message: on one line, cut after at most `most` characters, after a word where possible."""
    line = " ".join(str(text).split())
    if len(line) <= most:
        return line
    words, _, _ = line[: most + 1].rpartition(" ")
    return f"{words} …" if len(words) > most / 2 else f"{line[:most]}…"


def read_config(folder: Path, name: str) -> dict[str, Any]:
    """The folder's config.json. Raises ModelError if it is missing, broken or asks for code of its own."""
    path = folder / "config.json"
    if not path.is_file():
        raise ModelError(f"'{name}' has no config.json, so nobody can say what it is. Choose another model.")
    config = read_json(path, name)
    if "auto_map" in config:
        raise ModelError(
            f"'{name}' brings Python code of its own (auto_map in config.json), and such code is never run here. "
            "Choose a model that transformers or timm knows by itself."
        )
    if "quantization_config" in config:
        raise ModelError(f"'{name}' is stored quantised, for graphics cards. Choose its original version.")
    return config


def read_json(path: Path, name: str) -> dict[str, Any]:
    """The JSON object in a file of at most LARGEST_CONFIG bytes; ModelError, without the content, for anything else."""
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            raise ValueError
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError
    except (ValueError, OSError, RecursionError) as error:  # brackets without end are a RecursionError
        raise ModelError(f"{path.name} of '{name}' is not a JSON object. Download the model again.") from error
    return content


def read_weights(folder: Path, name: str) -> Weights:
    """The files of the weights; ModelError where one is missing, or does not fit its own header."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file():
        files = [folder / "model.safetensors"]
    elif index.is_file():
        files = [folder / shard for shard in _shards(index, name)]
    else:
        raise refuse_other_weights(name, [path.name for path in folder.iterdir()])
    for file in files:
        if not file.is_file():
            raise ModelError(f"'{name}' is incomplete: {file.name} is missing. Download it again.")
    return Weights(tuple(files), sum(count_numbers(file, name) for file in files))


def refuse_other_weights(name: str, files: list[str]) -> ModelError:
    """The error for a model without model.safetensors; `files`: the names of its files."""
    others = sorted(file for file in files if file.endswith((".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack")))
    if others:
        return ModelError(
            f"'{name}' keeps its weights in {others[0]}, a format that may run code when it is opened. "
            "Only model.safetensors is read here: choose a model that has it."
        )
    return ModelError(f"'{name}' has no weights (model.safetensors). Choose another model.")


def check_memory(name: str, parameters: int, *, tables: int = 0) -> None:
    """Raise ModelError if so many parameters, 4 bytes each, and `tables`, in bytes, do not fit into free memory."""
    needed, free = ROOM * (4 * parameters + tables), free_memory()
    if free is not None and needed > free:
        raise ModelError(
            f"'{name}' has {parameters:,} parameters and needs {needed / 1e9:.1f} GB of memory; "
            f"{free / 1e9:.1f} GB are free here. Choose a smaller one."
        )


def _shards(index: Path, name: str) -> list[str]:
    """The files that an index names; ModelError for a name with a path, since a library would open it."""
    shards = read_json(index, name).get("weight_map")
    if not isinstance(shards, dict) or not all(isinstance(shard, str) for shard in shards.values()):
        raise ModelError(f"{index.name} of '{name}' does not say which file holds which weight. Download it again.")
    for shard in shards.values():
        if not _SHARD.fullmatch(shard):
            raise ModelError(
                f"{index.name} of '{name}' names '{shorten(shard)}', which is not a safetensors file of its own "
                "folder. "
                "Choose another model."
            )
    if not shards:
        raise ModelError(f"{index.name} of '{name}' names no weights. Download it again.")
    return sorted(set(shards.values()))
