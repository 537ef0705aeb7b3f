"""Make core/results/shrinking_bits.csv: four networks with fewer bits.

First networks that compute in fewer bits (core/shrinking/number_formats.py), then networks whose matrices are rounded
but computed in float32: all matrices in several ways, and those of one layer alone. Bytes of the latter are those of
levels and scales on disk, with all else in float32; their time is that of the whole network up to noise.

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
from training.shrinking.tables import known_qualities, replace_rows, row_of, smaller_models, time_beside_whole

FILE = Path("core/results/shrinking_bits.csv")
MODELS = ("gpt-books", "bert-tasks", "vit-tiny-imagenet", "translation")
ROUNDINGS = (
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
        rows = measure(subject, known_qualities(arguments, FILE, name))
        replace_rows(FILE, name, rows, "python -m training.shrinking.bits --data PATH")


def measure(subject: Subject, qualities: Mapping[str, float]) -> list[dict]:
    """The rows of one network; those in `qualities` are not measured again."""
    rows = []
    for variant, network, columns in variants(subject.network):
        with torch.inference_mode():
            quality = qualities[variant] if qualities else subject.quality(network)
        # Rounded to levels, but computed with as before: there is nothing to be timed.
        timed = subject.network if columns["grouping"] else network
        rows.append(row_of(subject, variant, subject.network, quality, time_beside_whole(subject, timed), **columns))
    return rows


def variants(network: nn.Module) -> Iterator[tuple[str, nn.Module, dict[str, object]]]:
    """Yield the name of each variant, its network and the columns that describe it; the whole network is first."""
    intact_bytes = size_in_bytes(network)
    for number_format in FORMATS:
        changed = in_number_format(network, number_format)
        size = size_in_bytes(changed)
        name = "whole" if number_format == "float32" else number_format
        columns = {"bits": BITS[number_format], "grouping": "", "layer": "", "computed": number_format}
        yield name, changed, columns | {"bytes": size, "memory": size}
    layers = sorted({block for name in matrices_of(network) if (block := block_of(name)) is not None})
    for bits, grouping, layer in [
        *((*rounding, None) for rounding in ROUNDINGS),
        *((*ALONE, layer) for layer in layers),
    ]:
        names = None if layer is None else [name for name in matrices_of(network) if block_of(name) == layer]
        rounded, stored = round_network(network, bits, grouping, names)
        alone = "" if layer is None else f", layer {layer} alone"
        columns = {"bits": bits, "grouping": grouping, "layer": "" if layer is None else layer, "computed": "float32"}
        yield f"{bits} bits, {grouping}{alone}", rounded, columns | {"bytes": stored, "memory": intact_bytes}


def command_line() -> CommandLine:
    """The options of the command line."""
    return smaller_models(__doc__, MODELS)


if __name__ == "__main__":
    main()
