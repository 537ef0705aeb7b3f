"""Heads computed outside the fused kernel: edited, replaced, or with explicit weights for a gradient."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import CaptureError
from .edits import Patch, normalise
from .product import Product, allowed
from .provenance import Kind
from .watcher import WatchedAttention
from .written_weights import WrittenWeights


def write_out(
    product: Product, watched: WatchedAttention, kind: Callable[[], Kind]
) -> tuple[WrittenWeights, Float[Tensor, "batch head query _"]]:
    """The explicit weights of `watched.written_heads`, after edits and patches, and the output of these heads.

    A query whose mask allows no key has zero output, as in torch's kernel; it is marked in `WrittenWeights.blind`.
    """
    heads = watched.written_heads
    product = _patched(product.select_heads(heads), heads, watched)
    scores, bias = product.scores(), product.biases()
    if bias is None:
        permitted = torch.ones_like(scores, dtype=torch.bool)
        blind = None
    else:
        scores = scores + bias
        blind = scores.amax(-1, keepdim=True).isneginf()
        permitted = (allowed(bias) | blind).expand_as(scores)
    weights = watched.edit_weights(heads, normalise(scores), scores, permitted, kind)
    if blind is not None:
        weights = weights.masked_fill(blind, 0.0)
    weights = watched.track_gradient(weights)
    mixed = product.mix(weights)
    for row, patch in _patches(heads, watched, "output"):
        mixed = _with_head(mixed, row, patch.of_head(heads[row], mixed[:, row]))
    return WrittenWeights(tuple(heads), weights, blind), mixed


def _patched(product: Product, heads: list[int], watched: WatchedAttention) -> Product:
    """The product of these heads, with query, key and value patched from other runs."""
    for part in ("query", "key", "value"):
        for row, patch in _patches(heads, watched, part):
            current = getattr(product, part)
            new: dict[str, Any] = {part: _with_head(current, row, patch.of_head(heads[row], current[:, row]))}
            product = replace(product, **new)
    return product


def _patches(heads: list[int], watched: WatchedAttention, part: str) -> Iterator[tuple[int, Patch]]:
    """The patches of a part, each with the index of its head among `heads`."""
    for row, head in enumerate(heads):
        for patch in watched.patches.get(head, ()):
            if patch.part == part:
                yield row, patch


def _with_head(
    tensor: Float[Tensor, "batch head position head_dim"], row: int, new: Float[Tensor, "batch position head_dim"]
) -> Float[Tensor, "batch head position head_dim"]:
    return torch.cat([tensor[:, :row], new[:, None], tensor[:, row + 1 :]], dim=1)


def replace_product(
    product: Product, watched: WatchedAttention
) -> tuple[list[int], Float[Tensor, "batch head query _"]]:
    """The replaced heads in ascending order, and their output."""
    heads = sorted(watched.replaced)
    if len(set(watched.replaced.values())) == 1:  # without a copy, which for a long text would be large
        (replacement,) = set(watched.replaced.values())
        _check_mask(product, watched, causal=replacement.causal)
        return heads, replacement.product(*product.parts(heads)).to(product.value.dtype)
    mixed: dict[int, Tensor] = {}
    for replacement in set(watched.replaced.values()):
        sharing = [head for head in heads if watched.replaced[head] is replacement]
        _check_mask(product, watched, causal=replacement.causal)
        output = replacement.product(*product.parts(sharing)).to(product.value.dtype)
        mixed |= dict(zip(sharing, output.unbind(dim=1), strict=True))
    return heads, torch.stack([mixed[head] for head in heads], dim=1)


def replaced_weights(product: Product, watched: WatchedAttention) -> WrittenWeights:
    """The weights that the replacements stand for, for a record; CaptureError where a replacement has none."""
    heads, weights = sorted(watched.replaced), []
    for head in heads:
        write = watched.replaced[head].weights
        if write is None:
            raise CaptureError(
                f"Head {head} of '{watched.places[0][1]}' is replaced by a product without weights: give Replace its "
                "`weights`, or do not record at the same time."
            )
        weights.append(write(*product.parts([head])[:2])[:, 0])
    return WrittenWeights(tuple(heads), torch.stack(weights, dim=1).detach())


def _check_mask(product: Product, watched: WatchedAttention, *, causal: bool) -> None:
    path, causality = watched.places[0][1], product.causality
    if causality is None:
        raise CaptureError(
            f"The product of '{path}' cannot be replaced: its mask holds more than causality, such as padding or a "
            "bias for positions."
        )
    if causality != causal:
        claim, other = ("looks back only", "causal=True") if causality else ("looks at all tokens", "causal=False")
        raise CaptureError(f"'{path}' {claim}: replace it by a product that does the same, with {other}.")


def edit_softmax(
    weights: Float[Tensor, "batch head query key"],
    scores: Float[Tensor, "batch head query key"],
    watched: WatchedAttention,
    kind: Callable[[], Kind],
) -> Float[Tensor, "batch head query key"]:
    """The weights of a softmax after the edits of its heads; a row of NaN stays so."""
    if watched.edits:
        heads = sorted(watched.edits)
        head_scores = scores[:, heads].float()
        new = watched.edit_weights(heads, weights[:, heads].float(), head_scores, allowed(head_scores), kind).to(
            weights.dtype
        )
        new = torch.where(weights[:, heads].isnan(), weights[:, heads], new)
        weights = weights.index_copy(1, torch.tensor(heads, device=weights.device), new)
    return watched.track_gradient(weights)


def merge_heads(fused: Tensor | None, parts: list[tuple[list[int], Tensor]]) -> Tensor:
    """The output of all heads: `parts` hold some of them with their numbers, `fused` holds the others, if any."""
    if fused is None and len(parts) == 1:  # all heads, in ascending order
        return parts[0][1]
    heads = torch.tensor([head for head_numbers, _ in parts for head in head_numbers], device=parts[0][1].device)
    outputs = torch.cat([part for _, part in parts], dim=1)
    return outputs[:, heads.argsort()] if fused is None else fused.index_copy(1, heads, outputs)
