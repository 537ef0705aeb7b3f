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
from pages.vision.reconstruction import compute_pixels, words_pixels
from pages.vision.reconstruction.pixels_sentences import tell_heads


def show() -> None:
    """The photograph under the attention of any pixel, what each head looks at, the notes."""
    with layout.control_bar():
        picture = controls.picture()
    with layout.waiting_place():
        looked = compute_pixels.look(picture)
    photo_maps(looked.scene, key="pixel-maps", name="looking-up")
    layout.place_notice()
    if not theme.is_presented():
        _heads(looked.looks)
    layout.notes(words_pixels.LOOKING_NOTES, notice=tell_heads(looked.looks), formula=_formula)


def table_of(looks: Sequence[PixelAttention]) -> pd.DataFrame:
    """One row a head."""
    return pd.DataFrame(
        [(head.layer, head.head, head.left, head.above, head.start, head.distance) for head in looks],
        columns=["layer", "head", "left", "above", "start token", "distance in pixels"],
    )


def _heads(looks: Sequence[PixelAttention]) -> None:
    st.subheader(words_pixels.HEADS, anchor=False)
    st.caption(words_pixels.HEADS_ABOUT, width=theme.PROSE)
    table = table_of(looks)
    shares = ["left", "above", "start token"]
    # The longest bar is the largest share: most heads spread their attention widely.
    bar = st.column_config.ProgressColumn(format="percent", min_value=0.0, max_value=float(table[shares].max().max()))
    columns: dict[str, Any] = dict.fromkeys(shares, bar)
    columns["distance in pixels"] = st.column_config.NumberColumn(format="%.1f")
    data_table(table, hide_index=True, width="content", height=320, column_config=columns)
    charts.download_table(table, "pixel-heads")


def _formula() -> None:
    config = image_gpt(NEXT).network.config
    st.latex(r"a_{ij} = \operatorname{softmax}_{j \le i} \frac{q_i \cdot k_j}{\sqrt{d}}")
    st.markdown(
        f"*d* = {config.width // config.heads}. Token *i* holds pixel *i* − 1, token 0 is the start; token *i* "
        "predicts pixel *i*, so it sees just the pixels before the one to be predicted. The network is not told what "
        "lies above what: of {config.context:,} places in a row, the one above is {config.side} back (Chen et al. "
        "2020, section 2.3)."
    )
