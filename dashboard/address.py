"""Parameters of a page's address for choices without a control, such as words that were clicked."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

Parsed = TypeVar("Parsed")


def parameter(name: str, parse: Callable[[str], Parsed], default: Parsed | None = None) -> Parsed:
    """The parsed parameter of the address; if it is missing, `default`, or `parse("")` if there is no default.

    The parameter may be any text. `parse` returns a value that the page can use, or raises InputError.
    """
    text = st.query_params.get(name)
    return default if text is None and default is not None else parse(text or "")
