"""The mask of a sparse method, drawn as in the BigBird paper, and how far tokens hear through it."""

import numpy as np
import streamlit as st
import torch

from core.capture.overview import block_width, pool_columns
from core.efficient import Sparse
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.theme import HUES
from pages.scale.efficient_attention import compute
from pages.scale.efficient_attention.prose import PAGE

MAPS = PAGE.section("Maps")
DRAWN_TOKENS, CELLS = 512, 256  # tokens up to which every link is drawn; cells on a side of a longer text
KINDS = {"global": HUES[2], "window": HUES[0], "random": HUES[1]}


def mask_and_reach(variant: Sparse, tokens: int, *, layers: int) -> str:
    """Two maps; what the last token can hear of, in a sentence. `layers` are followed before anybody chooses."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**The mask**")
        _mask(variant, tokens)
    with right:
        depth = st.slider("Layers", 1, 12, min(layers, 12), key="maps_depth", bind="query-params", width=280)
        with layout.waiting_place():
            heard = compute.heard(variant, tokens, depth)
        if tokens <= DRAWN_TOKENS:
            _needed(variant, tokens, depth)
        else:
            _layer_by_layer(heard, tokens)
    return reach_notice(int(heard[-1].sum()), tokens, depth)


def _mask(variant: Sparse, tokens: int) -> None:
    rows = None if tokens <= DRAWN_TOKENS else torch.linspace(0, tokens - 1, CELLS).round().long()
    parts = {
        name: _narrow(part, tokens).numpy() for name, part in variant.parts(tokens, rows).items() if bool(part.any())
    }
    kinds = np.zeros(next(iter(parts.values())).shape, dtype=np.uint8)
    for number, part in reversed(list(enumerate(parts.values(), start=1))):
        kinds[part] = number
    counted = " and ".join(f"{part.mean():.1%} {name}" for name, part in parts.items())
    cell_map(
        kinds,
        key="maps-mask",
        x="key",
        y="query",
        tell="query {row}, key {column}: {value}",
        rows=None if rows is None else [f"{row:,}" for row in rows.tolist()],
        columns=None if rows is None else _firsts(tokens),
        kinds=["no link", *parts],
        hues=[KINDS[name] for name in parts],
        alt=f"Which keys (columns) each query (row) looks at: {counted} links of all pairs",
        name="maps-mask",
        height=_height(),
    )


def _narrow(part: torch.Tensor, tokens: int) -> torch.Tensor:
    """Along the keys of a long text: whether a query looks at any key of a cell."""
    return part if tokens <= DRAWN_TOKENS else pool_columns(part.float(), block_width(tokens, CELLS), tokens, "max") > 0


def _firsts(tokens: int) -> list[str]:
    """The first position in each cell of a long text."""
    return [f"{first:,}" for first in range(0, tokens, block_width(tokens, CELLS))]


def _needed(variant: Sparse, tokens: int, depth: int) -> None:
    needed = compute.needed(variant, tokens, depth).numpy()
    layout.caption(MAPS.text("Reach of all tokens", layers=_layers(depth)))
    # Dark is soon: 0 layers (the token itself) are the end of the scale, and what is not reached is the page.
    within = [f"after {_layers(layer)}" for layer in range(depth, 0, -1)]
    cell_map(
        np.where(needed < 0, 0, depth + 1 - needed),
        key="maps-reach",
        x="key",
        y="query",
        tell="query {row} hears of key {column}: {value}",
        limits=(0, depth + 1),
        kinds=[f"not within {_layers(depth)}", *within, "itself"],
        alt=f"In how many layers each token hears of each other: {(needed >= 0).mean():.0%} of pairs within {depth}",
        name="maps-reach",
        height=_height(),
    )


def _layer_by_layer(heard: tuple[torch.Tensor, ...], tokens: int) -> None:
    block = block_width(tokens, CELLS)
    shares = pool_columns(torch.stack(heard).float(), block, tokens, "mean").numpy()
    layout.caption(MAPS.text("Reach of the last token", keys=block))
    cell_map(
        shares,
        key="maps-reach",
        x="key",
        y="after layer",
        tell=f"after layer {{row}} it has heard of {{value}} of the {block} tokens from key {{column}} on",
        rows=[str(layer) for layer in range(1, len(heard) + 1)],
        columns=_firsts(tokens),
        limits=(0, 1),
        alt="What the last token has heard of after each layer: " + ", ".join(f"{row.mean():.0%}" for row in shares),
        name="maps-reach",
        height=_height(),
    )


def reach_notice(heard: int, tokens: int, layers: int) -> str:
    """How many tokens the last one can hear of within so many layers, itself among them."""
    if tokens == 1:
        return "The only token has nothing to hear of but itself."
    within = f"Within {_layers(layers)} the last token can hear of"
    if heard == tokens:
        return f"{within} every token before it, directly{' or over others' * (layers > 1)}."
    return f"{within} {heard:,} of the {tokens:,} tokens, itself among them; no other reaches it."


def _layers(count: int) -> str:
    return f"{count} layer{'s' * (count > 1)}"


def _height() -> int:
    return 560 if theme.is_presented() else 400
