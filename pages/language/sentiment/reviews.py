"""What every section begins with: a language, a text of the visitor's, and a classifier."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, model_name
from dashboard.recordings.watched import Text

LANGUAGE = "language"
LANGUAGES = {"English": "english", "Spanish": "spanish"}
# Reviews to click, by language.
EXAMPLES = {language: example_texts.examples(f"reviews-{language}") for language in LANGUAGES.values()}


def language() -> str:
    """The control for English or Spanish, as the first part of the names of networks says it."""
    return LANGUAGES[controls.choice("Language", LANGUAGES, key=LANGUAGE)]


def chosen_language() -> str:
    """The language that the control has, or will have when it is drawn below."""
    chosen = st.session_state.get(LANGUAGE) or st.query_params.get(LANGUAGE)  # before its first run, the address alone
    return LANGUAGES.get(chosen or "", next(iter(LANGUAGES.values())))


def language_of(name: str) -> str:
    """The language of one of our networks; of any other model, that which was chosen."""
    return next((language for language, offered in REVIEWERS.items() if name in offered), chosen_language())


def choose(*, attending: bool = False, shows_model: bool = False) -> tuple[Text, str, DeltaGenerator, DeltaGenerator]:
    """A row with the controls for the text, with examples to click, and a menu with language and model.

    Returns the text, the name of the model, a place in the row for the section's own controls, and the menu.
    `attending`: of ours only those that pool by attention; `shows_model`: whether the model stands in the row.
    """
    chosen = chosen_language()
    examples = EXAMPLES[chosen]
    if st.session_state.get("text") in _of_others(chosen):
        st.session_state["text"] = next(iter(examples.values()))  # an example follows the language; an own text stays
    offered = [name for name in REVIEWERS[chosen] if not attending or name.endswith("-rnn")]
    if (st.session_state.get("model") or "") in _of_all() and st.session_state["model"] not in offered:
        st.session_state["model"] = offered[0]
    with layout.control_bar():
        text = controls.text(first=next(iter(examples.values())))
        controls.examples(examples)
        main = st.container(horizontal=True, vertical_alignment="bottom", width="content")
        with (menu := layout.settings()):
            if language() != chosen:  # an address has been opened meanwhile
                st.rerun()
    name = model_name.model("text", offered=offered, menu=main if shows_model else menu)
    return text, name, main, menu


def _of_others(language: str) -> set[str]:
    return {text for other, texts in EXAMPLES.items() if other != language for text in texts.values()}


def _of_all() -> set[str]:
    return {name for offered in REVIEWERS.values() for name in offered}
