"""Every task of GLUE against people: how far each entry is ahead or behind."""

import pandas as pd
import streamlit as st

from core.published.language import GLUE_TASKS
from dashboard import charts, controls, layout
from pages.scale.scaling_comparison import compute as kept
from pages.scale.scaling_comparison import words_language as said
from pages.scale.scaling_comparison.collection import points
from pages.scale.scaling_comparison.figures_against import against


def show() -> pd.DataFrame:
    """Choice of an entry, figure and table; a row a task, with the entry's score, people's, and the best."""
    entries = kept.glue()
    models = entries[entries.family == "models"]
    name = st.selectbox("Entry", models.label.tolist(), key="glue_entry", bind="query-params", width=controls.WIDTH)
    chosen = by_task(name)
    figure = against(
        list(chosen.task),
        chosen[name].to_numpy(),
        [models[task].to_numpy() - people for task, people in zip(chosen.task, chosen.people, strict=True)],
        chosen.difference.to_numpy(),
        labels=models.label.tolist(),
        people=chosen.people.to_numpy(),
        name=name,
        look=layout.look(),
        x=said.GLUE_AXIS,
    )
    charts.chart(
        figure,
        name="scaling-glue",
        alt=f"Scores of {name} minus those of people, by task: "
        + "; ".join(f"{row.task} {points(row.difference)}" for row in chosen.itertuples()),
        table=chosen,
    )
    if not layout.is_presented():
        st.caption(said.GLUE_SOURCE.format(source=layout.plain(entries.source.iloc[0])))
    return chosen


def by_task(name: str) -> pd.DataFrame:
    """A row a task: the entry's score, people's, their difference, and how many entries beat people there."""
    entries = kept.glue().set_index("label")
    people = entries[entries.family == "people"].iloc[0]
    models = entries[entries.family == "models"]
    rows = [
        {
            "task": task,
            name: entries.loc[name, task],
            "people": people[task],
            "difference": entries.loc[name, task] - people[task],
            "entries ahead of people": int((models[task] > people[task]).sum()),
            "entries": len(models),
            "source": people.source,
        }
        for task in GLUE_TASKS
    ]
    return pd.DataFrame(rows).sort_values("difference", ascending=False, ignore_index=True)
