"""Bounds of a config.json: no number beyond those of any real model, no network larger than its weights."""

import re
from collections.abc import Iterator
from typing import Any

from ..errors import ModelError
from ..models.meta_outlines import NetworkSize
from .folders import check_memory, shorten

DEEPEST = 32  # lists and objects inside one another
LARGEST = 10**12  # the base of the rotary embeddings of Falcon-H1 is a tenth of it
# Libraries loop up to these numbers, often before there is a network that could be compared with its weights.
COUNTED = (
    (re.compile(r"layers|depth|blocks|stages|groups|s2r_steps|(^|_)n_layer|(^|_)num_layer"), 400),
    (re.compile(r"heads|n_head|num_head"), 1_000),
    (re.compile(r"experts"), 10_000),
    (re.compile(r"num_labels|num_classes"), 100_000),
)
# A config with these names a file to load, or allows missing weights: neither is left to the model.
FORBIDDEN = re.compile(r"transformers_weights|pretrained_strict|pretrained_cfg_overlay")
# Weights may lack parts without use here (a pooler) and computed tables (sinusoidal positions).
LACKING, SHARE = 2_000_000, 1.1


def check_numbers(config: dict[str, Any], name: str) -> None:
    """Raise ModelError if any number of a config is beyond those of real models, or it sets a key of FORBIDDEN.

    To be called before any library reads the config: some loop over the number of layers while they do.
    """
    for path, key, value in _values(config, name):
        if FORBIDDEN.fullmatch(key):
            raise ModelError(f"'{name}' sets {path} in config.json, which no model may here. Choose another model.")
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        least, most = next(((0, most) for names, most in COUNTED if names.search(key)), (-LARGEST, LARGEST))
        if not least <= value <= most:
            number = f"{value:,}" if abs(value) < 10**15 else "a number of more than 15 digits"
            raise ModelError(
                f"config.json of '{name}' gives {number} for {path}; here it is from {least:,} to {most:,}. "
                "Choose another model."
            )


def check_size(name: str, size: NetworkSize, parameters: int) -> None:
    """Raise ModelError if a network has more parameters than its `parameters` weights, or needs more than free memory.

    The memory counts computed tables as well.
    """
    if size.parameters > SHARE * parameters + LACKING:
        raise ModelError(
            f"config.json of '{name}' promises {size.parameters:,} parameters, its weights hold {parameters:,}. "
            "They do not belong together: download the model again, or choose another."
        )
    check_memory(name, max(size.parameters, parameters), tables=size.tables)


def _values(content: Any, name: str, path: str = "", key: str = "", depth: int = 0) -> Iterator[tuple[str, str, Any]]:
    """Every value that is no list or object: its path, the name nearest above it, and the value."""
    if depth > DEEPEST:
        raise ModelError(f"config.json of '{name}' is nested more than {DEEPEST} deep. Choose another model.")
    if isinstance(content, dict):
        for inner_key, value in content.items():
            # A number as a key (of a class, of an entry) is no name: the one above it counts.
            nearest = key if inner_key.isdecimal() else inner_key
            inner_path = f"{path}.{shorten(inner_key)}" if path else shorten(inner_key)
            yield from _values(value, name, inner_path, nearest, depth + 1)
    elif isinstance(content, list):
        for value in content:
            yield from _values(value, name, path, key, depth + 1)
    else:
        yield path, key, content
