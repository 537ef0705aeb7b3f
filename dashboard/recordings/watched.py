"""A model, an input, and the recorded attention, cached for all visitors."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import nn

from core import zoo
from core.capture import Record, by_layer, edit_attention, record_attention
from core.errors import CaptureError
from core.images import EXAMPLES, open_example, open_picture
from core.text import Tokens, read_text
from dashboard.cache.memo import cached
from dashboard.cache.models import image_model, text_model
from dashboard.cache.upload import Upload
from dashboard.components.attention_view import Scene
from dashboard.recordings import notices, picture_notices, scenes
from dashboard.recordings.notices import Notice
from dashboard.recordings.scenes import Head

Text = str | Upload  # what was typed, or a file
Picture = str | Upload  # the name of an example, or a file


@dataclass(frozen=True, eq=False)
class WatchedText:
    """A language model, a text, and the recorded attention. Shared by all visitors: must not be changed."""

    model: zoo.TextModel
    inputs: Tokens
    run: zoo.TextRun
    record: Record
    first: Head | None = None  # the head to show first; None: that of the notice
    identity: Hashable = field(kw_only=True)  # the key of this run: model, input and silenced heads

    @cached_property
    def scene(self) -> Scene:
        """The scene for the attention view."""
        return scenes.text_scene(self.model, self.run, self.record, self.first or self.notice.start.place)

    @cached_property
    def notice(self) -> Notice:
        """The notices about this run."""
        _, calls = scenes.self_attention_layers(self.model, self.run, self.record)
        return notices.notice_text(calls, self.inputs)


@dataclass(frozen=True, eq=False)
class WatchedImage:
    """An image model, a picture, and the recorded attention. Shared by all visitors: must not be changed."""

    model: zoo.ImageModel
    inputs: zoo.PreparedPicture
    run: zoo.ImageRun
    record: Record
    first: Head | None = None
    identity: tuple[Hashable, ...] = field(kw_only=True)

    @property
    def example(self) -> str:
        """The name of the example photograph that the model reads; "" where it is a visitor's own."""
        picture = self.identity[1]
        return picture if isinstance(picture, str) and picture in EXAMPLES else ""

    @cached_property
    def scene(self) -> Scene:
        """The scene for the attention view."""
        first = self.first or self.notice.start.place
        return scenes.image_scene(self.model, self.inputs, self.run, self.record, first)

    @cached_property
    def notice(self) -> Notice:
        """The notices about this run."""
        sequence, calls = scenes.self_attention_layers(self.model, self.run, self.record)
        return picture_notices.notice_picture(calls, self.run.sequences.get(sequence, self.inputs.patches))


Watched = WatchedText | WatchedImage


def content_of(text: Text) -> str:
    """The text as typed, or of a file; InputError if the file cannot be read."""
    return read_text(text.content if isinstance(text, Upload) else text)


@cached("Opening the picture …")
def prepare(name: str, picture: Picture, resolution: int | None) -> zoo.PreparedPicture:
    """A picture as a model takes it, resized to `resolution` (pixels on a side)."""
    opened = open_example(picture) if isinstance(picture, str) else open_picture(picture.content)
    return image_model(name).prepare(opened, resolution=resolution)


@cached("Reading …")
def watch_text(name: str, text: Text, silenced: tuple[Head, ...] = ()) -> WatchedText:
    """Run a language model on a text with some heads silenced, and record its attention."""
    model = text_model(name)
    if silenced:
        plain = watch_text(name, text)
        tokens, changes, first = plain.inputs, silence(plain.record, silenced), plain.notice.start.place
    else:
        tokens, changes, first = model.encode(content_of(text)), {}, None
    with _recording(model.network, changes) as record:
        run = model.run(tokens)
    return WatchedText(model, tokens, run, record, first, identity=(name, _identity_of(text), silenced))


@cached("Looking …")
def watch_image(name: str, picture: Picture, resolution: int | None, silenced: tuple[Head, ...] = ()) -> WatchedImage:
    """Run an image model on a picture with some heads silenced, and record its attention."""
    model = image_model(name)
    prepared, changes, first = prepare(name, picture, resolution), {}, None
    if silenced:
        plain = watch_image(name, picture, resolution)
        changes, first = silence(plain.record, silenced), plain.notice.start.place
    with _recording(model.network, changes) as record:
        run = model.run(prepared)
    identity = (name, _identity_of(picture), resolution, silenced)
    return WatchedImage(model, prepared, run, record, first, identity=identity)


def silence(record: Record, heads: Iterable[Head]) -> dict:
    """The edits that silence these heads; CaptureError if the model has no such head."""
    calls = by_layer(record.calls)
    for layer, head in heads:
        if layer not in calls or head >= calls[layer].heads:
            raise CaptureError(
                f"There is no head {head} in layer {layer} to silence: this model has {len(calls)} attention layers, "
                f"{min(calls)} to {max(calls)}."
            )
    return {(calls[layer].path, head): "silence" for layer, head in heads}


def _identity_of(file_or_name: str | Upload) -> str:
    return file_or_name.identity if isinstance(file_or_name, Upload) else file_or_name


@contextmanager
def _recording(network: nn.Module, changes: dict) -> Iterator[Record]:
    edited = edit_attention(network, changes) if changes else nullcontext()
    with torch.inference_mode(), edited, record_attention(network) as record:
        yield record
