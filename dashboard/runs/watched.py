"""A model, an input, and the attention that was paid: kept for the next visitor who asks for the same."""

import hashlib
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
from dashboard import notices, scenes
from dashboard.components.attention_view import Scene
from dashboard.notices import Notice
from dashboard.runs.models import computing, image_model, text_model
from dashboard.scenes import Head

# What a run in which no head is silenced is known by: the model's name, and the tokens or the pixels.
Identity = tuple[str, tuple[int, ...] | str]


@dataclass(frozen=True)
class WatchedText:
    """A language model, a text, and the attention that was paid. Shared by all visitors: never changed."""

    model: zoo.TextModel
    given: Tokens
    run: zoo.TextRun
    record: Record
    first: Head | None = None  # the head to show first; None: where there is most to notice

    @property
    def identity(self) -> Identity:
        """By what the input is known in this model, silenced heads aside."""
        return self.model.name, self.given.ids

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
    def identity(self) -> Identity:
        """By what the input is known in this model, silenced heads aside."""
        pixels = self.given.pixels.contiguous().numpy()
        return self.model.name, hashlib.blake2b(pixels.tobytes(), digest_size=16).hexdigest()

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
    with computing(), torch.inference_mode(), edited, record_attention(network) as record:
        yield record
