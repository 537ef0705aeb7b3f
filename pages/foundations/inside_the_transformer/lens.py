"""The logit lens: what the model would say if it stopped early."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.interpretability.logit_lens import Lens
from dashboard import contents, theme, typeset
from dashboard.cache import waiting
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from pages.foundations.inside_the_transformer import compute, inputs
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.figures import lens_grid
from pages.foundations.inside_the_transformer.prose import PAGE

SECTION = PAGE.section("Logit lens")
MOST = 20  # tokens: so many words can be read beside one another


def show() -> None:
    """A grid of layers and tokens, then the way of one token's final answer through the layers."""
    walk = inputs.walked_through()
    lens = compute.lens.peek(walk) or _compute(walk)
    labels = _labels(walk, lens)
    _grid(walk, lens, labels)
    layout.place_notice()
    chosen = controls.token(labels, first=len(labels) - 1)
    name = typeset.readable(walk.label(int(lens.final[chosen])))
    st.subheader(f"From which block on does the model predict “{typeset.plain(name)}”?", anchor=False)
    _way(lens, chosen)
    answers = [typeset.readable(walk.label(number)) for number in lens.final.tolist()]
    layout.notes(
        SECTION,
        notice=noticed(lens, labels, answers),
        numbers={"difference": _difference(walk, lens)},
        formula=lambda: contents.NEXT_WORD.link(
            "Next word (GPT): how much each head and MLP adds to a prediction", show="Why this word"
        ),
    )


def point_names(count: int) -> list[str]:
    """The places along the stream: before the first block, and after each."""
    return ["input", *map(str, range(count - 1))]


def noticed(lens: Lens, labels: list[str], answers: list[str]) -> tuple[str, ...]:
    """From which block on the lens predicts the model's final prediction; `answers` holds it for each token."""
    same = (lens.best == lens.final).int().flip(0).cumprod(0).sum(0).tolist()  # layers, from the last one back
    first = len(lens.best) - same[-1]
    where = "the input" if first == 0 else f"block {first - 1}"
    at = f"After “{typeset.plain(labels[-1])}” the" if len(labels) > 1 else "The"
    answer = f"“{typeset.plain(answers[-1])}” ({lens.final_probability[-1, -1]:.0%})"
    if not same[-1]:
        return (f"{at} lens never shows the model's final prediction {answer}, even after the last block.",)
    sentences = [f"{at} model predicts {answer}; the lens shows this prediction from {where} on."]
    if len(same) > 1 and len(lens.best) > 1:
        late = sum(layers == 1 for layers in same)
        sentences.append(f"At **{late} of {len(same)}** tokens the prediction changes in the last block.")
    return tuple(sentences)


def _compute(walk: Walk) -> Lens:
    place = st.empty()
    with place.container():
        lens = compute.lens(walk, waiting.bar("layers", start="Reading each layer …"))
    place.empty()
    return lens


def _labels(walk: Walk, lens: Lens) -> list[str]:
    count = lens.best.shape[1]
    if count == 1 and walk.walked.logits is not None and walk.walked.logits.ndim == 1:
        return ["the whole input"]
    return [typeset.readable(label) for label in walk.labels_of(walk.walked.lanes[-1], count)]


def _grid(walk: Walk, lens: Lens, labels: list[str]) -> None:
    words_in_cells = [[typeset.readable(walk.label(number)) for number in row] for row in lens.best.tolist()]
    rows = point_names(len(words_in_cells))
    st.markdown("**What the model would predict after each block**")
    figure = partial(
        lens_grid,
        [line[-MOST:] for line in words_in_cells],
        lens.probability[:, -MOST:].numpy(),
        rows=rows,
        columns=labels[-MOST:],
        look=theme.look().sized(-2),
    )
    table = pd.DataFrame(
        [
            {"after block": row, "token": label, "best": word, "probability": probability}
            for row, line, values in zip(rows, words_in_cells, lens.probability.tolist(), strict=True)
            for label, word, probability in zip(labels, line, values, strict=True)
        ]
    )
    charts.chart(figure, name="inside-lens", alt="The top prediction after each block at each token", table=table)
    if len(labels) > MOST:
        layout.caption(SECTION.text("Last tokens", tokens=MOST, total=len(labels)))
    typeset.explain_bytes(word for line in [labels, *words_in_cells] for word in line[-MOST:])


def _way(lens: Lens, chosen: int) -> None:
    names = point_names(len(lens.best))
    probability, rank = lens.final_probability[:, chosen].numpy(), lens.final_rank[:, chosen].numpy()
    table = pd.DataFrame({"after block": names, "probability": probability, "rank": rank})
    shared: dict = {"look": theme.look(), "x": "after block", "marks": True, "labels": names, "height": 300}
    left, right = st.columns(2)
    with left:
        figure = curves(
            range(len(names)), {"probability": probability}, y="probability", y_range=(-0.02, 1.02), **shared
        )
        charts.chart(figure, name="inside-way", alt="Probability of the final prediction after each block", table=table)
    with right:
        title = "rank (1: the best)"
        figure = curves(range(len(names)), {title: rank.astype(np.float64)}, y=title, y_log=True, **shared)
        figure.update_yaxes(autorange="reversed", dtick=1)
        charts.chart(figure, name="inside-rank", alt="Rank of the final prediction after each block")


def _difference(walk: Walk, lens: Lens) -> str:
    """The largest difference between the lens at the last layer and the model's own scores."""
    own = walk.walked.logits
    assert own is not None
    difference = (lens.logits.reshape(own.shape) - own.float()).abs().max().item()
    return f"{difference:.0e}" if difference else "exactly 0"
