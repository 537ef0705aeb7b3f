"""Downloads of a chart: its link, its current picture (SVG, PNG) and its numbers (CSV)."""

from dashboard.components.kit import Component

__all__ = ["takeaway"]

_show = Component(__file__)


def takeaway(chart: str, *, name: str, alt: str, csv: str | None = None) -> None:
    """Draw a row of downloads for the Plotly chart with the key `chart`, made in the browser from its current state.

    `name` is that of the files, `alt` the title inside the picture, `csv` the content of the file with the numbers.
    """
    _show(f"takeaway-{chart}", {"chart": chart, "name": name, "alt": alt, "csv": csv, "present": False})
