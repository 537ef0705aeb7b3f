"""The numbers of one part: what went in and what came out, for one input."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import hooked_copy
from .parts import Part, is_linear
from .trace import tensors_in, tokens_of
from .walk import OUTPUT, Walked


@dataclass(frozen=True, eq=False)
class Arrays:
    """All tensors of the first input that a part was given and made, in the order of its code.

    `hidden` is, for an MLP, what its last linear map is given: the activations of its neurons, after the nonlinearity.
    """

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    hidden: Float[Tensor, "token width"] | None = None

    @property
    def given(self) -> Tensor:
        """The first input with a vector for each token; or the first that there is."""
        return _vectors(self.inputs, self.outputs)

    @property
    def made(self) -> Tensor:
        """Likewise of what came out."""
        return _vectors(self.outputs, self.inputs)


@torch.inference_mode()
def arrays_of(walked: Walked, key: str) -> Arrays:
    """Run the model again, on a twin, and keep what passes through one part. CaptureError for an unknown key."""
    part = walked.part(key)
    if part.path == OUTPUT:
        return _around(walked, part)
    seen: dict[str, list[tuple[tuple[Tensor, ...], tuple[Tensor, ...]]]] = {}

    def see(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        if path == part.path or path.startswith(part.path + "."):
            # Copies: what is changed in place later must not change them.
            given, made = (tuple(map(_kept, tensors_in(value))) for value in ((args, kwargs), output))
            seen.setdefault(path, []).append((given, made))

    with hooked_copy(walked.network, see) as double:
        walked.run(double)
    inputs, outputs = seen[part.path][part.turn]
    return Arrays(inputs, outputs, _hidden(dict(walked.network.named_modules()), part, seen))


def _around(walked: Walked, part: Part) -> Arrays:
    """What the model's own code does after its last module: from the last vectors to the logits."""
    before = [key for key in walked.parts if key != part.key][-1]
    assert walked.logits is not None
    return Arrays(arrays_of(walked, before).outputs[:1], (walked.logits[None],))


def _hidden(modules: dict[str, nn.Module], part: Part, seen: dict) -> Tensor | None:
    """What the last linear map of an MLP is given; where the part ends with the nonlinearity (BERT), what it makes."""
    if part.kind not in ("MLP", "linear"):
        return None
    linears = [path for path in seen if is_linear(modules[path]) and len(seen[path]) > part.turn]
    if part.kind == "MLP" and len(linears) == 1:
        return tokens_of(seen[part.path][part.turn][1][0])
    given, made = (tensors[0] for tensors in seen[linears[-1]][part.turn])
    return tokens_of(given) if part.kind == "MLP" or given.shape[-1] > made.shape[-1] else None


def _vectors(tensors: tuple[Tensor, ...], otherwise: tuple[Tensor, ...]) -> Tensor:
    found = [tensor for tensor in tensors if tensor.is_floating_point() and tensor.ndim > 1]
    return (found or tensors or otherwise)[0]


def _kept(tensor: Tensor) -> Tensor:
    return tensor.detach().clone()
