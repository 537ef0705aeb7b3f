"""Who is watching, and what they want of an attention that is about to be computed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from ..errors import CaptureError
from .call import AttentionCall, ModuleRun
from .edits import Cut, Edit, Replace
from .paths import Caller, ModulePaths, near
from .product import last_allowed


@dataclass(eq=False)
class Watcher:
    """One open with-block: the model it watches, what it wants of which heads, what it has seen."""

    paths: ModulePaths
    edits: Mapping[tuple[str, int], Edit] = field(default_factory=dict)
    replacements: Mapping[tuple[str, int] | str, Replace] = field(default_factory=dict)  # of a head, or of all heads
    differentiable: bool | frozenset[tuple[str, int]] = False
    records: bool = False
    calls: list[AttentionCall] = field(default_factory=list)
    heads: dict[str, int] = field(default_factory=dict)  # how many, of each attention that was seen
    used: set[int] = field(default_factory=set)  # identities of the parameters that took part in something
    runs: dict[str, list[ModuleRun]] = field(default_factory=dict)  # of each attention that was seen
    queries: dict[str, int] = field(default_factory=dict)  # how many, of the latest map in which links were cut
    progress: Callable[[int], None] | None = None  # is told of each recorded call how many there are now

    def chosen(self) -> set[tuple[str, int]]:
        """The (path, head) pairs that somebody named."""
        named = () if isinstance(self.differentiable, bool) else self.differentiable
        return self.edits.keys() | set(named)

    @property
    def named_paths(self) -> set[str]:
        """The paths that somebody named, with a head or without."""
        replaced = {place if isinstance(place, str) else place[0] for place in self.replacements}
        return {path for path, _ in self.chosen()} | replaced

    def check(self) -> None:
        """Refuse what cannot work, before anything runs."""
        if self.paths.hidden:
            raise CaptureError(
                "A model that went through torch.compile or TorchScript runs where nobody can look: use the model from "
                "which it was made."
            )
        for path in self.named_paths:
            if path not in self.paths:
                raise CaptureError(f"The model has no module '{path}'; did you mean {near(path, self.paths)}?")

    def check_done(self) -> None:
        """Refuse to leave silently if something that was asked for did not happen."""
        missed = sorted(self.named_paths - self.heads.keys())
        if missed:
            seen = near(missed[0], self.heads) if self.heads else "nowhere"
            raise CaptureError(
                f"No attention was seen at '{missed[0]}', so none of its heads was changed or followed; "
                f"it was seen at {seen}."
            )
        for path in sorted(self.named_paths):
            if run := next((run for run in self.runs.get(path, []) if run.in_pieces), None):
                raise CaptureError(
                    f"'{path}' looks in pieces, of which {run.rows} of {run.tokens} rows were seen: what is asked of a "
                    "whole head cannot be done there. Choose the form of this model that computes whole maps, such as "
                    "attention_type='original_full' of BigBird."
                )


class Sight:
    """One attention that is being computed: who watches it under which path, and what they want of its heads."""

    def __init__(self, watchers: Iterable[Watcher], calling: list[Caller], heads: int):
        paths = [(watcher, watcher.paths.path(calling)) for watcher in watchers]
        self.places = [(watcher, path) for watcher, path in paths if path is not None]
        self.heads = heads
        self.records = any(watcher.records for watcher, _ in self.places)
        self.edits: dict[int, list[Edit]] = {}
        self.differentiable: set[int] = set()
        self.replaced: dict[int, Replace] = {}
        for watcher, path in self.places:
            for place, replacement in watcher.replacements.items():
                if place == path:
                    self._replace(path, range(heads), replacement)
                elif not isinstance(place, str) and place[0] == path:
                    self._replace(path, place[1:], replacement)
            for head in (head for place, head in watcher.chosen() if place == path):
                if not 0 <= head < heads:
                    raise CaptureError(f"'{path}' has no head {head}: its heads are numbered 0 to {heads - 1}.")
                if (path, head) in watcher.edits:
                    self.edits.setdefault(head, []).append(watcher.edits[path, head])
                else:
                    self.differentiable.add(head)
            if watcher.differentiable is True:
                self.differentiable.update(range(heads))
        if clash := self.replaced.keys() & (self.edits.keys() | self.differentiable):
            raise CaptureError(
                f"Head {min(clash)} of '{self.places[0][1]}' is replaced: it has no weights to edit or to follow."
            )
        if self.differentiable and not torch.is_grad_enabled():
            raise CaptureError(
                "Differentiable weights need gradients: run the model outside torch.no_grad() and inference_mode()."
            )

    def _replace(self, path: str, chosen: Iterable[int], replacement: Replace) -> None:
        for head in chosen:
            if not 0 <= head < self.heads:
                raise CaptureError(f"'{path}' has no head {head}: its heads are numbered 0 to {self.heads - 1}.")
            if head in self.replaced:
                raise CaptureError(f"Head {head} of '{path}' is replaced twice: leave one of them out.")
            self.replaced[head] = replacement

    @property
    def written_heads(self) -> list[int]:
        """The heads that cannot be left to the fused kernel."""
        return sorted(self.edits.keys() | self.differentiable)

    def edited(
        self,
        heads: list[int],
        weights: Float[Tensor, "batch head query key"],
        scores: Float[Tensor, "batch head query key"],
        allowed: Bool[Tensor, "batch head query key"],
        is_self: Callable[[], bool],
    ) -> Float[Tensor, "batch head query key"]:
        """The weights of these heads, each after its own edits; `is_self`: whether keys and queries are of one text."""
        if not self.edits:
            return weights
        rows, first = [], 0
        if self.grows:
            first = self._first_query(allowed, is_self())
        for row, head in enumerate(heads):
            new, old = weights[:, row], scores[:, row]
            for edit in self.edits.get(head, ()):
                new = edit(old, allowed[:, row], first) if isinstance(edit, Cut) else edit(old, allowed[:, row])
                old = new.log()  # scores for the next edit: their softmax is `new` again
            rows.append(new)
        return torch.stack(rows, dim=1)

    @property
    def grows(self) -> bool:
        """Whether links are cut in a text that is being written."""
        return any(isinstance(edit, Cut) and edit.growing for edits in self.edits.values() for edit in edits)

    def _first_query(self, allowed: Bool[Tensor, "batch head query key"], is_self: bool) -> int:
        """The number, in the text so far, of the first query of a map.

        With a cache a step reads the newest tokens only: the last key that one of them may look at is itself.
        """
        queries, keys = allowed.shape[-2:]
        if is_self:
            return 0 if queries == keys else int(last_allowed(allowed[:, :, 0]).max())
        for watcher, path in self.places:
            if watcher.queries.get(path) == queries == 1:
                raise CaptureError(
                    f"Each step at '{path}' reads one token, so it cannot be told which link of the growing text is "
                    "meant: write without a cache, as in generate(..., use_cache=False)."
                )
            watcher.queries[path] = queries
        return 0

    def tracked(self, weights: Tensor) -> Tensor:
        """Part of a graph, if somebody wants the gradient that reaches them."""
        if self.differentiable and not weights.requires_grad:
            weights.requires_grad_()
        return weights

    def note(self, run: ModuleRun | None) -> None:
        """Tell every watcher that the attention at its path has been seen: how many heads it has, in which run."""
        for watcher, path in self.places:
            watcher.heads[path] = self.heads
            if run is not None and run not in watcher.runs.setdefault(path, []):
                watcher.runs[path].append(run)

    def record(self, **seen: Any) -> None:
        """Hand the finished call to everyone who records."""
        for watcher, path in self.places:
            if watcher.records:
                watcher.calls.append(AttentionCall(path=path, **seen))
                if watcher.progress:
                    watcher.progress(len(watcher.calls))
