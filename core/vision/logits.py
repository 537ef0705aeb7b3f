"""The logits of an image classifier of any library."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn


def scores_of(network: nn.Module, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch class"]:
    """One logit for each class; differentiable if gradients are enabled."""
    output = network(pixels)
    return output if isinstance(output, Tensor) else output.logits


def probability_of(network: nn.Module, number: int) -> Callable[[Tensor], Tensor]:
    """A function from pictures (batch, channel, row, column) to the probability of one class for each (batch)."""

    @torch.inference_mode()
    def classify(pictures: Tensor) -> Tensor:
        return scores_of(network, pictures).float().softmax(dim=-1)[:, number]

    return classify
