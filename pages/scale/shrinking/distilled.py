"""Distilled: students with fewer layers beside their teacher: what they say, where they look, what they cost."""

from functools import partial

import pandas as pd
import streamlit as st
import torch

from core.measured.shrinking_students import Difference, Student
from core.shrinking.students import LAYERS, STUDENTS, TITLES, divergences, kept_blocks
from dashboard import charts, controls, layout, photograph
from dashboard.components.cell_map import cell_map
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.figures.predictions import prediction_bars
from pages.scale.shrinking import compute_distilled as compute
from pages.scale.shrinking import words_distilled as words
from pages.scale.shrinking.compute_distilled import Asked, Said

WORD, TEXT, OF, STUDENT, LAYER, PAIR = (
    "distilled_word",
    "distilled_text",
    "distilled_of",
    "distilled_student",
    "distilled_layer",
    "distilled_heads",  # of the student and of the teacher, as "1.3"
)
TOP, FIRST = 5, 7  # answers that are shown; the word that is hidden before anybody chooses
LONGEST_LINE = 400  # characters
TEACHER_LAYERS = 6


def show() -> None:
    """An input of one's own in teacher and students: answers, maps, heads; then the measured table."""
    if not layout.is_presented():
        st.markdown(words.LEAD, width=layout.PROSE)
    teacher = words.KINDS[controls.choice("Teacher", words.KINDS, key=OF)]
    asked = _hidden_word() if teacher == "bert-books" else _pictured(teacher)
    st.subheader(words.SAYS, anchor=False)
    st.markdown(about_answers(asked), width=layout.PROSE)
    _answers(asked)
    student, layer, far = _heads(asked)
    ours, theirs = _chosen(far)
    _maps(asked, student, layer, ours, theirs)
    rows = _measured(teacher)
    layout.notes(
        words.NOTES,
        notice=(about_copied(rows),),
        formula=lambda: _formula(asked, float(far[ours, theirs])),
    )


# The input.


def _hidden_word() -> Asked:
    controls.examples(words.EXAMPLES, field=TEXT, forgets=(WORD,))
    typed = st.text_input("Your sentence", words.SENTENCE, key=TEXT, bind="query-params", max_chars=LONGEST_LINE)
    with layout.waiting_place():
        tokens, found = compute.read(typed)
    layout.say_what_was_cut(tokens)
    asked = st.query_params.get(WORD, "")
    number = int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 6 else FIRST
    number = max(0, min(number, len(found) - 1))
    with layout.waiting_place():
        given = compute.hidden_word(typed, number)
    best = {name: given.answers[int(said.probabilities.argmax())].strip() for name, said in given.said.items()}
    word_picker(
        [
            PickedWord(
                word.label,
                f"Click to hide “{layout.readable(word.label)}”.",
                covered=place == number,
                below=layout.readable(best[given.teacher]) if place == number else "",
            )
            for place, word in enumerate(found)
        ],
        key="distilled_words",
        on_click=lambda place: st.query_params.__setitem__(WORD, str(place)),
        label="The sentence; one word is hidden",
        hint=words.HINT,
    )
    return given


def _pictured(teacher: str) -> Asked:
    with layout.waiting_place():
        return compute.pictured(photograph.Photograph(teacher, controls.picture(), None))


# What they say.


def _answers(asked: Asked) -> None:
    for column, (name, said) in zip(st.columns(len(asked.said)), asked.said.items(), strict=True):
        with column:
            title = words.WHOLE if name == asked.teacher else said.title
            st.markdown(f"**{title}**")
            values, numbers = (each.tolist() for each in said.probabilities.topk(TOP))
            if asked.true is not None and asked.true not in numbers:
                numbers, values = [*numbers, asked.true], [*values, float(said.probabilities[asked.true])]
            labels = [layout.readable(asked.answers[number]) for number in numbers]
            told = ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True))
            look = layout.look()
            hues = [look.palette.accent if number == asked.true else look.palette.map for number in numbers]
            charts.chart(
                partial(prediction_bars, labels, values, look=look, hues=hues),
                name=f"distilled-{name}",
                alt=f"{title}: {told}",
                table=pd.DataFrame({"answer": labels, "probability": values}),
            )


def about_answers(asked: Asked) -> str:
    """Whose first answer is the teacher's, and how probable the students find it."""
    first = {name: int(said.probabilities.argmax()) for name, said in asked.said.items()}
    theirs = first[asked.teacher]
    answer = layout.plain(layout.readable(asked.answers[theirs]).strip())
    agree = [name for name in first if name != asked.teacher and first[name] == theirs]
    told = ", ".join(
        f"{said.title.lower()} {said.probabilities[theirs]:.1%}"
        for name, said in asked.said.items()
        if name != asked.teacher
    )
    return (
        f"The teacher's first answer is **“{answer}”** ({asked.said[asked.teacher].probabilities[theirs]:.1%}). "
        f"**{len(agree)} of {len(first) - 1}** students say the same; they give it: {told}."
    )


# Head by head.


def _heads(asked: Asked) -> tuple[str, int, torch.Tensor]:
    st.subheader(words.HEADS, anchor=False)
    names = {asked.said[name].title: name for name in STUDENTS[asked.teacher]}
    with layout.control_bar():
        student = names[controls.choice("Student", names, key=STUDENT)]
        layer = controls.number("Layer of the student", len(asked.said[student].maps), key=LAYER)
    source = source_of(student, layer)
    far = divergences(asked.said[student].maps[layer], asked.said[asked.teacher].maps[source])
    st.markdown(
        f"Layer {layer} of the student began as layer **{source}** of the teacher. {about_heads(far.tolist())}",
        width=layout.PROSE,
    )
    heads = [str(head) for head in range(len(far))]

    def take(ours: int, theirs: int) -> None:
        st.query_params[PAIR] = f"{ours}.{theirs}"

    cell_map(
        far.numpy(),
        key="distilled_heads",
        x="teacher's head",
        y="student's head",
        tell=words.HEADS_TELL,
        rows=heads,
        columns=heads,
        limits=(0.0, 0.6932),
        marked=[_chosen(far)],
        on_click=take,
        alt=f"How far each head of the student's layer {layer} is from each of the teacher's layer {source}",
        name="distilled-heads",
        height=260,
    )
    st.caption(words.HEADS_CAPTION)
    return student, layer, far


def source_of(student: str, layer: int) -> int:
    """The teacher's layer from which a student's began."""
    return kept_blocks(TEACHER_LAYERS, LAYERS[student.partition("-")[2]])[layer]


def _chosen(far: torch.Tensor) -> tuple[int, int]:
    """The pair of heads in the address; without one that fits, the first with the head that it began as."""
    parts = st.query_params.get(PAIR, "").split(".")
    if len(parts) != 2 or not all(part.isascii() and part.isdecimal() and len(part) < 4 for part in parts):
        return 0, 0
    ours, theirs = (int(part) for part in parts)
    return (ours, theirs) if ours < len(far) and theirs < far.shape[1] else (0, 0)


def about_heads(far: list[list[float]]) -> str:
    """How many heads are still nearest to the one that they began as, and which has gone farthest."""
    own = [row[head] for head, row in enumerate(far)]
    stayed = sum(min(row) == row[head] for head, row in enumerate(far))
    gone = max(range(len(own)), key=own.__getitem__)
    return (
        f"**{stayed} of {len(far)}** of its heads look most like the head that they began as; head {gone} has gone "
        f"farthest from it ({own[gone]:.2f} nats)."
    )


def _maps(asked: Asked, student: str, layer: int, ours: int, theirs: int) -> None:
    st.subheader(words.MAPS, anchor=False)
    source = source_of(student, layer)
    shown: list[tuple[str, Said, int, int]] = [
        (f"The teacher's head {theirs} in layer {source}", asked.said[asked.teacher], source, theirs),
        (f"The student's head {ours} in layer {layer}", asked.said[student], layer, ours),
    ]
    labels = [layout.readable(label) for label in asked.labels]
    for column, (title, said, depth, head) in zip(st.columns(2, gap="medium"), shown, strict=True):
        who = "teacher" if said is asked.said[asked.teacher] else "student"
        with column:
            st.markdown(f"**{title}**")
            cell_map(
                said.maps[depth][head].numpy(),
                key=f"distilled_map_{who}",
                x="key",
                y="query",
                tell=words.MAPS_TELL,
                rows=labels,
                columns=labels,
                limits=(0.0, 1.0),
                alt=f"{title}: who looks at whom",
                name=f"distilled-map-{who}",
                height=380,
            )


# What it costs.


def _measured(teacher: str) -> tuple[Student, ...]:
    st.subheader(words.MEASURED, anchor=False)
    rows = compute.measured(teacher)
    st.markdown(about_measured(rows), width=layout.PROSE)
    taught = {None: "is the teacher", True: "yes", False: "no"}
    table = pd.DataFrame(
        {
            "network": [words.WHOLE if row.taught is None else TITLES[row.variant.split("-")[1]] for row in rows],
            "taught": [taught[row.taught] for row in rows],
            "layers": [row.layers for row in rows],
            "parameters": [row.parameters for row in rows],
            "MB": [row.bytes / 1e6 for row in rows],
            "milliseconds": [row.milliseconds for row in rows],
            "right": [row.quality for row in rows],
            "± (points)": [100 * row.error for row in rows],
            "teacher's answer": [row.as_teacher for row in rows],
            "its mistakes": [row.same_mistakes for row in rows],
        }
    )
    percent = st.column_config.NumberColumn(format="percent")
    st.dataframe(
        table,
        hide_index=True,
        column_config={
            "parameters": st.column_config.NumberColumn(format="localized"),
            "MB": st.column_config.NumberColumn(format="%.1f"),
            "milliseconds": st.column_config.NumberColumn(format="%.1f"),
            "right": percent,
            "± (points)": st.column_config.NumberColumn(format="%.1f"),
            "teacher's answer": percent,
            "its mistakes": percent,
        },
    )
    st.caption(words.TABLE.format(questions=rows[0].questions, asked=words.ASKED[teacher]))
    return rows


def about_measured(rows: tuple[Student, ...]) -> str:
    """What half of the layers cost and save, and what the teacher was worth."""
    (whole,) = (row for row in rows if row.taught is None)
    taught = sorted((row for row in rows if row.taught), key=lambda row: -row.layers)
    half = taught[0]
    assert half.lead is not None
    more = (
        " It is right more often than its teacher, from whose weights it went on to learn."
        if half.lead.value > 0 and half.lead.is_clear
        else ""
    )
    gains = [(row.layers, row.gain) for row in taught if row.gain is not None]
    worth = "; ".join(f"with {layers} layers {_points(gain)}" for layers, gain in gains)
    unclear = [str(layers) for layers, gain in gains if not gain.is_clear]
    doubt = (
        f" With {' and with '.join(unclear)} layers that is within twice its error: other questions might turn it "
        "around."
        if unclear
        else ""
    )
    return (
        f"With {half.layers} of {whole.layers} layers the taught student takes "
        f"**{half.milliseconds / whole.milliseconds:.0%}** of the time and **{half.bytes / whole.bytes:.0%}** of the "
        f"bytes, and is right in {half.quality:.1%} of cases (the teacher in {whole.quality:.1%}), a difference of "
        f"{_points(half.lead)}.{more} What the teacher adds to training without it: {worth}.{doubt}"
    )


def _points(difference: Difference) -> str:
    return f"**{100 * difference.value:+.1f}** ± {100 * difference.error:.1f} points"


def about_copied(rows: tuple[Student, ...]) -> str:
    """How often students give the teacher's answer, and repeat its mistakes, taught and alone."""
    told = []
    for values in ("as_teacher", "same_mistakes"):
        taught, alone = ([getattr(row, values) for row in rows if row.taught is kind] for kind in (True, False))
        told.append((" and ".join(f"{each:.0%}" for each in taught), " and ".join(f"{each:.0%}" for each in alone)))
    (same, same_alone), (wrong, wrong_alone) = told
    return (
        f"Taught students give their teacher's first answer in **{same}** of cases, those that were left alone in "
        f"{same_alone}. Where the teacher is wrong, taught ones repeat its mistake in **{wrong}** of cases, the others "
        f"in {wrong_alone}."
    )


# How it is computed.


def _formula(asked: Asked, far: float) -> None:
    st.markdown(words.FORMULA_LOSS)
    st.latex(r"\textstyle L = \frac12 T^2\, \mathrm{KL}(p^{t}_T \| p^{s}_T) + \frac12 H(y, p^{s})")
    if asked.teacher == "bert-books":
        st.latex(r"\textstyle \; + \; 1 - \cos(h^{t}, h^{s})")
    st.markdown(words.FORMULA_APART)
    st.latex(rf"\textstyle D = {far:.3f} \le \ln 2")
