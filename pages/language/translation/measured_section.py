"""Measured: how good the three translators are, how long a sentence may be, and how well their maps align."""

from dashboard import layout
from pages.language.translation import measured_alignment, measured_formulas, measured_published, measured_quality
from pages.language.translation import words_measured as said


def show() -> None:
    """Tables and figures; a part that nobody has measured yet says so in a sentence."""
    noticed: list[str] = []
    for part in (
        measured_quality.show_scores,
        measured_quality.show_lengths,
        measured_alignment.show_table,
        measured_alignment.show_heads,
        measured_published.show,
    ):
        with layout.sentences():
            noticed += part()
    layout.notes(said.NOTES, notice=tuple(noticed), formula=measured_formulas.show)
