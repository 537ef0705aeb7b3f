"""Attention along some links only, computed in blocks: a block of queries gathers the blocks of keys that it needs.

Zaheer et al. 2020 (BigBird), appendix D: rows of scattered links are slow on any hardware, so that tokens are taken
in blocks, and the scores of a block of queries with its gathered keys are one dense product. Work and memory grow with
n x gathered keys, not with n x n.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from .exact import masked
from .variant import Rows, Variant, check_lengths, chosen_rows

GATHERED = 2**26  # numbers of gathered keys that are held at once: 256 MB in single precision


@dataclass(frozen=True, eq=False)
class Layout:
    """Where a sparse variant looks in a text of some length."""

    blocks: Int[Tensor, "block gathered"]  # the blocks of keys that each block of queries gathers
    mask: Bool[Tensor, "block query key"]  # which of its gathered keys each query of a block really looks at


@dataclass(frozen=True, kw_only=True)
class Sparse(Variant):
    """A softmax over some of the keys: exact along the links that are kept, nothing along the others."""

    @property
    @abstractmethod
    def block_size(self) -> int:
        """How many tokens are one block."""

    @property
    def whole_rows(self) -> int:
        """How many queries, at the beginning, look at every key."""
        return 0

    @abstractmethod
    def gathered(self, place: int, blocks: int) -> list[int]:
        """Which of the `blocks` blocks of keys the block of queries at `place` needs, each once."""

    @abstractmethod
    def looks(self, queries: Int[Tensor, "..."], keys: Int[Tensor, "..."], tokens: int) -> Bool[Tensor, "..."]:
        """Whether the query at one position looks at the key at another, before causality; positions broadcast."""

    def allowed(self, tokens: int, rows: Rows = None) -> Bool[Tensor, "query key"]:
        """The mask, as drawn in the papers: which key each query (or each of the chosen ones) looks at."""
        queries = chosen_rows(tokens, rows, torch.device("cpu") if rows is None else rows.device)[:, None]
        keys = torch.arange(tokens, device=queries.device)[None]
        links = self.looks(queries, keys, tokens) | (queries < self.whole_rows)
        return links & (keys <= queries) if self.causal else links

    def parts(self, tokens: int, rows: Rows = None) -> dict[str, Bool[Tensor, "query key"]]:
        """The same mask in its kinds of links, each link in one of them."""
        return {"window": self.allowed(tokens, rows)}

    def weights(
        self,
        query: Float[Tensor, "*leading query each"],
        key: Float[Tensor, "*leading key each"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        tokens = check_lengths(query, key)
        places = chosen_rows(tokens, rows, query.device)
        return masked(query[..., places, :], key, self.allowed(tokens, places))

    def output(
        self,
        query: Float[Tensor, "batch head query each"],
        key: Float[Tensor, "batch head key each"],
        value: Float[Tensor, "batch head key each_value"],
    ) -> Float[Tensor, "batch head query each_value"]:
        tokens, size = check_lengths(query, key), self.block_size
        layout = layout_of(self, tokens)
        in_blocks = [_blocks(part, size) for part in (query, key, value)]  # (batch x head, block, in block, each)
        one = in_blocks[1][:, 0].numel() * layout.blocks.shape[1]  # gathered for one block of queries
        at_once = max(1, GATHERED // one)  # blocks of queries: all of them, unless very much is gathered
        chunks = zip(
            in_blocks[0].split(at_once, dim=1),
            layout.blocks.to(query.device).split(at_once),
            layout.mask.to(query.device).split(at_once),
            strict=True,
        )
        mixed = torch.cat([_mixed(queries, *in_blocks[1:], *where) for queries, *where in chunks], dim=1)
        mixed = mixed.flatten(1, 2)[:, :tokens].unflatten(0, query.shape[:2])
        whole = min(self.whole_rows, tokens)
        if not whole or self.causal:  # the first tokens then have only themselves to look at: one another's blocks
            return mixed
        first = F.scaled_dot_product_attention(query[..., :whole, :], key, value)
        return torch.cat([first, mixed[..., whole:, :]], dim=-2)

    def multiplications(self, tokens: int, each: int) -> int:
        """Of every query with every gathered key, also of those that the mask then hides."""
        wanted = gathered_by(self, tokens)
        pairs = len(wanted) * self.block_size**2 * max(map(len, wanted))
        whole = 0 if self.causal else min(self.whole_rows, tokens) * tokens
        return 2 * (pairs + whole) * each


def _mixed(
    query: Float[Tensor, "_ block query each"],
    key: Float[Tensor, "_ _ key each"],
    value: Float[Tensor, "_ _ key each_value"],
    blocks: Int[Tensor, "block gathered"],
    mask: Bool[Tensor, "block query _"],
) -> Float[Tensor, "_ block query each_value"]:
    """What some blocks of queries take of the blocks of keys that they gather."""
    keys, values = (part[:, blocks].flatten(2, 3) for part in (key, value))
    return F.scaled_dot_product_attention(query, keys, values, attn_mask=mask[None])


@lru_cache(maxsize=64)
def gathered_by(variant: Sparse, tokens: int) -> list[list[int]]:
    """For each block of queries of a text, the blocks of keys that it needs."""
    count = -(-tokens // variant.block_size)
    return [variant.gathered(place, count) for place in range(count)]


@lru_cache(maxsize=8)
@torch.inference_mode(False)  # kept for all: a tensor of inference could not be trained with
def layout_of(variant: Sparse, tokens: int) -> Layout:
    """Blocks that gather fewer keys than others gather their own once more, and look at none of those."""
    size = variant.block_size
    count = -(-tokens // size)
    wanted = gathered_by(variant, tokens)
    most = max(map(len, wanted))
    filler = torch.tensor([[False] * len(row) + [True] * (most - len(row)) for row in wanted])
    blocks = torch.tensor([row + [place] * (most - len(row)) for place, row in enumerate(wanted)])

    within = torch.arange(size)
    queries = torch.arange(count * size).reshape(count, size, 1)
    keys = (blocks[:, :, None] * size + within).reshape(count, 1, most * size)
    mask = variant.looks(queries, keys, tokens) | (queries < variant.whole_rows)
    if variant.causal:
        mask &= keys <= queries
    mask &= (keys < tokens) & ~filler.repeat_interleave(size, dim=1)[:, None]
    # Queries that only fill the last block up look at anything: a softmax over nothing would be NaN.
    return Layout(blocks, mask | ~mask.any(dim=-1, keepdim=True))


def _blocks(x: Float[Tensor, "batch head token each"], size: int) -> Float[Tensor, "_ block _ each"]:
    """Filled up with zeros to whole blocks."""
    missing = -x.shape[-2] % size
    return F.pad(x, (0, 0, 0, missing)).flatten(0, 1).unflatten(1, (-1, size))
