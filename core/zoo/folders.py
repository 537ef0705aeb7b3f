"""What a folder with a model must hold before anything in it is opened: safetensors, and no code of its own."""

import json
import os
import struct
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from core.errors import ModelError

ROOM = 1.25  # memory for activations and for the library, beside the weights themselves
LARGEST_CONFIG = 2_000_000  # bytes


@dataclass(frozen=True)
class Weights:
    """The safetensors files of a model and how many numbers are in them."""

    files: tuple[Path, ...]
    parameters: int


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
    """A small JSON object; whatever else is in the file is never shown."""
    try:
        if path.stat().st_size > LARGEST_CONFIG:
            raise ValueError
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError
    except (ValueError, OSError, RecursionError) as error:
        raise ModelError(f"{path.name} of '{name}' is no JSON object. Download the model again.") from error
    return content


def read_weights(folder: Path, name: str) -> Weights:
    """Which files hold the weights, all of them present and whole as far as their headers tell."""
    index = folder / "model.safetensors.index.json"
    if (folder / "model.safetensors").is_file():
        files = [folder / "model.safetensors"]
    elif index.is_file():
        shards = read_json(index, name).get("weight_map", {})
        files = [folder / Path(str(shard)).name for shard in sorted(set(shards.values()))]
    else:
        raise refuse_other_weights(name, [path.name for path in folder.iterdir()])
    for file in files:
        if not file.is_file():
            raise ModelError(f"'{name}' is incomplete: {file.name} is missing. Download it again.")
    return Weights(tuple(files), sum(_count(file, name) for file in files))


def refuse_other_weights(name: str, files: list[str]) -> ModelError:
    """The error for a model without model.safetensors, given the names of the files that it has."""
    others = sorted(file for file in files if file.endswith((".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack")))
    if others:
        return ModelError(
            f"'{name}' keeps its weights in {others[0]}, a format that may run code when it is opened. "
            "Only model.safetensors is read here: choose a model that has it."
        )
    return ModelError(f"'{name}' has no weights (model.safetensors). Choose another model.")


def check_memory(name: str, parameters: int) -> None:
    """Raise ModelError if a model with so many parameters, 4 bytes each, does not fit into free memory."""
    needed, free = ROOM * 4 * parameters, free_memory()
    if free is not None and needed > free:
        raise ModelError(
            f"'{name}' has {parameters:,} parameters and needs {needed / 1e9:.1f} GB of memory; "
            f"{free / 1e9:.1f} GB are free here. Choose a smaller one."
        )


def free_memory() -> int | None:
    """Bytes that this process may still take: what the system has left, or a container's limit. None: unknown."""
    limits = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(1024 * int(line.split()[1]))
    except OSError:
        if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):  # macOS: at least what is built in
            limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        if limit != "max":
            limits.append(int(limit) - int((group / "memory.current").read_text()))
    except (OSError, ValueError):
        pass
    return min(limits, default=None)


def _count(file: Path, name: str) -> int:
    """Numbers in a safetensors file: 8 bytes say how long the JSON header is, the header gives all shapes."""
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > 100_000_000:  # the format's own limit
                raise ValueError
            header = json.loads(stream.read(length))
        tensors = [tensor for key, tensor in header.items() if key != "__metadata__"]
        end = max((tensor["data_offsets"][1] for tensor in tensors), default=0)
        if 8 + length + end != file.stat().st_size:
            raise ValueError
        return sum(prod(tensor["shape"]) for tensor in tensors)
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, OSError) as error:
        raise ModelError(f"{file.name} of '{name}' is damaged or cut off. Download it again.") from error
