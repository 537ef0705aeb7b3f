"""Sparse attention, computed in blocks: a block of queries gathers the blocks of keys that it needs.

Zaheer et al. 2020 (BigBird), appendix D: scattered links are slow on any hardware, so tokens are grouped into blocks,
and the scores of a block of queries with its gathered keys are one dense product. Work and memory grow with
n x gathered keys, not with n x n.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from .exact import masked_weights
from .variant import Rows, Variant, check_lengths, row_positions

GATHERED = 2**26  # elements of gathered keys in memory at once: 256 MB in single precision


@dataclass(frozen=True, eq=False)
class Layout:
    """The keys that a sparse variant gathers for a text of some length."""

    blocks: Int[Tensor, "block gathered"]  # the blocks of keys that each block of queries gathers
    mask: Bool[Tensor, "block query key"]  # which of the gathered keys each query of a block attends to


@dataclass(frozen=True, kw_only=True)
class Sparse(Variant):
    """A softmax over some of the keys: exact scores along the allowed links, none along the others."""

    @property
    @abstractmethod
    def block_size(self) -> int:
        """The number of tokens in a block."""

    @property
    def global_rows(self) -> int:
        """The number of queries, from the first on, that attend to every key."""
        return 0

    @abstractmethod
    def gathered(self, number: int, blocks: int) -> list[int]:
        """The numbers of the blocks of keys, of `blocks` in all, that one block of queries needs, without repeats."""

    @abstractmethod
    def attends(self, queries: Int[Tensor, "..."], keys: Int[Tensor, "..."], tokens: int) -> Bool[Tensor, "..."]:
        """Whether the query at one position attends to the key at another, without causality; positions broadcast."""

    def allowed(self, tokens: int, rows: Rows = None) -> Bool[Tensor, "query key"]:
        """The mask: which keys each query (or each of `rows`) attends to."""
        queries = row_positions(tokens, rows, torch.device("cpu") if rows is None else rows.device)[:, None]
        keys = torch.arange(tokens, device=queries.device)[None]
        links = self.attends(queries, keys, tokens) | (queries < self.global_rows)
        return links & (keys <= queries) if self.causal else links

    def parts(self, tokens: int, rows: Rows = None) -> dict[str, Bool[Tensor, "query key"]]:
        """The mask of `allowed` by kind of link, each link in one of them."""
        return {"window": self.allowed(tokens, rows)}

    def weights(
        self,
        query: Float[Tensor, "*leading query head_dim"],
        key: Float[Tensor, "*leading key head_dim"],
        rows: Rows = None,
    ) -> Float[Tensor, "*leading _ key"]:
        tokens = check_lengths(query, key)
        positions = row_positions(tokens, rows, query.device)
        return masked_weights(query[..., positions, :], key, self.allowed(tokens, positions))

    def output(
        self,
        query: Float[Tensor, "batch head query head_dim"],
        key: Float[Tensor, "batch head key head_dim"],
        value: Float[Tensor, "batch head key value_dim"],
    ) -> Float[Tensor, "batch head query value_dim"]:
        tokens, size = check_lengths(query, key), self.block_size
        layout = layout_of(self, tokens)
        # (batch x head, block, token in block, head_dim)
        in_blocks = [_split_into_blocks(part, size) for part in (query, key, value)]
        gathered_size = in_blocks[1][:, 0].numel() * layout.blocks.shape[1]  # elements for one block of queries
        blocks_at_once = max(1, GATHERED // gathered_size)
        chunks = zip(
            in_blocks[0].split(blocks_at_once, dim=1),
            layout.blocks.to(query.device).split(blocks_at_once),
            layout.mask.to(query.device).split(blocks_at_once),
            strict=True,
        )
        mixed = torch.cat(
            [_attend(queries, in_blocks[1], in_blocks[2], blocks, mask) for queries, blocks, mask in chunks], dim=1
        )
        mixed = mixed.flatten(1, 2)[:, :tokens].unflatten(0, query.shape[:2])
        global_count = min(self.global_rows, tokens)
        if (
            not global_count or self.causal
        ):  # if causal, the first tokens attend to one another only, within their blocks
            return mixed
        first = F.scaled_dot_product_attention(query[..., :global_count, :], key, value)
        return torch.cat([first, mixed[..., global_count:, :]], dim=-2)

    def multiplications(self, tokens: int, head_dim: int) -> int:
        """Those of every query with every gathered key and value, also of keys that the mask then hides."""
        blocks = gathered_blocks(self, tokens)
        pairs = len(blocks) * self.block_size**2 * max(map(len, blocks))
        global_pairs = 0 if self.causal else min(self.global_rows, tokens) * tokens
        return 2 * (pairs + global_pairs) * head_dim


def _attend(
    query: Float[Tensor, "_ block query head_dim"],
    key: Float[Tensor, "_ _ key head_dim"],
    value: Float[Tensor, "_ _ key value_dim"],
    blocks: Int[Tensor, "block gathered"],
    mask: Bool[Tensor, "block query _"],
) -> Float[Tensor, "_ block query value_dim"]:
    """The output of some blocks of queries over the blocks of keys that they gather."""
    keys, values = (part[:, blocks].flatten(2, 3) for part in (key, value))
    return F.scaled_dot_product_attention(query, keys, values, attn_mask=mask[None])


@lru_cache(maxsize=64)
def gathered_blocks(variant: Sparse, tokens: int) -> list[list[int]]:
    """For each block of queries of a text, the blocks of keys that it needs."""
    count = -(-tokens // variant.block_size)
    return [variant.gathered(block, count) for block in range(count)]


@lru_cache(maxsize=8)
@torch.inference_mode(False)  # cached for all callers: an inference tensor could not be used in training
def layout_of(variant: Sparse, tokens: int) -> Layout:
    """The layout of a text; blocks of queries that need fewer blocks of keys are padded with their own, masked."""
    size = variant.block_size
    count = -(-tokens // size)
    gathered = gathered_blocks(variant, tokens)
    max_gathered = max(map(len, gathered))
    is_filler = torch.tensor([[False] * len(row) + [True] * (max_gathered - len(row)) for row in gathered])
    blocks = torch.tensor([row + [block] * (max_gathered - len(row)) for block, row in enumerate(gathered)])

    offsets = torch.arange(size)
    queries = torch.arange(count * size).reshape(count, size, 1)
    keys = (blocks[:, :, None] * size + offsets).reshape(count, 1, max_gathered * size)
    mask = variant.attends(queries, keys, tokens) | (queries < variant.global_rows)
    if variant.causal:
        mask &= keys <= queries
    mask &= (keys < tokens) & ~is_filler.repeat_interleave(size, dim=1)[:, None]
    # Queries that pad the last block attend to all keys: a softmax over no keys would be NaN.
    return Layout(blocks, mask | ~mask.any(dim=-1, keepdim=True))


def _split_into_blocks(x: Float[Tensor, "batch head token head_dim"], size: int) -> Float[Tensor, "_ block _ head_dim"]:
    """Batch and heads flattened, tokens split into blocks of `size`; the last block is padded with zeros."""
    missing = -x.shape[-2] % size
    return F.pad(x, (0, 0, 0, missing)).flatten(0, 1).unflatten(1, (-1, size))
