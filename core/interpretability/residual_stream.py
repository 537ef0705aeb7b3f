"""The residual stream: the vectors that every block reads and adds to (Elhage et al. 2021)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import hooked_copy
from ..errors import CaptureError
from .flow import Stack, Step
from .trace import tensors_in, tokens_of
from .walk import Walked


@dataclass(frozen=True, eq=False)
class Added:
    """What one branch of one block adds to each token: its length, and the length of what it is added to."""

    block: int
    kind: str  # "attention", "cross-attention", "MLP", or several of them at once
    before: Float[Tensor, " token"]
    added: Float[Tensor, " token"]
    cosine: Float[Tensor, " token"]  # between the two: below 0 the branch takes away


@dataclass(frozen=True, eq=False)
class Stream:
    """The vectors before the first block and after each, (point, token, width), and what was added on the way."""

    points: tuple[Float[Tensor, "token width"], ...]
    added: tuple[Added, ...]

    @property
    def lengths(self) -> Float[Tensor, "layer token"]:
        """The Euclidean norm of each token's vector at each point."""
        return torch.stack([point.norm(dim=-1) for point in self.points])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of branches, in the order in which they come first."""
        return tuple(dict.fromkeys(added.kind for added in self.added))


@torch.inference_mode()
def stream_of(walked: Walked, stack: Stack | None = None) -> Stream:
    """Run the model again and keep the stream at the borders of its blocks (by default the last stack's).

    CaptureError if the blocks do not hand on one sequence of equal vectors.
    """
    stack = stack or walked.stack
    points: dict[str, Tensor] = {}

    def see(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        if path == stack.blocks[0].path:
            points[""] = stream_in(tensors_in((args, kwargs)))
        if any(path == block.path for block in stack.blocks):
            points[path] = stream_in(tensors_in(output))

    with hooked_copy(walked.network, see) as double:
        walked.run(double)
    vectors = tuple(tokens_of(points[path]).clone() for path in ("", *(block.path for block in stack.blocks)))
    if len({vector.shape for vector in vectors}) > 1:
        raise CaptureError("The blocks of this model change the shape of their vectors, so they are no one stream.")
    return Stream(vectors, tuple(_added(stack)))


def stream_in(tensors: Sequence[Tensor]) -> Tensor:
    """Of what a block takes or returns, the token vectors: the first tensor of numbers with channels."""
    for tensor in tensors:
        if tensor.is_floating_point() and tensor.ndim >= 3:
            return tensor
    raise CaptureError("A block of this model hands on no vectors of tokens, so its stream cannot be followed.")


def _added(stack: Stack) -> list[Added]:
    found = []
    for number, block in enumerate(stack.blocks):
        for step in block.steps:
            if step.summed is not None and (kind := kind_of(step)):
                before, added = (tokens_of(side.tensor) for side in (step.summed.before, step.summed.added))
                cosine = torch.cosine_similarity(before, added, dim=-1)
                found.append(Added(number, kind, before.norm(dim=-1), added.norm(dim=-1), cosine))
    return found


def kind_of(step: Step) -> str:
    """What a branch is for: attention, if there is any in it; linear maps alone are an MLP."""
    kinds = [part.kind for part in step.parts]
    names = [kind for kind in ("attention", "cross-attention", "MLP") if kind in kinds]
    if not names and "linear" in kinds:
        names = ["MLP"]
    return " and ".join(names)
