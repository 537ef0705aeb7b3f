"""Pretrained translators by name, and what they wrote, kept for the next visitor who asks for the same."""

from dataclasses import dataclass

import streamlit as st

from core import zoo
from core.text import Tokens, read_text
from core.translation.decoding import Decoded, Progress
from core.zoo import Aligned, NamedTranslator
from dashboard.kept import computing


@dataclass(frozen=True)
class Asked:
    """What is to be translated, by which model; codes of languages where the model leaves a choice."""

    name: str
    text: str
    beam: int
    source_language: str | None = None
    target_language: str | None = None


@dataclass(frozen=True, eq=False)
class NamedTranslation:
    """A source, its translation, and the maps of writing it. Shared by all visitors: never changed."""

    asked: Asked
    model: NamedTranslator
    source: Tokens
    decoded: Decoded
    target: Tokens
    aligned: Aligned

    @property
    def text(self) -> str:
        """The translation as plain text."""
        return self.model.text(self.target.ids)

    @property
    def log_probability(self) -> float:
        """Of the translation: the sum over its tokens."""
        return sum(self.aligned.log_probabilities)

    @property
    def begin(self) -> str:
        """The label of the token that the decoder reads before it writes the first one."""
        return self.model.tokens([self.model.start(self.asked.target_language)]).labels[0]


@st.cache_resource(max_entries=2, show_spinner="Loading the model …")
def translator(name: str) -> NamedTranslator:
    """A translator that `inspect_model` has let pass, shared by all visitors: it is only ever read."""
    return zoo.load_named_translator(name, allow_folders=True)


def known_translation(asked: Asked) -> NamedTranslation | None:
    """The translation, if somebody has asked for it before."""
    return _place(asked).get("translated")


def translate(asked: Asked, progress: Progress | None = None) -> NamedTranslation:
    """Translate; `progress` is told of each step, and may stop the work by an exception."""
    place = _place(asked)
    if "translated" not in place:
        model, language = translator(asked.name), asked.target_language
        source = model.encode(read_text(asked.text), asked.source_language)
        with computing():
            decoded = model.write(source, beam=asked.beam, language=language, progress=progress)
            target = model.tokens(decoded.best.tokens)
            aligned = model.align(source, target, language)
        place["translated"] = NamedTranslation(asked, model, source, decoded, target, aligned)
    return place["translated"]


# Few: the maps of a large model (12 layers of 16 heads, 128 tokens to 190) take 50 MB.
@st.cache_resource(max_entries=8, show_spinner=False)
def _place(asked: Asked) -> dict[str, NamedTranslation]:
    """An empty place, shared by all who ask for the same."""
    del asked
    return {}
