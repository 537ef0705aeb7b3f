"""Record what every head of a model looks at while it runs."""

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
from .unseen import nothing_seen, unseen_paths, why_unseen
from .watcher import Watcher

Labels = Sequence[str] | Sequence[Sequence[str]]  # of the tokens of one input, or of each


class Record:
    """The attention calls of one with-block, or of a file, in the order in which they ran.

    `tokens` are the labels of what was read, of one input or of each, where they were given: `show` writes them beside
    rows and columns. `present` says which tokens of each input are no padding, where an attention_mask was given.
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
        """What `save` has written; tensors stay on the disk until they are looked at. CaptureError for another file."""
        calls, tokens, present = load_calls(path)
        return cls(calls, tokens=tokens, present=present)

    def save(self, path: str | Path) -> None:
        """Write all that was recorded into one safetensors file, without the model; graphs of gradients are left."""
        save_calls(self.calls, path, self.tokens, self.present)

    @property
    def calls(self) -> tuple[AttentionCall, ...]:
        """Every call; a module that ran several times (shared layers, decoding) is there several times."""
        return tuple(self._calls)

    @property
    def unseen(self) -> tuple[str, ...]:
        """Paths of modules that mix tokens by their name, and ran, but did nothing that could be recorded.

        Attention by its class or place; and token mixers without a softmax, such as Mamba, linear attention and
        recurrences: hybrids (Qwen3-Next, Jamba) have them in some layers.
        """
        return unseen_paths(self._watcher) if self._watcher else ()

    @property
    def why_unseen(self) -> dict[str, str]:
        """What was seen at each of these paths instead of a map of tokens; "" where there was no softmax at all."""
        return why_unseen(self._watcher) if self._watcher else {}

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths at which attention was recorded, each once, in the order of their first calls."""
        return tuple(dict.fromkeys(call.path for call in self._calls))

    @property
    def partial(self) -> dict[str, tuple[int, int]]:
        """Paths whose maps are in pieces: the rows that were seen in a run, and all that there are.

        Block-sparse attention computes some rows apart and others without a softmax over keys; ProbSparse attention
        has a map for some queries only (`call.rows` has their positions). What was seen is exact, and not the whole.
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
    def __getitem__(self, chosen: int) -> AttentionCall: ...
    @overload
    def __getitem__(self, chosen: slice) -> tuple[AttentionCall, ...]: ...
    @overload
    def __getitem__(self, chosen: str) -> AttentionCall: ...
    def __getitem__(self, chosen: int | slice | str) -> AttentionCall | tuple[AttentionCall, ...]:
        """A call by its number or its path, several by a slice."""
        if isinstance(chosen, slice):
            return self.calls[chosen]
        if isinstance(chosen, int):
            if not -len(self) <= chosen < len(self):
                raise CaptureError(f"There is no call {chosen}: {len(self)} were recorded, numbered from 0.")
            return self.calls[chosen]
        found = [call for call in self._calls if call.path == chosen]
        if not found:
            raise CaptureError(f"No attention was recorded at '{chosen}', but at {near(chosen, self.paths)}.")
        if len(found) > 1:
            raise CaptureError(f"'{chosen}' ran {len(found)} times: choose one of them from record.calls.")
        return found[0]

    def item(self, item: int) -> "Record":
        """The record of one input, without the rows and columns of its padding: measures and views leave it out.

        Raises CaptureError where there is no such input, or where the model looked at the padding.
        """
        calls, tokens = one_input(self.calls, item, self.present), self.tokens
        if tokens and not isinstance(tokens[0], str):
            tokens = tokens[item]
        if tokens and self.present is not None and len(tokens) == self.present.shape[1]:
            tokens = tuple(label for label, there in zip(tokens, self.present[item].tolist(), strict=True) if there)
        return Record(calls, self._watcher, tokens)

    def matching(self, pattern: str) -> tuple[AttentionCall, ...]:
        """The calls whose path matches a pattern such as "blocks.*.attention"; CaptureError where none does."""
        found = tuple(call for call in self.calls if fnmatchcase(call.path, pattern))
        if not found:
            raise CaptureError(f"No path matches '{pattern}'; attention was recorded at {near(pattern, self.paths)}.")
        return found

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
        """One map of a text that was written step by step at a path, of each head; see `merge_steps`.

        `item` is the place in the batch that the model read, `beams` the row of `beam_indices` that
        `generate(..., return_dict_in_generate=True)` gives for the text, `length` the number of its tokens that were
        read, which assisted decoding needs: all that `generate` returns but the last. Raises CaptureError where the
        steps are not those of one text, as where a beam search was followed without `beams`.
        """
        followed = beams.tolist() if isinstance(beams, Tensor) else beams
        calls = [call for call in self.matching(path) if call.path == path]
        return merge_steps(calls, item, followed, length, self._beside(calls))

    def _beside(self, calls: Sequence[AttentionCall]) -> Sequence[AttentionCall]:
        """Self-attention of the same steps at another path, if any: with its keys if possible, of a late layer."""
        runs: dict[str, list[AttentionCall]] = {}
        for call in self._calls:
            runs.setdefault(call.path, []).append(call)
        steps = [(call.batch_size, call.query_length) for call in calls]
        others = [
            own
            for path, own in runs.items()
            if path != calls[0].path
            and own[0].kind != "cross"
            and own[0].over == "token"
            and [(call.batch_size, call.query_length) for call in own] == steps
        ]
        return max(reversed(others), key=lambda own: own[0].product is not None, default=())

    def gradients(self, scalar: Float[Tensor, ""]) -> dict[str, Float[Tensor, "batch head query key"]]:
        """How `scalar` changes with each weight, by path; of a record made with `differentiable`.

        The head axis holds the heads that were chosen there, in ascending order (True: all). Several scalars of
        one run may be asked for, one after another.
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
        found = torch.autograd.grad(scalar, weights, retain_graph=True, materialize_grads=True)
        return dict(zip(paths, found, strict=True))

    def show(self, tokens: Sequence[str] | None = None, **options: Any) -> Any:
        """All heads in one view that a notebook shows, without padding: `capture.view_of_record.show`."""
        from .view_of_record import show  # only when it is asked for: recording needs no view

        if self.present is not None or (self.tokens and not isinstance(self.tokens[0], str)):
            return self.item(options.pop("item", 0)).show(tokens, **options)
        return show(self.calls, self.tokens if tokens is None else tokens, **options)

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
    tokens: Labels | None = None,
    attention_mask: Any = None,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Record]:
    """Everything that the model attends to in this thread, until the end of the with-block.

    The model stays as it is: nothing is installed on it and its attention keeps the fused kernel, so that other
    threads may use, record or edit it at the same time. What is seen: each `scaled_dot_product_attention`, and each
    softmax over keys that is multiplied with values by a matrix product, also after a mask. Not seen: attention without
    a softmax, and what runs inside C++. torch.nn's encoder is run without its C++ fast path, which would leave zeros at
    padding.

    `differentiable`: the heads, (path, head) or True for all, that run written out, so that `record.gradients`
    can follow a scalar of the output back to their weights. `tokens`: labels that the record keeps, of one input
    or of each. `attention_mask`: 1 for a token and 0 for padding (batch, token), as tokenizers give it and the model
    gets it too, so that `record.item` can leave padding out. `progress` is told after each call how many were seen, and
    may stop a long run by an exception.

    Raises CaptureError at the end of the block if nothing was seen.
    """
    chosen = differentiable if isinstance(differentiable, bool) else frozenset(differentiable)
    watcher = Watcher(ModulePaths(model), differentiable=chosen, records=True, progress=progress)
    watcher.check()
    present = None if attention_mask is None else read_mask(attention_mask)
    with watching(watcher):
        yield Record(watcher.calls, watcher, tokens, present)
    if not watcher.calls:
        raise CaptureError(nothing_seen(watcher))
    watcher.check_done()
