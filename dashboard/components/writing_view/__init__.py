"""A text as a model writes it: its tokens, the candidates for the next one, and a tree of other continuations.

Steps that arrive together are shown one after the other. A click takes a candidate, goes back to a token, or returns to
another continuation.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from dashboard.components.kit import Component, place_of, selection_callback

__all__ = ["MOST_CHARACTERS", "Bar", "Moment", "Piece", "Way", "writing_view"]

MOST_CHARACTERS = 1200  # characters of the text before what is written: its end

_show = Component(__file__)


@dataclass(frozen=True)
class Piece:
    """The text written in one step, or in several that make one character; `at`: the number of tokens before it."""

    label: str
    at: int


@dataclass(frozen=True)
class Bar:
    """A candidate token: its probability by the model, after the temperature, and after the filters.

    `taken_by` is the filter that removed it, or "".
    """

    token: int
    label: str
    expected: float
    weighed: float
    chance: float
    taken_by: str


@dataclass(frozen=True)
class Moment:
    """The candidates after `count` written tokens, the most probable first, and the random number (`dice`, 0 to 1).

    `taken`: the probability that each filter removed; `left`: the probability that remains, in `remaining` of
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
    """A continuation in a tree of continuations, at a `depth`: its own last tokens as a text, and their number."""

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
        "text": ("… " if len(text) > MOST_CHARACTERS else "") + text[-MOST_CHARACTERS:],
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
        taken=selection_callback(
            lambda message: place_of(message, count=last.count + 1, token=last.vocabulary), on_take
        ),
        back=selection_callback(lambda message: place_of(message, count=last.count + 1), on_back),
        returned=selection_callback(lambda message: place_of(message, way=len(ways)), on_return),
    )
