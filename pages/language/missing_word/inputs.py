"""What the sections of the page begin with: a model that fills gaps, and a text."""

from collections.abc import Collection
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import zoo
from core.errors import ModelError
from core.translation.decoding import UNKNOWN
from core.zoo import TextModel
from core.zoo.kinds import fills_masks
from core.zoo.masked_language_models import MaskedLanguageModel
from dashboard import typeset
from dashboard.cache.models import text_model
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts
from dashboard.inputs import model_name as naming
from dashboard.recordings.watched import Text
from pages.language.missing_word.prose import PAGE

EXAMPLES = example_texts.examples("missing-word")
SENTENCE = next(iter(EXAMPLES.values()))
LONGEST = 128  # tokens: as many as bert-books reads, and as can be hidden one by one while somebody waits
NAMED = 12  # unknown characters that are listed
WORD_ADDRESS, HIDDEN_ADDRESS = "word", "hide"


@dataclass(frozen=True)
class Selection:
    """The name of a masked language model that is ready, and the visitor's text."""

    name: str
    text: Text

    @property
    def model(self) -> MaskedLanguageModel:
        """The model itself."""
        return masked_model(self.name)


def masked_model(name: str) -> MaskedLanguageModel:
    """A model that fills gaps; ModelError if this one does not."""
    model = text_model(name)
    if not fills_masks(model):
        raise ModelError(PAGE.text("Not a masked language model", title=model.title))
    return model


def model_name(menu: DeltaGenerator | None = None) -> str:
    """The control for the model, whose kind is checked; it stands in `menu` if there is one."""
    name = naming.model("text", offered=zoo.MASKED, menu=menu)
    masked_model(name)
    return name


def selection() -> Selection:
    """A row with the controls for text and model, and examples to click."""
    with layout.control_bar():
        text = controls.text(first=SENTENCE)
        controls.examples(EXAMPLES, forgets=(HIDDEN_ADDRESS, WORD_ADDRESS))
        place = st.container(width="content")
    return Selection(text=text, name=model_name(place))


def unknown_characters(ids: Collection[int], text: str, model: TextModel) -> list[str]:
    """The characters of a text that the vocabulary of both languages lacks, each once, in order; `ids`: its tokens."""
    if UNKNOWN not in ids:
        return []
    letters = dict.fromkeys(letter for letter in text if not letter.isspace())
    # Behind a letter that is known: what joins others (U+200D) is nothing by itself, and cannot be encoded.
    return [letter for letter in letters if UNKNOWN in model.encode(f"a {letter}").ids]


def say_unknown(ids: Collection[int], text: str, model: TextModel) -> None:
    """A box that names the characters of a text that the model cannot read, if there are any."""
    if unknown := unknown_characters(ids, text, model):
        # Isolated (U+2066 to U+2069): a letter written from right to left must not turn the sentence round.
        quoted = ", ".join(f"\u2066“{typeset.plain(typeset.readable(letter))}”\u2069" for letter in unknown[:NAMED])
        more = " and others" if len(unknown) > NAMED else ""
        pieces = model.tokenizer.get_vocab_size()
        st.info(
            PAGE.text("Unknown characters", characters=quoted + more, pieces=pieces), icon=":material/question_mark:"
        )
