"""What a visitor asked for and cannot have, as one sentence."""

import logging
from collections.abc import Iterable
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from core.errors import AtlasError
from dashboard.typeset import plain


@contextmanager
def sentences():
    """Show what a visitor asked for and cannot have as one sentence. The only place that catches it.

    Programming errors pass through: they are logged, and Streamlit shows the visitor no traceback. But no page has to
    find figures for what `warn_of` has warned of, such as a model whose numbers are none.
    """
    _warned.set(False)
    try:
        yield
    except AtlasError as error:
        st.warning(plain(str(error)), icon=":material/info:")
    except Exception:
        if not _warned.get():
            raise
        logging.getLogger(__name__).info("A model that was warned of could not be shown.", exc_info=True)
        st.warning("This cannot be drawn for such a model. Choose another model or section.", icon=":material/info:")


_warned = ContextVar("warned", default=False)  # in this run of a page


def warn_of(warnings: Iterable[str]) -> None:
    """What whoever opens a model should know first, in sentences, such as that some weights are no numbers."""
    for sentence in warnings:
        _warned.set(True)
        st.warning(plain(sentence), icon=":material/warning:")
