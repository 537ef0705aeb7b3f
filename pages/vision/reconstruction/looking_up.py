"""Looking up: for each pixel, where image-GPT looked."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.vision.pixel_attention import PixelAttention
from core.zoo.image_gpts import NEXT
from dashboard import theme
from dashboard.cache.models import image_gpt
from dashboard.components.photo_maps import photo_maps
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.vision.reconstruction import compute_pixels
from pages.vision.reconstruction.pixels_sentences import tell_heads
from pages.vision.reconstruction.prose import PAGE

SECTION = PAGE.section("Looking up")


def show() -> None:
    """The photograph under the attention of any pixel, what each head looks at, the notes."""
    with layout.control_bar():
        picture = controls.picture()
    with layout.waiting_place():
        attention = compute_pixels.look(picture)
    photo_maps(attention.scene, key="pixel-maps", name="looking-up")
    layout.place_notice()
    if not theme.is_presented():
        _heads(attention.heads)
    config = image_gpt(NEXT).network.config
    numbers = {"width": config.width // config.heads, "context": config.context, "side": config.side}
    layout.notes(SECTION, notice=tell_heads(attention.heads), numbers=numbers)


def table_of(heads: Sequence[PixelAttention]) -> pd.DataFrame:
    """One row a head."""
    return pd.DataFrame(
        [(head.layer, head.head, head.left, head.above, head.start, head.distance) for head in heads],
        columns=["layer", "head", "left", "above", "start token", "distance in pixels"],
    )


def _heads(heads: Sequence[PixelAttention]) -> None:
    st.subheader("What does each head look at?", anchor=False)
    st.caption(SECTION.text("Heads"), width=theme.PROSE)
    table = table_of(heads)
    shares = ["left", "above", "start token"]
    # The longest bar is the largest share: most heads spread their attention widely.
    bar = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=float(table[shares].max().max()))
    columns: dict[str, Any] = dict.fromkeys(shares, bar)
    columns["distance in pixels"] = st.column_config.NumberColumn(format="%.1f")
    data_table(table, hide_index=True, width="content", height=320, column_config=columns)
    charts.download_table(table, "pixel-heads")
