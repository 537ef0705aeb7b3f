"""The modules of the stages of a vision transformer, and their tensors, from one traced run of any library's model."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..capture.hooked_copy import hooked_copy
from ..errors import ModelError
from ..interpretability.parts import is_linear, is_norm, stacks_of
from ..interpretability.trace import Addition, ModuleRun, tensors_in, tokens_of, trace
from ..zoo.image_models import ImageModel, PreparedPicture
from .patches import Projection, projection_of


@dataclass(frozen=True, eq=False)
class Layout:
    """The layout of a model for pictures of one size.

    The patch embedding, the paths of the first and the last block, the events before the first, the paths of all norms,
    and for each attention layer the numbers of windows, and of queries and keys in each.
    """

    projection: Projection
    first: str
    last: str
    blocks: int
    early: tuple[ModuleRun | Addition, ...]  # everything between the patch embedding and the first block
    norms: frozenset[str]
    calls: tuple[tuple[int, int, int], ...]

    @classmethod
    def of(cls, model: ImageModel, prepared: PreparedPicture) -> "Layout":
        """From one run of the model. Raises ModelError without a linear patch embedding or without repeated blocks."""
        run_trace = trace(model.network, lambda network: network(prepared.pixels))
        projection = projection_of(model, run_trace, prepared)
        stacks = stacks_of(model.network, frozenset(call.path for call in run_trace.calls))
        paths = [event.path for event in run_trace.events if isinstance(event, ModuleRun)]
        blocks = [path for path in paths if any(path in block for block in stacks.values())]
        if not blocks:
            raise ModelError(f"{model.title} has no repeated blocks that attend. Choose a plain vision transformer.")
        begin = next(place for place, event in enumerate(run_trace.events) if _inside(_place(event), blocks[0]))
        embedded = next(place for place, event in enumerate(run_trace.events) if _place(event) == projection.path)
        norms = frozenset(path for path, module in model.network.named_modules() if is_norm(module))
        calls = tuple((call.batch_size, call.query_length, call.key_length) for call in run_trace.calls)
        return cls(
            projection, blocks[0], blocks[-1], len(blocks), tuple(run_trace.events[embedded:begin]), norms, calls
        )

    def position_addition(self, count: int) -> Addition | None:
        """The addition of positions: the first one over at least `count` tokens before the first block."""
        return next((event for event in self.early if isinstance(event, Addition) and _is_sum(event, count)), None)

    def norm_after(self, count: int, prefix_length: int) -> str | None:
        """The path of the norm over prefix tokens and patches before the first block, if there is one (CLIP)."""
        for event in reversed(self.early):
            if _is_sum(event, count):
                return None
            if self._is_norm_over(event, prefix_length + count) and (prefix_length or self.position_addition(count)):
                return _place(event)
        return None

    def norm_before(self, count: int, after: str | None) -> str | None:
        """The path of the norm of the patch embedding, if there is one (Swin)."""
        for event in self.early:
            if _is_sum(event, count):
                return None
            if self._is_norm_over(event, count) and _place(event) != after:
                return _place(event)
        return None

    def _is_norm_over(self, event: ModuleRun | Addition, tokens: int) -> bool:
        if not isinstance(event, ModuleRun) or event.path not in self.norms or not event.outputs:
            return False
        shape = event.outputs[0]
        return len(shape) > 2 and torch.Size(shape[1:-1]).numel() == tokens


class StageTensors:
    """The tensors of the stages, from a run of a copy of the model.

    `inputs` and `outputs` are those of the patch embedding, of the first and the last block and of all norms, by path;
    `logits` are the scores of the classes, if there are any.
    """

    def __init__(self, layout: Layout, model: ImageModel, prepared: PreparedPicture):
        self.inputs: dict[str, tuple[Tensor, ...]] = {}
        self.outputs: dict[str, tuple[Tensor, ...]] = {}
        self._late: list[tuple[nn.Module, Tensor, Tensor]] = []  # modules after the last block, with input and output
        self._classes = len(model.classes)
        stage_paths = {layout.projection.path, layout.first, layout.last} | layout.norms

        def hook(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
            inputs, outputs = tensors_in((args, kwargs)), tensors_in(output)
            if path in stage_paths:
                self.inputs[path], self.outputs[path] = _copies(inputs), _copies(outputs)
            if layout.last in self.outputs and inputs and outputs and (is_norm(module) or is_linear(module)):
                self._late.append((module, inputs[0].clone(), outputs[0].clone()))

        with hooked_copy(model.network, hook) as copy:
            output = copy(prepared.pixels)
        scores = output if isinstance(output, Tensor) else getattr(output, "logits", None)
        self.logits = scores[0].clone() if scores is not None and self._classes else None

    def normed(self, count: int) -> Tensor | None:
        """The output of the last norm over all tokens; None if there is no such norm."""
        for module, _, outputs in self._late:
            if is_norm(module) and outputs.ndim > 2 and len(tokens := tokens_of(outputs)) == count:
                return tokens.clone()
        return None

    def read(self, tokens: Tensor, labels: tuple[str, ...]) -> tuple[str, ...]:
        """The input of each output layer, by comparison: a prefix token or a mean. Empty if it is neither."""
        means = {"mean of the patches": tokens[len(labels) :].mean(0), "mean of all tokens": tokens.mean(0)}
        candidates = dict(zip(labels, tokens, strict=False)) | means
        heads = [
            inputs for module, inputs, outputs in self._late if is_linear(module) and outputs.shape[-1] == self._classes
        ]
        # Of a norm before the head, or of the first layer of a head that is an MLP.
        others = [inputs for _, inputs, _ in self._late if inputs.ndim == 2]
        return tuple(
            name
            for head in heads
            if (name := _matching_name(head, candidates) or _first_matching_name(others, candidates))
        )


def _first_matching_name(vectors: list[Tensor], candidates: dict[str, Tensor]) -> str | None:
    return next((name for vector in vectors if (name := _matching_name(vector, candidates))), None)


def _matching_name(vector: Tensor, candidates: dict[str, Tensor]) -> str | None:
    """The name of the candidate that equals the vector; None if there is none."""
    if vector.ndim != 2:
        return None
    for name, other in candidates.items():
        if other.shape == vector[0].shape and torch.allclose(vector[0].float(), other, rtol=1e-4, atol=1e-5):
            return name
    return None


def _is_sum(event: ModuleRun | Addition, count: int) -> bool:
    return isinstance(event, Addition) and len(tokens_of(event.added.tensor)) >= count


def _place(event: ModuleRun | Addition) -> str:
    return event.path if isinstance(event, ModuleRun) else event.inside


def _inside(path: str, place: str) -> bool:
    return path == place or path.startswith(place + ".")


def _copies(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(tensor.clone() for tensor in tensors)
