"""Distilled: students with fewer layers beside their teacher: what they say, where they look, what they cost."""

from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.view.codec import whole_number
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls, photograph
from dashboard.output import charts
from pages.scale.shrinking import compute_distilled as compute
from pages.scale.shrinking import distilled_heads, distilled_measured
from pages.scale.shrinking import words_distilled as words
from pages.scale.shrinking.compute_distilled import Asked

WORD, TEXT, OF = "distilled_word", "distilled_text", "distilled_of"
TOP, FIRST = 5, 7  # answers that are shown; the word that is hidden before anybody chooses
LONGEST_LINE = 400  # characters


def show() -> None:
    """An input of one's own in teacher and students: answers, maps, heads; then the measured table."""
    bar = layout.control_bar()
    with bar:
        teacher = words.KINDS[controls.menu("Teacher", words.KINDS, key=OF, width=200)]
    comparison = _hidden_word(bar) if teacher == "bert-books" else _pictured(teacher, bar)
    _answers(comparison)
    layout.place_notice()
    if not theme.is_presented():
        st.markdown(words.LEAD, width=theme.PROSE)
    apart = distilled_heads.show(comparison)
    rows = distilled_measured.show(teacher)
    layout.notes(
        words.NOTES,
        notice=(about_answers(comparison), distilled_measured.about_copied(rows)),
        formula=lambda: _formula(comparison, apart),
    )


# The input.


def _hidden_word(bar: DeltaGenerator) -> Asked:
    with bar:
        typed = st.text_input("Your sentence", words.SENTENCE, key=TEXT, bind="query-params", max_chars=LONGEST_LINE)
        controls.examples(words.EXAMPLES, field=TEXT, forgets=(WORD,))
    with layout.waiting_place():
        tokens, text_words = compute.read(typed)
    typeset.show_cut_notice(tokens)
    choice = parameter(WORD, whole_number)
    number = max(0, min(FIRST if choice is None else choice, len(text_words) - 1))
    with layout.waiting_place():
        comparison = compute.hidden_word(typed, number)
    best = {
        name: comparison.answers[int(output.probabilities.argmax())].strip()
        for name, output in comparison.outputs.items()
    }
    word_picker(
        [
            PickedWord(
                word.label,
                f"Click to mask “{typeset.readable(word.label)}”.",
                covered=place == number,
                below=typeset.readable(best[comparison.teacher]) if place == number else "",
            )
            for place, word in enumerate(text_words)
        ],
        key="distilled_words",
        on_click=lambda place: st.query_params.__setitem__(WORD, str(place)),
        label="The sentence with its masked word",
        hint=words.HINT,
    )
    return comparison


def _pictured(teacher: str, bar: DeltaGenerator) -> Asked:
    with bar:
        picture = controls.picture()
    with layout.waiting_place():
        return compute.pictured(photograph.Photograph(teacher, picture, None))


# What they say.


def _answers(comparison: Asked) -> None:
    for column, (name, output) in zip(st.columns(len(comparison.outputs)), comparison.outputs.items(), strict=True):
        with column:
            title = words.WHOLE if name == comparison.teacher else output.title
            st.markdown(f"**{title}**")
            values, numbers = (tensor.tolist() for tensor in output.probabilities.topk(TOP))
            if comparison.true is not None and comparison.true not in numbers:
                numbers, values = [*numbers, comparison.true], [*values, float(output.probabilities[comparison.true])]
            labels = [typeset.readable(comparison.answers[number]) for number in numbers]
            answer_text = ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True))
            look = theme.look()
            hues = [look.palette.accent if number == comparison.true else look.palette.map for number in numbers]
            charts.chart(
                partial(prediction_bars, labels, values, look=look, hues=hues),
                name=f"distilled-{name}",
                alt=f"{title}: {answer_text}",
                table=pd.DataFrame({"answer": labels, "probability": values}),
            )


def about_answers(comparison: Asked) -> str:
    """Whose first answer is the teacher's, and how probable the students find it."""
    first = {name: int(output.probabilities.argmax()) for name, output in comparison.outputs.items()}
    theirs = first[comparison.teacher]
    answer = typeset.plain(typeset.readable(comparison.answers[theirs]).strip())
    agree = [name for name in first if name != comparison.teacher and first[name] == theirs]
    student_shares = ", ".join(
        f"{output.title.lower()} {output.probabilities[theirs]:.1%}"
        for name, output in comparison.outputs.items()
        if name != comparison.teacher
    )
    return (
        f"The teacher's first answer is **“{answer}”** "
        f"({comparison.outputs[comparison.teacher].probabilities[theirs]:.1%}). **{len(agree)} of {len(first) - 1}** "
        f"students agree; their probabilities for it: {student_shares}."
    )


# How it is computed.


def _formula(comparison: Asked, far: float) -> None:
    st.markdown(words.FORMULA_LOSS)
    st.latex(r"\textstyle L = \frac12 T^2\, \mathrm{KL}(p^{t}_T \| p^{s}_T) + \frac12 H(y, p^{s})")
    if comparison.teacher == "bert-books":
        st.latex(r"\textstyle \; + \; 1 - \cos(h^{t}, h^{s})")
    st.markdown(words.FORMULA_APART)
    st.latex(rf"\textstyle D = {far:.3f} \le \ln 2")
