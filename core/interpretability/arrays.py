"""The input and output tensors of one part of a model, for one input."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import hooked_copy
from .parts import Part, is_linear
from .trace import tensors_in, tokens_of
from .walk import OUTPUT, ModelWalk


@dataclass(frozen=True, eq=False)
class Arrays:
    """All input and output tensors of a part, in the order of its arguments and results.

    `hidden`, of an MLP, is the input of its last linear map: the activations of its neurons, after the nonlinearity.
    """

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    hidden: Float[Tensor, "token width"] | None = None

    @property
    def input(self) -> Tensor:
        """The first input tensor with a vector for each token, else the first input tensor."""
        return _vectors(self.inputs, self.outputs)

    @property
    def output(self) -> Tensor:
        """The first output tensor with a vector for each token, else the first output tensor."""
        return _vectors(self.outputs, self.inputs)


@torch.inference_mode()
def arrays_of(model_walk: ModelWalk, key: str) -> Arrays:
    """Run a copy of the model and keep the tensors of one part. Raises CaptureError for an unknown key."""
    part = model_walk.part(key)
    if part.path == OUTPUT:
        return _output_arrays(model_walk, part)
    passes: dict[str, list[tuple[tuple[Tensor, ...], tuple[Tensor, ...]]]] = {}

    def hook(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        if path == part.path or path.startswith(part.path + "."):
            # Copies, because the tensors may be changed in place later.
            input_copies, output_copies = (tuple(map(_copy, tensors_in(value))) for value in ((args, kwargs), output))
            passes.setdefault(path, []).append((input_copies, output_copies))

    with hooked_copy(model_walk.network, hook) as copy:
        model_walk.run(copy)
    inputs, outputs = passes[part.path][part.turn]
    return Arrays(inputs, outputs, _hidden(dict(model_walk.network.named_modules()), part, passes))


def _output_arrays(model_walk: ModelWalk, part: Part) -> Arrays:
    """The part after the last module, in the model's own code: from the last vectors to the logits."""
    before = [key for key in model_walk.parts if key != part.key][-1]
    assert model_walk.logits is not None
    return Arrays(arrays_of(model_walk, before).outputs[:1], (model_walk.logits[None],))


def _hidden(modules: dict[str, nn.Module], part: Part, passes: dict) -> Tensor | None:
    """The input of an MLP's last linear map, or the MLP's output where it ends with the nonlinearity (BERT)."""
    if part.kind not in ("MLP", "linear"):
        return None
    linears = [path for path in passes if is_linear(modules[path]) and len(passes[path]) > part.turn]
    if part.kind == "MLP" and len(linears) == 1:
        return tokens_of(passes[part.path][part.turn][1][0])
    before, after = (tensors[0] for tensors in passes[linears[-1]][part.turn])
    return tokens_of(before) if part.kind == "MLP" or before.shape[-1] > after.shape[-1] else None


def _vectors(tensors: tuple[Tensor, ...], default: tuple[Tensor, ...]) -> Tensor:
    vectors = [tensor for tensor in tensors if tensor.is_floating_point() and tensor.ndim > 1]
    return (vectors or tensors or default)[0]


def _copy(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()
