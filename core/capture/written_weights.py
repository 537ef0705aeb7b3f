"""Attention weights that exist as a tensor, while those of a fused call are computed when they are read."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from .versions import stable_tensor

SUM_TOLERANCE = 1e-3  # a sum that differs from 1 by no more than this, or by the rounding of its number format, is 1


@dataclass(frozen=True, eq=False)
class WrittenWeights:
    """Weights that exist as a tensor: the output of a softmax, edited weights, or weights that need a gradient.

    `blind` marks the queries whose mask allows no key: their weights are zero here and NaN in `AttentionCall.weights`.
    """

    heads: tuple[int, ...]
    weights: Float[Tensor, "batch head query key"]
    blind: Bool[Tensor, "#batch head query 1"] | None = None

    def snapshot(self) -> "WrittenWeights":
        """These weights, copied if their memory may be overwritten; weights that require a gradient are not copied."""
        return (
            self if self.weights.requires_grad else WrittenWeights(self.heads, stable_tensor(self.weights), self.blind)
        )

    def merged_with(self, other: "WrittenWeights | None") -> "WrittenWeights":
        """The heads of both, in ascending order."""
        if other is None:
            return self
        heads = self.heads + other.heads
        order = torch.tensor(heads).argsort().tolist()
        blind = None
        if self.blind is not None or other.blind is not None:
            masks = [
                written.weights.new_zeros(*written.weights.shape[:3], 1, dtype=torch.bool)
                if written.blind is None
                else written.blind.expand(*written.weights.shape[:3], 1)
                for written in (self, other)
            ]
            blind = torch.cat(masks, dim=1)[:, order]
        weights = torch.cat([self.weights, other.weights.to(self.weights)], dim=1)[:, order]
        return WrittenWeights(tuple(heads[index] for index in order), weights, blind)

    def map_of(self, head: int, item: int) -> Float[Tensor, "query key"] | None:
        """The weights of a head, NaN for the queries whose mask allows no key; None if this head is not written."""
        if head not in self.heads:
            return None
        index = self.heads.index(head)
        weights = self.weights[item, index].detach()
        return weights if self.blind is None else weights.masked_fill(self.blind[item, index], math.nan)

    @property
    def has_negative(self) -> bool:
        """Whether some weight is below 0."""
        return bool((self.weights.detach() < 0).any())

    @property
    def rows_sum_to_one(self) -> bool:
        """Whether no weight is below 0 and the weights of each query that may attend to any key sum to 1."""
        if self.has_negative:
            return False
        tolerance = max(SUM_TOLERANCE, 2 * torch.finfo(self.weights.dtype).eps)
        differs = (self.weights.detach().sum(-1, dtype=torch.float32) - 1).abs() > tolerance  # False for NaN
        if self.blind is not None:
            differs = differs & ~self.blind[..., 0]
        return not differs.any()
