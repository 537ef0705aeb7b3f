"""The sections of a page, of which only the chosen one is computed and shown."""

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

import streamlit as st

from dashboard import theme
from dashboard.address import replace_former_name
from dashboard.components.section_name import section_name
from dashboard.frame import layout, navigation

Show = TypeVar("Show", bound=Callable[..., None])


def chosen(
    sections: Mapping[str, Show],
    *,
    opened_by: Mapping[str, Collection[str]] | None = None,
    former_names: Mapping[str, str] | None = None,
    with_own_arrows: Collection[str] = (),
) -> Show:
    """Draw the choice of sections, and return the function of the chosen one; the first one by default.

    `opened_by` holds parameters by the name of a section: an address that has one of them and names no section opens
    that section. So links from before a page had sections lead where they led. `former_names` maps names that sections
    had, by which old links know them, to those that they have. In the sections `with_own_arrows` the
    figure listens to the arrow keys, which on a projector turn no section then.
    """
    names = list(sections)
    replace_former_name(navigation.SECTION, former_names or {})
    held = st.session_state.get(navigation.SECTION)
    if held not in (*names, None):  # of the page before
        st.session_state[navigation.SECTION] = _opened(names, opened_by or {})
    elif held is None and navigation.SECTION not in st.query_params:
        opened = _opened(names, opened_by or {})
        if opened != names[0]:
            st.session_state[navigation.SECTION] = st.query_params[navigation.SECTION] = opened
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
                navigation.turn_sections(names, with_own_arrows)
        name = selection or names[0]  # an address may name none: `?show=`
        section_name(name)
    layout.begin_section()
    return sections[name]


def _opened(names: list[str], opened_by: Mapping[str, Collection[str]]) -> str:
    """The section that an address without a section opens."""
    return next((name for name, keys in opened_by.items() if any(key in st.query_params for key in keys)), names[0])
