"""Make core/results/shrinking_combined.csv: five networks of ours made smaller in several steps, none trained between.

Nothing is drawn at random.

    python -m training.shrinking.combined --data PATH [--only MODEL ...]
"""

from collections.abc import Mapping
from pathlib import Path

import torch

from core.shrinking.number_formats import size_in_bytes
from core.shrinking.together import follow, recipes
from training.common.command_line import CommandLine
from training.shrinking.quality import ASKED, SUBJECTS, Subject
from training.shrinking.tables import beside_whole, merged, qualities, row_of, smaller_models

FILE = Path("core/results/shrinking_combined.csv")


def main() -> None:
    """Measure network after network, and write the table after each."""
    arguments = command_line().read()
    for name in arguments.only or SUBJECTS:
        subject = SUBJECTS[name](arguments.data, arguments.run)
        found = measure(subject, qualities(arguments, FILE, name))
        merged(FILE, name, found, "python -m training.shrinking.combined --data PATH", asked=ASKED)


def measure(subject: Subject, known: Mapping[str, float]) -> list[dict]:
    """The rows of one network; qualities that are `known` are not measured again."""
    rows = []
    for recipe in recipes(subject.name):
        network = follow(recipe, subject.network, subject.losses)
        with torch.inference_mode():
            quality = known[recipe.title] if known else subject.quality(network)
        told = {
            "bytes": size_in_bytes(network),
            "student": recipe.student,
            "heads": recipe.heads,
            "neurons": recipe.neurons,
            "number_format": recipe.number_format,
        }
        rows.append(row_of(subject, recipe.title, network, quality, beside_whole(subject, network), **told))
    return rows


def command_line() -> CommandLine:
    """The options of the command line."""
    return smaller_models(__doc__, tuple(SUBJECTS))


if __name__ == "__main__":
    main()
