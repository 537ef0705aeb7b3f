"""One score of a photograph, number by number: content, bias, mask, and the weight that comes of it."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard.numbers import signed
from pages.vision.swin.chosen import Chosen, place_of
from pages.vision.swin.compute import Scored, Windowed

MASKED = -100.0


@dataclass(frozen=True)
class Pair:
    """A pair of positions in a window, as a head of a block sees it."""

    chosen: Chosen
    head: int
    query: int
    key: int


@dataclass(frozen=True)
class Score:
    """What the score of a pair in one window of the photograph is made of."""

    pair: Pair
    window: int
    content: float
    bias: float
    mask: float
    weight: float
    cosine: float | None  # of SwinV2, whose content it is times `scale`
    scale: float | None

    @property
    def whole(self) -> float:
        """What the softmax sees."""
        return self.content + self.bias + self.mask


def taken_apart(windowed: Windowed, scored: Scored, pair: Pair, window: int) -> Score:
    """The parts of one score."""
    number, head, query, key = pair.chosen.number, pair.head, pair.query, pair.key
    bias = scored.biases[number]
    content = scored.parts.content[number][window, head, query, key].item()
    scale = bias.continuous.scale[head].item() if bias.continuous else None
    call = windowed.watched.record.calls[number]
    return Score(
        pair=pair,
        window=window,
        content=content,
        bias=bias.added[head, query, key].item(),
        mask=0.0 if pair.chosen.layer.allowed[window, query, key] else MASKED,
        weight=call.weights(head, item=window, queries=query)[0, key].item(),
        cosine=content / scale if scale else None,
        scale=scale,
    )


def show(score: Score) -> None:
    """Where the pair lies on the picture, and the sum as a row of a table."""
    layer = score.pair.chosen.layer
    places = layer.places[score.window]
    query, key = (place_of(layer, int(places[position])) for position in (score.pair.query, score.pair.key))
    st.markdown(
        f"In window {score.window} the query is the place **{query}** of the stage's grid and the key is **{key}** "
        f"(row, column)."
    )
    content = {"content": score.content}
    if score.cosine is not None and score.scale is not None:
        content = {"cosine": score.cosine, "× scale": score.scale, "= content": score.content}
    table = pd.DataFrame(
        [{**content, "bias": score.bias, "mask": score.mask, "score": score.whole, "weight": score.weight}]
    )
    numbers = st.column_config.NumberColumn(format="%.4g")
    st.dataframe(table, hide_index=True, column_config=dict.fromkeys(table.columns, numbers))
    if not layout.is_presented():
        charts.download_table(table, "swin-score")


def spelled(score: Score) -> str:
    """The sum in LaTeX."""
    parts = [score.content, score.bias, *([score.mask] if score.mask else [])]
    summed = " + ".join(f"({part:.2f})" if part < 0 else f"{part:.2f}" for part in parts)
    return rf"{summed} = {signed(score.whole)}".replace("−", "-")
