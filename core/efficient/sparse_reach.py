"""The reach of a sparse mask over layers: L layers follow paths of L links (Zaheer et al. 2020, section 2).

The residual connection is a link of every token to itself, so the reach never shrinks.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from . import Sparse

TILE = 2**24  # links in memory at once


def layers_needed(mask: Bool[Tensor, "query key"], layers: int) -> Int[Tensor, "query key"]:
    """The number of layers until a key can influence a query: 0 for itself, -1 where `layers` are not enough.

    Read off the boolean powers of the mask, the entries of (M + I)^L above 0.
    """
    step = (mask | torch.eye(len(mask), dtype=torch.bool)).float()
    needed = torch.where(torch.eye(len(mask), dtype=torch.bool), 0, -1)
    is_reached = torch.eye(len(mask))
    for layer in range(1, layers + 1):
        is_reached = (is_reached @ step).clamp_max(1)
        new = (is_reached > 0) & (needed < 0)
        if not new.any():
            break
        needed[new] = layer
    return needed


def reachable_keys(variant: Sparse, tokens: int, query: int, layers: int) -> tuple[Bool[Tensor, " key"], ...]:
    """Masks of the keys that can influence a query after 1, 2, ... `layers` layers, without a mask in full length."""
    reachable = torch.zeros(tokens, dtype=torch.bool)
    reachable[query] = True
    by_layer, expanded = [], torch.zeros(tokens, dtype=torch.bool)
    for _ in range(layers):
        rows = (reachable & ~expanded).nonzero().flatten()  # queries whose links have not been followed yet
        expanded |= reachable
        for chunk in rows.split(max(1, TILE // tokens)):
            reachable = reachable | variant.allowed(tokens, chunk).any(dim=0)
        by_layer.append(reachable)
    return tuple(by_layer)
