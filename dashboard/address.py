"""Parameters of a page's address: of choices without a control, and options of controls that had another name."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import streamlit as st

Parsed = TypeVar("Parsed")


def parameter(name: str, parse: Callable[[str], Parsed], default: Parsed | None = None) -> Parsed:
    """The parsed parameter of the address; if it is missing, `default`, or `parse("")` if there is no default.

    The parameter may be any text. `parse` returns a value that the page can use, or raises InputError.
    """
    text = st.query_params.get(name)
    return default if text is None and default is not None else parse(text or "")


def replace_former_name(key: str, former_names: Mapping[str, str]) -> None:
    """Let an address with a former name of an option open the option by its present name.

    To be called before the control with this key. `former_names` maps former names to present ones.
    """
    name = st.query_params.get(key)
    if name is not None and name in former_names:
        st.session_state[key] = st.query_params[key] = former_names[name]
