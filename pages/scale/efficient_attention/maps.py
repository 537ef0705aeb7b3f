"""Maps: the exact map of a real head, an approximation of it, and what is lost between them."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.efficient import Linformer, Performer, SlidingWindow, Sparse
from core.efficient.approximation_error import Comparison
from core.efficient.error_curve import Point
from core.text import Tokens
from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import signed
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.scale.efficient_attention import compute, methods, reading
from pages.scale.efficient_attention.mask import mask_and_reach
from pages.scale.efficient_attention.methods import Method
from pages.scale.efficient_attention.prose import PAGE
from pages.scale.efficient_attention.work_curves import error_against_work

SECTION = PAGE.section("Maps")
NAMED = 32  # tokens: up to here the axes carry them
QUANTILE = 0.995  # of the cells lie within the scale: a few very strong weights would leave all others pale
SMALLEST_LOSS = 1e-3  # weights that fall by less are not listed
NEAR = 0.1  # of the output: an error that may pass as small


def show() -> None:
    """Text, head and method; three maps; the errors; the lost links; the curve; the mask and how far it reaches."""
    main, settings = layout.bar_with_settings()
    read = reading.choose(main, settings)
    with settings:
        far_layer, far_head = compute.farthest(read)
        layer = controls.number("Layer", len(read.calls), key="layer", first=far_layer)
        heads = read.calls[layer].heads
        head = controls.number("Head", heads, key="head", first=far_head if layer == far_layer else 0)
    of_head = compute.head(read, layer, head)
    causal = of_head.causal
    method = methods.choose(read.length, causal=causal, key="maps", main=main, settings=settings)
    with layout.waiting_place():
        comparison = compute.compared(read, layer, head, method.variant)
    _side_by_side(comparison, method.name, read.tokens)
    layout.place_notice()
    bar = st.container(horizontal=True)
    for label, value, about in numbers(comparison):
        bar.metric(label, value, help=about, width=160)
    _remarks(comparison, method)
    reading.show_written(read)
    with layout.waiting_place():
        _say_how(comparison, method, causal=causal)
    lost, along = st.columns([2, 3], gap="large")
    with lost:
        _links(comparison, read.tokens)
    with along:
        points = error_against_work(read, layer, head, method, comparison, causal=causal)
    sentences = [
        error_notice(comparison, method.name),
        lost_notice(comparison, method, read.tokens),
        enough_notice(points, method),
    ]
    if isinstance(method.variant, Sparse):
        sentences.append(mask_and_reach(method.variant, read.length, layers=len(read.calls)))
    else:
        without = "Causal methods without a mask" if causal else "Methods without a mask"
        layout.caption(SECTION.text(without, method=method.name))
    layout.notes(
        SECTION,
        notice=tuple(filter(None, sentences)),
        numbers={
            "error": comparison.output_error,
            "multiplications": _in_latex(comparison.multiplications),
            "exact_multiplications": _in_latex(comparison.exact_multiplications),
            "work": comparison.cost,
            "tokens": comparison.tokens,
            "channels": of_head.query.shape[-1],
        },
        formula=lambda: _formula(comparison, method),
    )


def numbers(comparison: Comparison) -> list[tuple[str, str, str]]:
    """Label, value and explanation of the errors and the work.

    A row that drops a link has an infinite divergence: then it is said how many rows do, not the mean of the others.
    """
    if comparison.infinite:
        note = f" Mean of the other rows: {comparison.divergence:.3g} bits." if comparison.infinite < 1 else ""
        label, value, extra = "Infinite KL, rows", percent(comparison.infinite), note
    else:
        label, value, extra = "KL divergence", f"{comparison.divergence:.3g} bits", ""
    values = {
        "Error of the output": percent(comparison.output_error),
        "Attention moved": percent(comparison.moved),
        "On dropped links": percent(comparison.dropped),
        label: value,
        "Work": f"{comparison.cost:.3g}×",
    }
    return [(name, text, SECTION.text(name) + (extra if name == label else "")) for name, text in values.items()]


def percent(share: float) -> str:
    """Three digits at most, and never a 0 that is none."""
    if 0 < share < 5e-4:
        return "< 0.1%"
    return f"{share:.1%}" if share < 0.995 else f"{share:,.0%}"


def _side_by_side(comparison: Comparison, method: str, tokens: Tokens) -> None:
    """Three maps; the two of weights have the same scale."""
    exact, other, end = comparison.exact.numpy(), comparison.approximate.numpy(), _end(comparison)
    panels = (
        ("Exact", "exact", exact, (0.0, end)),
        (method, "approximate", other, (-end if other.min() < -0.05 * end else 0.0, end)),
        ("Approximate minus exact", "difference", other - exact, (-end, end)),
    )
    rows, keys = math.ceil(len(comparison.rows) / len(exact)), math.ceil(comparison.tokens / exact.shape[1])
    if comparison.tokens <= NAMED:
        queries = columns = [typeset.readable(label) for label in tokens.labels]
    else:  # where a cell is a block, the first position in the text
        queries = [f"{int(row):,}" for row in comparison.rows[::rows]]
        columns = [f"{column:,}" for column in range(0, comparison.tokens, keys)]
    for place, (title, name, values, limits) in zip(st.columns(3, gap="medium"), panels, strict=True):
        with place:
            st.markdown(f"**{title}**")
            cell_map(
                values,
                key=f"maps-{name}",
                x="key",
                y="query",
                tell="query {row}, key {column}: {value}",
                rows=queries,
                columns=columns,
                limits=limits,
                alt=f"The {name} map: queries from top to bottom, keys from left to right, {comparison.tokens} tokens",
                name=f"maps-{name}",
                height=theme.look().high(360),
            )


def _remarks(comparison: Comparison, method: Method) -> None:
    """What the method does, and how the maps are drawn."""
    cells = comparison.exact.shape
    rows, keys = math.ceil(len(comparison.rows) / cells[0]), math.ceil(comparison.tokens / cells[1])
    pooled = comparison.exact.numel() < comparison.tokens * len(comparison.rows)
    end = _end(comparison)
    if pooled:
        drawn = SECTION.text("Scale of pooled maps", rows=rows, keys=keys, end=end)
    else:
        drawn = SECTION.text("Scale of single weights", end=end)
    layout.caption(f"**{method.name}.** {SECTION.text(method.name)} {drawn}")


def _end(comparison: Comparison) -> float:
    """Where the scale of weights ends."""
    exact = comparison.exact.numpy()
    return float(np.quantile(exact[exact > 0], QUANTILE)) if (exact > 0).any() else 1.0


def _say_how(comparison: Comparison, method: Method, *, causal: bool) -> None:
    if comparison.sampled:
        layout.caption(SECTION.text("Sampled rows", tokens=comparison.tokens, rows=len(comparison.rows)))
    if causal and method.variant.looks_ahead:
        layout.caption(SECTION.text("Methods that look ahead", method=method.name))
    if causal and isinstance(method.variant, Linformer):
        rows, block = method.variant.matrix(comparison.tokens).shape
        layout.caption(SECTION.text("Causal form of Linformer", block=block, rows=rows))


def _links(comparison: Comparison, tokens: Tokens) -> None:
    """The strongest weights that are lost, with their tokens, the strongest loss first."""
    st.markdown("**What is lost: the strongest weights that fall**")
    links = [link for link in comparison.links if link.exact - link.approximate >= SMALLEST_LOSS]
    if not links:
        st.caption("No weight falls by more than a rounding error.")
        return
    names = [typeset.readable(label) for label in tokens.labels]
    rows = [
        (f"{link.query} {names[link.query]}", f"{link.key} {names[link.key]}", link.exact, link.approximate)
        for link in links
    ]
    table = pd.DataFrame(rows, columns=["query", "key", "exact", "now"])
    digits = {name: st.column_config.NumberColumn(format="%.3f", width=70) for name in ("exact", "now")}
    data_table(table, hide_index=True, column_config=digits)
    charts.download_table(table, "maps-lost-links")


def error_notice(comparison: Comparison, method: str) -> str:
    """The relative error of the output, and the work that it takes."""
    work = f"{comparison.cost:.2g} times the work" if comparison.cost > 1 else f"{percent(comparison.cost)} of the work"
    sentence = (
        f"*{method}* does {work} of the exact kernel, and the output of this head is "
        f"**{percent(comparison.output_error)}** off."
    )
    saves_nothing = " It saves nothing here: this setting would save work only on a longer text."
    return sentence + (saves_nothing if comparison.cost > 1 else "")


def lost_notice(comparison: Comparison, method: Method, tokens: Tokens) -> str:
    """How much attention lies elsewhere, and the strongest link that is weaker now; empty where neither is there."""
    variant, sentence = method.variant, ""
    elsewhere = f"{percent(comparison.moved)} of the attention lies elsewhere. "
    if isinstance(variant, Sparse):
        sentence = (
            f"{percent(comparison.dropped)} of the attention falls on links that are skipped; the rest of each row is "
            "scaled up until it sums to 1. "
        )
    elif isinstance(variant, Performer):
        sentence = f"Weights are estimated: {elsewhere}"
    elif isinstance(variant, Linformer) and comparison.moved >= SMALLEST_LOSS:
        sentence = "Neighbours share a weight: " if variant.projection == "mean" else "Keys are mixed at random: "
        sentence += elsewhere
    link = next((link for link in comparison.links if link.exact - link.approximate >= SMALLEST_LOSS), None)
    if link is None:
        return sentence.strip()
    query, key = (typeset.plain(typeset.readable(tokens.labels[place])) for place in (link.query, link.key))
    back = link.query - link.key
    target = "itself" if not back else f"“{key}” (token {link.key:,})"
    where = f", {back:,} token{'s' * (back > 1)} back," if back > 0 else ""
    among = " among these rows" if comparison.sampled else ""
    return (
        f"{sentence}The strongest loss{among}: “{query}” (token {link.query:,}) gave **{link.exact:.2f}** of its "
        f"attention to {target}{where} and gives {signed(link.approximate)} now."
    )


def enough_notice(points: Sequence[Point], method: Method) -> str:
    """From which setting of the curve on the error stays small, and what that takes."""
    setting = methods.SETTINGS[method.name]
    if not points:
        return ""
    enough = next((p for n, p in enumerate(points) if all(q.error <= NEAR for q in points[n:])), None)
    if enough is None:
        best = min(points, key=lambda point: point.error)
        return (
            f"At the end of the curve the error is still above {NEAR:.0%}: it is smallest with {setting} "
            f"{best.setting:,}, at {percent(best.error)}."
        )
    work = f"{percent(enough.cost)} of the work" if enough.cost <= 1 else "more work than the exact kernel"
    return f"The error stays within {NEAR:.0%} from {setting} {enough.setting:,} on, which takes {work}."


# What the formula of each method has numbers for.
NUMBERS: Mapping[str, Callable[[Any], dict[str, object]]] = {
    methods.WINDOW: lambda variant: {"where": _where(variant)},
    methods.BIGBIRD: lambda variant: {name: getattr(variant, name) for name in ("window", "random", "global_tokens")},
    methods.LINFORMER: lambda variant: {"rank": variant.rank},
    methods.PERFORMER: lambda variant: {"features": variant.features},
    methods.CLUSTERED: lambda variant: {"clusters": variant.clusters},
    methods.LOW_RANK: lambda variant: {"rank": variant.rank},
}


def _where(variant: SlidingWindow) -> str:
    """Which keys j a query i attends to, in LaTeX."""
    return rf"0 \le i - j < {variant.window}" if variant.causal else rf"|i - j| \le {variant.window // 2}"


def _formula(comparison: Comparison, method: Method) -> None:
    """The method's own formula, and the divergence where it is finite."""
    st.markdown(SECTION.text(f"Formula: {method.name}", **NUMBERS[method.name](method.variant)))
    if not comparison.infinite:
        st.markdown(SECTION.text("Mean divergence", divergence=comparison.divergence))


def _in_latex(count: int) -> str:
    return f"{count:,}".replace(",", "{,}")
