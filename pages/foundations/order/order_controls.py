"""What several sections choose with: a sentence, one of its tokens, a head that reads it, a whole number."""

from typing import cast

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator

from core.capture import AttentionCall, record_attention
from core.models.gpt import GPT
from core.text import Tokens, read_text
from core.view.codec import whole_number
from dashboard import typeset
from dashboard.address import parameter
from dashboard.cache.models import text_model
from dashboard.frame import carried
from dashboard.inputs import controls, example_texts
from pages.foundations.order.prose import PAGE

MODEL = "gpt-books"
SENTENCES = example_texts.examples("order")
SENTENCE = next(iter(SENTENCES.values()))
LONGEST = 24  # tokens: so many rows can still be told apart
LONGEST_TYPED = 2000  # characters


def sentence(messages: DeltaGenerator, longest: int = LONGEST) -> Tokens:
    """The tokens of the visitor's sentence, at most `longest` of them; in `messages` a word about what is left out."""
    raw = st.text_input("Sentence", SENTENCE, key="text", bind="query-params", max_chars=LONGEST_TYPED)
    carried.note("text", raw, SENTENCE)
    controls.examples(SENTENCES)
    tokens = text_model(MODEL).encode(read_text(raw))
    if len(tokens) <= longest:
        return tokens
    messages.info(PAGE.text("Cut text", tokens=longest, total=len(tokens)), icon=":material/content_cut:")
    return Tokens(tokens.ids[:longest], tokens.labels[:longest], tokens.special[:longest], tokens.words[:longest])


def layer_and_head() -> tuple[int, int]:
    """A layer and a head of MODEL."""
    config = cast(GPT, text_model(MODEL).network).config
    with st.container(horizontal=True):
        return controls.number("Layer", config.layers, key="layer"), controls.number("Head", config.heads, key="head")


def attention(tokens: Tokens, layer: int) -> AttentionCall:
    """What a layer of MODEL attends to in these tokens."""
    model = text_model(MODEL)
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    return record.calls[layer]


def slide(label: str, low: int, high: int, first: int, *, key: str, width: int = 220) -> int:
    """A whole number on a line, `first` before anybody chooses; where there is nothing to choose, none is asked for.

    Another sentence or model may not have the number that was chosen: then it is `first` again.
    """
    if high <= low:
        return low
    first = min(max(first, low), high)
    chosen = st.session_state.get(key)
    if chosen is not None and not low <= chosen <= high:
        st.session_state[key] = first
    return int(st.slider(label, low, high, first, key=key, bind="query-params", width=width))


def token(label: str, tokens: Tokens, first: int, *, key: str, width: int = 140) -> int:
    """The place of one of the tokens, with its word in the label."""
    last = len(tokens) - 1
    first = min(first, last)
    # Before its first run a widget that a link has set is known from the address alone.
    requested = parameter(key, lambda text: whole_number(text, last + 1))
    place = st.session_state.get(key, first if requested is None else requested)
    word = tokens.labels[place if 0 <= place <= last else first]
    return slide(f"{label} {quoted(word)}", 0, last, first, key=key, width=width)


def last_word(tokens: Tokens) -> int:
    """The place of the last token that is no punctuation; of the last one if all are."""
    words = [place for place, label in enumerate(tokens.labels) if any(map(str.isalnum, label))]
    return words[-1] if words else len(tokens) - 1


def names(tokens: Tokens) -> list[str]:
    """The tokens as they are read on an axis."""
    return [typeset.readable(label) for label in tokens.labels]


def quoted(label: str) -> str:
    """A token in a sentence of ours."""
    return f"“{typeset.plain(typeset.readable(label))}”"
