"""Three translations appear, token by token, as they are decoded; those that are known appear at once."""

import time
from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.text import Tokens
from core.translation.decoding import UNKNOWN, Hypothesis
from core.zoo import Translator
from dashboard import layout
from dashboard.numbers import signed
from pages.language.translation import compute as kept
from pages.language.translation import words as page
from pages.language.translation import words_translate as said
from pages.language.translation.compute import Translated
from pages.language.translation.models import TITLES

APART = 0.08  # seconds between two reports: a browser need not draw more often
NAMED = 12  # unknown characters that are listed


def translate_all(text: str, beam: int) -> dict[str, Translated]:
    """All three, each in a column of its own; what somebody has asked for before is there first."""
    places = {name: column.empty() for name, column in zip(TITLES, st.columns(len(TITLES), gap="large"), strict=True)}
    known = {name: kept.known_translation(name, text, beam) for name in TITLES}
    for name, place in places.items():
        there = known[name]
        place.markdown(_card(TITLES[name], "…", said.WAITING) if there is None else _final(there))
    # A place of its own: a spinner for a model that is being loaded would move all that follows.
    with layout.waiting_place():
        for name, place in places.items():
            if known[name] is None:
                model = kept.translator(name)
                known[name] = found = kept.translate(name, text, beam=beam, progress=_writer(place, model))
                place.markdown(_final(found))
    return {name: translated for name, translated in known.items() if translated is not None}


def say_what_was_read(text: str, source: Tokens, model: Translator) -> None:
    """Where a long text was cut, and which characters the models do not know."""
    layout.say_what_was_cut(source)
    if unknown := unknown_characters(text, source, model):
        # Isolated (U+2066 to U+2069): a letter written from right to left must not turn the sentence round.
        shown = ", ".join(f"\u2066“{layout.plain(layout.readable(letter))}”\u2069" for letter in unknown[:NAMED])
        more = " and others" if len(unknown) > NAMED else ""
        st.info(said.UNKNOWN.format(shown=shown + more), icon=":material/question_mark:")


def unknown_characters(text: str, source: Tokens, model: Translator) -> list[str]:
    """The characters of a text that the models read as one and the same unknown token, each once, in order."""
    if UNKNOWN not in source.ids:
        return []
    read = text[: source.cut.character] if source.cut else text
    letters = dict.fromkeys(letter for letter in read if not letter.isspace())
    return [letter for letter in letters if model.tokenizer.token_to_id(letter) is None and _is_unknown(model, letter)]


def _is_unknown(model: Translator, letter: str) -> bool:
    return UNKNOWN in model.tokenizer.encode(letter, add_special_tokens=False).ids


def _writer(place: DeltaGenerator, model: Translator) -> Callable[[int, list[Hypothesis]], None]:
    """Shows the best hypothesis so far, with its log-probability and that of its last token."""
    last = 0.0

    def report(step: int, best: list[Hypothesis]) -> None:
        nonlocal last
        if time.monotonic() - last < APART:
            return
        last = time.monotonic()
        so_far = best[0]
        label = layout.readable(model.tokens(so_far.tokens[-1:]).labels[0])
        latest = f"“{layout.plain(label)}” {signed(so_far.log_probabilities[-1])}"
        told = f"log-probability so far {signed(so_far.log_probability)} · step {step}: {latest}"
        place.markdown(_card(model.title, f"{_shown(model.text(so_far.tokens))} ▍", told))

    return report


def _final(translated: Translated) -> str:
    """The translation with its log-probability, in total and per token."""
    total, count = translated.log_probability, len(translated.target)
    told = f"log-probability **{signed(total)}**, **{signed(total / count)}** per token"
    if not translated.decoded.best.ended:
        told += f" · {page.NO_END}"
    return _card(translated.model.title, _shown(translated.text), told)


def _card(title: str, text: str, below: str) -> str:
    return f"**{title}**\n\n{text}  \n:small[:gray[{below}]]"


def _shown(text: str) -> str:
    """What a model wrote, in one line, exactly these characters."""
    return layout.plain(" ".join(text.split())) or "∅"
