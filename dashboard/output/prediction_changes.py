"""A sentence about how a change of a model or its input changed a prediction."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from dashboard import typeset

HARDLY_MOVED = 0.02  # total variation distance below which a change hardly matters
WEAKER_RATIO = 0.5  # of its former probability is left
LOST_RATIO = 0.1  # of its former probability is left


def change_notice(
    before: Float[np.ndarray, " choice"], after: Float[np.ndarray, " choice"], *, name: Callable[[int], str]
) -> str:
    """A sentence (Markdown) about a change of probabilities, and of the choice that was the most probable one.

    If it still is, the change hardly matters below a total variation distance of HARDLY_MOVED; the sentence says if at
    most WEAKER_RATIO of its probability is left. If another one is, the old one is lost if less than LOST_RATIO of its
    probability is left. `name` returns the name of a choice. "" for probabilities that are not finite.
    """
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        return ""
    first = int(before.argmax())
    label = f"“{typeset.plain(name(first))}”"
    shares = f"{percent(before[first])} before, {percent(after[first])} now"
    distance = float(np.abs(after - before).sum() / 2)
    if after[first] >= after.max():
        if distance < HARDLY_MOVED:
            return f"**Hardly matters here**: {label} {shares}."
        if after[first] <= WEAKER_RATIO * before[first]:
            return f"**{label} stays first, but weaker**: {shares}."
        return f"**{label} stays first**: {shares}. In all, {distance:.0%} of the probability went elsewhere."
    new_first = int(after.argmax())
    change = f"{percent(before[new_first])} before, {percent(after[new_first])} now"
    sentence = f"Now “{typeset.plain(name(new_first))}” comes first ({change})."
    if after[first] < LOST_RATIO * before[first]:
        return f"**Loses {label}**: {shares}. {sentence}"
    return f"**{label} comes no longer first**: {shares}. {sentence}"


def percent(share: float) -> str:
    """A probability with one digit after the point; one that would read as 0.0% is less than 0.1%."""
    return f"{share:.1%}" if share >= 0.0005 or share == 0 else "less than 0.1%"
