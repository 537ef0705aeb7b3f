"""Make core/results/shrinking_bits.csv: four networks of ours with fewer bits.

First those that really compute with fewer (core/shrinking/number_formats.py), then such whose matrices are rounded and
computed with in float32: all of them in several ways, and those of one layer alone. The latter's bytes are those that
levels and scales take on disk, beside all else in float32; their time is that of the whole network up to noise.

Nothing is drawn at random.

    python -m training.shrinking.bits --data PATH [--only MODEL ...]
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from torch import nn

from core.shrinking.bits import round_network
from core.shrinking.layouts import block_of, matrices_of
from core.shrinking.number_formats import BITS, FORMATS, in_number_format, size_in_bytes
from training.common.command_line import CommandLine
from training.shrinking.quality import SUBJECTS, Subject
from training.shrinking.tables import beside_whole, merged, qualities, row_of, smaller_models

FILE = Path("core/results/shrinking_bits.csv")
MODELS = ("gpt-books", "bert-tasks", "vit-tiny-imagenet", "translation")
TRIED = (
    (8, "per tensor"),
    (8, "per output channel"),
    (6, "per output channel"),
    (5, "per output channel"),
    (4, "per tensor"),
    (4, "per output channel"),
    (4, "groups of 64"),
    (3, "per output channel"),
    (3, "groups of 64"),
    (2, "groups of 32"),
)
ALONE = (4, "per tensor")  # how one layer alone is rounded


def main() -> None:
    """Measure network after network, and write the table after each."""
    arguments = command_line().read()
    for name in arguments.only or MODELS:
        subject = SUBJECTS[name](arguments.data, arguments.run)
        found = measure(subject, qualities(arguments, FILE, name))
        merged(FILE, name, found, "python -m training.shrinking.bits --data PATH")


def measure(subject: Subject, known: Mapping[str, float]) -> list[dict]:
    """The rows of one network; qualities that are `known` are not measured again."""
    rows = []
    for variant, network, more in variants(subject.network):
        with torch.inference_mode():
            quality = known[variant] if known else subject.quality(network)
        # Rounded to levels, but computed with as before: there is nothing to be timed.
        timed = subject.network if more["grouping"] else network
        rows.append(row_of(subject, variant, subject.network, quality, beside_whole(subject, timed), **more))
    return rows


def variants(network: nn.Module) -> Iterator[tuple[str, nn.Module, dict[str, object]]]:
    """Each network with its name and the columns that tell it, the whole one first."""
    whole = size_in_bytes(network)
    for computed in FORMATS:
        changed = in_number_format(network, computed)
        size = size_in_bytes(changed)
        named = "whole" if computed == "float32" else computed
        told = {"bits": BITS[computed], "grouping": "", "layer": "", "computed": computed}
        yield named, changed, told | {"bytes": size, "memory": size}
    layers = sorted({block for name in matrices_of(network) if (block := block_of(name)) is not None})
    for bits, grouping, layer in [*((*tried, None) for tried in TRIED), *((*ALONE, layer) for layer in layers)]:
        names = None if layer is None else [name for name in matrices_of(network) if block_of(name) == layer]
        rounded, stored = round_network(network, bits, grouping, names)
        alone = "" if layer is None else f", layer {layer} alone"
        told = {"bits": bits, "grouping": grouping, "layer": "" if layer is None else layer, "computed": "float32"}
        yield f"{bits} bits, {grouping}{alone}", rounded, told | {"bytes": stored, "memory": whole}


def command_line() -> CommandLine:
    """The options of the command line."""
    return smaller_models(__doc__, MODELS)


if __name__ == "__main__":
    main()
