"""The sections of a page, of which one is shown: only that one is computed."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

Show = TypeVar("Show", bound=Callable[..., None])


def chosen(sections: Mapping[str, Show]) -> Show:
    """What shows the section that the visitor has chosen by its name; the first one before anybody has chosen."""
    names = list(sections)
    name = st.segmented_control(
        "What to look at", names, default=names[0], key="show", bind="query-params", required=True
    )
    return sections[name or names[0]]  # an address may name none: `?show=`
