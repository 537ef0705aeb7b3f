"""BigBird: window, random and global attention (Zaheer et al. 2020, section 2).

Global tokens attend to all tokens and all tokens attend to them, so any token reaches any other in two steps; random
links make paths short without global tokens. So a sparse graph is "well connected" (section 2; universal approximation
in section 3).
"""

import random
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from .sparse import Sparse
from .variant import Rows, check_at_least


@dataclass(frozen=True, kw_only=True)
class BigBird(Sparse):
    """In blocks of `block` tokens, as in appendix D: (a) random, (b) window and (c) global attention of figure 1.

    `window`: blocks, half on each side of a query's own; if causal, its own and the window - 1 before it. `random`:
    further blocks for each block of queries, drawn from those outside its window and the global ones (the same for all
    heads and layers and, if causal, for all lengths of text). `global_tokens`: the first tokens of the text, as in the
    paper's "internal transformer construction".
    """

    block: int = 16
    window: int = 3
    random: int = 2
    global_tokens: int = 16
    seed: int = 0

    def __post_init__(self):
        check_at_least(1, block=self.block, window=self.window)
        check_at_least(0, random=self.random, global_tokens=self.global_tokens)

    @property
    def block_size(self) -> int:
        return self.block

    @property
    def global_rows(self) -> int:
        return self.global_tokens

    def parts(self, tokens: int, rows: Rows = None) -> dict[str, Bool[Tensor, "query key"]]:
        """Masks of "global", "window" and "random" links; random ones are in neither of the others."""
        all_links = self.allowed(tokens, rows)
        window = replace(self, random=0, global_tokens=0).allowed(tokens, rows)
        not_random = replace(self, random=0).allowed(tokens, rows)
        return {"global": not_random & ~window, "window": window, "random": all_links & ~not_random}

    def window_blocks(self, number: int, blocks: int) -> range:
        """The numbers of the blocks in the window of one block of queries."""
        half = self.window // 2
        if self.causal:
            return range(max(0, number - self.window + 1), number + 1)
        return range(max(0, number - half), min(blocks, number + half + 1))

    def random_blocks(self, number: int, blocks: int) -> list[int]:
        """The numbers of the random blocks of one block of queries."""
        count = number if self.causal else blocks
        excluded = {*self.window_blocks(number, blocks), *range(self.global_tokens // self.block)}
        candidates = [other for other in range(count) if other not in excluded]
        return random.Random(f"{self.seed} {number}").sample(candidates, min(self.random, len(candidates)))

    def gathered(self, number: int, blocks: int) -> list[int]:
        first = range(min(-(-self.global_tokens // self.block), number + 1 if self.causal else blocks))
        return list(dict.fromkeys([*first, *self.window_blocks(number, blocks), *self.random_blocks(number, blocks)]))

    def attends(self, queries: Int[Tensor, "..."], keys: Int[Tensor, "..."], tokens: int) -> Bool[Tensor, "..."]:
        links = _block_links(self, -(-tokens // self.block)).to(queries.device)
        return links[queries // self.block, keys // self.block] | (keys < self.global_tokens)


@lru_cache(maxsize=32)
@torch.inference_mode(False)  # cached for all callers: an inference tensor could not be used in training
def _block_links(variant: BigBird, blocks: int) -> Bool[Tensor, "block gathered"]:
    """Mask of window and random blocks: which block attends to which."""
    links = torch.zeros(blocks, blocks, dtype=torch.bool)
    for number in range(blocks):
        links[number, [*variant.window_blocks(number, blocks), *variant.random_blocks(number, blocks)]] = True
    return links
