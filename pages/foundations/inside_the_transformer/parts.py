"""What is shown of each kind of part: attention, embedding, norm, MLP, head."""

from functools import partial
from itertools import takewhile

import numpy as np
import pandas as pd
import streamlit as st
import torch
from torch import Tensor

from core.capture import AttentionCall
from core.interpretability import Arrays, NormReading, Part, Step, kind_of_mask, mask_of, read_norm
from core.interpretability.trace import tokens_of
from dashboard import theme, typeset
from dashboard.figures.curves import curves
from dashboard.figures.heat import heat
from dashboard.figures.paper import escape
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from pages.foundations.inside_the_transformer.compute import Walk
from pages.foundations.inside_the_transformer.prose import PAGE

SECTION = PAGE.section("Walk")
MOST_NAMED = 60  # tokens on a side: beyond, numbers stand for them
ACROSS, DOWN = 10, 20  # labels that an axis has room for
TOP_NEURONS, TOP_ANSWERS = 12, 10
NORMS = {
    "layer": r"y=\frac{\gamma\,(x-\mu)}{\sqrt{\sigma^2+\epsilon}}+\beta",
    "rms": r"y=\frac{\gamma\,x}{\sqrt{\frac{1}{d}\sum_i x_i^2+\epsilon}}",
}
SOURCES = {"layer": "Ba et al. 2016, equations 3 and 4", "rms": "Zhang and Sennrich 2019, equation 4"}


def show(walk: Walk, part: Part, arrays: Arrays) -> None:
    """What belongs to its kind; nothing, where its inputs and outputs say all."""
    views = {
        "embedding": _embedding,
        "positions": _embedding,
        "norm": _norm,
        "attention": _attention,
        "cross-attention": _attention,
        "MLP": _neurons,
        "linear": _neurons,
        "head": _answers,
    }
    if part.kind in views:
        views[part.kind](walk, part, arrays)


def _attention(walk: Walk, part: Part, _: Arrays) -> None:
    """Mask and weights of one head; of an inner map of the attention there is nothing more to say."""
    call = call_of(walk, part)
    if call is None:
        return
    head = controls.number("Head", call.heads, key="head")
    mask = mask_of(call, head)
    remarks = [SECTION.text(f"Mask: {kind_of_mask(mask)}")]
    if call.batch_size > 1:
        remarks.append(SECTION.text("Windows", windows=call.batch_size))
    layout.caption(" ".join(remarks))
    queries = walk.labels_at(part, call.query_length)
    keys = _keys(walk, part, call)
    left, right = st.columns(2)
    with left:
        _look_map("Mask", mask.float().numpy(), queries, keys, "inside-mask")
    with right:
        weights = np.nan_to_num(call.weights(head=head).numpy())
        _look_map("Attention weights", weights, queries, keys, "inside-weights")


def call_of(walk: Walk, part: Part) -> AttentionCall | None:
    """The recorded call of an attention part."""
    calls = [call for call in walk.walked.calls if call.path == part.path]
    return calls[min(part.turn, len(calls) - 1)] if calls else None


def _keys(walk: Walk, part: Part, call: AttentionCall) -> list[str]:
    if call.kind == "cross":
        labels = walk.labels.get("encoder", ())
        if len(labels) == call.key_length:
            return [typeset.readable(label) for label in labels]
    return walk.labels_at(part, call.key_length)


def _look_map(title: str, values: np.ndarray, queries: list[str], keys: list[str], name: str) -> None:
    named = max(len(keys), len(queries)) <= MOST_NAMED
    st.markdown(f"**{title}**")
    figure = heat(
        values,
        look=theme.look().sized(-2),
        x="key",
        y="",
        rows=queries if named else None,
        columns=keys if named else None,
        limits=(0.0, 1.0),
        tell="%{text}: %{z:.0%}" if named else "query %{y}, key %{x}: %{z:.0%}",
        height=380,
    )
    figure.update_traces(showscale=False)
    if named:
        # A small map has no room for all of its tokens: every second or third is written, the pointer tells each.
        for update, labels, most in ((figure.update_xaxes, keys, ACROSS), (figure.update_yaxes, queries, DOWN)):
            ticks = range(0, len(labels), -(-len(labels) // most))
            update(tickvals=list(ticks), ticktext=[escape(labels[place]) for place in ticks])
        figure.update_traces(
            text=[[f"“{escape(query)}” attends to “{escape(key)}”" for key in keys] for query in queries]
        )
    table = pd.DataFrame(values, index=queries, columns=keys).rename_axis("query").reset_index()
    charts.chart(figure, name=name, alt=f"{title}: a cell for each query and key", table=table)


def _embedding(walk: Walk, part: Part, _: Arrays) -> None:
    """The sums of the part's lane before its blocks, for a chosen token."""
    lane = walk.walked.lane_of(part.key)
    before = takewhile(lambda item: isinstance(item, Step), lane.items)
    sums = {_addend(step): step.addition for step in before if isinstance(step, Step) and step.addition is not None}
    if not sums:
        layout.caption(SECTION.text("Tokens alone"))
        return
    first, last = next(iter(sums.values())), list(sums.values())[-1]
    rows = {"token": tokens_of(first.before.tensor)}
    for name, summed in sums.items():
        added = tokens_of(summed.added.tensor)
        rows[f"+ {name}"] = added.expand(len(rows["token"]), -1) if len(added) == 1 else added
    rows["= sum"] = tokens_of(last.after.tensor)
    labels = walk.labels_at(part, len(rows["token"]))
    chosen = controls.token(labels, first=len(labels) - 1)
    _vectors({name: vectors[chosen] for name, vectors in rows.items()}, labels[chosen])


def _addend(step: Step) -> str:
    """What is added: a part, a parameter, or what the model's own code computes."""
    if step.parts:
        return step.parts[-1].name
    return (step.addition.name if step.addition else None) or "positions"


def _vectors(rows: dict[str, Tensor], label: str) -> None:
    values = torch.stack(list(rows.values())).numpy()
    figure = partial(
        heat,
        values,
        look=theme.look().sized(-2),
        x="channel",
        y="",
        rows=list(rows),
        tell="%{y}, channel %{x}: %{z:.3f}",
        height=70 + 34 * len(rows),
    )
    lengths = ", ".join(f"{name.lstrip('+= ')} {vector.norm():.2f}" for name, vector in rows.items())
    st.markdown(f"**The first vector of “{typeset.plain(label)}”**; lengths: {lengths}")
    table = pd.DataFrame(values, index=list(rows)).rename_axis("vector").reset_index()
    charts.chart(figure, name="inside-embedding", alt=f"The vectors of {label} and their sum", table=table)


def _norm(walk: Walk, part: Part, arrays: Arrays) -> None:
    """Statistics of each token before, the weights of each channel, the recomputation."""
    before, after = tokens_of(arrays.input), tokens_of(arrays.output)
    reading = read_norm(walk.network.get_submodule(part.path), before, after)
    if not theme.is_presented():
        st.latex(NORMS[reading.kind])
    st.caption(SECTION.text("Recomputed norm", source=SOURCES[reading.kind], difference=reading.difference))
    labels = walk.labels_at(part, len(before))
    left, right = st.columns(2)
    with left:
        _before_norm(reading, labels)
    with right:
        _norm_weights(reading)


def _before_norm(reading: NormReading, labels: list[str]) -> None:
    deviation = "deviation" if reading.kind == "layer" else "root mean square"
    lines = {"mean": reading.mean.numpy(), deviation: reading.deviation.numpy()}
    st.markdown("**Each token before the norm**")
    figure = partial(
        curves,
        range(len(labels)),
        lines,
        look=theme.look().sized(-2),
        x="token",
        y="",
        labels=labels if len(labels) <= MOST_NAMED else None,
        marks=len(labels) <= MOST_NAMED,
        height=280,
    )
    table = pd.DataFrame({"token": labels, **lines})
    charts.chart(figure, name="inside-norm-tokens", alt=f"Mean and {deviation} of each token", table=table)


def _norm_weights(reading: NormReading) -> None:
    lines = {"γ": reading.gamma.numpy()}
    if reading.beta is not None:
        lines["β"] = reading.beta.numpy()
    st.markdown("**The weights of each channel**")
    figure = partial(
        curves,
        range(len(reading.gamma)),
        lines,
        look=theme.look().sized(-2),
        x="channel",
        y="",
        tell="%{fullData.name} of channel %{x}: %{y:.3f}",
        height=280,
    )
    table = pd.DataFrame({"channel": range(len(reading.gamma)), **lines})
    charts.chart(figure, name="inside-norm-channels", alt="Gamma and beta of each channel", table=table)


def _neurons(walk: Walk, part: Part, arrays: Arrays) -> None:
    """The neurons that fire most at the chosen token, and what they do at all others."""
    if arrays.hidden is None:
        return
    hidden = arrays.hidden
    labels = walk.labels_at(part, len(hidden))
    chosen = controls.token(labels, first=len(labels) - 1)
    top = hidden[chosen].topk(min(TOP_NEURONS, hidden.shape[-1])).indices
    share = (hidden[chosen] > 0).float().mean().item()
    layout.caption(SECTION.text("Neurons", neurons=hidden.shape[-1], share=share, strongest=len(top)))
    _neuron_map(hidden[:, top].T, top.tolist(), labels, chosen)


def _neuron_map(values: Tensor, neurons: list[int], labels: list[str], chosen: int) -> None:
    rows = [f"neuron {neuron}" for neuron in neurons]
    few = len(labels) <= MOST_NAMED
    figure = heat(
        values.numpy(),
        look=theme.look().sized(-2),
        x="token",
        y="",
        rows=rows,
        columns=labels if few else None,
        tell="%{y} at “%{x}”: %{z:.2f}",
        height=120 + 22 * len(rows),
    )
    figure.add_vline(x=chosen, line={"color": theme.look().palette.accent, "width": 1.5, "dash": "dot"})
    st.markdown("**The strongest neurons**")
    table = pd.DataFrame(values.numpy(), index=rows, columns=labels).rename_axis("neuron").reset_index()
    charts.chart(figure, name="inside-neurons", alt="The strongest neurons at each token", table=table)


def _answers(walk: Walk, part: Part, _: Arrays) -> None:
    """The most probable answers at a token, or for the whole input."""
    logits = walk.walked.logits
    if logits is None:
        return
    if logits.ndim == 2:
        labels = walk.labels_at(part, len(logits))
        logits = logits[controls.token(labels, first=len(labels) - 1, label="After")]
    logits = logits.float()
    values, numbers = logits.softmax(-1).topk(min(TOP_ANSWERS, len(logits)))
    answers = [typeset.readable(walk.label(number)) for number in numbers.tolist()]
    st.markdown(f"**The most probable of {len(logits):,} predictions**")
    charts.chart(
        partial(prediction_bars, answers, values.tolist(), look=theme.look()),
        name="inside-head",
        alt="The most probable predictions",
        table=pd.DataFrame(
            {"answer": answers, "logit": logits[numbers].tolist(), "probability": values.tolist()},
        ),
    )
    typeset.explain_bytes(answers)
