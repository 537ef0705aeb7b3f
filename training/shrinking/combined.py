"""Make core/results/shrinking_combined.csv: five networks made smaller in several steps, without training between.

Nothing is drawn at random.

    python -m training.shrinking.combined --data PATH [--only MODEL ...]
"""

from collections.abc import Mapping
from pathlib import Path

import torch

from core.shrinking.number_formats import size_in_bytes
from core.shrinking.recipes import follow, recipes
from training.common.command_line import CommandLine
from training.shrinking.quality import RANKING_INPUTS, SUBJECTS, Subject
from training.shrinking.tables import known_qualities, replace_rows, row_of, smaller_models, time_beside_whole

FILE = Path("core/results/shrinking_combined.csv")


def main() -> None:
    """Measure network after network, and write the table after each."""
    arguments = command_line().read()
    for name in arguments.only or SUBJECTS:
        subject = SUBJECTS[name](arguments.data, arguments.run)
        rows = measure(subject, known_qualities(arguments, FILE, name))
        replace_rows(FILE, name, rows, "python -m training.shrinking.combined --data PATH", asked=RANKING_INPUTS)


def measure(subject: Subject, qualities: Mapping[str, float]) -> list[dict]:
    """The rows of one network; those in `qualities` are not measured again."""
    rows = []
    for recipe in recipes(subject.name):
        network = follow(recipe, subject.network, subject.losses)
        with torch.inference_mode():
            quality = qualities[recipe.title] if qualities else subject.quality(network)
        columns = {
            "bytes": size_in_bytes(network),
            "student": recipe.student,
            "heads": recipe.heads,
            "neurons": recipe.neurons,
            "number_format": recipe.number_format,
        }
        rows.append(row_of(subject, recipe.title, network, quality, time_beside_whole(subject, network), **columns))
    return rows


def command_line() -> CommandLine:
    """The options of the command line."""
    return smaller_models(__doc__, tuple(SUBJECTS))


if __name__ == "__main__":
    main()
