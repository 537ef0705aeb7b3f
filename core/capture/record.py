"""Record what every head of a model looks at while it runs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..errors import CaptureError
from .call import AttentionCall
from .paths import ModulePaths, near
from .seam import watching
from .unseen import nothing_seen, unseen_paths
from .watcher import Watcher


class Record:
    """The attention calls of one with-block, in the order in which they ran."""

    def __init__(self, watcher: Watcher):
        self._watcher = watcher

    @property
    def calls(self) -> tuple[AttentionCall, ...]:
        """Every call; a module that ran several times (shared layers, decoding) is there several times."""
        return tuple(self._watcher.calls)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Modules that are attention by their name, and ran, but did nothing that could be recorded."""
        return unseen_paths(self._watcher)

    def __getitem__(self, path: str) -> AttentionCall:
        found = [call for call in self._watcher.calls if call.path == path]
        if not found:
            raise CaptureError(f"No attention was recorded at '{path}', but at {near(path, self._watcher.heads)}.")
        if len(found) > 1:
            raise CaptureError(f"'{path}' ran {len(found)} times: choose one of them from record.calls.")
        return found[0]

    def gradients(self, scalar: Float[Tensor, ""]) -> dict[str, Float[Tensor, "batch head query key"]]:
        """How `scalar` changes with each weight, by path; of a record made with `differentiable`.

        The head axis holds the heads that were chosen there, in ascending order (True: all). Several scalars of
        one run may be asked for, one after another.
        """
        written = [(call.path, call.written.weights) for call in self._watcher.calls if call.written]
        tracked = [(path, weights) for path, weights in written if weights.requires_grad]
        if not tracked:
            raise CaptureError("There is no graph to follow: record with record_attention(model, differentiable=True).")
        if len(dict(tracked)) < len(tracked):
            raise CaptureError(
                "A path ran several times: use torch.autograd.grad with the `written.weights` of the calls you want."
            )
        if not scalar.requires_grad:
            raise CaptureError("This scalar does not depend on the recorded run: compute it from the model's output.")
        paths, weights = zip(*tracked, strict=True)
        found = torch.autograd.grad(scalar, weights, retain_graph=True, materialize_grads=True)
        return dict(zip(paths, found, strict=True))

    def show(self, tokens: Sequence[str] | None = None, **options: Any) -> Any:
        """All heads in one view that a notebook shows; `core.view.show` says what may be given."""
        from ..view import show  # here, because the view knows records, not the reverse

        return show(self.calls, tokens, **options)

    def save_html(self, path: str | Path, tokens: Sequence[str] | None = None, **options: Any) -> None:
        """The same view as a file, which any browser opens without a network."""
        self.show(tokens, **options).save(path)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()


@contextmanager
def record_attention(
    model: nn.Module,
    *,
    differentiable: bool | Iterable[tuple[str, int]] = False,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Record]:
    """Everything that the model attends to in this thread, until the end of the with-block.

    The model stays as it is: nothing is installed on it and its attention keeps the fused kernel, so that other
    threads may use, record or edit it at the same time. What is seen: each `scaled_dot_product_attention`, and each
    softmax over keys that is multiplied with values by a matrix product. Not seen: attention without a softmax, and
    what runs inside C++. torch.nn's encoder is run without its C++ fast path, which would leave zeros at padding.

    `differentiable`: the heads, (path, head) or True for all, that run written out, so that `record.gradients`
    can follow a scalar of the output back to their weights. `progress` is told after each call how many were seen, and
    may stop a long run by an exception.

    Raises CaptureError at the end of the block if nothing was seen.
    """
    chosen = differentiable if isinstance(differentiable, bool) else frozenset(differentiable)
    watcher = Watcher(ModulePaths(model), differentiable=chosen, records=True, progress=progress)
    watcher.check()
    with watching(watcher):
        yield Record(watcher)
    if not watcher.calls:
        raise CaptureError(nothing_seen(watcher))
    watcher.check_done()
