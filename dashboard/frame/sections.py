"""The sections of a page, of which only the chosen one is computed and shown."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

from dashboard import theme
from dashboard.components.section_name import section_name
from dashboard.frame import layout, navigation

Show = TypeVar("Show", bound=Callable[..., None])


def chosen(sections: Mapping[str, Show]) -> Show:
    """Draw the choice of sections, and return the function of the chosen one; the first one by default."""
    names = list(sections)
    if st.session_state.get(navigation.SECTION) not in (*names, None):  # of the page before
        st.session_state[navigation.SECTION] = names[0]
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            selection = st.segmented_control(
                "What to look at",
                names,
                default=names[0],
                key=navigation.SECTION,
                bind="query-params",
                required=True,
                label_visibility="collapsed",
            )
            if theme.is_presented():
                navigation.turn_sections(names)
        name = selection or names[0]  # an address may name none: `?show=`
        section_name(name)
    layout.begin_section()
    return sections[name]
