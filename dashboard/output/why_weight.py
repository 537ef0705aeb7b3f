"""Why one weight of the map is what it is: the way from query and key to the next word, in the numbers of the run."""

from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pandas as pd
import streamlit as st

from core.capture import layer_numbers
from core.errors import CaptureError, InputError
from core.heads.weight_explanation import Scores, Values, WeightExplanation, Written, explain_weight, written_by
from core.images import Patches
from core.text import Tokens
from dashboard import contents, theme, typeset
from dashboard.components.attention_view import close_cell
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output import why_weight_sentences as sentences
from dashboard.recordings import layer_outputs
from dashboard.recordings.layer_outputs import NextWord
from dashboard.recordings.watched import Watched, WatchedText

KEY = "why_weight"  # of the container
CHANNELS = 6  # products that are drawn one by one
KEYS = 6  # keys that are drawn


def show(
    watched: Watched,
    place: int,
    head: int,
    cell: tuple[int, int],
    *,
    view: str,
    is_plain: bool = True,
    apart: str | None = None,
) -> None:
    """Explain the weight of a cell (query, key) of a head; `place` counts the calls of the record.

    `view` is the key of the attention view, which the visitor goes back to. Unless the run `is_plain`, some heads are
    ablated in it: then it is not run again for what the head writes. `apart` is the address of the page Attention step
    by step for this run, if it can show it.
    """
    call, (query, key) = watched.record.calls[place], cell
    explanation = explain_weight(call, head, query, key)
    names = _names(watched, place)
    query_name, key_name = (_phrase(sequence, token) for sequence, token in zip(names, cell, strict=True))
    with st.container(key=KEY, border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.subheader(sentences.title(explanation, query_name, key_name), anchor=False, width="content")
            st.button(
                "Back to the map", key="why_back", icon=":material/arrow_upward:", on_click=close_cell, args=(view,)
            )
        labels, missing = _labels(names[1]), list(explanation.missing)
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
                _show_written(watched, place, explanation, key_name, missing)
            for reason in missing:
                layout.caption(typeset.plain(reason))
            if explanation.scores:
                layout.caption(sentences.CHECKED)
            if apart:
                choices = dict(parse_qsl(urlsplit(apart).query))
                layer = layer_numbers(watched.record.calls)[place]
                where = {"layer": str(layer), "head": str(head), "token": str(query)}
                contents.STEPS.link("Every number of this row: Attention step by step", **choices, **where)


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


def _show_row(explanation: WeightExplanation, labels: list[str], key_name: str) -> None:
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


def _show_values(explanation: WeightExplanation, values: Values, labels: list[str], key_name: str) -> None:
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
    watched: Watched, place: int, explanation: WeightExplanation, key_name: str, missing: list[str]
) -> None:
    """What the head writes through W_O, and what that does to the next word; reasons are appended to `missing`."""
    with layout.waiting_place():
        written = _written(watched, place, explanation)
    if isinstance(written, str):
        missing.append(written)
    else:
        st.markdown(sentences.written(explanation, written, key_name))
    if not isinstance(watched, WatchedText) or not layer_outputs.predicts_next_word(watched):
        return
    with layout.waiting_place():
        next_word = _next_word(watched, explanation)
    if isinstance(next_word, str):
        missing.append(next_word)
        return
    names = [_quoted(watched.model.label(token)) for token in next_word.candidates]
    st.markdown(sentences.next_word(explanation, next_word, names, key_name))


def _written(watched: Watched, place: int, explanation: WeightExplanation) -> Written | str:
    """What the head writes, or the reason why that is not known."""
    try:
        return written_by(explanation, layer_outputs.head_outputs(watched)[place])
    except (CaptureError, InputError) as error:
        return str(error)


def _next_word(watched: WatchedText, explanation: WeightExplanation) -> NextWord | str:
    """What the heads add to the next word after the query, or the reason why that is not known."""
    try:
        next_word = layer_outputs.next_word(watched, explanation.query)
    except (CaptureError, InputError) as error:
        return str(error)
    return next_word if explanation.call.path in next_word.heads else sentences.UNDIVIDED


def _names(watched: Watched, place: int) -> tuple[Tokens | Patches, Tokens | Patches]:
    """The sequences of the queries and of the keys of a call."""
    model: Any = watched.model  # of a text with its run, or of a picture with its own
    names = model.sequences_of(watched.record.calls[place], watched.run)
    assert names, "A layer that is in the view connects two sequences."
    return watched.run.sequences[names[0]], watched.run.sequences[names[1]]


def _labels(sequence: Tokens | Patches) -> list[str]:
    """A label for each token; patches are named as in the view, by row and column."""
    if isinstance(sequence, Tokens):
        return [typeset.readable(label) for label in sequence.labels]
    places = (divmod(place, sequence.columns) for place in range(sequence.rows * sequence.columns))
    return [*sequence.prefix, *(f"patch {row}·{column}" for row, column in places)]


def _phrase(sequence: Tokens | Patches, token: int) -> str:
    """What a token is called in a sentence, as Markdown."""
    label = _labels(sequence)[token]
    if isinstance(sequence, Tokens):
        return f"“{typeset.plain(label)}”"
    return f"the {typeset.plain(label)} token" if token < len(sequence.prefix) else typeset.plain(label)


def _quoted(label: str) -> str:
    """A token that may come next, as Markdown: “…s” where it goes on with a word."""
    return f"“{'…' if label[:1].isalnum() else ''}{typeset.plain(typeset.readable(label))}”"


def _largest(numbers: np.ndarray, key: int) -> tuple[list[int], bool]:
    """The places of the largest numbers, the largest first, and of the cell; whether it is one of them anyway."""
    order = np.argsort(-numbers, kind="stable")[:KEYS].tolist()
    return (order, True) if key in order else ([*order[: KEYS - 1], key], False)
