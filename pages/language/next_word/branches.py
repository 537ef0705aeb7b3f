"""The ways that a text was continued, as a tree: what is written now, and the ends of all ways that were left.

A way is the numbers of its tokens. Everything here takes a tree and gives another one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.view.codec import whole_number

Way = tuple[int, ...]

LONGEST = 512  # tokens of a way: more would not fit into an address
MOST = 24  # ways that were left: older ones are forgotten
BETWEEN, AFTER = "~", "_"  # in the address: before the tokens of a way that was left, and between two of them


@dataclass(frozen=True)
class Tree:
    """What is written, and the ends of the ways that were left; no end lies on another way."""

    written: Way = ()
    ends: tuple[Way, ...] = ()


@dataclass(frozen=True)
class Branch:
    """A part of the tree without a fork: where it leads to, its own last tokens, and how deep the fork before it is.

    `is_on_the_way`: whether it is part of what is written, or of what comes after that.
    """

    to: Way
    tokens: Way
    depth: int
    is_on_the_way: bool


def moved(tree: Tree, to: Way) -> Tree:
    """The tree after another way was taken: what was written before stays as an end, unless the new way includes it."""
    ends = [end for end in (*tree.ends, tree.written) if end and end != to[: len(end)]]
    ends = list(dict.fromkeys(ends))
    apart = [end for end in ends if not any(end != other and end == other[: len(end)] for other in ends)]
    return Tree(to, tuple(apart[-MOST:]))


def branches(tree: Tree) -> list[Branch]:
    """All parts of the tree, each before those that go on from it.

    Those that begin at the same place stand in the order of their numbers, so that none moves while one goes about.
    """
    ways = [*tree.ends]
    if tree.written and not any(end[: len(tree.written)] == tree.written for end in ways):
        ways.append(tree.written)
    return list(_parts(sorted(ways), (), 0, tree.written))


def _parts(ways: Sequence[Way], before: Way, depth: int, written: Way):
    """The parts of some ways that all begin with `before`."""
    for first in dict.fromkeys(way[len(before)] for way in ways if len(way) > len(before)):
        those = [way for way in ways if len(way) > len(before) and way[len(before)] == first]
        to = shared(those)
        yield Branch(to, to[len(before) :], depth, written[: len(to)] == to or to[: len(written)] == written)
        yield from _parts(those, to, depth + 1, written)


def shared(ways: Sequence[Way]) -> Way:
    """What all ways begin with."""
    first, last = min(ways), max(ways)
    length = next((n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:length]


def encode(tree: Tree) -> str:
    """As it stands in the address: "12.7.9", then each way that was left.

    "2~5.6" is one that begins with two tokens of the way on its left and goes on with 5 and 6.
    """
    text, former = ".".join(map(str, tree.written)), tree.written
    for end in tree.ends:
        same = len(shared((former, end)))
        text += f"{AFTER}{same}{BETWEEN}{'.'.join(map(str, end[same:]))}"
        former = end
    return text


def decode(text: str, is_token: Callable[[int], bool]) -> Tree | None:
    """The tree of an address; None if it is none, or names a token that does not exist."""
    first, *others = text.split(AFTER)
    written = _way(first, is_token)
    if written is None or len(others) > MOST:
        return None
    former, ends = written, list[Way]()
    for other in others:
        count, between, path = other.partition(BETWEEN)
        own = _way(path, is_token)
        same = whole_number(count, len(former) + 1)
        if not between or own is None or same is None:
            return None
        former = (*former[:same], *own)
        if len(former) > LONGEST:
            return None
        ends.append(former)
    return moved(Tree((), tuple(ends)), written)


def _way(text: str, is_token: Callable[[int], bool]) -> Way | None:
    parts = text.split(".") if text else []
    if len(parts) > LONGEST:
        return None
    way = tuple(number for part in parts if (number := whole_number(part)) is not None)
    return way if len(way) == len(parts) and all(map(is_token, way)) else None
