"""What is worth noticing when another attention is swapped in."""

from collections.abc import Sequence
from math import log

import pandas as pd
import torch

from dashboard import layout
from pages.scale.efficient_attention.methods import Method
from pages.scale.efficient_attention.swapped_sweep import Swept

HALF = 0.5  # of the exact kernel's work
ROOM = 32  # tokens: in shorter texts no half says anything


def sentences(
    exact: torch.Tensor, other: torch.Tensor, method: Method, table: pd.DataFrame, points: Sequence[Swept]
) -> tuple[str, ...]:
    """Two to four sentences."""
    told = [_rise(exact, other, method), _where(exact, other), _most(table), _sweep(points)]
    return tuple(sentence for sentence in told if sentence)


def _rise(exact: torch.Tensor, other: torch.Tensor, method: Method) -> str:
    rise = float((other - exact).mean()) / log(2)
    if abs(rise) < 0.005:
        return f"With *{method.name}* the loss stays what it was: on this text the layers miss nothing."
    word = "rises" if rise > 0 else "falls"
    worse = float((other > exact).float().mean())
    return (
        f"Without training, *{method.name}* costs the model **{rise:+.2f} bits** per token: the loss {word} from "
        f"{float(exact.mean()) / log(2):.2f} to {float(other.mean()) / log(2):.2f}. {worse:.0%} of the tokens become "
        "less expected."
    )


def _where(exact: torch.Tensor, other: torch.Tensor) -> str:
    if len(exact) < ROOM:
        return ""
    early, late = ((other - exact) / log(2)).chunk(2)
    first, second = float(early.mean()), float(late.mean())
    if abs(first - second) < 0.02:
        return f"The cost is about the same in both halves of the text ({first:+.2f} and {second:+.2f} bits)."
    more = "second" if second > first else "first"
    return f"The {more} half of the text pays more: {first:+.2f} bits in the first, {second:+.2f} in the second."


def _most(table: pd.DataFrame) -> str:
    if table.empty:
        return ""
    row = table.iloc[0]
    return (
        f"The largest rise is at “{layout.plain(str(row['token']))}” (token {row['position']:,}): from "
        f"{row['exact, bits']:.1f} to {row['now, bits']:.1f} bits."
    )


def _sweep(points: Sequence[Swept]) -> str:
    cheap = [point for point in points if point.work <= HALF]
    if not cheap:
        return ""
    best = min(cheap, key=lambda point: point.bits)
    return (
        f"Of all settings that take at most half of the work, *{best.method}* loses least: {best.bits:.2f} bits at "
        f"{best.work:.0%} of the work."
    )
