"""What stands in the address of a page for choices that no control is bound to, such as words that were clicked."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

Parsed = TypeVar("Parsed")


def parameter(name: str, parse: Callable[[str], Parsed], otherwise: Parsed | None = None) -> Parsed:
    """What `parse` makes of a parameter of the address; without one of this name `otherwise`, or what it makes of "".

    The value may be anything that somebody wrote there. `parse` returns what the page can use, or raises InputError.
    """
    text = st.query_params.get(name)
    return otherwise if text is None and otherwise is not None else parse(text or "")
