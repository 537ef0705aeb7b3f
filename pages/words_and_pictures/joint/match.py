"""Do they match?: the probability that sentence and picture belong together, word by word."""

from functools import partial

import pandas as pd
import streamlit as st

from core.errors import InputError
from core.scenes.sentences import Word, parse, words_instead
from dashboard import charts, controls, layout
from dashboard.figures.predictions import prediction_bars
from dashboard.seen import Seen, truth_of
from pages.words_and_pictures.joint import compute, inputs, words


def show() -> None:
    """The probability, and what it becomes with each other word in a place."""
    name, chosen, text = inputs.scene_and_sentence()
    chance = compute.match_of(name, chosen, text)
    left, right = st.columns([1, 2], gap="large")
    with left:
        st.image(compute.prepare(name, chosen).shown, width=280)
        truth = truth_of(chosen, text)
        said = {True: "true", False: "not true", None: "no sentence of the drawn world"}[truth]
        st.metric("They belong together with", f"{chance:.1%}", help="The network's own probability")
        st.caption(f"By the grammar the sentence is {said}.")
    with right:
        offered = _places(text)
        if offered:
            label = controls.choice("Exchange", list(offered), key="match_word")
            place, word = offered[label]
            found = exchanged(name, chosen, text, place, word)
            look = layout.look()
            labels = [each for each, _, _ in found]
            values = [value for _, value, _ in found]
            hues = [look.palette.map if true else look.palette.negative for _, _, true in found]
            table = pd.DataFrame(found, columns=["word", "probability", "true"])
            charts.chart(
                partial(prediction_bars, labels, values, look=look, hues=hues),
                name="match-words",
                alt="; ".join(f"{each} {value:.0%}" for each, value, _ in found),
                table=table,
            )
            if not layout.is_presented():
                st.caption("Blue: the sentence would be true of this scene. Red: it would not.")
        else:
            found = []
            st.markdown("No word of this sentence can be exchanged: write one that the drawn world knows.")
    layout.notes(words.MATCH_NOTES, notice=noticed(chance, truth, found), formula=lambda: _formula(chance))


def _places(text: str) -> dict[str, tuple[int, Word]]:
    """The words of a sentence that can be exchanged, by what stands on the button."""
    try:
        sentence = parse(text)
    except InputError:
        return {}
    return {
        f"{place + 1}. {word.text}": (place, word)
        for place, word in enumerate(sentence.words)
        if words_instead(word) and word.kind != "relation"
    }


def exchanged(name: str, chosen: Seen, text: str, place: int, word: Word) -> list[tuple[str, float, bool]]:
    """Each word that could stand there: the probability that sentence and picture match, and whether it is true."""
    parts = [each.text for each in parse(text).words]
    found = []
    for other in (word.text, *words_instead(word)):
        changed = " ".join([*parts[:place], other, *parts[place + 1 :]])
        found.append((other, compute.match_of(name, chosen, changed), bool(truth_of(chosen, changed))))
    return sorted(found, key=lambda each: -each[1])


def noticed(chance: float, truth: bool | None, found: list[tuple[str, float, bool]]) -> tuple[str, ...]:
    """Whether the network is right, and whether the word it likes best is a true one."""
    told = []
    if truth is not None:
        right = (chance > 0.5) == truth
        told.append(
            f"The network says {'yes' if chance > 0.5 else 'no'} with {max(chance, 1 - chance):.0%}, and is "
            f"{'right' if right else 'wrong'}."
        )
    if found:
        best, value, true = found[0]
        told.append(
            f"In this place it likes **“{best}”** best, {value:.0%}; with it the sentence is "
            f"{'true' if true else 'not true'}."
        )
        trues = [each for _, each, is_true in found if is_true]
        falses = [each for _, each, is_true in found if not is_true]
        if trues and falses:
            told.append(
                f"Words that make it true have {sum(trues) / len(trues):.0%} on average, the others "
                f"{sum(falses) / len(falses):.0%}."
            )
    return tuple(told)


def _formula(chance: float) -> None:
    st.latex(r"p = \sigma\big(m \cdot (h_{\text{begin}} \odot h_{\text{picture}}) + b\big)")
    st.markdown(
        f"The last vectors of the first token and of the whole picture, multiplied channel by channel and weighed "
        f"(Lu et al. "
        f"2019, section 3.2): here *p* = {chance:.4f}."
    )
