"""Swapped in: what a language model loses when its layers run with another attention, without any training."""

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.efficient import swapped
from core.progress import Progress
from dashboard import charts, layout, waiting
from dashboard.figures.curves import curves
from dashboard.theme import HUES
from pages.scale.efficient_attention import compute as kept
from pages.scale.efficient_attention import methods, swapped_notices
from pages.scale.efficient_attention import words_swapped as said
from pages.scale.efficient_attention.given import given
from pages.scale.efficient_attention.methods import Method
from pages.scale.efficient_attention.swapped_sweep import sweep_part

FAST = 512  # tokens: up to here two passes take less than a second
MOST = 10  # tokens that are listed
LN2 = float(np.log(2))


def show() -> None:
    """Text, layers and method; the loss; where it rises; every method at every setting."""
    if not layout.is_presented():
        st.markdown(said.ABOUT, width=layout.PROSE)
    chosen = given()
    reading, own = chosen.reading, chosen.own
    swapped.check(reading.model, reading.tokens)
    layers = _layers(len(reading.calls))
    method = methods.choose(reading.length, causal=True, key="swap", measured=True)
    if not layout.is_presented():
        st.caption(said.NOT_CAUSAL)
    if reading.length > FAST and not kept.is_known(own, method.variant, layers):
        _offer(own, method, layers)
        return
    with layout.waiting_place(), st.spinner(f"Reading with {method.name} …"):
        exact = kept.surprises(own, None, ())
        other = kept.surprises(own, method.variant, layers)
    _numbers(exact, other)
    _by_position(exact, other, method)
    listed, swept = st.columns([2, 3], gap="large")
    table = rises(exact, other, [layout.readable(label) for label in reading.tokens.labels])
    with listed:
        st.markdown(f"**{said.MOST}**")
        digits = {name: st.column_config.NumberColumn(format="%.2f") for name in table.columns[2:]}
        st.dataframe(table, hide_index=True, column_config=digits)
        charts.download_table(table, "swapped-rises")
    with swept:
        points = sweep_part(own, layers, len(reading.calls), float(exact.mean()) / LN2)
    layout.notes(
        said.NOTES,
        notice=swapped_notices.sentences(exact, other, method, table, points),
        formula=lambda: _formula(exact, other, method),
    )


def rises(exact: torch.Tensor, other: torch.Tensor, labels: list[str]) -> pd.DataFrame:
    """The tokens whose surprise rises most, in bits."""
    change = (other - exact) / LN2
    places = [int(place) for place in change.argsort(descending=True)[:MOST] if change[place] > 0]
    return pd.DataFrame(
        {
            "token": [labels[place + 1] for place in places],
            "position": [place + 1 for place in places],
            "exact, bits": [float(exact[place]) / LN2 for place in places],
            "now, bits": [float(other[place]) / LN2 for place in places],
        }
    )


def _layers(count: int) -> tuple[int, ...]:
    """The chosen layers; all of them where none is chosen."""
    names = [str(layer) for layer in range(count)]
    if stale := set(st.session_state.get("swap_layers") or ()) - set(names):
        st.session_state.swap_layers = [name for name in st.session_state.swap_layers if name not in stale]
    chosen = st.multiselect(
        "Layers that are swapped", names, key="swap_layers", bind="query-params", placeholder=said.ALL, width=420
    )
    return tuple(sorted(map(int, chosen))) or tuple(range(count))


def _offer(own: kept.Own, method: Method, layers: tuple[int, ...]) -> None:
    def read(progress: Progress) -> None:
        kept.surprises(own, None, ())
        kept.surprises(own, method.variant, layers, progress)

    waiting.offer(f"Read the text with {method.name}", read, unit="layers", key="swap-read")


def _numbers(exact: torch.Tensor, other: torch.Tensor) -> None:
    before, after = float(exact.mean()), float(other.mean())
    with st.container(horizontal=True):
        for label, nats in (("Loss, exact", before), ("Loss, swapped in", after), ("Rise", after - before)):
            st.metric(
                label, f"{nats / LN2:.3f} bits", help=f"{nats:.3f} nats per token, mean of {len(exact):,}.", width=180
            )
        st.metric("Perplexity", f"{_perplexity(before)} → {_perplexity(after)}", width=280)


def _perplexity(nats: float) -> str:
    value = np.exp(min(nats, 50))  # larger ones are no longer a number of choices that anybody could imagine
    return f"{value:,.1f}" if value < 1000 else f"{value:.2e}" if value >= 1e6 else f"{value:,.0f}"


def _by_position(exact: torch.Tensor, other: torch.Tensor, method: Method) -> None:
    width = max(1, len(exact) // 32)
    lines = {name: running(values, width) for name, values in (("exact", exact), (method.name, other))}
    places = np.linspace(0, len(exact) - 1, min(len(exact), 1000)).round().astype(int)
    figure = curves(
        places + 1,
        {name: values[places] for name, values in lines.items()},
        look=layout.look(),
        x="position in the text",
        y="surprise (bits)",
        tell="%{fullData.name}, around token %{x:,}: %{y:.2f} bits",
        hues={"exact": layout.look().palette.soft, method.name: methods.HUE.get(method.name, HUES[0])},
        height=320,
    )
    figure.update_yaxes(rangemode="tozero")
    st.caption(said.POSITIONS.format(width=width))
    charts.chart(
        figure,
        name="swapped-positions",
        alt=f"Surprise in bits along the text, with exact attention and with {method.name}",
        table=pd.DataFrame(
            {"position": np.arange(1, len(exact) + 1), "exact": exact.numpy() / LN2, "swapped": other.numpy() / LN2}
        ),
    )


def running(values: torch.Tensor, width: int) -> np.ndarray:
    """The mean of so many values around each, in bits; of fewer at the ends."""
    ones = np.ones(width)
    own = values.double().numpy() / LN2
    return np.convolve(own, ones, mode="same") / np.convolve(np.ones(len(own)), ones, mode="same")


def _formula(exact: torch.Tensor, other: torch.Tensor, method: Method) -> None:
    before, after = float(exact.mean()), float(other.mean())
    st.latex(
        r"\begin{aligned} L &= -\frac{1}{n-1} \sum_{i=2}^{n} \ln p(t_i \mid t_{<i}) \\ n &= "
        rf"{len(exact) + 1} \\ L_{{\text{{exact}}}} &= {before:.3f} \text{{ nats}} = "
        rf"{before / LN2:.3f} \text{{ bits}} \\ L_{{\text{{swapped}}}} &= {after:.3f} \text{{ nats}} = "
        rf"{after / LN2:.3f} \text{{ bits}} \end{{aligned}}"
    )
    st.markdown(f"Swapped in: *{method.name}*. {said.FORMULA}")
