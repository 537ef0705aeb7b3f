"""What went in and what came out, as maps of tokens and channels, and in a few numbers for each token."""

import numpy as np
import pandas as pd
import streamlit as st
import torch
from torch import Tensor

from core.anatomy import Arrays, Part
from core.anatomy.trace import tokens_of
from dashboard import charts, layout
from dashboard.figures.heat import heat
from pages.foundations.inside_the_transformer.compute import Walk

WIDEST = 1024  # channels that are drawn; a logit for each token of a vocabulary is not a picture
LONGEST = 300  # tokens
ENDS = 0.995  # the scale ends where all but 1 in 200 numbers are: a few channels are often far larger


def show(walk: Walk, part: Part, arrays: Arrays) -> None:
    """Maps of input and output side by side, then the statistics of each token."""
    sides = {"In": arrays.given, "Out": arrays.made}
    drawn = {name: tokens_of(tensor) for name, tensor in sides.items() if can_be_drawn(tensor)}
    for name, numbers in drawn.items():
        _map(walk, part, name, numbers)
    if drawn and not layout.is_presented():
        with st.expander("Statistics of each token"):
            st.dataframe(_statistics(walk, part, drawn), hide_index=True)


def can_be_drawn(tensor: Tensor) -> bool:
    """Whether it holds vectors of tokens, few and short enough to be seen."""
    if not tensor.is_floating_point() or not 2 <= tensor.ndim <= 4:
        return False
    if tensor.ndim == 4 and tensor.shape[1] == 3:  # the picture itself
        return False
    return tensor.shape[-1] <= WIDEST and tokens_of(tensor).shape[0] <= LONGEST


def labels_of(walk: Walk, part: Part, count: int) -> list[str]:
    """The tokens of a part's lane as they are read on an axis."""
    lane = walk.walked.lane_of(part.key)
    labels = walk.labels_of(lane, count)
    if len(walk.walked.lanes) > 1 and len(walk.labels.get(lane.name, ())) != count:
        labels = next((known for known in walk.labels.values() if len(known) == count), labels)
    return [layout.readable(label) for label in labels]


def _map(walk: Walk, part: Part, name: str, numbers: Tensor) -> None:
    labels = labels_of(walk, part, len(numbers))
    values = numbers.numpy()
    end = float(np.quantile(np.abs(values[np.isfinite(values)]), ENDS)) or 1.0
    st.markdown(f"**{name}**: {values.shape[0]} tokens × {values.shape[1]} channels")
    figure = heat(
        values,
        look=layout.look().sized(-2),
        x="channel",
        y="",
        rows=labels if len(labels) <= 60 else None,
        limits=(-end, end),
        tell="“%{y}”, channel %{x}: %{z:.3f}" if len(labels) <= 60 else "token %{y}, channel %{x}: %{z:.3f}",
        height=max(140, min(520, 60 + 17 * len(labels))),
    )
    table = pd.DataFrame(values, index=labels).rename_axis("token").reset_index()
    charts.chart(figure, name=f"inside-{name.lower()}", alt=f"{name}: a number for each token and channel", table=table)


def _statistics(walk: Walk, part: Part, drawn: dict[str, Tensor]) -> pd.DataFrame:
    length = max(map(len, drawn.values()))
    columns: dict[str, list] = {"token": labels_of(walk, part, length)}
    for name, numbers in drawn.items():
        if len(numbers) != length:
            continue
        kinds = {
            "mean": numbers.mean(-1),
            "deviation": numbers.std(-1, unbiased=False),
            "min": numbers.amin(-1),
            "max": numbers.amax(-1),
            "length": torch.linalg.vector_norm(numbers, dim=-1),
        }
        columns |= {f"{name}: {kind}": [round(value, 3) for value in each.tolist()] for kind, each in kinds.items()}
    return pd.DataFrame(columns)
