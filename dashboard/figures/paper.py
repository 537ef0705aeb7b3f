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
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        font={"color": palette.ink, "size": size},
        hoverlabel={
            "bgcolor": palette.raised,
            "bordercolor": palette.hair,
            "font": {"color": palette.ink, "size": size},
        },
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "font": {"size": size}},
    )
    axis = {
        "gridcolor": palette.hair,
        "linecolor": palette.hair,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
        "tickfont": {"color": palette.soft, "size": size - 1},
    }
    figure.update_xaxes(title={"text": x, "font": {"size": size}}, **axis)
    figure.update_yaxes(title={"text": y, "font": {"size": size}}, **axis)
    return figure


def escape(label: str) -> str:
    """Plotly reads a few HTML tags in labels: a visitor's token must not be one."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
