"""The path from input to output: the parts on it, the branches that leave it, and where they are added again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .parts import Part
from .trace import Addition, Mark, ModuleRun

Event = ModuleRun | Addition


@dataclass(frozen=True, eq=False)
class Step:
    """One part on the main path ("line"), the parts of a branch that is added to it, or parts beside it ("side").

    `addition` is the sum at the end of a branch. A branch without parts adds a parameter, or a tensor computed
    in the model's own code, such as sinusoidal positions.
    """

    kind: Literal["line", "branch", "side"]
    parts: tuple[Part, ...]
    addition: Addition | None = None


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
    """All parts that one sequence passes through: those of the model, of its encoder or of its decoder."""

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
    relevant = list(_relevant_events(events, parts))
    decoders = [stack for stack in stacks if any(_inside(path, stack) for path in cross)]
    encoders = [stack for stack in stacks if stack not in decoders]
    if not decoders or not encoders:
        return (Lane("", tuple(_items(relevant, parts, stacks))),)
    root = _encoder_root(encoders[0], decoders[0])
    last = max((place for place, event in enumerate(relevant) if _inside(_place(event), root)), default=-1)
    return (
        Lane("encoder", tuple(_items(relevant[: last + 1], parts, stacks))),
        Lane("decoder", tuple(_items(relevant[last + 1 :], parts, stacks))),
    )


def _relevant_events(events: list[Event], parts: Mapping[tuple[str, int], Part]) -> Iterator[Event]:
    """The runs of parts, and the additions between them that update the residual stream.

    Left out are additions inside a part, and those whose result is itself added to an older tensor (parallel attention
    and MLP, as in GPT-J).
    """
    paths = {path for path, _ in parts}
    added = {event.added.mark for event in events if isinstance(event, Addition)}
    for event in events:
        if isinstance(event, ModuleRun):
            if (event.path, event.turn) in parts:
                yield event
        elif event.after.mark not in added and not any(_inside(event.inside, path) for path in paths):
            yield event


def _items(
    events: list[Event], parts: Mapping[tuple[str, int], Part], stacks: Mapping[str, tuple[str, ...]]
) -> Iterator[Step | Stack]:
    """The events in order, as steps; those of one stack are gathered into it."""
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
    """Split the parts before each addition into the main path, up to the last that made the stream, and the branch."""
    pending: list[ModuleRun] = []
    for event in events:
        if isinstance(event, ModuleRun):
            pending.append(event)
            continue
        last = _place_of(event.before.mark, pending)
        if last < 0 and begins:  # there is no stream before these parts: they are on the main path
            added = _place_of(event.added.mark, pending)
            last = len(pending) - 1 if added < 0 else added - 1
        begins = False
        yield from _line(pending[: last + 1], parts)
        yield Step(
            "branch", tuple(parts[module_run.path, module_run.turn] for module_run in pending[last + 1 :]), event
        )
        pending = []
    yield from _line(pending, parts)


def _line(pending: list[ModuleRun], parts: Mapping[tuple[str, int], Part]) -> Iterator[Step]:
    for module_run in pending:
        part = parts[module_run.path, module_run.turn]
        yield Step("side" if part.kind == "positions" else "line", (part,))


def _place_of(mark: Mark, pending: list[ModuleRun]) -> int:
    """The index of the part that made the tensor of this mark; -1 if it is older than all of them."""
    return max((place for place, module_run in enumerate(pending) if mark in module_run.marks), default=-1)


def _steps_of(item: Step | Stack) -> tuple[Step, ...]:
    if isinstance(item, Step):
        return (item,)
    return tuple(step for block in item.blocks for step in block.steps)


def _place(event: Event) -> str:
    return event.path if isinstance(event, ModuleRun) else event.inside


def _encoder_root(encoder: str, decoder: str) -> str:
    """The shortest prefix of the encoder's path that the decoder's does not have: "model.encoder"."""
    words = encoder.split(".")
    for count in range(1, len(words) + 1):
        if not _inside(decoder, ".".join(words[:count])):
            return ".".join(words[:count])
    return encoder


def _inside(path: str, place: str) -> bool:
    return path == place or path.startswith(place + ".")
