"""What is measured of a reading, and what may be said of it."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.long_context.distances import Distances
from dashboard import typeset
from dashboard.long_text.open_reading import OpenReading

POSITIONS = (0, 256, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)  # ranges of positions of the loss
SIGNIFICANT = 2.0  # standard errors
MUCH = 0.1  # of the attention: more than that on the first token is worth a sentence


@dataclass(frozen=True)
class Loss:
    """The mean loss of a range of positions in bits a token, its standard error (nan for one token), and its tokens."""

    first: int
    last: int
    bits: float
    error: float


def all_heads(reading: OpenReading) -> list[tuple[int, int, Distances]]:
    """Layer, head and distances of every head that is read."""
    return [
        (layer, head, measured)
        for layer, of_layer in enumerate(reading.distances)
        for head, measured in enumerate(of_layer)
    ]


def pairs(reading: OpenReading) -> int:
    """The links of one head that its mask allows."""
    count = len(reading.tokens)
    return count * (count + 1) // 2 if reading.causal else count**2


def losses(reading: OpenReading) -> tuple[Loss, ...]:
    """The loss by position; nothing where the model predicts nothing."""
    if reading.reading.losses is None:
        return ()
    values = reading.reading.losses.double().numpy()
    parts = []
    for first, stop in pairwise(POSITIONS):
        part = values[first:stop]
        if len(part):
            error = float(part.std(ddof=1) / math.sqrt(len(part))) if len(part) > 1 else math.nan
            parts.append(Loss(first + 1, first + len(part), float(part.mean()), error))
    return tuple(parts)


def farthest_notice(reading: OpenReading) -> str | None:
    """Which head looks farthest on average, if its lead over the next is larger than two standard errors."""
    heads = sorted(all_heads(reading), key=lambda entry: entry[2].mean, reverse=True)
    heads = [entry for entry in heads if math.isfinite(entry[2].mean)]
    if len(heads) < 2:
        return None
    (layer, head, first), (_, _, second) = heads[:2]
    where = f"head {head} of layer {layer}"
    error = math.hypot(first.error, second.error)
    even, side = evenly_spread(reading), "back" if reading.causal else "away"
    about_all = f"evenly spread attention would look {even:,.0f} {side}, and the nearest head {heads[-1][2].mean:,.0f}."
    if math.isfinite(error) and first.mean - second.mean > SIGNIFICANT * error:
        return f"On average {where} looks farthest, {first.mean:,.0f} tokens {side}; {about_all}"
    return (
        f"Several heads look about equally far, {where} among them: {first.mean:,.0f} tokens {side} on average; "
        f"{about_all}"
    )


def evenly_spread(reading: OpenReading) -> float:
    """The mean distance of attention that is the same for all tokens that a head may look at."""
    count = len(reading.tokens)
    if reading.causal:
        return (count - 1) / 4  # in row i the mean is i / 2
    return (count**2 - 1) / (3 * count)  # of two tokens anywhere in the text


def first_token_notice(reading: OpenReading) -> str | None:
    """How much attention rests on the first token, if that is much for some head."""
    layer, head, most = max(all_heads(reading), key=lambda entry: entry[2].first_token)
    if not most.first_token > MUCH:
        return None
    label = typeset.readable(reading.tokens.labels[0])
    return (
        f"Head {head} of layer {layer} leaves {most.first_token:.0%} of its attention on the first token, "
        f"“{typeset.plain(label)}”."
    )


def loss_notice(parts: tuple[Loss, ...]) -> str | None:
    """Whether the last range of positions is predicted better or worse than the best one."""
    if len(parts) < 2:
        return None
    best, last = min(parts, key=lambda part: part.bits), parts[-1]
    if best is last:
        return (
            f"The model predicts best where it has read most: {last.bits:.2f} bits a token at positions "
            f"{last.first:,} to {last.last:,}."
        )
    difference, error = last.bits - best.bits, math.hypot(last.error, best.error)
    if math.isfinite(error) and difference > SIGNIFICANT * error:
        return (
            f"The model predicts worse at the end than at positions {best.first:,} to {best.last:,}: {last.bits:.2f} "
            f"bits a token against {best.bits:.2f}."
        )
    return (
        f"At the end of the text the model predicts about as well as at positions {best.first:,} to {best.last:,}, "
        f"where it is best: {last.bits:.2f} and {best.bits:.2f} bits a token."
    )


def mean_distances(reading: OpenReading) -> np.ndarray:
    """The mean distance of each head (layer, head); NaN where a layer has fewer heads than another."""
    values = np.full((len(reading.distances), max(reading.heads)), np.nan)
    for layer, head, measured in all_heads(reading):
        values[layer, head] = measured.mean
    return values
