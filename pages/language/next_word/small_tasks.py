"""Small tasks: a GPT that sorts and one that adds; what each head reads while a digit is written, and who is missed."""

import numpy as np
import streamlit as st
from torch import Tensor

from core.probing.small_tasks import TASKS, Task, WrittenAnswer
from core.probing.small_tasks.tasks import CARRY, COLUMN, COPY
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls
from pages.language.next_word import compute_small_tasks as compute
from pages.language.next_word import small_tasks_counted as counted
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Small tasks")
TITLES = {"Sort six digits": "sort", "Add two numbers": "add"}
OWN_PROBLEM = {"sort": "Your own six digits", "add": "Your own sum"}
EXAMPLES = {"sort": "352041", "add": "47+85"}
SAME_PROBLEM = {"sort": "the same digits", "add": "the same two numbers"}
AIMS = {COPY: "what matters", COLUMN: "its column", CARRY: "for the carry"}
DRAWS = 9999  # problems to draw from
WIDE, NARROW = 230, 130  # pixels
SURE = 0.999  # a probability from which on none is told from certainty


def show() -> None:
    """A problem, its answer digit by digit with what every head read; then several hundred problems counted."""
    task, problem = _choices()
    stage = st.container()
    by_digit, missed = st.columns([3, 2], gap="large")
    with missed:
        silenced = counted.silenced_heads(task.name)
    with layout.waiting_place():
        written = compute.written(task.name, tuple(problem.tolist()), silenced)
        links, loss = compute.links(task.name), compute.without(task.name, silenced)
    with stage:
        st.markdown(f"### {equation(task, problem, written)}")
        answer_column, read = st.columns([2, 3], gap="large")
        with answer_column:
            _probabilities(task, written)
            layout.place_notice()
        with read:
            _reading(task, problem, written)
    with by_digit:
        counted.show_links(task, links)
    with missed:
        counted.show_missed(task.name, loss, silenced)
    layout.notes(
        SECTION,
        notice=(
            about_answer(task, problem, written),
            *counted.about_links(links),
            *counted.about_silence(loss, silenced, counted.best_head(links)),
        ),
        numbers=counted.numbers(task, links),
    )


def equation(task: Task, problem: Tensor, written: WrittenAnswer) -> str:
    """The problem and the answer in Markdown, as they are read: a sum from the hundreds on, wrong digits struck out."""
    digits = [
        digit if digit == right else f"~~{digit}~~" for digit, right in zip(written.text, written.right, strict=True)
    ]
    question, right = task.spell(problem)[:-1], [*written.right]
    if task.name == "add":
        text, true = f"{question.replace('+', ' + ')} = {''.join(digits[::-1])}", "".join(right[::-1])
    else:
        text, true = f"{' '.join(question)} → {' '.join(digits)}", " ".join(right)
    return text if written.text == written.right else f"{text}\u2003(right: {true})"


def about_answer(task: Task, problem: Tensor, written: WrittenAnswer) -> str:
    """Whether the answer is right, where it was least certain, and whether the model can have known the problem."""
    certain = written.probabilities.max(dim=-1).values
    least = int(certain.argmin())
    count, of = sum(map(str.__eq__, written.text, written.right)), len(written.right)
    verdict = "The answer is right" if count == of else f"{count} of {of} digits are right"
    known = (
        f"It was not trained on this problem, nor on {SAME_PROBLEM[task.name]} in another order."
        if bool(task.is_held_out(problem[None])[0])
        else "This problem may have been among its training data."
    )
    sure = f"{certain[least]:.1%}" if certain[least] < SURE else f"more than {SURE:.1%}"
    digit = f"{task.answers[least]}{' digit' if task.name == 'sort' else ''}"
    return f"{verdict}; the model was least certain of the **{digit}**, at {sure}. {known}"


def _choices() -> tuple[Task, Tensor]:
    """The task and a problem of it: the visitor's own, or a drawn one."""
    with layout.control_bar():
        name = TITLES[controls.choice("Task", TITLES, key="small_task")]
        task = TASKS[name]
        typed = st.text_input(
            OWN_PROBLEM[name],
            key=f"small_{name}",
            bind="query-params",
            max_chars=40,
            width=WIDE,
            placeholder=EXAMPLES[name],
            help=SECTION.text("Your own problem"),
        )
        draw = controls.number_box("or draw no.", 1, DRAWS, 1, key="small_draw", width=NARROW, on_change=_forget_own)
        st.button("Another", icon=":material/casino:", on_click=_draw_again)
    return task, task.read(typed) if typed.strip() else task.draw(1, seed=draw)[0]


def _draw_again() -> None:
    st.session_state.small_draw = st.session_state.small_draw % DRAWS + 1
    _forget_own()


def _forget_own() -> None:
    """Who draws a problem wants to see it, not the one typed before."""
    for name in TASKS:
        if f"small_{name}" in st.session_state:
            st.session_state[f"small_{name}"] = ""


def _probabilities(task: Task, written: WrittenAnswer) -> None:
    rows = [f"{name}: {digit}" for name, digit in zip(task.answers, written.text, strict=True)]
    cell_map(
        written.probabilities[:, :10].numpy(),
        key=f"small-probabilities-{task.name}",
        x="digit",
        y="",
        tell="{row}: the digit {column} has a probability of {value}",
        rows=rows,
        columns=list("0123456789"),
        limits=(0, 1),
        marked=[(row, int(right)) for row, right in enumerate(written.right)],
        mark="right",
        on_click=lambda row, _: st.session_state.update(small_digit=task.answers[row]),
        alt=f"The answer {written.text}, digit by digit, with the probability of each digit",
        name=f"small-{task.name}-answer",
        height=260,
    )
    layout.caption(SECTION.text("Probabilities of digits"))


def _reading(task: Task, problem: Tensor, written: WrittenAnswer) -> None:
    """Every head a row: what it reads while one digit is written; above them what matters for it."""
    digit = controls.choice("What each head reads before it writes", task.answers, key="small_digit")
    answer = task.answers.index(digit)
    tokens = [*task.spell(problem), *written.text][: task.prompt + answer]
    layers, heads, _, _ = written.weights.shape
    read = written.weights[:, :, answer, : len(tokens)].flatten(end_dim=1).numpy()
    aims = [aim for aim in task.aims if aim.answer == answer]
    mattering = np.stack([task.matters(aim, problem[None])[0, : len(tokens)].float().numpy() for aim in aims])
    names = [f"{layer}.{head}" for layer in range(layers) for head in range(heads)]
    spoken = [name if weights.max() > 0 else f"{name} ablated" for name, weights in zip(names, read, strict=True)]
    cell_map(
        np.concatenate([mattering, read]),
        key=f"small-reading-{task.name}",
        x="token",
        y="layer.head",
        tell="{row}: {value} for {column}",
        rows=[*(AIMS[aim.kind] for aim in aims), *spoken],
        columns=tokens,
        limits=(0, 1),
        marked=[(len(aims) + row, int(weights.argmax())) for row, weights in enumerate(read) if weights.max() > 0],
        mark="its strongest link",
        alt=f"What each of {len(names)} heads reads before the digit “{digit}” is written",
        name=f"small-{task.name}-reading",
        height=330,
    )
    layout.caption(SECTION.text("Attention of heads"))
