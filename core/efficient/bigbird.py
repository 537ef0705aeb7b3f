"""BigBird: a window, a few random links and a few tokens that see and are seen by all (Zaheer et al. 2020, section 2).

Any token reaches any other in two steps over a global token, and random links make paths short without them; so
little is needed for a graph that is sparse and yet "well connected" (section 2; universal approximation in section 3).
"""

import random
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from .sparse import Sparse
from .variant import Rows, at_least


@dataclass(frozen=True, kw_only=True)
class BigBird(Sparse):
    """In blocks of `block` tokens, as in appendix D: (a) random, (b) window and (c) global attention of figure 1.

    `window`: blocks, half on each side of a query's own; if causal, its own and the window - 1 before it. `random`:
    further blocks for each block of queries, drawn from those that it does not see anyway (the same for all heads,
    layers and lengths of a text that is read causally). `global_tokens`: the first tokens of the text, as in the
    paper's "internal transformer construction".
    """

    block: int = 16
    window: int = 3
    random: int = 2
    global_tokens: int = 16
    seed: int = 0

    def __post_init__(self):
        at_least(1, block=self.block, window=self.window)
        at_least(0, random=self.random, global_tokens=self.global_tokens)

    @property
    def block_size(self) -> int:
        return self.block

    @property
    def whole_rows(self) -> int:
        return self.global_tokens

    def parts(self, tokens: int, rows: Rows = None) -> dict[str, Bool[Tensor, "query key"]]:
        """Global links first, then the window, then what only random blocks see."""
        every = self.allowed(tokens, rows)
        window = replace(self, random=0, global_tokens=0).allowed(tokens, rows)
        known = replace(self, random=0).allowed(tokens, rows)
        return {"global": known & ~window, "window": window, "random": every & ~known}

    def near(self, place: int, blocks: int) -> range:
        """The blocks of the window."""
        half = self.window // 2
        if self.causal:
            return range(max(0, place - self.window + 1), place + 1)
        return range(max(0, place - half), min(blocks, place + half + 1))

    def drawn(self, place: int, blocks: int) -> list[int]:
        """The random blocks of one block of queries."""
        ends = place if self.causal else blocks
        taken = {*self.near(place, blocks), *range(self.global_tokens // self.block)}
        free = [other for other in range(ends) if other not in taken]
        return random.Random(f"{self.seed} {place}").sample(free, min(self.random, len(free)))

    def gathered(self, place: int, blocks: int) -> list[int]:
        first = range(min(-(-self.global_tokens // self.block), place + 1 if self.causal else blocks))
        return list(dict.fromkeys([*first, *self.near(place, blocks), *self.drawn(place, blocks)]))

    def looks(self, queries: Int[Tensor, "..."], keys: Int[Tensor, "..."], tokens: int) -> Bool[Tensor, "..."]:
        links = _links(self, -(-tokens // self.block)).to(queries.device)
        return links[queries // self.block, keys // self.block] | (keys < self.global_tokens)


@lru_cache(maxsize=32)
@torch.inference_mode(False)  # kept for all: a tensor of inference could not be trained with
def _links(variant: BigBird, blocks: int) -> Bool[Tensor, "block gathered"]:
    """Window and random blocks as a table: which block looks at which."""
    links = torch.zeros(blocks, blocks, dtype=torch.bool)
    for place in range(blocks):
        links[place, [*variant.near(place, blocks), *variant.drawn(place, blocks)]] = True
    return links
