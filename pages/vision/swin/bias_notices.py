"""What to notice in position biases, computed from what is shown."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from core.vision.position_bias import PositionBias
from core.vision.windows import WindowLayer
from dashboard.numbers import signed
from pages.vision.swin.compute import Scored
from pages.vision.swin.score_part import Pair


def about(layers: Sequence[WindowLayer], scored: Scored, pair: Pair) -> tuple[str, ...]:
    """Sentences on sharing, on the chosen head, and on content and place in the whole model."""
    bias = scored.biases[pair.chosen.number]
    return (_about_sharing(bias), _about_head(bias, pair), *_about_shares(layers, scored, pair))


def table_of_biases(bias: PositionBias) -> pd.DataFrame:
    """Every number of every head by its distance."""
    heads, rows, columns = bias.table.shape
    head, row, column = np.indices((heads, rows, columns))
    return pd.DataFrame(
        {
            "head": head.ravel(),
            "rows": (row - rows // 2).ravel(),
            "columns": (column - columns // 2).ravel(),
            "bias": bias.table.numpy().ravel(),
        }
    )


def _about_sharing(bias: PositionBias) -> str:
    places, numbers = bias.window[0] * bias.window[1], bias.table[0].numel()
    made = "computed by one small network" if bias.continuous else "learned one by one"
    return (
        f"A window of {bias.window[0]} × {bias.window[1]} places has {places**2:,} pairs, but each head only "
        f"**{numbers}** biases, {made}: pairs at the same distance share one."
    )


def _about_head(bias: PositionBias, pair: Pair) -> str:
    table = bias.table[pair.head].numpy()
    rows, columns = bias.window
    best, worst = (np.unravel_index(place, table.shape) for place in (table.argmax(), table.argmin()))
    own = float(table[rows - 1, columns - 1])
    return (
        f"Head {pair.head} of {pair.chosen.name} is drawn most to keys **{direction(best, (rows, columns))}** "
        f"({signed(float(table[best]))}), least to keys {direction(worst, (rows, columns))} "
        f"({signed(float(table[worst]))}). For the place itself it adds {signed(own)}."
    )


def direction(cell: Sequence, window: tuple[int, int]) -> str:
    """Where the key lies, seen from the query, for a cell of the table: distances there are query minus key."""
    down, across = int(cell[0]) - window[0] + 1, int(cell[1]) - window[1] + 1
    parts = []
    if down:
        parts.append(f"{_counted(down, 'row')} {'above' if down > 0 else 'below'}")
    if across:
        parts.append(f"{_counted(across, 'column')} to the {'left' if across > 0 else 'right'}")
    return " and ".join(parts) or "in the same place"


def _counted(number: int, name: str) -> str:
    return f"{abs(number)} {name}{'s' if abs(number) != 1 else ''}"


def _about_shares(layers: Sequence[WindowLayer], scored: Scored, pair: Pair) -> tuple[str, ...]:
    found = scored.shares[pair.chosen.number]
    every = [
        (share, layer, head)
        for layer, each in zip(layers, scored.shares, strict=True)
        for head, share in enumerate(each.share.tolist())
        if np.isfinite(share)
    ]
    if not every:
        return ()
    share, moved = float(found.share[pair.head]), float(found.moved[pair.head])
    (most, where, head), (least, other, other_head) = max(every, key=_share), min(every, key=_share)
    first = (
        f"On this photograph **{_percent(share)}** of the variance of its scores is place and {_percent(1 - share)} "
        f"content. Without the bias {_percent(moved)} of its weight would lie elsewhere."
    )
    second = (
        f"Of all {len(every)} heads, head {head} of block {where.stage}.{where.block} goes most by place "
        f"({_percent(most)}), head {other_head} of block {other.stage}.{other.block} least ({_percent(least)})."
    )
    return (first, second) if len(every) > 1 else (first,)


def _share(found: tuple[float, WindowLayer, int]) -> float:
    return found[0]


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("-", "−")
