"""What the tests of the page "Scaling comparison" share: its address, its tables, what is chosen of them."""

import csv
import re

from core.published import FOLDER
from pages.scale.scaling_comparison import glue, images, language, transfer, translation, years
from pages.scale.scaling_comparison.selection import Choices, select

PAGE = "scale/scaling_comparison"
# Every table of the explorer: what makes it, its sentences, and what else it says that it hides.
TABLES = {
    "German": (lambda: translation.paper(False), translation.notice, translation.hides),
    "French": (lambda: translation.paper(True), translation.notice, translation.hides),
    "WMT": (translation.leaders, translation.notice, translation.hides),
    "timm": (images.timm, images.notice, images.hides),
    "leaders": (images.leaders, images.notice, images.hides_of_leaders),
    "results": (transfer.results, transfer.about_cost, transfer.hides_of_results),
    "gains": (transfer.gains, transfer.about_gains, transfer.hides_of_gains),
    "entries": (glue.entries, glue.about_entries, glue.hides_of_entries),
    "sentiment": (language.sentiment, language.about_sentiment, language.hides_of_sentiment),
    "sizes": (language.sizes, language.about_sizes, language.missing_text_sizes),
    "years": (years.table, years.notice, years.hides),
}


def original(name):
    """A published table as it lies there, read without our loaders."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def chosen(table, x="", y="", **choices):
    """What is shown of a table with these axes (by their columns) and filters, on the scales it begins with."""
    measures = {measure.column: measure for measure in table.measures}
    across, up = measures[x or table.x], measures[y or table.y]
    return select(table, Choices(across, up, **{"log_x": across.log, "log_y": up.log, **choices}))


def placed(selection):
    """The places of all points, sorted."""
    rows = selection.placed[[selection.choices.x.column, selection.choices.y.column]]
    return sorted(rows.itertuples(index=False, name=None))


def plain(sentences):
    """Sentences as one text, as it is read."""
    return " ".join(sentences).replace("\\", "")


def has_no_number(text):
    """Whether a text holds what Python writes for a number that is none."""
    return re.search(r"\b(nan|inf)\b", text) is not None
