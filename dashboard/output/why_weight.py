"""Why one weight of the map is what it is: the way from query and key to the next word, in the numbers of the run."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from core.errors import CaptureError, InputError
from core.heads.contributions import TOLERANCE
from core.heads.weight_explanation import Scores, Values, WeightExplanation, explain_weight, written_by
from dashboard import theme, typeset
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output import why_weight_sentences as sentences
from dashboard.output.explained_run import ExplainedRun

KEY = "why_weight"  # of the container
CHANNELS = 6  # products that are drawn one by one
KEYS = 6  # keys that are drawn


def show(
    run: ExplainedRun,
    place: int,
    head: int,
    cell: tuple[int, int],
    *,
    on_back: Callable[[], None],
    is_plain: bool = True,
    about: str = "",
    row: Float[np.ndarray, " key"] | None = None,
) -> None:
    """Explain the weight of a cell (query, key) of a head; `place` counts the calls of the run.

    `on_back` is called before the page runs again, when the visitor goes back to the map. Unless the run `is_plain`,
    some heads are ablated in it: then it is not run again for what the head writes. `about` is a sentence (Markdown)
    below the title. `row` are the weights of the map, where it was made by another run than the one that is explained:
    where they differ nothing is explained.
    """
    call, (query, key) = run.calls[place], cell
    explanation = explain_weight(call, head, query, key)
    query_names, key_names = run.names(call)
    query_name, key_name = query_names.phrases[query], key_names.phrases[key]
    with st.container(key=KEY, border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.subheader(sentences.title(explanation, query_name, key_name), anchor=False, width="content")
            st.button("Back to the map", key="why_back", icon=":material/arrow_upward:", on_click=on_back)
        if about:
            st.markdown(about, width=theme.PROSE)
        if (refusal := _refusal(explanation, row)) is not None:
            layout.caption(refusal)
            return
        labels, missing = key_names.labels, list(explanation.missing)
        left, right = st.columns(2, gap="large")
        with left:
            if explanation.scores:
                _show_products(explanation.scores, query_name, key_name)
        with right:
            _show_row(explanation, labels, key_name)
        left, right = st.columns(2, gap="large")
        with left:
            if explanation.values:
                _show_values(explanation, explanation.values, labels, key_name)
        with right:
            if not is_plain:
                missing.append(sentences.ABLATED)
            elif explanation.values:
                _show_written(run, place, explanation, key_name, missing)
            for reason in missing:
                layout.caption(typeset.plain(reason))
            if explanation.scores:
                layout.caption(sentences.CHECKED)
            if is_plain:
                run.show_links(explanation)


def refuse(reason: str, *, on_back: Callable[[], None]) -> None:
    """In the place of an explanation, the reason why there is none (Markdown)."""
    with st.container(key=KEY, border=True):
        st.markdown(reason, width=theme.PROSE)
        st.button("Back to the map", key="why_back", icon=":material/arrow_upward:", on_click=on_back)


def _refusal(explanation: WeightExplanation, row: Float[np.ndarray, " key"] | None) -> str | None:
    """Why nothing is explained, where the row is not that of the map; None where it is."""
    if row is None:
        return None
    difference = float(np.abs(explanation.weights.numpy() - row).max())
    is_same = difference <= TOLERANCE * float(np.abs(row).max())  # not of NaN
    return None if is_same else sentences.NOT_THE_MAP.format(difference=difference)


def _show_products(scores: Scores, query_name: str, key_name: str) -> None:
    """The largest products, the sum of the others, and the dot product; then the score."""
    st.markdown(sentences.products(scores, query_name, key_name))
    count = len(scores.products)
    first = scores.largest(CHANNELS if count > CHANNELS + 1 else count)
    rows, parts = [f"channel {channel}" for channel in first.tolist()], scores.products[first].numpy()
    query, key = scores.query[first].numpy(), scores.key[first].numpy()
    if len(first) < count:
        rows.append(f"the other {count - len(first)}")
        parts = np.append(parts, scores.dot - parts.sum())
    rows.append("sum")
    parts = np.append(parts, scores.dot)
    query, key = (np.append(vector, np.full(len(rows) - len(vector), np.nan)) for vector in (query, key))
    columns = [
        Column("query", query, "%{customdata}: the query has %{x:.4f}"),
        Column("key", key, "%{customdata}: the key has %{x:.4f}"),
        Column("product", parts, "%{customdata}: %{x:.4f}"),
    ]
    charts.chart(
        partial(score_bars, rows, columns, look=theme.look().sized(-1), marked=len(rows) - 1),
        name="why-products",
        alt=sentences.listed(rows, parts),
        table=pd.DataFrame(
            {"channel": range(count), "query": scores.query, "key": scores.key, "product": scores.products}
        ),
    )
    st.markdown(sentences.score(scores))
    st.latex(sentences.score_formula(scores))


def _show_row(explanation: WeightExplanation, labels: Sequence[str], key_name: str) -> None:
    """The row of scores before and of weights after the softmax, with the cell marked; weights alone without scores."""
    scores, weights = explanation.scores, explanation.weights.numpy()
    if np.isnan(weights).any():
        return
    st.markdown(sentences.softmax(explanation, key_name))
    rows, is_among = _largest(weights, explanation.key)
    table: dict[str, Any] = {"position": range(len(labels)), "key": labels}
    columns = [Column("weight", weights[rows], "%{customdata}: weight %{x:.4f}")]
    if scores:
        st.latex(sentences.softmax_formula(explanation, scores))
        masked = np.where(scores.permitted.numpy(), scores.masked.numpy(), np.nan)
        columns.insert(0, Column("score", masked[rows], "%{customdata}: score %{x:.4f}"))
        table["score"] = masked
    row_labels = [labels[row] for row in rows]
    charts.chart(
        partial(score_bars, row_labels, columns, look=theme.look().sized(-1), marked=rows.index(explanation.key)),
        name="why-row",
        alt=sentences.listed(row_labels, weights[rows]),
        table=pd.DataFrame(table | {"weight": weights}),
    )
    if len(rows) < len(labels):
        layout.caption(sentences.some_keys(len(rows), len(labels), "weights", is_among=is_among))


def _show_values(explanation: WeightExplanation, values: Values, labels: Sequence[str], key_name: str) -> None:
    """What the weights take from the values, and the share of each key in the output of the head."""
    st.markdown(sentences.mix(explanation, values, key_name))
    weights, lengths, shares = explanation.weights.numpy(), values.lengths.numpy(), values.shares.numpy()
    if np.isnan(shares).any():
        return
    rows, is_among = _largest(np.abs(shares), explanation.key)
    columns = [
        Column("weight", weights[rows], "%{customdata}: weight %{x:.4f}"),
        Column("× length of value", lengths[rows], "%{customdata}: its value is %{x:.3f} long"),
        Column("share of output", shares[rows], "%{customdata}: %{x:.1%} of the output", percent=True),
    ]
    row_labels = [labels[row] for row in rows]
    charts.chart(
        partial(score_bars, row_labels, columns, look=theme.look().sized(-1), marked=rows.index(explanation.key)),
        name="why-values",
        alt=sentences.listed(row_labels, shares[rows]),
        table=pd.DataFrame(
            {
                "position": range(len(labels)),
                "key": labels,
                "weight": weights,
                "length of value": lengths,
                "share of output": shares,
            }
        ),
    )
    if len(rows) < len(labels):
        layout.caption(sentences.some_keys(len(rows), len(labels), "shares", is_among=is_among))


def _show_written(
    run: ExplainedRun, place: int, explanation: WeightExplanation, key_name: str, missing: list[str]
) -> None:
    """What the head writes through W_O, and what that does to the prediction; reasons are appended to `missing`."""
    try:
        with layout.waiting_place():
            written = written_by(explanation, run.head_outputs()[place])
        st.markdown(sentences.written(explanation, written, key_name))
    except (CaptureError, InputError) as error:
        missing.append(str(error))
    try:
        with layout.waiting_place():
            consequence = run.consequence(explanation, key_name)
    except (CaptureError, InputError) as error:
        missing.append(str(error))
        return
    if consequence:
        st.markdown(consequence.sentence)
        if consequence.show_link:
            consequence.show_link()


def _largest(numbers: np.ndarray, key: int) -> tuple[list[int], bool]:
    """The places of the largest numbers, the largest first, and of the cell; whether it is one of them anyway."""
    order = np.argsort(-numbers, kind="stable")[:KEYS].tolist()
    return (order, True) if key in order else ([*order[: KEYS - 1], key], False)
