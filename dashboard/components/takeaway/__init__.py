"""What can be taken away from a chart: its link, the picture that is seen (SVG, PNG) and its numbers (CSV)."""

from pathlib import Path

import streamlit as st

from dashboard import theme
from dashboard.components.bundle import bundle

__all__ = ["takeaway"]

_FOLDER = Path(__file__).parent
_MOUNT = st.components.v2.component(
    "attention_atlas_takeaway",
    js=bundle(_FOLDER),
    css=(_FOLDER / "row.css").read_text(encoding="utf-8"),
)


def takeaway(chart: str, *, name: str, alt: str, csv: str | None = None) -> None:
    """A quiet row for the Plotly chart whose element has the key `chart`, made in the browser from what it shows there.

    `name` is that of the files, `alt` the title inside the picture, `csv` the text of the file with the numbers.
    """
    data = {"chart": chart, "name": name, "alt": alt, "csv": csv, "palettes": _PALETTES}
    _MOUNT(key=f"takeaway-{chart}", data=data)


_PALETTES = theme.for_browser()
