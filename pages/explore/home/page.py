"""What this is, one living example, and where to go."""

import streamlit as st

from dashboard import contents, controls, layout
from dashboard.components.attention_view import attention_view
from dashboard.watched import Watched, watch_image, watch_text
from pages.explore.home import words

layout.head(words.HOME)
EXAMPLES = {"A sentence": contents.TEXT, "A photograph": contents.IMAGE}
own = EXAMPLES[controls.choice("Example", EXAMPLES, key="example", label_visibility="collapsed")]
watched: Watched = (
    watch_text("gpt-books", controls.FIRST_TEXT)
    if own is contents.TEXT
    else watch_image("vit-tiny-imagenet", controls.FIRST_PICTURE, controls.FIRST_RESOLUTION)
)
attention_view(
    watched.scene,
    key="view",
    view="picture" if own is contents.IMAGE else None,
    token=watched.notice.start.token,
    address=False,
)
with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown(watched.notice.sentences[-1], width=layout.PROSE)
    own.link(words.OWN[own.name])
for group, pages in list(contents.GROUPS.items())[1:]:
    layout.cards(group, pages)
