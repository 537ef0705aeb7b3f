"""A text as a model writes it: its tokens, what may come next and what filters take away, and other ways to go on.

Steps that come together are shown one after the other. A click takes a candidate, goes back to a token, or returns to
a way that was left.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from dashboard.components.kit import Component, choosing, place_of

__all__ = ["MOST_SHOWN", "Bar", "Moment", "Piece", "Way", "writing_view"]

MOST_SHOWN = 1200  # characters of the text before what is written: its end

_show = Component(__file__)


@dataclass(frozen=True)
class Piece:
    """What was written in one step, or in several that make one character; `at`: how many tokens stand before it."""

    label: str
    at: int


@dataclass(frozen=True)
class Bar:
    """A token that may come next: what the model says, what the filters see, what is left; what took it away, or ""."""

    token: int
    label: str
    expected: float
    weighed: float
    chance: float
    taken_by: str


@dataclass(frozen=True)
class Moment:
    """What may come after `count` written tokens, the most probable first, and where the draw falls (0 to 1).

    `taken` says how much of the probability each filter took away; `left` is what remains, in `remaining` of
    `vocabulary` tokens.
    """

    count: int
    bars: Sequence[Bar]
    drawn: int
    dice: float
    taken: Sequence[tuple[str, float]]
    left: float
    remaining: int
    vocabulary: int


@dataclass(frozen=True)
class Way:
    """A way to go on, at its place in a tree: so deep, with its own last tokens as a text, and how many these are."""

    text: str
    tokens: int
    depth: int
    is_taken: bool


def writing_view(
    text: str,
    pieces: Sequence[Piece],
    moments: Sequence[Moment],
    ways: Sequence[Way],
    *,
    key: str,
    name: str,
    plays: bool,
    on_take: Callable[[int, int], None],
    on_back: Callable[[int], None],
    on_return: Callable[[int], None],
) -> None:
    """Show the text, its written pieces, the last of `moments`, and the ways that may be returned to.

    `plays`: show the moments that are new one after the other. `on_take(count, token)`, `on_back(count)` and
    `on_return(place among the ways)` are called before the page runs again. `name` begins the names of files.
    """
    data = {
        "text": ("… " if len(text) > MOST_SHOWN else "") + text[-MOST_SHOWN:],
        "pieces": [asdict(piece) for piece in pieces],
        "moments": [asdict(moment) for moment in moments],
        "ways": [asdict(way) for way in ways],
        "plays": plays,
        "name": f"attention-atlas-{name}",
    }
    last = moments[-1]
    _show(
        key,
        data,
        taken=choosing(lambda said: place_of(said, count=last.count + 1, token=last.vocabulary), on_take),
        back=choosing(lambda said: place_of(said, count=last.count + 1), on_back),
        returned=choosing(lambda said: place_of(said, way=len(ways)), on_return),
    )
