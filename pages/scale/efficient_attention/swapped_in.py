"""Swapped in: what a language model loses when its layers run with another attention, without any training."""

import math

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.efficient import model_loss
from core.progress import Progress
from dashboard import theme, typeset
from dashboard.cache import waiting
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.number_format import CLEAR, compare
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.scale.efficient_attention import compute, methods, reading
from pages.scale.efficient_attention.compute import Reading
from pages.scale.efficient_attention.methods import Method
from pages.scale.efficient_attention.prose import PAGE
from pages.scale.efficient_attention.work_curves import LN2, cheap_notice, loss_against_work

SECTION = PAGE.section("Swapped in")
FAST = 512  # tokens: up to here two passes take less than a second
MOST = 10  # tokens that are listed
ROOM = 32  # tokens: in shorter texts no half says anything


def show() -> None:
    """Text, layers and method; the loss; where it rises; every method at every setting."""
    main, settings = layout.bar_with_settings()
    read = reading.choose(main, settings)
    model_loss.check(read.model, read.tokens)
    with settings:
        layers = _layers(len(read.calls))
    method = methods.choose(read.length, causal=True, key="swap", main=main, settings=settings, measured=True)
    if read.length > FAST and compute.surprises.peek(read, method.variant, layers) is None:
        _offer(read, method, layers)
        _remarks(method)
        return
    with layout.waiting_place():
        exact, other = compute.surprises(read, None, ()), compute.surprises(read, method.variant, layers)
    _by_position(exact, other, method.name)
    layout.place_notice()
    _numbers(exact, other)
    _remarks(method)
    reading.show_written(read)
    listed, swept = st.columns([2, 3], gap="large")
    table = rises(exact, other, [typeset.in_word(read.tokens, place) for place in range(read.length)])
    with listed:
        st.markdown("**Where the loss rises most**")
        digits = {name: st.column_config.NumberColumn(format="%.2f") for name in table.columns[2:]}
        data_table(table, hide_index=True, column_config=digits)
        typeset.explain_bytes(table["token"])
        charts.download_table(table, "swapped-rises")
    with swept:
        lines = loss_against_work(read, layers, float(exact.mean()) / LN2)
    before, after = float(exact.mean()), float(other.mean())
    layout.notes(
        SECTION,
        notice=notices(exact, other, method.name, table) + ((cheap_notice(lines),) if lines else ()),
        numbers={
            "tokens": len(exact) + 1,
            "exact": before,
            "exact_bits": before / LN2,
            "swapped": after,
            "swapped_bits": after / LN2,
            "method": method.name,
        },
    )


def rises(exact: torch.Tensor, other: torch.Tensor, labels: list[str]) -> pd.DataFrame:
    """The tokens whose surprise rises most, in bits."""
    change = other - exact
    places = [int(place) for place in change.argsort(descending=True)[:MOST] if change[place] > 0]
    rows = [(labels[at + 1], at + 1, float(exact[at]) / LN2, float(other[at]) / LN2) for at in places]
    return pd.DataFrame(rows, columns=["token", "position", "exact, bits", "now, bits"])


def _remarks(method: Method) -> None:
    """What is done here, and what the method does."""
    layout.prose(SECTION.text("Attention without training"))
    layout.caption(f"**{method.name}.** {SECTION.text(method.name)} {SECTION.text('Methods that look ahead')}")


def _layers(count: int) -> tuple[int, ...]:
    """The chosen layers; all of them where none is chosen."""
    names = [str(layer) for layer in range(count)]
    if stale := set(st.session_state.get("swap_layers") or ()) - set(names):
        st.session_state.swap_layers = [name for name in st.session_state.swap_layers if name not in stale]
    chosen = st.multiselect(
        "Layers that are swapped", names, key="swap_layers", bind="query-params", placeholder="all layers", width=320
    )
    return tuple(sorted(map(int, chosen))) or tuple(range(count))


def _offer(read: Reading, method: Method, layers: tuple[int, ...]) -> None:
    def both(progress: Progress) -> None:
        compute.surprises(read, None, (), progress)
        compute.surprises(read, method.variant, layers, progress)

    waiting.offer(f"Read the text with {method.name}", both, unit="layers", key="swap-read")


def _numbers(exact: torch.Tensor, other: torch.Tensor) -> None:
    before, after = float(exact.mean()), float(other.mean())
    with st.container(horizontal=True):
        for label, nats in (("Loss, exact", before), ("Loss, swapped in", after), ("Rise", after - before)):
            about = f"{nats:.3f} nats per token, mean of {len(exact):,}."
            st.metric(label, f"{nats / LN2:.3f} bits", help=about, width=180)
        st.metric("Perplexity", f"{perplexity(before)} → {perplexity(after)}", width=280)


def perplexity(nats: float) -> str:
    """e to this power in few digits, never infinite: more than e⁵⁰ is no number of choices to imagine."""
    value = np.exp(min(nats, 50))
    return f"{value:,.1f}" if value < 1000 else f"{value:.2e}" if value >= 1e6 else f"{value:,.0f}"


def _by_position(exact: torch.Tensor, other: torch.Tensor, method: str) -> None:
    width = max(1, len(exact) // 32)
    places = np.linspace(0, len(exact) - 1, min(len(exact), 1000)).round().astype(int)
    figure = curves(
        places + 1,
        {name: running(values, width)[places] for name, values in (("exact", exact), (method, other))},
        look=theme.look(),
        x="position in the text",
        y="surprise (bits)",
        tell="%{fullData.name}, around token %{x:,}: %{y:.2f} bits",
        hues={"exact": theme.look().palette.soft, method: methods.HUE[method]},
        height=320,
    )
    figure.update_yaxes(rangemode="tozero")
    charts.chart(
        figure,
        name="swapped-positions",
        alt=f"Surprise in bits along the text, with exact attention and with {method}",
        table=pd.DataFrame(
            {"position": np.arange(1, len(exact) + 1), "exact": exact.numpy() / LN2, "swapped": other.numpy() / LN2}
        ),
    )
    layout.caption(SECTION.text("Surprise by position", width=width))


def running(values: torch.Tensor, width: int) -> np.ndarray:
    """The mean of so many values around each, in bits; of fewer at the ends."""
    kernel, bits = np.ones(width), values.double().numpy() / LN2
    return np.convolve(bits, kernel, mode="same") / np.convolve(np.ones(len(bits)), kernel, mode="same")


def notices(exact: torch.Tensor, other: torch.Tensor, method: str, table: pd.DataFrame) -> tuple[str, ...]:
    """How much the loss changes, in which half of the text, and at which token of `rises` most."""
    before, after = float(exact.mean()) / LN2, float(other.mean()) / LN2
    if abs(after - before) < 0.005:
        sentences = [f"With *{method}* the loss stays within 0.005 bits of what it was, {before:.2f}."]
    else:
        worse = float((other > exact).float().mean())
        verb = "rises" if after > before else "falls"
        sentences = [
            f"Without training, *{method}* changes the loss by **{_signed(after - before)} bits** per token: it {verb} "
            f"from {before:.2f} to {after:.2f}. {worse:.0%} of the tokens become less expected."
        ]
    if len(exact) >= ROOM:
        halves = ((other - exact) / LN2).chunk(2)
        first, second = (round(float(half.mean()), 2) + 0.0 for half in halves)
        error = math.hypot(*(float(half.std()) / len(half) ** 0.5 for half in halves))
        side = compare(second, first, margin=max(0.02, CLEAR * error))
        if side == "as much":
            sentences.append(
                f"Whether one half of the text fares worse cannot be told ({_signed(first)} bits in the first, "
                f"{_signed(second)} in the second; two standard errors of the difference are {CLEAR * error:.2f})."
            )
        else:
            sentences.append(
                f"The {'second' if side == 'more' else 'first'} half of the text fares worse: {_signed(first)} bits in "
                f"the first, {_signed(second)} in the second."
            )
    if len(table):
        row = table.iloc[0]
        sentences.append(
            f"The largest rise is at “{typeset.plain(str(row['token']))}” (token {row['position']:,}): from "
            f"{row['exact, bits']:.1f} to {row['now, bits']:.1f} bits."
        )
    return tuple(sentences)


def _signed(bits: float) -> str:
    """Two digits with their sign, and a true minus."""
    return f"{round(bits, 2) + 0.0:+.2f}".replace("-", "−")
