"""Models and their runs, kept for the next visitor. The only module that caches; what is big has few entries."""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property

import streamlit as st
import torch
from torch import nn

from core import zoo
from core.capture import Record, edit_attention, record_attention
from core.errors import CaptureError
from core.images import open_example, open_picture
from core.text import Tokens, read_text
from core.zoo.names import Purpose
from dashboard import notices, scenes
from dashboard.components.attention_view import Scene
from dashboard.notices import Notice
from dashboard.scenes import Head

FIRST_VISIT = 8  # seconds from the start of the server until the first page is there
# Two forward passes at a time: more would only take the processor from one another.
_COMPUTING = threading.Semaphore(2)


@dataclass(frozen=True)
class WatchedText:
    """A language model, a text, and the attention that was paid. Shared by all visitors: never changed."""

    model: zoo.TextModel
    given: Tokens
    run: zoo.TextRun
    record: Record
    first: Head | None = None  # the head to show first; None: where there is most to notice

    @cached_property
    def scene(self) -> Scene:
        """What the view shows of it."""
        return scenes.text_scene(self.model, self.run, self.record, self.first or self.notice.start.place)

    @cached_property
    def notice(self) -> Notice:
        """What is worth noticing in it."""
        return notices.notice_text(self.record, self.given)


@dataclass(frozen=True)
class WatchedImage:
    """An image model, a picture, and the attention that was paid; likewise."""

    model: zoo.ImageModel
    given: zoo.PreparedPicture
    run: zoo.ImageRun
    record: Record
    first: Head | None = None

    @cached_property
    def scene(self) -> Scene:
        """What the view shows of it."""
        first = self.first or self.notice.start.place
        return scenes.image_scene(self.model, self.given, self.run, self.record, first)

    @cached_property
    def notice(self) -> Notice:
        """What is worth noticing in it."""
        return notices.notice_picture(self.record, self.given.patches)


Watched = WatchedText | WatchedImage


def warm_up() -> None:
    """Load what the first visitor will want, while the server starts; what is slower, once that visitor is served."""
    for name in zoo.TEXT:
        text_model(name)
    time.sleep(FIRST_VISIT)
    for name in zoo.IMAGE:
        image_model(name)


@st.cache_data(max_entries=256, ttl=600, show_spinner="Asking what this model is …")
def offer(name: str, purpose: Purpose, *, allow_folders: bool) -> zoo.Offer:
    """What a model is and what it costs; ModelError if it cannot be had."""
    return zoo.inspect(name, purpose, allow_folders=allow_folders)


@st.cache_resource(max_entries=4, show_spinner="Loading the model …")
def text_model(name: str) -> zoo.TextModel:
    """A language model that `offer` has let pass, shared by all visitors: it is only ever read."""
    return zoo.load_text(name, allow_folders=True)


@st.cache_resource(max_entries=4, show_spinner="Loading the model …")
def image_model(name: str) -> zoo.ImageModel:
    """An image model that `offer` has let pass, likewise."""
    return zoo.load_image(name, allow_folders=True)


@st.cache_resource(max_entries=16, show_spinner="Reading …")
def watch_text(name: str, text: str | bytes, silenced: tuple[Head, ...] = ()) -> WatchedText:
    """Run a language model on a text (or the bytes of a file), with some heads silenced, and record its attention."""
    model = text_model(name)
    if silenced:
        plain = watch_text(name, text)
        tokens, changes, first = plain.given, silence(plain.record, silenced), plain.notice.start.place
    else:
        tokens, changes, first = model.encode(read_text(text)), {}, None
    with _recording(model.network, changes) as record:
        run = model.run(tokens)
    return WatchedText(model, tokens, run, record, first)


@st.cache_resource(max_entries=16, show_spinner="Looking …")
def watch_image(
    name: str, picture: str | bytes, resolution: int | None, silenced: tuple[Head, ...] = ()
) -> WatchedImage:
    """Run an image model on a picture (an example's name, or the bytes of a file), likewise."""
    model = image_model(name)
    if silenced:
        plain = watch_image(name, picture, resolution)
        prepared, changes, first = plain.given, silence(plain.record, silenced), plain.notice.start.place
    else:
        opened = open_example(picture) if isinstance(picture, str) else open_picture(picture)
        prepared, changes, first = model.prepare(opened, resolution=resolution), {}, None
    with _recording(model.network, changes) as record:
        run = model.run(prepared)
    return WatchedImage(model, prepared, run, record, first)


def silence(record: Record, heads: Iterable[Head]) -> dict:
    """The edits that silence these heads; CaptureError if the model has no such head."""
    for layer, head in heads:
        if layer >= len(record.calls) or head >= record.calls[layer].heads:
            raise CaptureError(
                f"There is no head {head} in layer {layer} to silence: this model has {len(record.calls)} attention "
                f"layers, counted from 0."
            )
    return {(record.calls[layer].path, head): "silence" for layer, head in heads}


@contextmanager
def _recording(network: nn.Module, changes: dict) -> Iterator[Record]:
    edited = edit_attention(network, changes) if changes else nullcontext()
    with _COMPUTING, torch.inference_mode(), edited, record_attention(network) as record:
        yield record
