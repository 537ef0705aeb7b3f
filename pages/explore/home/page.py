"""One living example, three doors for three kinds of visitors, and all pages, folded by task."""

import streamlit as st

from dashboard import contents, theme
from dashboard.frame import page_head
from dashboard.inputs import controls
from pages.explore.home import cards, doors, examples, words


def show_pages() -> None:
    """Every other page: those of the core path, and those of each task, folded."""
    st.subheader(words.PAGES, anchor=False)
    for group, pages in {words.CORE: contents.CORE[1:], **contents.DEEPER}.items():
        with st.expander(f"**{group}**: {', '.join(page.name for page in pages)}"):
            cards.show(pages, examples.EXAMPLES.get(group))


page_head.head(words.HOME)
examples.LARGE[controls.choice("Example", examples.LARGE, key="example", label_visibility="collapsed")]()
if not theme.is_presented():
    doors.show()
    show_pages()
