"""Errors of the atlas, shown to the visitor as one sentence."""

import logging
from collections.abc import Iterable
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from core.errors import AtlasError
from dashboard.typeset import plain


@contextmanager
def as_sentences():
    """Show an AtlasError as a warning of one sentence. The only place that catches it.

    Programming errors pass through: they are logged, and Streamlit shows the visitor no traceback. After a warning by
    `warn_of`, such as of NaN in a model's weights, they are logged, and shown as a sentence as well.
    """
    _has_warned.set(False)
    try:
        yield
    except AtlasError as error:
        st.warning(plain(str(error)), icon=":material/info:")
    except Exception:
        if not _has_warned.get():
            raise
        logging.getLogger(__name__).info("A model that was warned of could not be shown.", exc_info=True)
        st.warning("This cannot be drawn for such a model. Choose another model or section.", icon=":material/info:")


_has_warned = ContextVar("warned", default=False)  # in this run of a page


def warn_of(warnings: Iterable[str]) -> None:
    """Show warnings about a model, such as that some weights are no numbers."""
    for sentence in warnings:
        _has_warned.set(True)
        st.warning(plain(sentence), icon=":material/warning:")
