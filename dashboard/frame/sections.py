"""The sections of a page, of which only the chosen one is computed and shown."""

from collections.abc import Collection, Mapping
from typing import Protocol

import streamlit as st

from dashboard import theme
from dashboard.address import replace_former_name
from dashboard.components.section_name import section_name
from dashboard.frame import layout, navigation, page_head
from dashboard.frame.prose import PageProse, Prose


class Section(Protocol):
    """A module of a page: the prose of the section, whose name the address has, and what draws it."""

    SECTION: Prose

    def show(self) -> None:
        """Draw the controls, the figure and the notes."""


def show(
    page: PageProse,
    *sections: Section,
    opened_by: Mapping[str, Collection[str]] | None = None,
    former_names: Mapping[str, str] | None = None,
    with_own_arrows: Collection[str] = (),
) -> None:
    """Draw the head of a page, the choice of its sections, and the chosen section; the first one by default.

    `opened_by` holds parameters by the name of a section: an address that has one of them and names no section opens
    that section. So links from before a page had sections lead where they led. `former_names` maps names that sections
    had, by which old links know them, to those that they have. In the sections `with_own_arrows` the
    figure listens to the arrow keys, which on a projector turn no section then.
    """
    page_head.head(page)
    by_name = {section.SECTION.name: section for section in sections}
    replace_former_name(navigation.SECTION, former_names or {})
    name = _choose(list(by_name), opened_by or {}, with_own_arrows)
    layout.begin_section()
    by_name[name].show()


def _choose(names: list[str], opened_by: Mapping[str, Collection[str]], with_own_arrows: Collection[str]) -> str:
    """Draw the choice of sections, and return the name of the chosen one."""
    held = st.session_state.get(navigation.SECTION)
    if held not in (*names, None):  # of the page before
        st.session_state[navigation.SECTION] = _opened(names, opened_by)
    elif held is None and navigation.SECTION not in st.query_params:
        opened = _opened(names, opened_by)
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
    return name


def _opened(names: list[str], opened_by: Mapping[str, Collection[str]]) -> str:
    """The section that an address without a section opens."""
    return next((name for name, keys in opened_by.items() if any(key in st.query_params for key in keys)), names[0])
