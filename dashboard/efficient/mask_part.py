"""The mask of a sparse method, drawn as in the BigBird paper, and how far tokens hear through it."""

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.capture.overview import block_width, pool_columns
from core.models.efficient import Sparse
from dashboard import charts, layout
from dashboard.figures.heat import heat
from dashboard.figures.sparse_mask import sparse_mask
from dashboard.runs import efficient as kept
from dashboard.theme import HUES
from dashboard.words.efficient import maps as said

WHOLE, CELLS = 512, 256  # tokens up to which every link is drawn; cells on a side of a longer text
KINDS = {"global": HUES[2], "window": HUES[0], "random": HUES[1]}


def mask_part(variant: Sparse, tokens: int, *, layers: int) -> tuple[int, int]:
    """Two figures; how many tokens the last one hears of, after how many layers."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**The mask**")
        _mask(variant, tokens)
    with right:
        depth = st.slider("Layers", 1, 12, min(layers, 12), key="maps_depth", bind="query-params", width=280)
        with layout.waiting_place(), st.spinner("Following the links …"):
            heard = kept.heard(variant, tokens, depth)
        if tokens <= WHOLE:
            _needed(variant, tokens, depth)
        else:
            _layer_by_layer(heard, tokens)
    return int(heard[-1].sum()), depth


def _mask(variant: Sparse, tokens: int) -> None:
    rows = None if tokens <= WHOLE else torch.linspace(0, tokens - 1, CELLS).round().long()
    parts = {
        name: _narrow(part, tokens).numpy() for name, part in variant.parts(tokens, rows).items() if bool(part.any())
    }
    figure = sparse_mask(parts, hues=KINDS, palette=layout.palette(), tokens=tokens, size=charts.letters())
    counted = " and ".join(f"{part.mean():.1%} {name}" for name, part in parts.items())
    charts.chart(
        figure,
        name="maps-mask",
        alt=f"Which keys (columns) each query (row) looks at: {counted} links of all pairs",
        table=pd.DataFrame(sum(n * part.astype(np.uint8) for n, part in enumerate(parts.values(), start=1))),
    )


def _narrow(part: torch.Tensor, tokens: int) -> torch.Tensor:
    """Along the keys of a long text: whether a query looks at any key of a cell."""
    return part if tokens <= WHOLE else pool_columns(part.float(), block_width(tokens, CELLS), tokens, "max") > 0


def _needed(variant: Sparse, tokens: int, depth: int) -> None:
    needed = kept.needed(variant, tokens, depth).numpy()
    st.caption(said.REACH_ALL.format(layers=f"{depth} layer{'s' * (depth > 1)}"))
    # Dark is soon: 0 layers (the token itself) are the end of the scale, and what is not reached is the page.
    figure = heat(
        np.where(needed < 0, np.nan, depth + 1 - needed),
        palette=layout.palette(),
        x="key",
        y="query",
        limits=(0, depth + 1),
        tell="query %{y} hears of key %{x} after %{customdata} layers",
        size=charts.letters(),
    )
    shown = [layer for layer in range(depth + 1) if depth <= 6 or layer % 2 == 0]
    figure.update_traces(
        customdata=needed,
        colorbar={
            "tickvals": [depth + 1 - layer for layer in shown],
            "ticktext": [f"{n} layer{'s' * (n != 1)}" for n in shown],
        },
    )
    charts.chart(
        figure,
        name="maps-reach",
        alt=f"In how many layers each token hears of each other: {(needed >= 0).mean():.0%} of pairs within {depth}",
        table=pd.DataFrame(needed),
    )


def _layer_by_layer(heard: tuple[torch.Tensor, ...], tokens: int) -> None:
    block = block_width(tokens, CELLS)
    shares = pool_columns(torch.stack(heard).float(), block, tokens, "mean").numpy()
    st.caption(said.REACH_ONE.format(keys=block))
    figure = heat(
        shares,
        palette=layout.palette(),
        x="key",
        y="after layer",
        limits=(0, 1),
        rows=[str(layer) for layer in range(1, len(heard) + 1)],
        tell="after layer %{y}, around key %{x:,.0f}: %{z:.0%}",
        height=120 + 34 * len(heard),
        size=charts.letters(),
    )
    figure.update_traces(x0=block / 2 - 0.5, dx=block, xgap=0, ygap=2)
    charts.chart(
        figure,
        name="maps-reach",
        alt="What the last token has heard of after each layer: " + ", ".join(f"{row.mean():.0%}" for row in shares),
        table=pd.DataFrame(shares),
    )
