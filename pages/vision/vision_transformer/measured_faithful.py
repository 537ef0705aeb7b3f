"""How faithful the explanations are on many pictures: deletion and insertion, beside orders drawn at random."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from pages.vision.vision_transformer import compute_measured as kept
from pages.vision.vision_transformer import words_explain as explain
from pages.vision.vision_transformer import words_measured as said
from pages.vision.vision_transformer.compute_measured import RANDOM, SIDES, Faithful
from pages.vision.vision_transformer.explain_faithful import HUE
from pages.vision.vision_transformer.figures_quality import Row, means

COLUMNS = ("deletion:<br>lower is better", "insertion:<br>higher is better")  # in two lines: a phone is narrow


def show() -> tuple[str, ...]:
    """Table and figure; what is to be noticed in them."""
    st.subheader("Which explanation tells the truth?", anchor=False)
    found = kept.faithfulness()
    if not found:
        st.info(said.NOT_FAITHFUL_YET, icon=":material/info:")
        return ()
    rows = table(found)
    figure = means(figure_rows(found), COLUMNS, look=layout.look())
    charts.chart(
        figure,
        name="vision-faithfulness",
        alt="Mean areas under the curves of deletion and insertion with their standard errors: "
        + "; ".join(
            f"{said.MODELS[one.name]}, {title_of(name)}: {of['deletion'].mean:.3f} and {of['insertion'].mean:.3f}"
            for one in found
            for name, of in one.areas.items()
        ),
        table=rows,
    )
    number = st.column_config.NumberColumn(format="%.3f")
    with st.expander("The numbers", expanded=layout.is_presented()):
        st.dataframe(
            rows,
            hide_index=True,
            width="stretch",
            row_height=42 if layout.is_presented() else None,
            column_config={name: number for name in rows.columns if name not in ("model", "explanation")},
        )
    if not layout.is_presented():
        st.caption(said.FAITHFUL_ON.format(pictures=found[0].pictures))
    return tuple(sentence for one in found for sentence in about(one))


def title_of(name: str) -> str:
    """An explanation, or random orders, as a reader knows it."""
    return said.RANDOM if name == RANDOM else explain.TITLES.get(name, name)


def table(found: Sequence[Faithful]) -> pd.DataFrame:
    """One row for each explanation of each model; differences from random are means over pictures too."""
    rows = []
    for one in found:
        for name, of in one.areas.items():
            row: dict[str, object] = {"model": said.MODELS[one.name], "explanation": title_of(name)}
            for side in SIDES:
                row |= {side: of[side].mean, f"{side}, ±": of[side].standard_error}
                against = one.against_random.get(name, {}).get(side)
                row[f"{side}, against random"] = against.mean if against else None
            rows.append(row)
    return pd.DataFrame(rows)


def figure_rows(found: Sequence[Faithful]) -> list[Row]:
    """A heading for each model, below it its explanations and random orders."""
    rows = []
    for one in found:
        rows.append(Row(said.MODELS[one.name]))
        for name, of in one.areas.items():
            title = title_of(name)
            values = tuple((of[side].mean, of[side].standard_error) for side in SIDES)
            rows.append(Row(title, values, HUE.get(title, layout.look().palette.soft)))
    return rows


def about(one: Faithful) -> tuple[str, ...]:
    """The best explanation of a model by each measure, and how many standard errors it is away from chance."""
    first = min(one.against_random, key=lambda name: one.areas[name]["deletion"].mean)
    second = max(one.against_random, key=lambda name: one.areas[name]["insertion"].mean)
    model = said.MODELS[one.name]
    if first == second:
        deletion, insertion = _compared(one, first, "deletion"), _compared(one, first, "insertion")
        best = "" if len(one.against_random) == 1 else " is the most faithful by both measures"
        told = f"**{model}**: **{title_of(first).lower()}**{best}: deletion {deletion}, insertion {insertion}."
    else:
        told = (
            f"**{model}**: by deletion **{title_of(first).lower()}** is the most faithful, "
            f"{_compared(one, first, 'deletion')}; by insertion **{title_of(second).lower()}**, "
            f"{_compared(one, second, 'insertion')}."
        )
    return (told, *_no_better(one, model))


def _compared(one: Faithful, name: str, side: str) -> str:
    return f"{one.areas[name][side].mean:.3f} (random {one.areas[RANDOM][side].mean:.3f})"


def _no_better(one: Faithful, model: str) -> tuple[str, ...]:
    """Explanations whose deletion is not two standard errors below random's, picture by picture."""
    weak = [
        title_of(name).lower()
        for name, of in one.against_random.items()
        if of["deletion"].mean > -2 * of["deletion"].standard_error
    ]
    if not weak:
        return ()
    return (f"Of the {model.lower()}, {' and '.join(weak)} cannot be told from chance by deletion.",)
