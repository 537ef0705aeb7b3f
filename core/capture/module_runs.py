"""One run of a module that reads a sequence, and the maps that it computes: of all its tokens, or in pieces."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from .paths import Caller, sequence_in


@dataclass(eq=False)
class ModuleRun:
    """One run of a module that reads a sequence of `tokens`; it may compute several `maps`, with `rows` rows in all.

    `chosen`: the rows belong to some queries only, in any order (ProbSparse attention, Zhou et al. 2021).
    """

    tokens: int
    maps: int = 0
    rows: int = 0
    most: int = 0  # rows of the largest map
    chosen: bool = False

    @property
    def in_pieces(self) -> bool:
        """Whether no map of this run has all rows in the order of the tokens."""
        return self.chosen or (self.maps > 1 and self.most < self.tokens)

    def note_chosen(
        self, rows: Int[Tensor, "..."] | None, shape: Sequence[int]
    ) -> Int[Tensor, "batch head query"] | None:
        """Note whether the module selected some of its tokens as the queries of a map of this `shape`.

        Returns their positions if it did, else None; `rows` are the positions by which queries were indexed, if any.
        """
        batch, heads, queries, _ = shape
        if rows is None or rows.numel() != batch * heads * queries or queries > self.tokens:
            return None
        rows = rows.reshape(batch, heads, queries)
        all_in_order = torch.arange(queries, device=rows.device).expand_as(rows)
        self.chosen = queries < self.tokens or not torch.equal(rows, all_in_order)
        return rows if self.chosen else None


class ModuleRuns:
    """The runs of modules that have not ended yet, each with the arguments of its call.

    The arguments are referenced, so that another call cannot have the same ids; those of runs that have ended are let
    go, as they may be large.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[Caller, ModuleRun]] = []

    def add_map(self, calling: list[Caller], rows: int) -> ModuleRun | None:
        """The innermost module's run, with a map of `rows` rows added to it; None where it reads no sequence.

        `calling`: all modules that run now, from the innermost on.
        """
        caller_and_sequence = sequence_in(calling[:1])
        if caller_and_sequence is None:
            return None
        caller, sequence = caller_and_sequence
        self._runs = [(first, run) for first, run in self._runs if any(_same_call(first, other) for other in calling)]
        run = next((run for first, run in self._runs if _same_call(first, caller)), None)
        if run is None:
            run = ModuleRun(sequence.shape[1])
            self._runs.append((caller, run))
        run.maps, run.rows, run.most = run.maps + 1, run.rows + rows, max(run.most, rows)
        return run


def _same_call(first: Caller, other: Caller) -> bool:
    return first.module is other.module and first.args is other.args and first.kwargs is other.kwargs
