"""The open records and edits, and what they require of an attention that is about to be computed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall
from .edits import Edit, Only, Patch, Replace, apply_edit, grows
from .module_runs import ModuleRun
from .paths import Caller, ModulePaths, matches, near
from .product import last_allowed
from .provenance import Kind
from .versions import stable_tensor


@dataclass(eq=False)
class Watcher:
    """One open with-block: its model, what it edits or records of which heads, and what has run so far."""

    paths: ModulePaths
    # By path (or pattern of paths) and head; None stands for all heads.
    edits: Mapping[tuple[str, int | None], Edit | Patch] = field(default_factory=dict)
    replacements: Mapping[tuple[str, int | None], Replace] = field(default_factory=dict)
    differentiable: bool | frozenset[tuple[str, int]] = False
    records: bool = False
    calls: list[AttentionCall] = field(default_factory=list)
    heads: dict[str, int] = field(default_factory=dict)  # the number of heads, by path of an attention that ran
    used: set[int] = field(default_factory=set)  # ids of the parameters that took part in some operation
    runs: dict[str, list[ModuleRun]] = field(default_factory=dict)  # by path of an attention that ran
    queries: dict[str, int] = field(default_factory=dict)  # the number of queries of the latest map with cut links
    progress: Callable[[int], None] | None = None  # called after each recorded call with the number of calls

    steps: dict[str, int] = field(default_factory=dict)  # how often each attention ran, by path
    unused_softmaxes: dict[str, str] = field(default_factory=dict)  # why a softmax is no attention, by path
    refused: dict[str, str] = field(default_factory=dict)  # why an attention has no map of tokens, by path

    @property
    def named_paths(self) -> set[str]:
        """The paths, or patterns of paths, of edits, replacements and differentiable heads."""
        followed = () if isinstance(self.differentiable, bool) else self.differentiable
        return {path for path, _ in (*self.edits, *self.replacements, *followed)}

    def check(self) -> None:
        """Raise CaptureError, before anything runs, for a compiled model or for a path that it does not have."""
        if self.paths.is_compiled:
            raise CaptureError(
                "A model that went through torch.compile or TorchScript runs where nobody can look: use the model from "
                "which it was made."
            )
        for path in self.named_paths:
            if not any(matches(path, known) for known in self.paths):
                raise CaptureError(f"The model has no module '{path}'; did you mean {near(path, self.paths)}?")

    def check_done(self) -> None:
        """Raise CaptureError if an edit was never applied, or could not reach all rows of a map."""
        missing = sorted(name for name in self.named_paths if not any(matches(name, path) for path in self.heads))
        if missing:
            alternatives = near(missing[0], self.heads) if self.heads else "nowhere"
            reason = next((reason for path, reason in self.refused.items() if matches(missing[0], path)), "")
            raise CaptureError(
                f"No attention was seen at '{missing[0]}'{f' ({reason})' if reason else ''}, so none of its heads was "
                f"changed or followed; it was seen at {alternatives}."
            )
        for path in sorted(path for path in self.runs if any(matches(named, path) for named in self.named_paths)):
            if run := next((run for run in self.runs[path] if run.in_pieces), None):
                raise CaptureError(
                    f"'{path}' looks in pieces, of which {run.rows} of {run.tokens} rows were seen: what is asked of a "
                    "whole head cannot be done there. Choose the form of this model that computes whole maps, such as "
                    "attention_type='original_full' of BigBird or 'full' of Informer."
                )


class WatchedAttention:
    """One attention that is being computed: its path for each watcher, and what they require of its heads."""

    def __init__(self, watchers: Iterable[Watcher], calling: list[Caller], heads: int):
        paths = [(watcher, watcher.paths.path(calling)) for watcher in watchers]
        self.places = [(watcher, path) for watcher, path in paths if path is not None]
        self.heads = heads
        self.records = any(watcher.records for watcher, _ in self.places)
        self.edits: dict[int, list[Edit]] = {}
        self.patches: dict[int, list[Patch]] = {}
        self.differentiable: set[int] = set()
        self.replaced: dict[int, Replace] = {}
        self._recorded: list[AttentionCall] = []
        for watcher, path in self.places:
            for (named, head), replacement in watcher.replacements.items():
                if matches(named, path):
                    self._replace(path, self._heads_at(path, head), replacement)
            for (named, head), edit in watcher.edits.items():
                if matches(named, path) and not _is_for_another_run(edit, watcher.steps.get(path, 0)):
                    for head_number in self._heads_at(path, head):
                        if isinstance(edit, Patch):
                            self.patches.setdefault(head_number, []).append(edit)
                        else:
                            self.edits.setdefault(head_number, []).append(edit)
            followed = [] if isinstance(watcher.differentiable, bool) else watcher.differentiable
            for named, head in followed:
                if matches(named, path):
                    self.differentiable.update(self._heads_at(path, head))
            if watcher.differentiable is True:
                self.differentiable.update(range(heads))
        if clash := self.replaced.keys() & (self.edits.keys() | self.patches.keys() | self.differentiable):
            raise CaptureError(
                f"Head {min(clash)} of '{self.places[0][1]}' is replaced: it has no weights to edit or to follow."
            )
        if self.differentiable and not torch.is_grad_enabled():
            raise CaptureError(
                "Differentiable weights need gradients: run the model outside torch.no_grad() and inference_mode()."
            )

    def _heads_at(self, path: str, head: int | None) -> Iterable[int]:
        """The number of one head, or of all; CaptureError for a head that the module does not have."""
        if head is None:
            return range(self.heads)
        if not 0 <= head < self.heads:
            raise CaptureError(f"'{path}' has no head {head}: its heads are numbered 0 to {self.heads - 1}.")
        return (head,)

    def _replace(self, path: str, heads: Iterable[int], replacement: Replace) -> None:
        for head in heads:
            if head in self.replaced:
                raise CaptureError(f"Head {head} of '{path}' is replaced twice: leave one of them out.")
            self.replaced[head] = replacement

    @property
    def written_heads(self) -> list[int]:
        """The heads whose weights must be computed explicitly, outside the fused kernel."""
        return sorted(self.edits.keys() | self.patches.keys() | self.differentiable)

    def edit_weights(
        self,
        heads: list[int],
        weights: Float[Tensor, "batch head query key"],
        scores: Float[Tensor, "batch head query key"],
        allowed: Bool[Tensor, "batch head query key"],
        kind: Callable[[], Kind],
    ) -> Float[Tensor, "batch head query key"]:
        """The weights of these heads after the edits of each; `kind` tells self-attention from cross attention."""
        if not self.edits:
            return weights
        rows, first = [], 0
        if self.grows:
            first = self._first_query(allowed, kind)
        for row, head in enumerate(heads):
            new, old = weights[:, row], scores[:, row]
            for edit in self.edits.get(head, ()):
                new = apply_edit(edit, old, allowed[:, row], first)
                old = new.log()  # scores for the next edit: their softmax is `new` again
            rows.append(new)
        return torch.stack(rows, dim=1)

    @property
    def grows(self) -> bool:
        """Whether links are cut in a growing text (see `Cut`)."""
        return any(grows(edit) for edits in self.edits.values() for edit in edits)

    def _first_query(self, allowed: Bool[Tensor, "batch head query key"], kind: Callable[[], Kind]) -> int:
        """The position in the text of the first query of a map.

        With a cache a step reads the newest tokens only: the last key that each may attend to is its own.
        """
        queries, keys = allowed.shape[-2:]
        if kind() == "self":
            return 0 if queries == keys else int(last_allowed(allowed[:, :, 0]).max())
        if kind() == "unknown" and queries != keys:
            raise CaptureError(
                f"It is not known whether the {keys} keys of '{self.places[0][1]}' are of the text that is being "
                f"written or of another one, and so which link of its {queries} queries is meant: write without a "
                "cache, as in generate(..., use_cache=False), or cut links that do not grow."
            )
        for watcher, path in self.places:
            if watcher.queries.get(path) == queries == 1:
                raise CaptureError(
                    f"Each step at '{path}' reads one token, so it cannot be told which link of the growing text is "
                    "meant: write without a cache, as in generate(..., use_cache=False)."
                )
            watcher.queries[path] = queries
        return 0

    def track_gradient(self, weights: Tensor) -> Tensor:
        """The weights, requiring a gradient if a watcher asks for differentiable weights."""
        if self.differentiable and not weights.requires_grad:
            weights.requires_grad_()
        return weights

    def mark_recorded(self, run: ModuleRun | None) -> None:
        """Note for every watcher that the attention at its path ran: its number of heads, and its module's run."""
        for watcher, path in self.places:
            watcher.heads[path] = self.heads
            watcher.unused_softmaxes.pop(path, None)
            watcher.steps[path] = watcher.steps.get(path, 0) + 1
            if run is not None and run not in watcher.runs.setdefault(path, []):
                watcher.runs[path].append(run)

    def note_unused_softmax(self, description: str) -> None:
        """Note for every watcher why a softmax has not turned out to be attention so far."""
        for watcher, path in self.places:
            watcher.unused_softmaxes[path] = description

    def refuse(self, reason: str) -> None:
        """Note for every watcher why the attention at its path has no map of tokens, and remove its recorded calls."""
        for watcher, path in self.places:
            watcher.refused[path] = reason
            watcher.unused_softmaxes.pop(path, None)
            watcher.heads.pop(path, None)
            watcher.calls[:] = [call for call in watcher.calls if call not in self._recorded]

    def record(self, **fields: Any) -> None:
        """Append the finished call to every record; tensors whose memory may be overwritten are copied."""
        if not self.records:
            return
        if fields["written"] is not None:
            fields["written"] = fields["written"].snapshot()
        fields |= {
            name: stable_tensor(fields[name]) for name in ("recorded_value", "sink") if fields.get(name) is not None
        }
        for watcher, path in self.places:
            if watcher.records:
                watcher.calls.append(AttentionCall(path=path, **fields))
                self._recorded.append(watcher.calls[-1])
                if watcher.progress:
                    watcher.progress(len(watcher.calls))


def _is_for_another_run(edit: Edit | Patch, step: int) -> bool:
    """Whether an edit is for other runs (`step`) of the module than this one."""
    return isinstance(edit, Only) and edit.steps is not None and step not in edit.steps
