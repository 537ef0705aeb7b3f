"""What every section begins with: a language, a text of the visitor's, and a classifier."""

import streamlit as st

from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.recordings.watched import Text
from pages.language.sentiment import words

LANGUAGE = "language"


def language() -> str:
    """English or Spanish, as the first part of the names of networks says it."""
    return words.LANGUAGES[controls.choice("Language", words.LANGUAGES, key=LANGUAGE)]


def language_of(name: str) -> str:
    """The language of one of our networks; of any other model, that which was chosen."""
    chosen = words.LANGUAGES[st.session_state.get(LANGUAGE) or next(iter(words.LANGUAGES))]
    return next((language for language, offered in REVIEWERS.items() if name in offered), chosen)


def choose(*, attending: bool = False) -> tuple[Text, str]:
    """The controls for language, text and model, and examples to click.

    `attending`: of ours only those that pool by attention.
    """
    chosen = language()
    examples = words.EXAMPLES[chosen]
    if st.session_state.get("text") in _of_others(chosen):
        st.session_state["text"] = next(iter(examples.values()))  # an example follows the language; an own text stays
    controls.examples(examples)
    offered = [name for name in REVIEWERS[chosen] if not attending or name.endswith("-rnn")]
    if (st.session_state.get("model") or "") in _of_all() and st.session_state["model"] not in offered:
        st.session_state["model"] = offered[0]
    with layout.control_bar():
        text = controls.text(first=next(iter(examples.values())))
        name = model_name.model("text", offered=offered)
    return text, name


def _of_others(language: str) -> set[str]:
    return {text for other, texts in words.EXAMPLES.items() if other != language for text in texts.values()}


def _of_all() -> set[str]:
    return {name for offered in REVIEWERS.values() for name in offered}
