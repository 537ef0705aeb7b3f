"""The sections of a page, of which one is shown: only that one is computed."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

from dashboard import theme
from dashboard.components.section_name import section_name
from dashboard.frame import layout, navigation

Show = TypeVar("Show", bound=Callable[..., None])


def chosen(sections: Mapping[str, Show]) -> Show:
    """What shows the section that the visitor has chosen by its name; the first one before anybody has chosen."""
    names = list(sections)
    if st.session_state.get(navigation.SECTION) not in (*names, None):  # of the page before
        st.session_state[navigation.SECTION] = names[0]
    with st.container(gap=None):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            asked = st.segmented_control(
                "What to look at", names, default=names[0], key=navigation.SECTION, bind="query-params", required=True
            )
            if theme.is_presented():
                navigation.turn_sections(names)
        name = asked or names[0]  # an address may name none: `?show=`
        section_name(name)
    layout.begin_section()
    return sections[name]
