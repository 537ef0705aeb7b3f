"""The exact map, the approximate one and their difference, and the errors as numbers."""

import math

import numpy as np
import streamlit as st

from core.efficient.approximation_error import Comparison
from core.text import Tokens
from dashboard import layout
from dashboard.components.cell_map import cell_map
from pages.scale.efficient_attention import words_maps as said

NAMED = 32  # tokens: up to here the axes carry them
QUANTILE = 0.995  # of the cells lie within the scale: a few very strong weights would leave all others pale


def errors_in_numbers(found: Comparison) -> None:
    """Five numbers in a row."""
    with st.container(horizontal=True):
        _number("Error of the output", percent(found.output_error), "Relative, by Frobenius norms; see below.")
        _number("Attention moved", percent(found.moved), "Half of the summed difference of a row, mean of all rows.")
        _number(
            "On dropped links",
            percent(found.dropped),
            "The share of the exact attention that falls where the approximation has none.",
        )
        _divergence(found)
        _number("Work", f"{found.cost:.3g}×", "Multiplications, compared with the exact kernel's.")


def _divergence(found: Comparison) -> None:
    """A row that drops a link has none: then it is said how many rows do, not the mean of the few others."""
    if not found.infinite:
        _number("KL divergence", f"{found.divergence:.3g} bits", "Of the exact rows from the approximate ones, mean.")
        return
    about = "A row that drops a link is infinitely far, however little it drops: see the share on dropped links."
    if found.infinite < 1:
        about += f" Mean of the other rows: {found.divergence:.3g} bits."
    _number("Infinite KL, rows", f"{found.infinite:.0%}", about)


def side_by_side(found: Comparison, method: str, tokens: Tokens) -> None:
    """Three maps; the two of weights have the same scale."""
    exact, other = found.exact.numpy(), found.approximate.numpy()
    end = float(np.quantile(exact[exact > 0], QUANTILE)) if (exact > 0).any() else 1.0
    shown = (
        ("Exact", "exact", exact, (0.0, end)),
        (method, "approximate", other, (-end if other.min() < -0.05 * end else 0.0, end)),
        ("Approximate minus exact", "difference", other - exact, (-end, end)),
    )
    for column, (title, name, values, limits) in zip(st.columns(3, gap="medium"), shown, strict=True):
        with column:
            st.markdown(f"**{title}**")
            _map(values, found, name, limits, tokens)
    rows, keys = len(found.rows) / len(exact), found.tokens / exact.shape[1]
    if exact.size < found.tokens * len(found.rows):
        st.caption(said.POOLED.format(rows=math.ceil(rows), keys=math.ceil(keys), end=f"{end:.2g}"))
    else:
        st.caption(said.SCALE.format(end=f"{end:.2g}"))


def percent(share: float) -> str:
    """Three digits at most, and never a 0 that is none."""
    if 0 < share < 5e-4:
        return "< 0.1%"
    return f"{share:.1%}" if share < 0.995 else f"{share:,.0%}"


def _number(label: str, value: str, about: str) -> None:
    st.metric(label, value, help=about, width=160)


def _map(values: np.ndarray, found: Comparison, name: str, limits: tuple[float, float], tokens: Tokens) -> None:
    if found.tokens <= NAMED:
        rows = columns = [layout.readable(label) for label in tokens.labels]
    else:  # where a cell is a block, the first position in the text
        rows = [f"{int(row):,}" for row in found.rows[:: -(-len(found.rows) // len(values))]]
        columns = [f"{column:,}" for column in range(0, found.tokens, -(-found.tokens // values.shape[1]))]
    cell_map(
        values,
        key=f"maps-{name}",
        x="key",
        y="query",
        tell="query {row}, key {column}: {value}",
        rows=rows,
        columns=columns,
        limits=limits,
        alt=f"The {name} map: queries from top to bottom, keys from left to right, {found.tokens} tokens",
        name=f"maps-{name}",
        height=layout.look().high(360),
    )
