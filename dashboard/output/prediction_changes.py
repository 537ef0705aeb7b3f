"""What became of a model's prediction when something in it was changed, in one sentence."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from dashboard import typeset

HARDLY = 0.02  # of the probability: when less than this goes elsewhere, hardly anybody would notice
HALF = 0.5  # of its former probability is left
LOST = 0.1  # of its former probability is left


def tell_change(
    before: Float[np.ndarray, " choice"], after: Float[np.ndarray, " choice"], *, name: Callable[[int], str]
) -> str:
    """The verdict on a change of probabilities, as Markdown: what became of the choice that came first before.

    Where it still comes first, the change hardly matters if less than HARDLY of all probability went elsewhere (total
    variation); at most HALF of its probability left is said. Where another comes first, the old one is lost if less
    than LOST of its probability is left. `name` is what a choice is called; nothing is said of what is no number.
    """
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        return ""
    was = int(before.argmax())
    called = f"“{typeset.plain(name(was))}”"
    moved = f"{percent(before[was])} before, {percent(after[was])} now"
    elsewhere = float(np.abs(after - before).sum() / 2)
    if after[was] >= after.max():
        if elsewhere < HARDLY:
            return f"**Hardly matters here**: {called} {moved}."
        if after[was] <= HALF * before[was]:
            return f"**{called} stays first, but weaker**: {moved}."
        return f"**{called} stays first**: {moved}. In all, {elsewhere:.0%} of the probability went elsewhere."
    now = int(after.argmax())
    instead = (
        f"Now “{typeset.plain(name(now))}” comes first ({percent(before[now])} before, {percent(after[now])} now)."
    )
    if after[was] < LOST * before[was]:
        return f"**Loses {called}**: {moved}. {instead}"
    return f"**{called} comes no longer first**: {moved}. {instead}"


def percent(share: float) -> str:
    """A probability with one digit after the point; one that would read as 0.0% is less than 0.1%."""
    return f"{share:.1%}" if share >= 0.0005 or share == 0 else "less than 0.1%"
