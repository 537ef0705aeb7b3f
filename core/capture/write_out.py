"""Heads that are not left to the fused kernel: edited, or written out so that a gradient reaches their weights."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.capture.call import Written
from core.capture.edits import normalise
from core.capture.product import Product, allowed
from core.capture.watcher import Sight


def write_out(product: Product, sight: Sight) -> tuple[Written, Float[Tensor, "batch head query _"]]:
    """The weights of the heads that the sight wants written, and their output.

    A query that may look at nothing takes nothing, as in torch's kernel; its weights are shown as NaN.
    """
    heads = sight.written_heads
    scores, bias = product.scores(heads=heads), product.biases(heads=heads)
    if bias is None:
        permitted = torch.ones_like(scores, dtype=torch.bool)
        blind = None
    else:
        scores = scores + bias
        blind = scores.amax(-1, keepdim=True).isneginf()
        permitted = (allowed(bias) | blind).expand_as(scores)
    weights = sight.edited(heads, normalise(scores), scores, permitted)
    if blind is not None:
        weights = weights.masked_fill(blind, 0.0)
    weights = sight.tracked(weights)
    return Written(tuple(heads), weights, blind), product.mix(weights, heads)


def edit_softmax(
    weights: Float[Tensor, "batch head query key"], scores: Float[Tensor, "batch head query key"], sight: Sight
) -> Float[Tensor, "batch head query key"]:
    """The same softmax with the sight's edits made; a row that was NaN stays so."""
    if sight.edits:
        heads = sorted(sight.edits)
        chosen = scores[:, heads].float()
        new = sight.edited(heads, weights[:, heads].float(), chosen, allowed(chosen)).to(weights.dtype)
        new = torch.where(weights[:, heads].isnan(), weights[:, heads], new)
        weights = weights.index_copy(1, torch.tensor(heads, device=weights.device), new)
    return sight.tracked(weights)


@dataclass(frozen=True, eq=False)
class Draft:
    """A softmax that is attention if it is multiplied with values. The tensor is held so that its identity lasts."""

    tensor: Tensor
    weights: Float[Tensor, "batch head query key"]
    sight: Sight
    kind: str
    module: nn.Module

    def in_coat(self, tensor: Tensor) -> "Draft":
        """The same weights as another tensor: dropped out, cast, reshaped."""
        return replace(self, tensor=tensor)

    def finish(self, value: Tensor | None) -> None:
        """It was attention; `value` is what it was multiplied with, where that is known."""
        batch, heads, _, keys = self.weights.shape
        if value is not None:
            fits = value.ndim >= 3 and value.shape[-2] == keys and value.shape[:-2].numel() == batch * heads
            value = value.detach().reshape(batch, heads, keys, -1) if fits else None
        weights = self.weights if self.sight.differentiable else self.weights.detach()
        written = Written(tuple(range(heads)), weights)
        self.sight.note()
        self.sight.record(kind=self.kind, product=None, written=written, seen_value=value)
