"""Make core/results/shrinking_weights.csv: four networks with small weights set to zero, or without neurons.

Weights: the smallest of all matrices together become zeros, which makes nothing faster by itself; the column
`sparse_milliseconds` is of the same network with sparse matrices (CSR). Neurons: those of each feed-forward layer with
the shortest incoming weights are removed. Nothing is trained afterwards.

Nothing is drawn at random.

    python -m training.shrinking.weights --data PATH [--only MODEL ...]
"""

from collections.abc import Mapping
from pathlib import Path

import torch

from core.shrinking.number_formats import size_in_bytes
from core.shrinking.zeros import as_sparse, bytes_packed, with_zeros, without_neurons
from training.common.command_line import CommandLine
from training.shrinking.quality import SUBJECTS, Subject
from training.shrinking.tables import known_qualities, milliseconds, replace_rows, row_of, smaller_models

FILE = Path("core/results/shrinking_weights.csv")
MODELS = ("gpt-books", "bert-tasks", "vit-tiny-imagenet", "translation")
ZEROS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
NEURONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def main() -> None:
    """Measure network after network, and write the table after each."""
    arguments = command_line().read()
    for name in arguments.only or MODELS:
        subject = SUBJECTS[name](arguments.data, arguments.run)
        rows = measure(subject, known_qualities(arguments, FILE, name))
        replace_rows(FILE, name, rows, "python -m training.shrinking.weights --data PATH")


def measure(subject: Subject, qualities: Mapping[str, float]) -> list[dict]:
    """The rows of one network; those in `qualities` are not measured again."""
    intact = subject.network
    settings = [("weights", share) for share in (0.0, *ZEROS)] + [("neurons", share) for share in NEURONS]
    rows = []
    for way, share in settings:
        network = with_zeros(intact, share) if way == "weights" else without_neurons(intact, share)
        variant = f"{share:.0%} of the {way} gone" if share else "whole"
        networks = {"whole": intact, "smaller": network}
        if way == "weights":
            networks["sparse"] = as_sparse(network)
        with torch.inference_mode():
            quality = qualities[variant] if qualities else subject.quality(network)
            speed = milliseconds(subject.once, networks)
        size = bytes_packed(network) if way == "weights" and share else size_in_bytes(network)
        sparse = round(speed["sparse"], 3) if "sparse" in speed else ""
        columns = {"bytes": size, "way": way, "share": share, "sparse_milliseconds": sparse}
        rows.append(row_of(subject, variant, network, quality, speed, **columns))
    return rows


def command_line() -> CommandLine:
    """The options of the command line."""
    return smaller_models(__doc__, MODELS)


if __name__ == "__main__":
    main()
