"""Models, kept for the next visitor, and how many of them compute at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core import zoo
from core.zoo.names import Purpose

# Two forward passes at a time: more would only take the processor from one another.
_COMPUTING = threading.Semaphore(2)


@contextmanager
def computing() -> Iterator[None]:
    """Wait for one of the places in which something long is computed."""
    with _COMPUTING:
        yield


@st.cache_data(max_entries=256, ttl=600, show_spinner="Asking what this model is …")
def offer(name: str, purpose: Purpose, *, allow_folders: bool, attends: bool = True) -> zoo.Offer:
    """What a model is and what it costs; ModelError if it cannot be had."""
    return zoo.inspect(name, purpose, allow_folders=allow_folders, attends=attends)


@st.cache_resource(max_entries=4, show_spinner="Loading the model …")
def text_model(name: str) -> zoo.TextModel:
    """A language model that `offer` has let pass, shared by all visitors: it is only ever read."""
    return zoo.load_text(name, allow_folders=True)


@st.cache_resource(max_entries=4, show_spinner="Loading the model …")
def image_model(name: str) -> zoo.ImageModel:
    """An image model that `offer` has let pass, likewise."""
    return zoo.load_image(name, allow_folders=True, attends=False)
