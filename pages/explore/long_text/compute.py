"""What is measured of a reading, and what may be said of it."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.long_context.distances import Distances
from dashboard import typeset
from dashboard.long_text.open_reading import OpenReading
from dashboard.number_format import CLEAR, Comparison, compare

POSITIONS = (0, 256, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)  # ranges of positions of the loss
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


def by_distance(reading: OpenReading) -> list[tuple[int, int, Distances]]:
    """The heads with a mean distance, the one with the largest first."""
    heads = [entry for entry in all_heads(reading) if math.isfinite(entry[2].mean)]
    return sorted(heads, key=lambda entry: entry[2].mean, reverse=True)


def lead(first: Distances, second: Distances) -> Comparison:
    """Whether one head looks farther than another, by CLEAR standard errors of the difference."""
    return compare(first.mean, second.mean, margin=CLEAR * math.hypot(first.error, second.error))


def farthest_notice(reading: OpenReading) -> str | None:
    """Which head looks farthest on average, where its lead over the next one is clear."""
    heads = by_distance(reading)
    if len(heads) < 2:
        return None
    (layer, head, first), (_, _, second) = heads[:2]
    where = f"head {head} of layer {layer}"
    even, side = evenly_spread(reading), "back" if reading.causal else "away"
    others = f"evenly spread attention would look {even:,.0f} {side}, and the nearest head {heads[-1][2].mean:,.0f}."
    if lead(first, second) == "more":
        return f"On average {where} looks farthest, {first.mean:,.0f} tokens {side}; {others}"
    average = f"{first.mean:,.0f} tokens {side} on average"
    return f"Several heads look about equally far, {where} among them: {average}; {others}"


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


def trend(last: Loss, other: Loss) -> Comparison:
    """Whether a token costs more in one range of positions than in another, by CLEAR standard errors."""
    return compare(last.bits, other.bits, margin=CLEAR * math.hypot(last.error, other.error))


def loss_notice(parts: tuple[Loss, ...]) -> str | None:
    """Whether the last range of positions is predicted better or worse than the best one before it."""
    if len(parts) < 2:
        return None
    best, last = min(parts[:-1], key=lambda part: part.bits), parts[-1]
    verdict = {
        "more": "The model predicts worse at the end of the text than before",
        "less": "The model predicts best at the end of the text, where it has read most",
        "as much": "At the end of the text the model predicts about as well as anywhere before",
        "unknown": "Too little of the text is left at its end to say how well the model predicts there",
    }[trend(last, best)]
    return (
        f"{verdict}: {last.bits:.2f} bits a token at positions {last.first:,} to {last.last:,}, and at best "
        f"{best.bits:.2f} before, at {best.first:,} to {best.last:,}."
    )


def mean_distances(reading: OpenReading) -> np.ndarray:
    """The mean distance of each head (layer, head); NaN where a layer has fewer heads than another."""
    values = np.full((len(reading.distances), max(reading.heads)), np.nan)
    for layer, head, measured in all_heads(reading):
        values[layer, head] = measured.mean
    return values
