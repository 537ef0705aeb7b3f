"""What takes many readings and is measured at a click: all depths and lengths, and the reading without heads."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.long_context.needles import Ablation, Probe
from dashboard import theme
from dashboard.cache import waiting
from dashboard.figures.heat import heat
from dashboard.frame import layout
from dashboard.output import charts
from pages.explore.long_text import compute_needles, needles_sentences
from pages.explore.long_text.compute_needles import DEPTHS, Planting
from pages.explore.long_text.figures_needles import ablation_bars, ablation_table
from pages.explore.long_text.prose import PAGE

SECTION = PAGE.section("Needles")
SILENCED, MOST_SILENCED = 2, 12  # heads: at first, and at most


def grid(planting: Planting, length: int) -> tuple[Probe, ...] | None:
    """The bits that the needle saves at every depth and length, or the button that measures them."""
    lengths = compute_needles.grid_lengths(planting.model, length)
    probes = compute_needles.grid.peek(planting, lengths)
    if probes is None:
        readings = (len(DEPTHS) + 1) * len(lengths)
        waiting.offer(
            f"Measure {len(DEPTHS)} depths × {len(lengths)} {'length' if len(lengths) == 1 else 'lengths'}",
            partial(compute_needles.grid, planting, lengths),
            unit="steps",
            icon=":material/grid_on:",
            key="needle-grid",
        )
        layout.caption(f"{readings} readings of up to {max(lengths):,} tokens.")
        return None
    gains = np.array(
        [[float(probe.gains(row).sum()) for probe in probes] for row in range(len(DEPTHS))], dtype=np.float32
    )
    best = np.array(
        [
            [float(np.nanmax(probe.retrievals[row].heads.scores.numpy())) for probe in probes]
            for row in range(len(DEPTHS))
        ]
    )
    rows, columns = [f"{depth}%" for depth in DEPTHS], [f"{probe.length:,}" for probe in probes]
    charts.chart(
        partial(
            heat,
            gains,
            look=theme.look(),
            x="tokens",
            y="depth of the needle",
            rows=rows,
            columns=columns,
            tell="the needle saves %{z:.1f} bits",
            height=theme.look().high(320),
        ),
        name="needle-grid-map",
        alt=f"Bits that the needle saves at each depth and length: {gains.min():.1f} to {gains.max():.1f}",
        table=pd.DataFrame(
            {
                "depth": np.repeat(rows, len(columns)),
                "tokens": np.tile([probe.length for probe in probes], len(rows)),
                "bits saved": gains.flatten(),
                "highest retrieval score": best.flatten(),
            }
        ),
    )
    return probes


def ablation(planting: Planting, probe: Probe, length: int, depth: int) -> Ablation | None:
    """The answer without the best heads, or the button that measures it."""
    heads = len(probe.retrievals[0].ranked)
    most, key = min(MOST_SILENCED, heads // 2), "needle_silenced"
    if not most:
        st.markdown("The model has one head only: there is no other to compare it with.")
        return None
    count = 1
    if most > 1:
        if (st.session_state.get(key) or 0) > most:  # another model may have fewer
            st.session_state[key] = most
        count = st.slider(
            "Heads to silence",
            1,
            most,
            min(SILENCED, most),
            key=key,
            bind="query-params",
            width=220,
            help=SECTION.text("Best heads"),
        )
    measured = compute_needles.ablation.peek(planting, length, depth, count)
    if measured is None:
        waiting.offer(
            f"Silence the best {'head' if count == 1 else f'{count} heads'}",
            partial(compute_needles.ablation, planting, length, depth, count),
            unit="steps",
            icon=":material/volume_off:",
            key="needle-silence",
        )
        return None
    table = ablation_table(probe, measured)
    charts.chart(
        partial(
            ablation_bars,
            table["heads"].tolist(),
            table["answer, bits"].to_numpy(),
            table["standard error"].to_numpy(),
            measured.random_bits.numpy(),
            look=theme.look().sized(-1),
        ),
        name="needle-ablation",
        alt="; ".join(f"{row.iloc[0]}: {row.iloc[1]:.1f} bits" for _, row in table.iterrows()),
        table=table,
    )
    silenced = ", ".join(needles_sentences.named(head).lower() for head in measured.best)
    layout.caption(SECTION.text("Silenced heads", silenced=silenced, draws=len(measured.draws)))
    return measured
