"""All classes that an image model can name: a fold with their pictures, their probabilities now, and a search."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float
from PIL import Image

from core.images import open_example
from core.view.codec import picture_address
from core.zoo.class_pictures import drawing_of, example_of, places_matching
from core.zoo.embedded import IMAGE
from core.zoo.emoji import picture_of
from dashboard import theme, typeset
from dashboard.cache.memo import cached
from dashboard.output.data_table import data_table

SIDE = 48  # pixels of a picture
MOST_ROWS = 8  # seen at once, without scrolling
SOURCES = (
    "{pictures} of its {count:,} classes have a picture that may be shown: drawings of Noto Emoji (Apache-2.0) of the "
    "same name, and example photographs of this atlas."
)
LEARNED_FROM = (
    " It learned from none of them. Those that it learned from, ImageNet's among them, are for non-commercial research "
    "and education, so they are no part of this atlas."
)


def show(model: str, classes: Sequence[str], shares: Float[np.ndarray, " class"]) -> None:
    """Draw the fold; nothing on a projector, or for a model without classes.

    `shares` are the probabilities of the classes for the picture on the page.
    """
    if not len(classes) or theme.is_presented():
        return
    fold = st.expander(f"All {len(classes):,} classes it can name", key="class_gallery", on_change="rerun")
    if not fold.open:
        return
    with fold:
        search = st.text_input("Search by name", key="class_search", bind="query-params", max_chars=80, width=320)
        places = places_matching(classes, search)
        pictures = pictures_of(tuple(classes))
        if places:
            _table([classes[place] for place in places], [pictures[place] for place in places], shares[list(places)])
        else:
            st.info(f"None of its {len(classes):,} classes has “{typeset.plain(search)}” in its name.")
        sources = SOURCES.format(pictures=sum(map(bool, pictures)), count=len(classes))
        st.caption(sources + (LEARNED_FROM if model in IMAGE else ""))


def _table(names: Sequence[str], pictures: Sequence[str], shares: Float[np.ndarray, " class"]) -> None:
    """The classes, the most probable first."""
    rows = pd.DataFrame(
        {
            "picture": [picture or None for picture in pictures],
            "class": [typeset.readable(name) for name in names],
            "probability": shares,
        }
    ).sort_values("probability", ascending=False, kind="stable")
    config = {
        "picture": st.column_config.ImageColumn(width="small"),
        "class": st.column_config.TextColumn(width="medium"),
        "probability": st.column_config.NumberColumn(format="percent"),
    }
    data_table(rows, hide_index=True, column_config=config, height=36 * (min(MOST_ROWS, len(rows)) + 1))


@cached()
def pictures_of(classes: tuple[str, ...]) -> tuple[str, ...]:
    """The picture of each class as an address that holds it; "" where there is none that may be shown."""
    return tuple(map(_picture, classes))


def _picture(name: str) -> str:
    if example := example_of(name):
        picture = open_example(example)
    elif drawing := drawing_of(name):
        picture = Image.fromarray(picture_of(drawing))
    else:
        return ""
    return picture_address(np.asarray(picture.convert("RGB")), SIDE)
