"""Heads that are not left to the fused kernel: edited, replaced, or written out for a gradient of their weights."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import CaptureError
from .call import Written
from .edits import Patch, normalise
from .product import Product, allowed
from .provenance import Kind
from .watcher import Sight


def write_out(
    product: Product, sight: Sight, kind: Callable[[], Kind]
) -> tuple[Written, Float[Tensor, "batch head query _"]]:
    """The weights of the heads that the sight wants written, and their output.

    A query that may look at nothing takes nothing, as in torch's kernel; its weights are shown as NaN.
    """
    heads = sight.written_heads
    product = _patched(product.of(heads), heads, sight)
    scores, bias = product.scores(), product.biases()
    if bias is None:
        permitted = torch.ones_like(scores, dtype=torch.bool)
        blind = None
    else:
        scores = scores + bias
        blind = scores.amax(-1, keepdim=True).isneginf()
        permitted = (allowed(bias) | blind).expand_as(scores)
    weights = sight.edited(heads, normalise(scores), scores, permitted, kind)
    if blind is not None:
        weights = weights.masked_fill(blind, 0.0)
    weights = sight.tracked(weights)
    mixed = product.mix(weights)
    for row, patch in _patches(heads, sight, "output"):
        mixed = _with_head(mixed, row, patch.of_head(heads[row], mixed[:, row]))
    return Written(tuple(heads), weights, blind), mixed


def _patched(product: Product, heads: list[int], sight: Sight) -> Product:
    """The product of these heads, with what the sight takes from other runs."""
    for part in ("query", "key", "value"):
        for row, patch in _patches(heads, sight, part):
            own = getattr(product, part)
            new: dict[str, Any] = {part: _with_head(own, row, patch.of_head(heads[row], own[:, row]))}
            product = replace(product, **new)
    return product


def _patches(heads: list[int], sight: Sight, part: str) -> Iterator[tuple[int, Patch]]:
    """The patches of a part, each with the place of its head among these."""
    for row, head in enumerate(heads):
        for patch in sight.patches.get(head, ()):
            if patch.part == part:
                yield row, patch


def _with_head(
    tensor: Float[Tensor, "batch head position each"], row: int, new: Float[Tensor, "batch position each"]
) -> Float[Tensor, "batch head position each"]:
    return torch.cat([tensor[:, :row], new[:, None], tensor[:, row + 1 :]], dim=1)


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
    weights: Float[Tensor, "batch head query key"],
    scores: Float[Tensor, "batch head query key"],
    sight: Sight,
    kind: Callable[[], Kind],
) -> Float[Tensor, "batch head query key"]:
    """The same softmax with the sight's edits made; a row that was NaN stays so."""
    if sight.edits:
        heads = sorted(sight.edits)
        chosen = scores[:, heads].float()
        new = sight.edited(heads, weights[:, heads].float(), chosen, allowed(chosen), kind).to(weights.dtype)
        new = torch.where(weights[:, heads].isnan(), weights[:, heads], new)
        weights = weights.index_copy(1, torch.tensor(heads, device=weights.device), new)
    return sight.tracked(weights)
