"""The way from input to output: what is on it, what leaves it in a branch, and where the branch is added again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .parts import Part
from .trace import Mark, Ran, Summed

Event = Ran | Summed


@dataclass(frozen=True, eq=False)
class Step:
    """One part on the way ("line"), parts in a branch that is added to it, or parts beside it that are not ("side").

    `summed` is the sum at the end of a branch. A branch without parts adds a parameter, or something computed in the
    model's own code, such as sinusoidal positions.
    """

    kind: Literal["line", "branch", "side"]
    parts: tuple[Part, ...]
    summed: Summed | None = None


@dataclass(frozen=True, eq=False)
class Block:
    """One of the repeated blocks of a stack."""

    path: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Stack:
    """Blocks of equal build, one after the other."""

    path: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class Lane:
    """All that one sequence passes through: one lane, or an encoder's and a decoder's."""

    name: Literal["", "encoder", "decoder"]
    items: tuple[Step | Stack, ...]

    @property
    def stacks(self) -> tuple[Stack, ...]:
        """The stacks of blocks, in their order."""
        return tuple(item for item in self.items if isinstance(item, Stack))

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step, those of all blocks included."""
        return tuple(step for item in self.items for step in _steps_of(item))


def lanes_of(
    events: list[Event],
    parts: Mapping[tuple[str, int], Part],
    stacks: Mapping[str, tuple[str, ...]],
    cross: frozenset[str],
) -> tuple[Lane, ...]:
    """One lane, or two where a stack has cross-attention (`cross` holds the paths of such calls)."""
    kept = list(_of_interest(events, parts))
    decoders = [stack for stack in stacks if any(_inside(path, stack) for path in cross)]
    encoders = [stack for stack in stacks if stack not in decoders]
    if not decoders or not encoders:
        return (Lane("", tuple(_items(kept, parts, stacks))),)
    tower = _tower(encoders[0], decoders[0])
    last = max((place for place, event in enumerate(kept) if _inside(_place(event), tower)), default=-1)
    return (
        Lane("encoder", tuple(_items(kept[: last + 1], parts, stacks))),
        Lane("decoder", tuple(_items(kept[last + 1 :], parts, stacks))),
    )


def _of_interest(events: list[Event], parts: Mapping[tuple[str, int], Part]) -> Iterator[Event]:
    """The parts, and those sums between them that make the stream longer.

    A sum inside a part is its own business; and a sum that is itself added to something older (attention and MLP side
    by side, as in GPT-J) is half of a branch.
    """
    paths = {path for path, _ in parts}
    added = {event.added.mark for event in events if isinstance(event, Summed)}
    for event in events:
        if isinstance(event, Ran):
            if (event.path, event.turn) in parts:
                yield event
        elif event.after.mark not in added and not any(_inside(event.inside, path) for path in paths):
            yield event


def _items(
    events: list[Event], parts: Mapping[tuple[str, int], Part], stacks: Mapping[str, tuple[str, ...]]
) -> Iterator[Step | Stack]:
    """Events in order, those of one stack gathered into it."""
    owner = {block: stack for stack, blocks in stacks.items() for block in blocks}
    groups: list[tuple[str | None, list[Event]]] = []
    for event in events:
        block = next((block for block in owner if _inside(_place(event), block)), None)
        if not groups or groups[-1][0] != block:
            groups.append((block, []))
        groups[-1][1].append(event)

    blocks: dict[str, list[Block]] = {}
    for number, (block, group) in enumerate(groups):
        steps = tuple(_steps(group, parts, begins=number == 0 and block is None))
        if block is None:
            yield from steps
            continue
        stack = owner[block]
        blocks.setdefault(stack, []).append(Block(block, steps))
        following = groups[number + 1][0] if number + 1 < len(groups) else None
        if following is None or owner[following] != stack:
            yield Stack(stack, tuple(blocks.pop(stack)))


def _steps(events: list[Event], parts: Mapping[tuple[str, int], Part], *, begins: bool) -> Iterator[Step]:
    """Parts between two sums: those after the stream's own last mark are the branch, those up to it are on the way."""
    pending: list[Ran] = []
    for event in events:
        if isinstance(event, Ran):
            pending.append(event)
            continue
        made = _place_of(event.before.mark, pending)
        if made < 0 and begins:  # nothing was there before these parts: they are the way
            added = _place_of(event.added.mark, pending)
            made = len(pending) - 1 if added < 0 else added - 1
        begins = False
        yield from _line(pending[: made + 1], parts)
        yield Step("branch", tuple(parts[ran.path, ran.turn] for ran in pending[made + 1 :]), event)
        pending = []
    yield from _line(pending, parts)


def _line(pending: list[Ran], parts: Mapping[tuple[str, int], Part]) -> Iterator[Step]:
    for ran in pending:
        part = parts[ran.path, ran.turn]
        yield Step("side" if part.kind == "positions" else "line", (part,))


def _place_of(mark: Mark, pending: list[Ran]) -> int:
    """Which of the parts made these numbers; -1 if it was something before them."""
    return max((place for place, ran in enumerate(pending) if mark in ran.marks), default=-1)


def _steps_of(item: Step | Stack) -> tuple[Step, ...]:
    if isinstance(item, Step):
        return (item,)
    return tuple(step for block in item.blocks for step in block.steps)


def _place(event: Event) -> str:
    return event.path if isinstance(event, Ran) else event.inside


def _tower(encoder: str, decoder: str) -> str:
    """The shortest beginning of the encoder's path that is not the decoder's: "model.encoder"."""
    words = encoder.split(".")
    for count in range(1, len(words) + 1):
        if not _inside(decoder, ".".join(words[:count])):
            return ".".join(words[:count])
    return encoder


def _inside(path: str, place: str) -> bool:
    return path == place or path.startswith(place + ".")
