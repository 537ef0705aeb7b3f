"""Every task of GLUE against people, one entry of the leaderboard at a time, and any two of its scores."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.published.language import GLUE_TASKS
from dashboard import theme, typeset
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.comparisons import join_names
from dashboard.theme import HUES
from pages.scale.scaling_comparison import compute
from pages.scale.scaling_comparison.explorer import Part
from pages.scale.scaling_comparison.figures_bars import against
from pages.scale.scaling_comparison.prose import PAGE
from pages.scale.scaling_comparison.selection import FAMILIES, Measure, Selection, Table, difference

SECTION = PAGE.section("Language")


def show(part: Part) -> None:
    """Choice of an entry, figure and notes."""
    board = compute.glue()
    models = board[board.family == "models"]
    with part.bar:
        name = st.selectbox("Entry", models.label.tolist(), key="glue_entry", bind="query-params", width=controls.WIDTH)
    tasks = by_task(board, name)
    figure = partial(
        against,
        list(tasks.task),
        tasks[name].to_numpy(),
        [models[task].to_numpy() for task in tasks.task],
        tasks.people.to_numpy(),
        labels=models.label.tolist(),
        name=name,
        look=theme.look(),
        x="points ahead of people (right) or behind (left)",
    )
    charts.chart(
        figure,
        name="scaling-glue",
        alt=f"Scores of {name} minus those of people, by task: "
        + "; ".join(f"{row.task} {difference(row.difference)}" for row in tasks.itertuples()),
        table=tasks,
    )
    layout.place_notice()
    part.introduce()
    notes = (f"Every score: {board.source.iloc[0]}.", *filter(None, board.note.unique()))
    st.caption(typeset.plain(" ".join(notes)))
    layout.notes(SECTION, notice=notice(tasks), formula=lambda: formula(tasks))


def by_task(board: pd.DataFrame, name: str) -> pd.DataFrame:
    """A row a task: the entry's score, people's, their difference, and how many entries beat people there."""
    people = board[board.family == "people"].iloc[0]
    models = board[board.family == "models"]
    own = models[models.label == name].iloc[0]
    rows = [
        {
            "task": task,
            name: own[task],
            "people": people[task],
            "difference": round(own[task] - people[task], 6),
            "entries ahead of people": int((models[task].round(6) > round(people[task], 6)).sum()),
            "entries": len(models),
            "source": people.source,
            **({"note": own.note} if own.note else {}),
        }
        for task in GLUE_TASKS
    ]
    return pd.DataFrame(rows).sort_values("difference", ascending=False, ignore_index=True)


def notice(tasks: pd.DataFrame) -> tuple[str, ...]:
    """Where the entry is ahead of people and where behind; where no entry is ahead."""
    ahead, behind = tasks[tasks.difference > 0], tasks[tasks.difference < 0]
    equal = tasks[tasks.difference == 0]
    most, least = tasks.iloc[0], tasks.iloc[-1]
    never = tasks.task[tasks["entries ahead of people"] == 0].tolist()
    first = "Furthest ahead" if most.difference > 0 else "Least behind"
    last = "furthest behind" if least.difference < 0 else "least ahead"
    return (
        f"**{typeset.plain(tasks.columns[1])}** is ahead of people on **{len(ahead)} of {len(tasks)}** tasks"
        + (f", behind on {', '.join(behind.task)}" if len(behind) else "")
        + (f", equal on {', '.join(equal.task)}." if len(equal) else "."),
        f"{first} on {most.task} ({difference(most.difference)}), {last} on {least.task} "
        f"({difference(least.difference)}). No errors of these scores are published, so small leads prove nothing."
        if most.difference > least.difference
        else f"On all tasks the difference is {difference(most.difference)}.",
        *((f"On {join_names(never)} no entry of the table is ahead of people.",) if never else ()),
        SECTION.text("People"),
    )


def formula(tasks: pd.DataFrame) -> None:
    """The mean over tasks, with the numbers of the entry."""
    scores = tasks.iloc[:, 1]
    thirds = (" + ".join(f"{score:.1f}" for score in scores[start : start + 3]) for start in (0, 3, 6))
    summed = r" \\ &+ ".join(thirds)
    st.markdown(SECTION.text("Mean of the tasks", scores=summed, mean=scores.mean(), people=tasks.people.mean()))


def entries() -> Table:
    """The same table for the explorer; people are one of its entries."""
    return Table(
        "glue",
        compute.glue(),
        (
            Measure("score", "GLUE, mean of all tasks", "", "more", "one"),
            *(Measure(task, task, "", "more", "one") for task in GLUE_TASKS),
            Measure("rank", "Rank", "", "less", "number"),
        ),
        x="score",
        y="WNLI",
        hues={"models": FAMILIES["transformer"], "people": HUES[1]},
        families="Who",
        details={"team": "Team"},
        things="entries",
    )


def hides_of_entries(_: Selection) -> tuple[str, ...]:
    """Who graded the entries, and which are missing."""
    return (SECTION.text("Hidden answers"), SECTION.text("First places only"))


def about_entries(selection: Selection) -> tuple[str, ...]:
    """How two scores go together over the models, and where people stand."""
    x, y = selection.choices.x, selection.choices.y
    models, people = (selection.placed[selection.placed.family == who] for who in ("models", "people"))
    sentences = []
    if x != y and (r := correlation(models, x.column, y.column)) is not None:
        coefficient = f"{r:.2f}".replace("-", "−")
        sentences.append(
            f"Over the {len(models)} models shown, *{x.inside}* and *{y.inside}* have a correlation of "
            f"**{coefficient}**."
        )
    if len(people) and len(models):
        human = people[y.column].iloc[0]
        ahead = int((models[y.column] > human).sum() if y.better == "more" else (models[y.column] < human).sum())
        sentences.append(f"Ahead of people in *{y.inside}* ({y.tell(human)}): {ahead} of {len(models)} models.")
    return tuple(sentences)


def correlation(rows: pd.DataFrame, x: str, y: str) -> float | None:
    """Pearson's, over at least three rows that are not all alike."""
    if len(rows) < 3 or rows[x].nunique() < 2 or rows[y].nunique() < 2:
        return None
    return float(np.corrcoef(rows[x].astype(float), rows[y].astype(float))[0, 1])


def correlation_formula(selection: Selection) -> None:
    """Pearson's correlation with the numbers of the page."""
    x, y = selection.choices.x, selection.choices.y
    models = selection.placed[selection.placed.family == "models"]
    st.markdown(SECTION.text("Correlation"))
    if x != y and (r := correlation(models, x.column, y.column)) is not None:
        means = {"x": models[x.column].mean(), "y": models[y.column].mean()}
        st.markdown(SECTION.text("Correlation of the models shown", count=len(models), r=r, **means))
