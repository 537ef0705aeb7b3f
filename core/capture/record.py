"""Record the attention of every head of a model while it runs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, overload

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from ..errors import CaptureError
from .call import AttentionCall
from .interceptor import watching
from .labels import read_labels
from .one_input import one_input, read_mask
from .paths import ModulePaths, near
from .steps import merge_steps
from .stored import load_calls, save_calls
from .unseen import describe_nothing_seen, unseen_paths, why_unseen
from .watcher import Watcher

Labels = Sequence[str] | Sequence[Sequence[str]]  # of the tokens of one input, or of each


class Record:
    """The attention calls of one with-block, or of a file, in the order in which they ran.

    `tokens` are the labels of the input tokens, for one input or for each, if there are any: `show` writes them beside
    rows and columns. `present` says which tokens of each input are no padding, if there was an attention_mask.
    """

    def __init__(
        self,
        calls: list[AttentionCall],
        watcher: Watcher | None = None,
        tokens: Labels | None = None,
        present: Bool[Tensor, "batch token"] | None = None,
    ):
        self._calls, self._watcher = calls, watcher
        self.tokens = None if tokens is None else read_labels(tokens)
        self.present = present

    @classmethod
    def load(cls, path: str | Path) -> "Record":
        """A record that `save` wrote; its tensors are memory-mapped. Raises CaptureError for another file."""
        calls, tokens, present = load_calls(path)
        return cls(calls, tokens=tokens, present=present)

    def save(self, path: str | Path) -> None:
        """Write the record into one safetensors file, without the model and without graphs of gradients."""
        save_calls(self.calls, path, self.tokens, self.present)

    @property
    def calls(self) -> tuple[AttentionCall, ...]:
        """Every call; a module that ran several times (shared layers, decoding) has several."""
        return tuple(self._calls)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Paths of modules that ran and by their names mix tokens, but computed nothing that could be recorded.

        These are attention modules, by class or attribute name, and token mixers without a softmax, such as Mamba,
        linear attention and recurrences: hybrids (Qwen3-Next, Jamba) have them in some layers.
        """
        return unseen_paths(self._watcher) if self._watcher else ()

    @property
    def why_unseen(self) -> dict[str, str]:
        """For each path of `unseen`, what ran there instead of attention; "" where there was no softmax at all."""
        return why_unseen(self._watcher) if self._watcher else {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths at which attention was recorded, each once, in the order of their first calls."""
        return tuple(dict.fromkeys(call.path for call in self._calls))

    @property
    def partial(self) -> dict[str, tuple[int, int]]:
        """Paths whose maps are incomplete: (rows recorded in a run, tokens of the sequence).

        Block-sparse attention computes some rows separately and others without a softmax over keys; ProbSparse
        attention has a map for some queries only (`call.rows` has their positions). The recorded rows are exact.
        """
        runs = {call.path: call.run for call in self._calls if call.partial}
        return {path: (run.rows, run.tokens) for path, run in runs.items() if run}

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[AttentionCall]:
        return iter(self.calls)

    def __repr__(self) -> str:
        return "\n".join([f"{len(self)} attention calls", *map(repr, self.calls)])

    @overload
    def __getitem__(self, selection: int) -> AttentionCall: ...
    @overload
    def __getitem__(self, selection: slice) -> tuple[AttentionCall, ...]: ...
    @overload
    def __getitem__(self, selection: str) -> AttentionCall: ...
    def __getitem__(self, selection: int | slice | str) -> AttentionCall | tuple[AttentionCall, ...]:
        """A call by its number or its path, several by a slice."""
        if isinstance(selection, slice):
            return self.calls[selection]
        if isinstance(selection, int):
            if not -len(self) <= selection < len(self):
                raise CaptureError(f"There is no call {selection}: {len(self)} were recorded, numbered from 0.")
            return self.calls[selection]
        matching = [call for call in self._calls if call.path == selection]
        if not matching:
            raise CaptureError(f"No attention was recorded at '{selection}', but at {near(selection, self.paths)}.")
        if len(matching) > 1:
            raise CaptureError(f"'{selection}' ran {len(matching)} times: choose one of them from record.calls.")
        return matching[0]

    def item(self, item: int) -> "Record":
        """The record of one input, without the rows and columns of its padding: measures and views leave it out.

        Raises CaptureError where there is no such input, or where the model attends to padding.
        """
        calls, tokens = one_input(self.calls, item, self.present), self.tokens
        if tokens and not isinstance(tokens[0], str):
            tokens = tokens[item]
        if tokens and self.present is not None and len(tokens) == self.present.shape[1]:
            present = self.present[item].tolist()
            tokens = tuple(label for label, is_token in zip(tokens, present, strict=True) if is_token)
        return Record(calls, self._watcher, tokens)

    def matching(self, pattern: str) -> tuple[AttentionCall, ...]:
        """The calls whose path matches a pattern such as "blocks.*.attention"; CaptureError where none does."""
        matching = tuple(call for call in self.calls if fnmatchcase(call.path, pattern))
        if not matching:
            raise CaptureError(f"No path matches '{pattern}'; attention was recorded at {near(pattern, self.paths)}.")
        return matching

    def stack(self, pattern: str = "*") -> Float[Tensor, "layer batch head query key"]:
        """The weights of all calls whose path matches, in one tensor; CaptureError where their shapes differ."""
        calls = self.matching(pattern)
        if len(shapes := list(dict.fromkeys(call.shape for call in calls))) > 1:
            raise CaptureError(
                f"{len(calls)} calls of {len(shapes)} shapes, such as {shapes[0]} and {shapes[1]} (batch, head, query, "
                "key), make no one tensor: choose some of them by a pattern of their paths."
            )
        return torch.stack([call.weights() for call in calls])

    def merged(
        self,
        path: str,
        item: int = 0,
        beams: Sequence[int] | Tensor | None = None,
        length: int | None = None,
    ) -> Float[Tensor, "head query key"]:
        """The maps of all heads at a path for a text that was generated step by step; see `merge_steps`.

        `item` is the index in the batch, `beams` the row of `beam_indices` that
        `generate(..., return_dict_in_generate=True)` returns for the text, `length` the number of its tokens that the
        model read, which assisted decoding needs: all that `generate` returns but the last. Raises CaptureError where
        the steps are not those of one text, as after a beam search without `beams`.
        """
        followed = beams.tolist() if isinstance(beams, Tensor) else beams
        calls = [call for call in self.matching(path) if call.path == path]
        return merge_steps(calls, item, followed, length, self._parallel_calls(calls))

    def _parallel_calls(self, calls: Sequence[AttentionCall]) -> Sequence[AttentionCall]:
        """The self-attention calls of the same steps at another path, preferably with keys and of a late layer."""
        runs: dict[str, list[AttentionCall]] = {}
        for call in self._calls:
            runs.setdefault(call.path, []).append(call)
        steps = [(call.batch_size, call.query_length) for call in calls]
        candidates = [
            run
            for path, run in runs.items()
            if path != calls[0].path
            and run[0].kind != "cross"
            and run[0].over == "token"
            and [(call.batch_size, call.query_length) for call in run] == steps
        ]
        return max(reversed(candidates), key=lambda run: run[0].product is not None, default=())

    def gradients(self, scalar: Float[Tensor, ""]) -> dict[str, Float[Tensor, "batch head query key"]]:
        """The gradient of `scalar` with respect to the weights, by path; needs a record made with `differentiable`.

        The head axis holds the heads that `differentiable` selects there, in ascending order (True: all). May be called
        for several scalars of one run.
        """
        written = [(call.path, call.written.weights) for call in self._calls if call.written]
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
        gradients = torch.autograd.grad(scalar, weights, retain_graph=True, materialize_grads=True)
        return dict(zip(paths, gradients, strict=True))

    def show(self, tokens: Sequence[str] | None = None, **options: Any) -> Any:
        """All heads in one view for a notebook, without padding; options are those of `view_of_record.show`."""
        from .view_of_record import show  # imported here: recording needs no view

        if self.present is not None or (self.tokens and not isinstance(self.tokens[0], str)):
            return self.item(options.pop("item", 0)).show(tokens, **options)
        return show(self.calls, self.tokens if tokens is None else tokens, **options)

    def save_html(self, path: str | Path, tokens: Sequence[str] | None = None, **options: Any) -> None:
        """Write the view of `show` to an HTML file that a browser opens offline."""
        self.show(tokens, **options).save(path)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()


@contextmanager
def record_attention(
    model: nn.Module,
    *,
    differentiable: bool | Iterable[tuple[str, int]] = False,
    tokens: Labels | None = None,
    attention_mask: Any = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Record]:
    """Record all attention of the model in this thread, until the end of the with-block.

    The model is not modified: nothing is installed on it and its attention keeps the fused kernel, so that other
    threads may use, record or edit it at the same time. Recorded are each `scaled_dot_product_attention`, and each
    softmax over keys that is multiplied with values by a matrix product, also after a mask. Not recorded are attention
    without a softmax, and what runs inside C++. torch.nn's encoder runs without its C++ fast path, which would leave
    zeros at padding.

    `differentiable`: the heads, (path, head) or True for all, whose weights are computed explicitly, so that
    `record.gradients` can differentiate a scalar of the output with respect to them. `tokens`: labels that the record
    stores, for one input or for each. `attention_mask`: 1 for a token and 0 for padding (batch, token), as a tokenizer
    returns it and the model receives it, so that `record.item` can omit padding. `progress` is called after each
    recorded call with the number of calls so far, and may stop a long run by raising an exception.

    Raises CaptureError at the end of the block if no attention was recorded.
    """
    chosen = differentiable if isinstance(differentiable, bool) else frozenset(differentiable)
    watcher = Watcher(ModulePaths(model), differentiable=chosen, records=True, progress=progress)
    watcher.check()
    present = None if attention_mask is None else read_mask(attention_mask)
    with watching(watcher):
        yield Record(watcher.calls, watcher, tokens, present)
    if not watcher.calls:
        raise CaptureError(describe_nothing_seen(watcher))
    watcher.check_done()
