"""The formula of Bahdanau's attention with the numbers of one row."""

import streamlit as st

from core.translation.decoder_step import Look
from dashboard import layout
from dashboard.numbers import signed
from pages.language.translation import words_translate as said
from pages.language.translation.compute import Translated
from pages.language.translation.compute_steps import worked_step
from pages.language.translation.translate_maps import units_of
from pages.language.translation.translate_notices import longest_backwards, strongest_places
from pages.language.translation.word_maps import between

LISTED = 5  # source tokens with a row of their own


def show_row(translated: Translated, text: str, beam: int) -> None:
    """The softmax over all source tokens in the step that writes one word: scores, powers, weights."""
    place = row_to_show(translated)
    look = worked_step("bahdanau", text, beam, place).known
    assert isinstance(look, Look)
    st.latex(said.SOFTMAX_FORMULA)
    word = layout.plain(layout.readable(translated.target.labels[place]))
    st.markdown(said.SOFTMAX_ROW.format(word=word, number=place + 1))
    st.markdown(row_table(look, translated.source.labels))
    st.markdown(said.JOINED)


def row_to_show(translated: Translated) -> int:
    """The first piece of the word with which the order turns round; without one, of the first word."""
    target, source = (units_of(each, joined=True, marks=False) for each in (translated.target, translated.source))
    weights = between(translated.aligned.cross[0][0], target.words, source.words).numpy()
    places = strongest_places(weights, target.places, source.places)
    run = longest_backwards([place for _, place in places])
    return target.words.spans[places[run.start][0]].start if run else 0


def row_table(look: Look, labels: tuple[str, ...]) -> str:
    """A table in Markdown: the largest weights, all others together, and the sum; powers relative to the largest."""
    powers = (look.scores - look.scores.max()).exp()
    order = look.weights.argsort(descending=True).tolist()
    rows = ["| source | $e$ | $\\exp(e - m)$ | $\\alpha$ |", "|:--|--:|--:|--:|"]
    for place in order[:LISTED]:
        label = layout.plain(layout.readable(labels[place]))
        rows.append(
            f"| {label} | {signed(float(look.scores[place]))} | {float(powers[place]):.4f} "
            f"| {float(look.weights[place]):.4f} |"
        )
    if rest := order[LISTED:]:
        rows.append(
            f"| {len(rest)} others | | {float(powers[rest].sum()):.4f} | {float(look.weights[rest].sum()):.4f} |"
        )
    rows.append(f"| **sum** | | **{float(powers.sum()):.4f}** | **{float(look.weights.sum()):.4f}** |")
    return "\n".join(rows)
