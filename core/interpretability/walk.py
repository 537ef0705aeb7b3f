"""The parts of a model and the order in which they run, from one recorded forward pass."""

from dataclasses import dataclass, replace
from functools import cached_property

from torch import Tensor, nn

from ..capture import AttentionCall
from ..errors import CaptureError
from .flow import Lane, Stack, Step, lanes_of
from .parts import Kind, Part, atoms_of, inner_of, kind_of, stacks_of
from .trace import Mark, ModuleRun, Run, mark, trace

OUTPUT = "output"  # the key of what makes the logits, where no module does: a tied unembedding


@dataclass(frozen=True, eq=False)
class ModelWalk:
    """A model and one recorded run of it. Shared by all visitors: never changed."""

    network: nn.Module
    run: Run
    lanes: tuple[Lane, ...]
    calls: tuple[AttentionCall, ...]
    logits: Tensor | None  # of the first input: (token, vocabulary) or (class,)

    @cached_property
    def parts(self) -> dict[str, Part]:
        """Every part that ran by its key, in the order of the lanes."""
        return {part.key: part for lane in self.lanes for step in lane.steps for part in step.parts}

    def part(self, key: str) -> Part:
        """A part, or a module inside one, by its key. CaptureError if there is none."""
        for part in self.parts.values():
            for candidate in (part, *part.inner):
                if candidate.key == key:
                    return candidate
        raise CaptureError(f"This model has no part '{key[:80]}'. Choose one from the diagram.")

    def lane_of(self, key: str) -> Lane:
        """The lane in which a part is."""
        return next(lane for lane in self.lanes if any(_has(step, key) for step in lane.steps))

    @property
    def stack(self) -> Stack:
        """The last stack of blocks before the output; raises CaptureError if there is none."""
        stacks = self.lanes[-1].stacks
        if not stacks:
            raise CaptureError("This model has no repeated blocks that attend, so it has no stream to follow.")
        return stacks[-1]


def walk(model: nn.Module, run: Run) -> ModelWalk:
    """Run a copy of the model once and identify its parts. Raises CaptureError if it has no attention.

    `run` is called with the copy, which it must call.
    """
    run_trace = trace(model, run)
    calls = {call.path: call for call in run_trace.calls}
    paths = frozenset(calls)
    cross = frozenset(call.path for call in run_trace.calls if call.kind == "cross")
    stacks = stacks_of(model, paths)
    atoms = atoms_of(model, paths)
    logits = _logits(run_trace.output)
    parts = _parts(model, run_trace.events, atoms, cross, None if logits is None else mark(logits))
    lanes = lanes_of(run_trace.events, parts, stacks, cross)
    if logits is not None and not any(part.kind == "head" for part in parts.values()):
        lanes = (*lanes[:-1], _with_unembedding(lanes[-1], logits))
    first = None if logits is None else logits.detach()[0]
    return ModelWalk(model, run, lanes, run_trace.calls, first)


def _parts(
    model: nn.Module, events: list, atoms: dict[str, Kind], cross: frozenset[str], output: Mark | None
) -> dict[tuple[str, int], Part]:
    modules = dict(model.named_modules())
    runs = {(event.path, event.turn): event for event in events if isinstance(event, ModuleRun)}
    parts = {}
    for (path, turn), event in runs.items():
        if path not in atoms:
            continue
        kind: Kind = "cross-attention" if path in cross else atoms[path]
        if output in event.marks and kind in ("linear", "MLP", "other"):
            kind = "head"
        part = _part(modules[path], event, kind)
        inner = [
            _part(modules[name], runs[name, turn], kind_of(modules[name]))
            for name in inner_of(path, modules[path])
            if (name, turn) in runs
        ]
        parts[path, turn] = replace(part, inner=tuple(inner))
    return parts


def _part(module: nn.Module, event: ModuleRun, kind: Kind) -> Part:
    return Part(
        key=event.path if event.turn == 0 else f"{event.path} again{'' if event.turn == 1 else event.turn}",
        path=event.path,
        turn=event.turn,
        kind=kind,
        class_name=type(module).__name__,
        parameters=sum(weight.numel() for weight in module.parameters()),
        inputs=event.inputs,
        outputs=event.outputs,
    )


def _logits(output: object) -> Tensor | None:
    """The logits, if the model has any: our own and timm's models return them, transformers' have an attribute."""
    if isinstance(output, Tensor):
        return output
    return getattr(output, "logits", None)


def _with_unembedding(lane: Lane, logits: Tensor) -> Lane:
    """The lane with the unembedding as a part, where it is not a module (GPT: tied to the embedding)."""
    parts = [part for step in lane.steps for part in step.parts]
    shapes = parts[-1].outputs if parts else ()
    if shapes and shapes[0][-1] == logits.shape[-1]:
        return lane  # the model returns its last vectors: there is no head
    part = Part(OUTPUT, OUTPUT, 0, "head", "tied to the embedding", 0, shapes, (tuple(logits.shape),))
    return replace(lane, items=(*lane.items, Step("line", (part,))))


def _has(step: Step, key: str) -> bool:
    return any(candidate.key == key for part in step.parts for candidate in (part, *part.inner))
