"""Explanations: what the verdict rests on, told in several ways on the same photograph, and which way is faithful."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard import photograph as given
from dashboard.photograph import Photograph as Given
from pages.vision.vision_transformer import compute_explained as kept
from pages.vision.vision_transformer import explain_faithful, explain_formulas, explain_notices, explain_order
from pages.vision.vision_transformer import words_explain as said
from pages.vision.vision_transformer.figures_over_photograph import over_photograph


def show() -> None:
    """The maps side by side, their curves, the picture without what they point at."""
    chosen = given.choose(given.CLASSIFIERS, attends=False)
    number, photograph = _controls(chosen)
    with layout.waiting_place(), st.spinner("Following the verdict back …"):
        explained = kept.explain_picture(chosen.name, chosen.picture, chosen.resolution, number)
    _introduce(explained)
    _maps(explained, photograph=photograph)
    noticed = explain_notices.about_maps(explained)
    if explained.number is not None:
        noticed += explain_faithful.show(chosen, explained, number)
        explain_order.show(chosen, explained, number)
    layout.notes(said.NOTES, notice=noticed, formula=lambda: explain_formulas.show(chosen, explained, number))


def _controls(chosen: Given) -> tuple[int | None, bool]:
    """The class that is asked about (None: the most probable one), and whether the photograph is shown."""
    with layout.control_bar():
        number = _class(chosen) if chosen.model.classes else None
        photograph = st.toggle("Photograph", True, key="explain_photo", bind="query-params")
    return number, photograph


def _class(chosen: Given) -> int | None:
    names = labels_of(chosen.model.classes)
    name = st.selectbox(
        "Class",
        [said.MOST_PROBABLE, *names],
        key="explain_class",
        bind="query-params",
        width=300,
        help=said.CLASS_HELP,
    )
    return None if name == said.MOST_PROBABLE else names.index(name)


def labels_of(classes: Sequence[str]) -> list[str]:
    """Names by which classes can be told apart: those that stand for several have their numbers with them."""
    several = {name for name in classes if classes.count(name) > 1}
    return [f"{name} ({number})" if name in several else name for number, name in enumerate(classes)]


def _introduce(explained: kept.ExplainedPicture) -> None:
    model = explained.model
    if not model.attends:
        rows, columns = next(iter(explained.maps.values())).shape
        about = said.NO_ATTENTION.format(model=layout.plain(model.title), rows=rows, columns=columns)
        st.info(about, icon=":material/info:")
    if explained.number is None:
        st.info(said.NO_CLASSES, icon=":material/info:")
    else:
        st.markdown(explain_notices.verdict(explained))


def _maps(explained: kept.ExplainedPicture, *, photograph: bool) -> None:
    """One figure for each explanation, beside one another; on a phone below one another."""
    places = st.columns(max(len(explained.maps), 2), gap="small")
    for place, (name, values) in zip(places, explained.maps.items(), strict=False):
        with place:
            rows = pd.DataFrame(
                [{"row": row, "column": column, name: value} for (row, column), value in _cells(values)]
            )
            figure = over_photograph(
                values,
                explained.given.shown,
                shown=photograph,
                title=said.TITLES[name],
                look=layout.look(),
                tell=f"%{{customdata}}: {said.TELLS[name]} %{{z:.3g}}",
                height=layout.look().high(350),
            )
            charts.chart(
                figure,
                name=f"explain-{name}",
                alt=f"{said.TITLES[name]} over the photograph: {_where(values)}",
                table=rows,
            )
            if not layout.is_presented():
                st.caption(said.ABOUT[name].format(readers=explain_notices.readers(explained.found.read)))
    if not layout.is_presented():
        st.caption(said.MAP_SCALE)


def _cells(values: np.ndarray) -> Iterator[tuple[tuple[int, int], float]]:
    return (((row, column), value) for row, line in enumerate(values.tolist()) for column, value in enumerate(line))


def _where(values: np.ndarray) -> str:
    row, column = divmod(int(values.argmax()), values.shape[1])
    return f"it is largest at row {row}, column {column}"
