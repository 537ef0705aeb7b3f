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
from .walk import ModelWalk


@dataclass(frozen=True, eq=False)
class BranchOutput:
    """The output of one branch of one block: its norm at each token, and the norm of the stream that it is added to."""

    block: int
    kind: str  # "attention", "cross-attention", "MLP", or several of them at once
    before: Float[Tensor, " token"]
    added: Float[Tensor, " token"]
    cosine: Float[Tensor, " token"]  # between the two


@dataclass(frozen=True, eq=False)
class ResidualStream:
    """The vectors before the first block and after each, (point, token, width), and the outputs of the branches."""

    points: tuple[Float[Tensor, "token width"], ...]
    branches: tuple[BranchOutput, ...]

    @property
    def lengths(self) -> Float[Tensor, "layer token"]:
        """The Euclidean norm of each token's vector at each point."""
        return torch.stack([point.norm(dim=-1) for point in self.points])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of branches, in the order in which they come first."""
        return tuple(dict.fromkeys(branch.kind for branch in self.branches))


@torch.inference_mode()
def stream_of(model_walk: ModelWalk, stack: Stack | None = None) -> ResidualStream:
    """Run the model again and keep the stream before and after each block (by default of the last stack).

    Raises CaptureError if the blocks change the shape of the vectors.
    """
    stack = stack or model_walk.stack
    points: dict[str, Tensor] = {}

    def hook(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
        del module
        if path == stack.blocks[0].path:
            points[""] = stream_in(tensors_in((args, kwargs)))
        if any(path == block.path for block in stack.blocks):
            points[path] = stream_in(tensors_in(output))

    with hooked_copy(model_walk.network, hook) as copy:
        model_walk.run(copy)
    vectors = tuple(tokens_of(points[path]).clone() for path in ("", *(block.path for block in stack.blocks)))
    if len({vector.shape for vector in vectors}) > 1:
        raise CaptureError("The blocks of this model change the shape of their vectors, so they are no one stream.")
    return ResidualStream(vectors, tuple(_branch_outputs(stack)))


def stream_in(tensors: Sequence[Tensor]) -> Tensor:
    """The token vectors among a block's inputs or outputs: the first floating-point tensor of 3 axes or more."""
    for tensor in tensors:
        if tensor.is_floating_point() and tensor.ndim >= 3:
            return tensor
    raise CaptureError("A block of this model hands on no vectors of tokens, so its stream cannot be followed.")


def _branch_outputs(stack: Stack) -> list[BranchOutput]:
    branches = []
    for number, block in enumerate(stack.blocks):
        for step in block.steps:
            if step.addition is not None and (kind := kind_of(step)):
                before, added = (tokens_of(side.tensor) for side in (step.addition.before, step.addition.added))
                cosine = torch.cosine_similarity(before, added, dim=-1)
                branches.append(BranchOutput(number, kind, before.norm(dim=-1), added.norm(dim=-1), cosine))
    return branches


def kind_of(step: Step) -> str:
    """The kind of a branch, by its parts: attention, cross-attention, MLP or several; linear maps alone are an MLP."""
    kinds = [part.kind for part in step.parts]
    names = [kind for kind in ("attention", "cross-attention", "MLP") if kind in kinds]
    if not names and "linear" in kinds:
        names = ["MLP"]
    return " and ".join(names)
