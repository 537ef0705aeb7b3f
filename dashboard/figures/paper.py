"""What every figure shares: transparent paper, the page's ink, quiet axes, letters that a projector can show."""

import plotly.graph_objects as go

from dashboard.theme import Palette

CLEAR = "rgba(0,0,0,0)"


def on_paper(
    figure: go.Figure,
    *,
    palette: Palette,
    height: int,
    size: int = 14,
    x: str = "",
    y: str = "",
) -> go.Figure:
    """Give a figure the look of the atlas; `x` and `y` name its axes, `size` is that of the letters in pixels."""
    axis = {
        "gridcolor": palette.hair,
        "linecolor": palette.hair,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
        "tickfont": {"color": palette.soft, "size": size - 1},
    }
    look = {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"color": palette.ink, "size": size},
        "hoverlabel": {
            "bgcolor": palette.raised,
            "bordercolor": palette.hair,
            "font": {"color": palette.ink, "size": size},
        },
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": size}},
        # An empty title would be given room: an axis without a name has none.
        "xaxis": {"title": {"text": x or None, "font": {"size": size}}, **axis},
        "yaxis": {"title": {"text": y or None, "font": {"size": size}}, **axis},
    }
    drawn = figure.layout.to_plotly_json()
    del drawn["template"]  # every layout is given it anew
    # Assigned at once: Plotly takes 12 ms to update these in an existing layout, and 2 ms to take a new one.
    figure.layout = _over(drawn, look)
    return figure


def _over(below: dict, above: dict) -> dict:
    """Nested settings, with those `above` before those `below`."""
    both = {**below, **above}
    inner = {name for name in below.keys() & above.keys() if isinstance(below[name], dict)}
    return both | {name: _over(below[name], above[name]) for name in inner}


def escape(label: str) -> str:
    """Plotly reads a few HTML tags in labels: a visitor's token must not be one."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
