"""Heads that are not left to the fused kernel: edited, replaced, or written out for a gradient of their weights."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..errors import CaptureError
from .call import Written
from .edits import normalise
from .product import Product, allowed
from .watcher import Sight


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


def replace_product(product: Product, sight: Sight) -> tuple[list[int], Float[Tensor, "batch head query _"]]:
    """The heads that are replaced, ascending, and what their replacements make of them."""
    heads = sorted(sight.replaced)
    mixed: dict[int, Tensor] = {}
    for replacement in set(sight.replaced.values()):
        own = [head for head in heads if sight.replaced[head] is replacement]
        _check_mask(product, sight, causal=replacement.causal)
        output = replacement.product(*product.parts(own)).to(product.value.dtype)
        mixed |= dict(zip(own, output.unbind(dim=1), strict=True))
    return heads, torch.stack([mixed[head] for head in heads], dim=1)


def replaced_weights(product: Product, sight: Sight) -> Written:
    """The maps that the replacements stand for, written out for a record."""
    heads, weights = sorted(sight.replaced), []
    for head in heads:
        write = sight.replaced[head].weights
        if write is None:
            raise CaptureError(
                f"Head {head} of '{sight.places[0][1]}' is replaced by a product without weights: give Replace its "
                "`weights`, or do not record at the same time."
            )
        weights.append(write(*product.parts([head])[:2])[:, 0])
    return Written(tuple(heads), torch.stack(weights, dim=1).detach())


def _check_mask(product: Product, sight: Sight, *, causal: bool) -> None:
    path, found = sight.places[0][1], product.looks_back
    if found is None:
        raise CaptureError(
            f"The product of '{path}' cannot be replaced: its mask holds more than causality, such as padding or a "
            "bias for positions."
        )
    if found != causal:
        looks, other = ("looks back only", "causal=True") if found else ("looks at all tokens", "causal=False")
        raise CaptureError(f"'{path}' {looks}: replace it by a product that does the same, with {other}.")


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
