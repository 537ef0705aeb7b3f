"""Translations and what was looked at while they were written, kept for the next visitor who asks for the same."""

from dataclasses import dataclass

import streamlit as st

from core import zoo
from core.errors import ModelError
from core.text import Tokens, read_text
from core.translation.decoding import Decoded, Progress
from core.zoo import Aligned, Changes, Translator
from dashboard.kept import computing
from pages.language.translation import compute_measured as translation_measured

Key = tuple[object, ...]
BEST = ("layer", "head", "shift", "direction")


@dataclass(frozen=True, eq=False)
class Translated:
    """A source, its translation by one model, and the maps of writing it. Shared by all visitors: never changed."""

    model: Translator
    source: Tokens
    decoded: Decoded
    target: Tokens  # the best hypothesis, its end mark included
    aligned: Aligned

    @property
    def text(self) -> str:
        """The translation as plain text."""
        return self.model.text(self.target.ids)

    @property
    def log_probability(self) -> float:
        """Of the translation, its end mark included."""
        return self.decoded.best.log_probability


@st.cache_resource(max_entries=4, show_spinner="Loading the translators …")
def translator(name: str) -> Translator:
    """One of `zoo.TRANSLATION`, shared by all visitors: it is only ever read."""
    return zoo.load_translator(name)


def known_translation(name: str, text: str, beam: int, changes: Changes = zoo.UNCHANGED) -> Translated | None:
    """The translation, if somebody has asked for it before."""
    return _place((name, text, beam, changes)).get("translated")


def translate(
    name: str, text: str, *, beam: int, changes: Changes = zoo.UNCHANGED, progress: Progress | None = None
) -> Translated:
    """Translate with one model; `progress` is told of each step, and may stop the work by an exception."""
    place = _place((name, text, beam, changes))
    if "translated" not in place:
        model = translator(name)
        source = model.encode(read_text(text))
        with computing():
            decoded = model.write(source, beam=beam, changes=changes, keep_steps=True, progress=progress)
            target = model.tokens(decoded.best.tokens)
            aligned = model.align(source, target, changes)
        place["translated"] = Translated(model, source, decoded, target, aligned)
    return place["translated"]


def best_heads() -> dict[str, dict]:
    """For each model the head that aligns best: "layer", "head", "shift", "direction"; {} while nobody has measured."""
    try:
        found = translation_measured.alignment()
    except ModelError:
        return {}
    return {name: {key: of[key] for key in BEST} for name, of in found.models.items()}


@st.cache_resource(max_entries=64, show_spinner=False)
def align(name: str, english: str, french: str) -> Aligned:
    """What a model looks at while it is made to write a given translation."""
    model = translator(name)
    source, target = model.encode(read_text(english)), model.encode_target(read_text(french))
    with computing():
        return model.align(source, target)


@st.cache_resource(max_entries=64, show_spinner=False)
def align_again(name: str, text: str, beam: int, changes: Changes) -> Aligned:
    """What a changed model looks at while it is made to write what it wrote before it was changed."""
    before = translate(name, text, beam=beam)
    with computing():
        return before.model.align(before.source, before.target, changes)


@st.cache_resource(max_entries=32, show_spinner=False)
def _place(key: Key) -> dict[str, Translated]:
    """An empty place, shared by all who ask for the same."""
    del key
    return {}
