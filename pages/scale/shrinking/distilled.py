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
from dashboard.inputs import controls, example_texts, photograph
from dashboard.output import charts
from pages.scale.shrinking import compute_distilled as compute
from pages.scale.shrinking import distilled_heads, distilled_measured
from pages.scale.shrinking.compute_distilled import Comparison
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("Distilled")
TEACHERS = {"BERT, masked words": "bert-books", "Vision transformer": "vit-tiny-imagenet"}
EXAMPLES = example_texts.examples("missing-word")
WORD, TEXT, OF = "distilled_word", "distilled_text", "distilled_of"
TOP, FIRST = 5, 7  # answers that are shown; the word that is hidden before anybody chooses
LONGEST_LINE = 400  # characters
OF_HIDDEN_STATES = r" \\ \textstyle {} + 1 - \cos(h^{t}, h^{s})"  # what BERT's students learn besides, in LaTeX


def show() -> None:
    """An input of one's own in teacher and students: answers, maps, heads; then the measured table."""
    bar = layout.control_bar()
    with bar:
        teacher = TEACHERS[controls.menu("Teacher", TEACHERS, key=OF, width=200)]
    comparison = _hidden_word(bar) if teacher == "bert-books" else _pictured(teacher, bar)
    _answers(comparison)
    layout.place_notice()
    layout.prose(SECTION.text("Students and teacher"))
    divergence = distilled_heads.show(comparison)
    rows = distilled_measured.show(teacher)
    layout.notes(
        SECTION,
        notice=(about_answers(comparison), distilled_measured.about_copied(rows)),
        numbers={"hidden_states": OF_HIDDEN_STATES if teacher == "bert-books" else "", "divergence": divergence},
    )


# The input.


def _hidden_word(bar: DeltaGenerator) -> Comparison:
    with bar:
        first = next(iter(EXAMPLES.values()))
        typed = st.text_input("Your sentence", first, key=TEXT, bind="query-params", max_chars=LONGEST_LINE)
        controls.examples(EXAMPLES, field=TEXT, forgets=(WORD,))
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
        hint="Click a word to mask it for all three models.",
    )
    return comparison


def _pictured(teacher: str, bar: DeltaGenerator) -> Comparison:
    with bar:
        picture = controls.picture()
    with layout.waiting_place():
        return compute.pictured(photograph.Photograph(teacher, picture, None))


# What they say.


def _answers(comparison: Comparison) -> None:
    for column, (name, output) in zip(st.columns(len(comparison.outputs)), comparison.outputs.items(), strict=True):
        with column:
            title = distilled_measured.ALL_LAYERS if name == comparison.teacher else output.title
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


def about_answers(comparison: Comparison) -> str:
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
