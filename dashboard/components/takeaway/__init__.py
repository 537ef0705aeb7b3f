"""What can be taken away from a chart: its link, the picture that is seen (SVG, PNG) and its numbers (CSV)."""

from dashboard.components.kit import Component

__all__ = ["takeaway"]

_show = Component(__file__)


def takeaway(chart: str, *, name: str, alt: str, csv: str | None = None) -> None:
    """A quiet row for the Plotly chart whose element has the key `chart`, made in the browser from what it shows there.

    `name` is that of the files, `alt` the title inside the picture, `csv` the text of the file with the numbers.
    """
    _show(f"takeaway-{chart}", {"chart": chart, "name": name, "alt": alt, "csv": csv, "present": False})
