"""How far a token hears through a sparse mask: after L layers, along paths of L links (Zaheer et al. 2020, section 2).

The residual connection is a link of every token to itself, so that what is reached stays reached.
"""

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from . import Sparse

TILE = 2**24  # links held at once


def layers_needed(mask: Bool[Tensor, "query key"], layers: int) -> Int[Tensor, "query key"]:
    """How many layers it takes until a query hears of a key: 0 for itself, -1 where `layers` are not enough.

    Boolean powers of the mask: the entries of (M + I)^L that are above 0.
    """
    step = (mask | torch.eye(len(mask), dtype=torch.bool)).float()
    needed = torch.where(torch.eye(len(mask), dtype=torch.bool), 0, -1)
    reached = torch.eye(len(mask))
    for layer in range(1, layers + 1):
        reached = (reached @ step).clamp_max(1)
        new = (reached > 0) & (needed < 0)
        if not new.any():
            break
        needed[new] = layer
    return needed


def heard_by(variant: Sparse, tokens: int, query: int, layers: int) -> tuple[Bool[Tensor, " key"], ...]:
    """Which tokens one query hears of after 1, 2, ... `layers` layers; never holds a whole mask of a long text."""
    heard = torch.zeros(tokens, dtype=torch.bool)
    heard[query] = True
    found, asked = [], torch.zeros(tokens, dtype=torch.bool)
    for _ in range(layers):
        rows = (heard & ~asked).nonzero().flatten()  # those whose links have not been followed yet
        asked |= heard
        for chunk in rows.split(max(1, TILE // tokens)):
            heard = heard | variant.allowed(tokens, chunk).any(dim=0)
        found.append(heard)
    return tuple(found)
