"""Token vector, position vector, and their sum, for one token."""

from itertools import takewhile

import pandas as pd
import streamlit as st
import torch

from core.anatomy import Arrays, Part, Step
from core.anatomy.trace import tokens_of
from dashboard import charts, layout
from dashboard.figures.heat import heat
from pages.foundations.inside_the_transformer import choices, maps
from pages.foundations.inside_the_transformer.compute import Walk


def show(walk: Walk, part: Part, arrays: Arrays) -> None:
    """The sums of the part's lane before its blocks, for a chosen token."""
    del arrays
    lane = walk.walked.lane_of(part.key)
    before = takewhile(lambda item: isinstance(item, Step), lane.items)
    sums = {_name(step): step.summed for step in before if isinstance(step, Step) and step.summed is not None}
    if not sums:
        st.caption("Nothing is added to the token vectors: this model tells positions inside its attention.")
        return
    first, *_, last = (*sums.values(), *sums.values())
    rows = {"token": tokens_of(first.before.tensor)}
    for name, summed in sums.items():
        added = tokens_of(summed.added.tensor)
        rows[f"+ {name}"] = added.expand(len(rows["token"]), -1) if len(added) == 1 else added
    rows["= sum"] = tokens_of(last.after.tensor)
    labels = maps.labels_of(walk, part, len(rows["token"]))
    chosen = choices.token(labels)
    _vectors({name: vectors[chosen] for name, vectors in rows.items()}, labels[chosen])


def _name(step: Step) -> str:
    """What is added: a part, a parameter, or what the model's own code computes."""
    if step.parts:
        return step.parts[-1].name
    return (step.summed.name if step.summed else None) or "positions"


def _vectors(rows: dict[str, torch.Tensor], label: str) -> None:
    values = torch.stack(list(rows.values())).numpy()
    figure = heat(
        values,
        look=layout.look().sized(-2),
        x="channel",
        y="",
        rows=list(rows),
        tell="%{y}, channel %{x}: %{z:.3f}",
        height=70 + 34 * len(rows),
    )
    lengths = ", ".join(f"{name.lstrip('+= ')} {vector.norm():.2f}" for name, vector in rows.items())
    st.markdown(f"**What “{layout.plain(label)}” begins with**; lengths: {lengths}")
    table = pd.DataFrame(values, index=list(rows)).rename_axis("vector").reset_index()
    charts.chart(figure, name="inside-embedding", alt=f"The vectors of {label} and their sum", table=table)
