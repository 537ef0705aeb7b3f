"""How well links taken from the maps agree with links made by people: a table, and every head of the transformer."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from core.translation.alignment import Direction
from dashboard import charts, layout
from dashboard.figures.heat import heat
from pages.language.translation import compute_measured as kept
from pages.language.translation import measured_notices as notices
from pages.language.translation import words as page
from pages.language.translation import words_measured as said
from pages.language.translation.models import TITLES
from pages.language.translation.words_measured import ALIGNED_TEXTS

TRANSFORMER, WITHOUT, MEAN = "transformer", "seq2seq", "mean"
ROWS = {"writes the word": 0, "has read the word": 1}
SIDES: dict[str, Direction] = {
    "each French word": "target",
    "each English word": "source",
    "both agree": "both",
    "either": "either",
}


def show_table() -> tuple[str, ...]:
    """Error rate, precision and recall on both texts; what is to be noticed."""
    st.subheader("Do they look where people would?", anchor=False)
    found = kept.alignment()
    rows = table(found)
    percent = st.column_config.NumberColumn(format="%.1f%%")
    st.dataframe(
        rows.map(lambda value: 100 * value if isinstance(value, float) else value),
        hide_index=True,
        width="stretch",
        row_height=42 if layout.is_presented() else None,
        column_config={name: percent for name in rows.columns if name != "links from"},
    )
    if not layout.is_presented():
        st.caption(said.MEASURED_TEXTS)
        st.caption(f"{how(found)} {_left_out(found)}")
        charts.download_table(rows, "translation-alignment")
    return notices.about_alignment(found)


def table(found: kept.Alignment) -> pd.DataFrame:
    """One row for each way to find links: the models, then what needs none."""
    rows = []
    for name, agreement in ways(found).items():
        row: dict[str, Any] = {"links from": name}
        for text, title in ALIGNED_TEXTS.items():
            of = agreement[text]
            row |= {f"AER, {title}": float(of["aer"])}
            row |= {f"{measure}, {title}": float(of[measure]) for measure in ("precision", "recall")}
        rows.append(row)
    return pd.DataFrame(rows)


def ways(found: kept.Alignment) -> dict[str, Mapping[str, Any]]:
    """What links are taken from, and their agreement by text."""
    named: dict[str, Mapping[str, Any]] = {}
    for name, of in found.models.items():
        head = f", layer {of['layer']}, head {of['head']}" if name == TRANSFORMER else ""
        named[TITLES[name] + (": influence" if name == WITHOUT else head)] = of["agreement"]
        if "mean" in of:
            layer = of["mean"]["layer"]
            which = "all heads" if layer == MEAN else f"layer {layer}"
            named[f"{TITLES[name]}, mean of {which}"] = of["mean"]["agreement"]
    return named | {"IBM model 1, no network": found.baselines["IBM model 1"], "Diagonal": found.baselines["diagonal"]}


def how(found: kept.Alignment) -> str:
    """How the links of each row were taken."""
    used = min(int(found.models[WITHOUT]["agreement"][text]["pairs"]) for text in ALIGNED_TEXTS)
    told = [f"{TITLES[name]}: {_taken(of)}" for name, of in found.models.items()]
    told += [f"{TITLES[name]}, mean: {_taken(of['mean'])}" for name, of in found.models.items() if "mean" in of]
    return (
        f"{'; '.join(told)}. Influences need a pass for every piece, so a sample of {used} pairs of each text stands "
        f"for all. IBM model 1 learned from the same {found.learned_from:,} pairs as the networks."
    )


def _taken(of: Mapping[str, Any]) -> str:
    told = {
        "target": "links of each French word",
        "source": "links of each English word",
        "both": "links that both sides agree on",
        "either": "links of either side",
    }[of["direction"]]
    return told + (", from the step that has read the word" if of["shift"] else "")


def _left_out(found: kept.Alignment) -> str:
    told = [
        f"{found.sets[text]['left_out']} of {found.sets[text]['pairs']} pairs ({title})"
        for text, title in ALIGNED_TEXTS.items()
        if text in found.sets
    ]
    return f"Longer than the models read, and left out: {', '.join(told)}."


def show_heads() -> tuple[str, ...]:
    """Every head of the transformer; what is to be noticed."""
    st.subheader("Which head of the transformer aligns?", anchor=False)
    rows, chosen = kept.heads(), kept.alignment().models[TRANSFORMER]
    text, shift, direction = _choices(chosen)
    rates = head_rates(rows, text, shift, direction)
    figure = heads_figure(rates, (int(chosen["layer"]), int(chosen["head"])))
    charts.chart(
        figure,
        name="translation-heads",
        alt=f"Alignment error rate of each head of the transformer on {ALIGNED_TEXTS[text]}, from "
        f"{np.nanmin(rates):.1%} to {np.nanmax(rates):.1%}; the head that was chosen is outlined",
        table=rows[rows.model == TRANSFORMER],
    )
    if not layout.is_presented():
        st.caption(said.MEASURED_HEADS)
    return notices.about_heads(rates.to_numpy()[:, :-1], ALIGNED_TEXTS[text], _straight(text))


def _straight(text: str) -> float:
    return float(kept.alignment().baselines["diagonal"][text]["aer"])


def _choices(chosen: Mapping[str, Any]) -> tuple[str, int, Direction]:
    """The text, the row that counts for a word, and from which side links are taken; at first as for the best head."""
    with layout.control_bar():
        title = st.segmented_control(
            "Text",
            list(ALIGNED_TEXTS.values()),
            default=next(iter(ALIGNED_TEXTS.values())),
            key="measured_text",
            bind="query-params",
            required=True,
        )
        row = st.segmented_control(
            "Step that",
            list(ROWS),
            default=next(name for name, shift in ROWS.items() if shift == chosen["shift"]),
            key="measured_row",
            bind="query-params",
            required=True,
            help=said.MEASURED_SHIFT_HELP,
        )
        side = st.segmented_control(
            "Links of",
            list(SIDES),
            default=next(name for name, direction in SIDES.items() if direction == chosen["direction"]),
            key="measured_links",
            bind="query-params",
            required=True,
            help=page.DIRECTION_HELP,
        )
    text = next(name for name, shown in ALIGNED_TEXTS.items() if shown == title)
    return text, ROWS[row], SIDES[side]


def head_rates(rows: pd.DataFrame, text: str, shift: int, direction: str) -> pd.DataFrame:
    """Alignment error rates of the transformer: a row for each layer, a column for each head and for their mean."""
    part = rows[(rows.model == TRANSFORMER) & (rows.set == text) & (rows["shift"] == shift)]
    part = part[(part.direction == direction) & (part.layer != MEAN)]
    wide = part.pivot(index="layer", columns="head", values="aer")
    heads = sorted((name for name in wide.columns if name != MEAN), key=int)
    return wide.loc[sorted(wide.index, key=int), [*heads, MEAN]]


def heads_figure(rates: pd.DataFrame, chosen: tuple[int, int]) -> go.Figure:
    """Full colour is what aligns: the colour is 1 − error rate, the number in a cell is the error rate."""
    look = layout.look()
    figure = heat(
        1 - rates.to_numpy(dtype=float),
        look=look,
        x="head",
        y="layer",
        rows=[str(layer) for layer in rates.index],
        columns=[str(head) for head in rates.columns],
        limits=(0, 1),
        tell="layer %{y}, head %{x}: alignment error rate %{customdata:.1%}",
        height=(90 if look.presented else 62) * len(rates) + 80,
    )
    # The tick labels are words, so the sentence below the pointer is right for the mean as well.
    figure.update_traces(
        customdata=rates.to_numpy(dtype=float),
        text=[[f"{rate:.0%}" for rate in row] for row in rates.to_numpy(dtype=float)],
        texttemplate="%{text}",
        textfont={"size": look.letters},
        showscale=False,
    )
    layer, head = chosen
    figure.add_shape(
        type="rect",
        x0=head - 0.5,
        x1=head + 0.5,
        y0=layer - 0.5,
        y1=layer + 0.5,
        line={"color": look.palette.accent, "width": 3},
    )
    return figure
