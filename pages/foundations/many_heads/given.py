"""What the page "Many heads" looks at: a text or a picture in a model, and the way to run it again."""

from dataclasses import dataclass

import streamlit as st

from dashboard import controls, layout
from dashboard.kept import Upload
from dashboard.models import image_model
from dashboard.watched import Head, Watched, WatchedText, watch_image, watch_text

TEXT, PICTURE = "Text", "Picture"


@dataclass(frozen=True)
class Given:
    """A model, an input, and the attention that was paid; the rest is what it takes to run them again."""

    watched: Watched
    name: str  # of the model, as visitors write it
    source: str | Upload  # the text, the name of an example picture, or the bytes of a file
    resolution: int | None = None  # of a picture, where the model leaves a choice

    @property
    def is_text(self) -> bool:
        """Whether a text was read (else a picture was seen)."""
        return isinstance(self.watched, WatchedText)

    def silenced(self, heads: tuple[Head, ...]) -> Watched:
        """The same run with these heads, (layer, head), saying nothing; kept for the next visitor."""
        if self.is_text:
            return watch_text(self.name, self.source, heads)
        return watch_image(self.name, self.source, self.resolution, heads)


def given() -> Given:
    """The controls for model and input, and what came of them."""
    with layout.control_bar():
        kind = st.segmented_control(
            "Input", [TEXT, PICTURE], default=TEXT, key="input", bind="query-params", required=True
        )
        source = controls.text() if kind == TEXT else controls.picture()
        name = controls.model("text" if kind == TEXT else "image")
        resolution = None if kind == TEXT else controls.resolution(image_model(name))
    with layout.waiting_place():
        if kind == PICTURE:
            return Given(watch_image(name, source, resolution), name, source, resolution)
        watched = watch_text(name, source)
    layout.say_what_was_cut(watched.given)
    return Given(watched, name, source)
