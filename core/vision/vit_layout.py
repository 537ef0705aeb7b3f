"""Where in a vision transformer things happen, and the tensors there: told by what ran, whatever the library."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..capture.hooked_copy import hooked_copy
from ..errors import ModelError
from ..interpretability.parts import is_linear, is_norm, stacks_of
from ..interpretability.trace import Ran, Summed, tensors_in, tokens_of, trace
from ..zoo.image_models import ImageModel, PreparedPicture
from .patches import Projection, projection_of


@dataclass(frozen=True, eq=False)
class Layout:
    """Where in the model things happen with pictures of one size: how it cuts them, its first and last block, what
    runs before the first, and of each attention layer the windows, and the queries and keys in each of them.
    """

    projection: Projection
    first: str
    last: str
    blocks: int
    early: tuple[Ran | Summed, ...]  # everything before the first block
    norms: frozenset[str]
    calls: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, model: ImageModel, prepared: PreparedPicture) -> "Layout":
        """From one run of the model; ModelError if no linear map makes its tokens, or nothing in it is repeated."""
        seen = trace(model.network, lambda network: network(prepared.pixels))
        projection = projection_of(model, seen, prepared)
        stacks = stacks_of(model.network, frozenset(call.path for call in seen.calls))
        ran = [event.path for event in seen.events if isinstance(event, Ran)]
        blocks = [path for path in ran if any(path in block for block in stacks.values())]
        if not blocks:
            raise ModelError(f"{model.title} has no repeated blocks that attend. Choose a plain vision transformer.")
        begin = next(place for place, event in enumerate(seen.events) if _inside(_place(event), blocks[0]))
        norms = frozenset(path for path, module in model.network.named_modules() if is_norm(module))
        calls = tuple((call.batch_size, call.query_length, call.key_length) for call in seen.calls)
        return cls(projection, blocks[0], blocks[-1], len(blocks), tuple(seen.events[:begin]), norms, calls)

    def sum_of(self, count: int) -> Summed | None:
        """Where positions are added: the sum over at least `count` tokens, outside of all blocks."""
        return next((event for event in self.early if isinstance(event, Summed) and _is_sum(event, count)), None)

    def norm_after(self, count: int, own: int) -> str | None:
        """The norm between the joined sequence, patches and `own` prefix tokens, and the first block (CLIP's)."""
        for event in reversed(self.early):
            if _is_sum(event, count):
                return None
            if self._norms(event, own + count) and (own or self.sum_of(count)):
                return _place(event)
        return None

    def norm_before(self, count: int, after: str | None) -> str | None:
        """The norm of the patch embedding itself (Swin has one)."""
        for event in self.early:
            if _is_sum(event, count):
                return None
            if self._norms(event, count) and _place(event) != after:
                return _place(event)
        return None

    def _norms(self, event: Ran | Summed, tokens: int) -> bool:
        if not isinstance(event, Ran) or event.path not in self.norms or not event.outputs:
            return False
        shape = event.outputs[0]
        return len(shape) > 2 and torch.Size(shape[1:-1]).numel() == tokens


class Kept:
    """The tensors that the stages are made of, from a run on a twin.

    `given` and `made` are what the first and the last block and all norms got and handed on, by their paths; `logits`
    are the scores of the classes, if there are any.
    """

    def __init__(self, layout: Layout, model: ImageModel, prepared: PreparedPicture):
        self.given: dict[str, tuple[Tensor, ...]] = {}
        self.made: dict[str, tuple[Tensor, ...]] = {}
        self._late: list[tuple[nn.Module, Tensor, Tensor]] = []  # what runs after the last block
        self._classes = len(model.classes)
        wanted = {layout.first, layout.last} | layout.norms

        def see(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
            given, made = tensors_in((args, kwargs)), tensors_in(output)
            if path in wanted:
                self.given[path], self.made[path] = _copies(given), _copies(made)
            if layout.last in self.made and given and made and (is_norm(module) or is_linear(module)):
                self._late.append((module, given[0].clone(), made[0].clone()))

        with hooked_copy(model.network, see) as double:
            output = double(prepared.pixels)
        scores = output if isinstance(output, Tensor) else getattr(output, "logits", None)
        self.logits = scores[0].clone() if scores is not None and self._classes else None

    def normed(self, count: int) -> Tensor | None:
        """What the last norm makes of all tokens."""
        for module, _, made in self._late:
            if is_norm(module) and made.ndim > 2 and len(tokens := tokens_of(made)) == count:
                return tokens.clone()
        return None

    def read(self, tokens: Tensor, labels: tuple[str, ...]) -> tuple[str, ...]:
        """What each head reads, found by comparing: a prefix token, or a mean. Empty if it is neither."""
        means = {"mean of the patches": tokens[len(labels) :].mean(0), "mean of all tokens": tokens.mean(0)}
        known = dict(zip(labels, tokens, strict=False)) | means
        heads = [given for module, given, made in self._late if is_linear(module) and made.shape[-1] == self._classes]
        norms = [given for module, given, _ in self._late if is_norm(module) and given.ndim == 2]
        return tuple(name for head in heads if (name := _same(head, known) or _first_same(norms, known)))


def _first_same(vectors: list[Tensor], known: dict[str, Tensor]) -> str | None:
    return next((name for vector in vectors if (name := _same(vector, known))), None)


def _same(vector: Tensor, known: dict[str, Tensor]) -> str | None:
    """The name of the known vector that this one is."""
    if vector.ndim != 2:
        return None
    for name, other in known.items():
        if other.shape == vector[0].shape and torch.allclose(vector[0].float(), other, rtol=1e-4, atol=1e-5):
            return name
    return None


def _is_sum(event: Ran | Summed, count: int) -> bool:
    return isinstance(event, Summed) and len(tokens_of(event.added.tensor)) >= count


def _place(event: Ran | Summed) -> str:
    return event.path if isinstance(event, Ran) else event.inside


def _inside(path: str, place: str) -> bool:
    return path == place or path.startswith(place + ".")


def _copies(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(tensor.clone() for tensor in tensors)
