"""One living example, three doors for three kinds of visitors, and all pages, folded by task."""

import streamlit as st

from dashboard import contents, theme
from dashboard.frame import page_head
from dashboard.inputs import controls
from pages.explore.home import cards, doors, examples
from pages.explore.home.prose import PAGE


def show_pages() -> None:
    """Every other page: those of the core path, and those of each task, folded."""
    st.subheader("All pages, by task", anchor=False)
    for group, pages in {examples.CORE: contents.CORE[1:], **contents.DEEPER}.items():
        with st.expander(f"**{group}**: {', '.join(page.name for page in pages)}"):
            cards.show(pages, examples.EXAMPLES.get(group))


page_head.head(PAGE)
examples.LARGE[controls.choice("Example", examples.LARGE, key="example", label_visibility="collapsed")]()
if not theme.is_presented():
    doors.show()
    show_pages()
