"""What is chosen with on every part of the page: the part itself, a sentence, whole numbers in their range."""

import streamlit as st

from core.text import Tokens, read_text
from dashboard import layout
from dashboard.layout import PageWords
from dashboard.models import text_model

MODEL = "gpt-books"
SENTENCE = "The dog bit the man because the man had kicked the dog."
WIDE = 370  # pixels: beside the other controls on a usual window; a narrower one gives it a row of its own
LONGEST = 24  # tokens: so many rows can still be told apart
LONGEST_TYPED = 2000  # characters


def lead(words: PageWords) -> None:
    """What this part of the page is about, in a sentence."""
    if not layout.is_presented():
        st.markdown(words.lead, width=layout.PROSE)


def sentence(longest: int = LONGEST) -> Tokens:
    """The tokens of the visitor's sentence, at most `longest` of them, with a word about what is left out."""
    raw = st.text_input("Sentence", SENTENCE, key="text", bind="query-params", max_chars=LONGEST_TYPED, width=WIDE)
    tokens = text_model(MODEL).encode(read_text(raw))
    if len(tokens) <= longest:
        return tokens
    st.info(
        f"Here the first {longest} of {len(tokens):,} tokens are used: more rows could not be told apart.",
        icon=":material/content_cut:",
    )
    return Tokens(tokens.ids[:longest], tokens.labels[:longest], tokens.special[:longest], tokens.words[:longest])


def number(label: str, count: int, *, key: str, first: int = 0, width: int = 130) -> int:
    """One of 0 to count - 1, with a step up and a step down; after a change of `count` it may start again."""
    first = min(first, count - 1)
    _within(key, 0, count - 1, first)
    return int(st.number_input(label, 0, max(count - 1, 0), first, key=key, bind="query-params", width=width))


def slide(label: str, low: int, high: int, first: int, *, key: str, width: int = 220) -> int:
    """A whole number on a line; where there is nothing to choose, none is asked for."""
    if high <= low:
        return low
    first = min(max(first, low), high)
    _within(key, low, high, first)
    return int(st.slider(label, low, high, first, key=key, bind="query-params", width=width))


def token(label: str, tokens: Tokens, first: int, *, key: str, width: int = 140) -> int:
    """One of the tokens, its word in the label."""
    last = len(tokens) - 1
    first = min(first, last)
    # Before its first run a widget that a link has set is known from the address alone.
    asked = st.query_params.get(key, "")
    place = st.session_state.get(key, int(asked) if asked.isdecimal() and len(asked) < 4 else first)
    word = tokens.labels[place if 0 <= place <= last else first]
    return slide(f"{label} {quoted(word)}", 0, last, first, key=key, width=width)


def last_word(tokens: Tokens) -> int:
    """The place of the last token that is no punctuation; of the last one if all are."""
    words = [place for place, label in enumerate(tokens.labels) if any(map(str.isalnum, label))]
    return words[-1] if words else len(tokens) - 1


def choice(label: str, options: list[str], *, key: str) -> str:
    """One of a few words; the first is the usual one."""
    if st.session_state.get(key) not in (*options, None):
        st.session_state[key] = options[0]
    return st.segmented_control(
        label, options, default=options[0], key=key, bind="query-params", required=True, wrap=True
    )


def words(tokens: Tokens) -> list[str]:
    """The tokens as they are read on an axis."""
    return [layout.readable(label) for label in tokens.labels]


def quoted(label: str) -> str:
    """A token in a sentence of ours."""
    return f"“{layout.plain(layout.readable(label))}”"


def _within(key: str, low: int, high: int, first: int) -> None:
    """Another sentence or model may have fewer of what was chosen from."""
    value = st.session_state.get(key)
    if value is not None and not low <= value <= high:
        st.session_state[key] = first
