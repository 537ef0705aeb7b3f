"""What a config.json may promise: no number beyond those of any real model, no network larger than its weights."""

import re
from collections.abc import Iterator
from typing import Any

from ..errors import ModelError
from ..models.meta_outlines import Promise
from .folders import check_memory, shorten

DEEPEST = 32  # lists and objects inside one another
LARGEST = 10**12  # the base of the rotary embeddings of Falcon-H1 is a tenth of it
# Libraries count up to these one by one, often before there is a network that could be compared with its weights.
COUNTED = (
    (re.compile(r"layers|depth|blocks|stages|groups|s2r_steps|(^|_)n_layer|(^|_)num_layer"), 400),
    (re.compile(r"heads|n_head|num_head"), 1_000),
    (re.compile(r"experts"), 10_000),
    (re.compile(r"num_labels|num_classes"), 100_000),
)
# A config that sets these chooses a file, or lets weights be missing: neither is for the model to say.
FORBIDDEN = re.compile(r"transformers_weights|pretrained_strict|pretrained_cfg_overlay")
# Weights may lack what nobody looks at (a pooler) and tables that are computed (sinusoidal positions, by a loop).
LACKING, SHARE = 2_000_000, 1.1


def check_numbers(config: dict[str, Any], name: str) -> None:
    """Raise ModelError if any number of a config is beyond what models have, or it chooses what is not its to choose.

    Quick, and before any library reads it: some of them count to the number of layers while they do.
    """
    for path, key, value in _values(config, name):
        if FORBIDDEN.fullmatch(key):
            raise ModelError(f"'{name}' sets {path} in config.json, which no model may here. Choose another model.")
        if isinstance(value, bool) or not isinstance(value, int):
            continue
        least, most = next(((0, most) for names, most in COUNTED if names.search(key)), (-LARGEST, LARGEST))
        if not least <= value <= most:
            shown = f"{value:,}" if abs(value) < 10**15 else "a number of more than 15 digits"
            raise ModelError(
                f"config.json of '{name}' gives {shown} for {path}; here it is from {least:,} to {most:,}. "
                "Choose another model."
            )


def check_promise(name: str, promise: Promise, parameters: int) -> None:
    """Raise ModelError if a network is larger than its `parameters` weights can fill, or than free memory.

    What memory is needed for is what the config promises: tables that are computed as well.
    """
    if promise.parameters > SHARE * parameters + LACKING:
        raise ModelError(
            f"config.json of '{name}' promises {promise.parameters:,} parameters, its weights hold {parameters:,}. "
            "They do not belong together: download the model again, or choose another."
        )
    check_memory(name, max(promise.parameters, parameters), tables=promise.tables)


def _values(content: Any, name: str, path: str = "", key: str = "", depth: int = 0) -> Iterator[tuple[str, str, Any]]:
    """Every value that is no list or object: where it stands, the name nearest above it, and itself."""
    if depth > DEEPEST:
        raise ModelError(f"config.json of '{name}' is nested more than {DEEPEST} deep. Choose another model.")
    if isinstance(content, dict):
        for below, value in content.items():
            # Classes are numbered, and all else that has a number for its name belongs to the name above it.
            own = key if below.isdecimal() else below
            yield from _values(value, name, f"{path}.{shorten(below)}" if path else shorten(below), own, depth + 1)
    elif isinstance(content, list):
        for value in content:
            yield from _values(value, name, path, key, depth + 1)
    else:
        yield path, key, content
