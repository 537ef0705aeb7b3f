"""The logit lens: what the model would say if it stopped early."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.anatomy.logit_lens import Lens
from dashboard import charts, layout, waiting
from dashboard.figures.curves import curves
from pages.foundations.inside_the_transformer import choices, formulas, notices
from pages.foundations.inside_the_transformer import compute as inside
from pages.foundations.inside_the_transformer import words as words_inside
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.figures_lens_grid import lens_grid
from pages.foundations.inside_the_transformer.stream_section import point_names

MOST = 20  # tokens: so many words can be read beside one another


def show(walk: Walk) -> None:
    """A grid of layers and tokens, then the way of one token's final answer through the layers."""
    lens = inside.known_lens(walk) or _compute(walk)
    labels = _labels(walk, lens)
    st.subheader("What is most probable after each block?", anchor=False)
    _grid(walk, lens, labels)
    chosen = choices.token(labels) if len(labels) > 1 else 0
    name = layout.readable(walk.label(int(lens.final[chosen])))
    st.subheader(f"When does it know “{layout.plain(name)}”?", anchor=False)
    _way(lens, chosen)
    layout.notes(
        words_inside.INSIDE, notice=notices.lens_notices(walk, lens, labels), formula=lambda: formulas.lens(walk, lens)
    )


def _compute(walk: Walk) -> Lens:
    place = st.empty()
    with place.container():
        lens = inside.lens(walk, waiting.bar("layers", start="Reading each layer …"))
    place.empty()
    return lens


def _labels(walk: Walk, lens: Lens) -> list[str]:
    count = lens.best.shape[1]
    if count == 1 and walk.walked.logits is not None and walk.walked.logits.ndim == 1:
        return ["the whole input"]
    return [layout.readable(label) for label in walk.labels_of(walk.walked.lanes[-1], count)]


def _grid(walk: Walk, lens: Lens, labels: list[str]) -> None:
    words_in_cells = [[layout.readable(walk.label(number)) for number in row] for row in lens.best.tolist()]
    rows = point_names(len(words_in_cells))
    if len(labels) > MOST and not layout.is_presented():
        st.caption(f"The last {MOST} of {len(labels)} tokens; the numbers to download hold all.")
    figure = lens_grid(
        [line[-MOST:] for line in words_in_cells],
        lens.probability[:, -MOST:].numpy(),
        rows=rows,
        columns=labels[-MOST:],
        look=layout.look().sized(-2),
    )
    table = pd.DataFrame(
        [
            {"after block": row, "token": label, "best": word, "probability": probability}
            for row, line, values in zip(rows, words_in_cells, lens.probability.tolist(), strict=True)
            for label, word, probability in zip(labels, line, values, strict=True)
        ]
    )
    charts.chart(figure, name="inside-lens", alt="The most probable answer after each block at each token", table=table)


def _way(lens: Lens, chosen: int) -> None:
    names = point_names(len(lens.best))
    probability, rank = lens.final_probability[:, chosen].numpy(), lens.final_rank[:, chosen].numpy()
    table = pd.DataFrame({"after block": names, "probability": probability, "rank": rank})
    left, right = st.columns(2)
    with left:
        figure = _curve("probability", probability, names, y_range=(-0.02, 1.02))
        charts.chart(figure, name="inside-way", alt="Probability of the final answer after each block", table=table)
    with right:
        figure = _curve("rank (1: the best)", rank.astype(np.float64), names, y_log=True)
        figure.update_yaxes(autorange="reversed", dtick=1)
        charts.chart(figure, name="inside-rank", alt="Rank of the final answer after each block")


def _curve(
    name: str,
    values: np.ndarray,
    names: list[str],
    *,
    y_range: tuple[float, float] | None = None,
    y_log: bool = False,
) -> go.Figure:
    return curves(
        range(len(names)),
        {name: values},
        look=layout.look(),
        x="after block",
        y=name,
        marks=True,
        labels=names,
        y_range=y_range,
        y_log=y_log,
        height=300,
    )
