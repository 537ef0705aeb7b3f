"""Attention rollout through windows: the maps of all blocks multiplied, from one place back to the patches.

As in attention rollout (Abnar and Zuidema 2020, section 3), each block is 0.5 A + 0.5 I: one half stands for the
residual connection, whatever its real weight. Values, W_O, norms and the MLP are left out. Vectors over the places of
a grid are multiplied, block by block, so no matrix of all pairs of places is needed. Between stages a merged place is
the mean of its parts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..capture import AttentionCall, Record
from .window_grid import stitch
from .windows import WindowLayer, window_weights


@dataclass(frozen=True, eq=False)
class Block:
    """One block: its grid, its windows (places as in `WindowLayer`, -1 for padding), and its attention weights."""

    rows: int
    columns: int
    merging: int  # places on a side, of the block before, that were merged into one of this; 1 within a stage
    places: Int[Tensor, "window position"]
    regions: Int[Tensor, "window position"]  # within a window, places attend within their region only
    weights: Float[Tensor, "window query key"]


def blocks_of(layers: Sequence[WindowLayer], record: Record, head: int | None = None) -> tuple[Block, ...]:
    """Every block of a recorded model with windows; of one head, or the mean over all (None)."""
    return tuple(
        Block(
            layer.rows,
            layer.columns,
            layer.merging if number and layer.stage != layers[number - 1].stage else 1,
            layer.places,
            layer.regions,
            window_weights(call, head).nan_to_num(nan=0.0),  # a query whose keys are all masked
        )
        for number, (layer, call) in enumerate(zip(layers, record.calls, strict=True))
    )


def token_over(blocks: Sequence[Block], number: int, row: int, column: int) -> int:
    """The place of a block's grid that a patch of the first grid is merged into: row * columns + column."""
    factor = math.prod(block.merging for block in blocks[1 : number + 1])
    return row // factor * blocks[number].columns + column // factor


def reach_by_block(blocks: Sequence[Block], row: int, column: int) -> Float[Tensor, "layer row column"]:
    """The rollout, after every block, of the place over one patch, down to the patches of the input.

    Each map sums to 1 minus the share of padding.
    """
    return _to_input(blocks, _tokens_over(blocks, row, column), reachable_only=False)


def reach_limit_by_block(blocks: Sequence[Block], row: int, column: int) -> Bool[Tensor, "layer row column"]:
    """The patches that can reach that place after every block by windows, shifts, masks and merging alone."""
    return _to_input(_uniform_blocks(blocks), _tokens_over(blocks, row, column), reachable_only=True) > 0


def spread_by_block(blocks: Sequence[Block], row: int, column: int) -> tuple[Float[Tensor, "row column"], ...]:
    """The share of one input patch in the rollout of every place, after every block.

    One map for each block, on the block's own grid.
    """
    return _from_input(blocks, row, column, reachable_only=False)


def spread_limit_by_block(blocks: Sequence[Block], row: int, column: int) -> tuple[Bool[Tensor, "row column"], ...]:
    """The places that one patch can reach, after every block."""
    return tuple(values > 0 for values in _from_input(_uniform_blocks(blocks), row, column, reachable_only=True))


def rollout_by_block(
    calls: Sequence[AttentionCall], token: int, head: int | None = None
) -> Float[Tensor, "layer token"]:
    """The rollout of one token after every block, for a model without windows.

    `calls` are its blocks in order, of one picture. Each row sums to 1 over all tokens, prefix tokens included.
    """
    rows = torch.zeros(0, calls[0].key_length)
    for call in reversed(calls):
        start = torch.zeros(1, call.query_length)
        start[0, token] = 1.0
        rows = torch.cat([start, rows])
        weights = _mean_map(call, head)
        residual = rows / (1 + weights.sum(dim=-1))  # one half; more where a row sums to less than 1
        rows = residual + residual @ weights
    return rows


def rollout_spread_by_block(
    calls: Sequence[AttentionCall], token: int, head: int | None = None
) -> Float[Tensor, "layer token"]:
    """The share of one input token in the rollout of every token, after every block, for a model without windows."""
    shares, shares_by_block = torch.zeros(calls[0].key_length), []
    shares[token] = 1.0
    for call in calls:
        weights = _mean_map(call, head)
        shares = (shares + weights @ shares) / (1 + weights.sum(dim=-1))
        shares_by_block.append(shares)
    return torch.stack(shares_by_block)


def _mean_map(call: AttentionCall, head: int | None) -> Float[Tensor, "token token"]:
    """The map of one head, or the mean over all (None); 0 where all keys of a query are masked.

    Raises CaptureError for weights below 0.
    """
    call.check_not_negative()
    heads = range(call.heads) if head is None else [head]
    total = torch.zeros(call.query_length, call.key_length)
    for number in heads:
        total += call.weights(number).nan_to_num(nan=0.0)
    return total / len(heads)


def share_needed(reach: Float[Tensor, "row column"], part: float = 0.9) -> float:
    """The smallest share of all places that together hold `part` of the sum of the map."""
    cumulative = reach.flatten().double().sort(descending=True).values.cumsum(dim=0)
    enough = cumulative >= (part - 1e-6) * cumulative[-1]
    return (int((~enough).sum()) + 1) / len(cumulative)


def _tokens_over(blocks: Sequence[Block], row: int, column: int) -> dict[int, int]:
    return {number: token_over(blocks, number, row, column) for number in range(len(blocks))}


def _to_input(
    blocks: Sequence[Block], starts: Mapping[int, int], *, reachable_only: bool
) -> Float[Tensor, "_ row column"]:
    """The rollout of places after some blocks (block number -> place), all at once, to the patches of the first grid.

    `reachable_only` replaces values above 0 by 1 after each block, so that no long product underflows.
    """
    rows = torch.zeros(0, blocks[-1].rows * blocks[-1].columns)
    for number in range(len(blocks) - 1, -1, -1):
        block = blocks[number]
        if number in starts:
            start = torch.zeros(1, block.rows * block.columns)
            start[0, starts[number]] = 1.0
            rows = torch.cat([start, rows])
        rows = _pull_back(block, rows)
        if block.merging > 1:
            rows = _unmerge(block, blocks[number - 1], rows)
        if reachable_only:
            rows = (rows > 0).float()
    return rows.view(-1, blocks[0].rows, blocks[0].columns)


def _from_input(
    blocks: Sequence[Block], row: int, column: int, *, reachable_only: bool
) -> tuple[Float[Tensor, "row column"], ...]:
    """The share of one patch of the first grid in all places after every block."""
    first = blocks[0]
    shares = torch.zeros(first.rows * first.columns)
    shares[row * first.columns + column] = 1.0
    maps, before = [], first
    for block in blocks:
        if block.merging > 1:
            shares = _merge(before, block, shares)
        shares = _push_forward(block, shares)
        if reachable_only:
            shares = (shares > 0).float()
        maps.append(shares.view(block.rows, block.columns))
        before = block
    return tuple(maps)


def _uniform_blocks(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same blocks with attention spread evenly over the allowed keys."""
    allowed = [(block.regions[:, :, None] == block.regions[:, None, :]).float() for block in blocks]
    return tuple(
        replace(block, weights=mask / mask.sum(dim=-1, keepdim=True))
        for block, mask in zip(blocks, allowed, strict=True)
    )


def _pull_back(block: Block, rows: Float[Tensor, "_ _"]) -> Float[Tensor, "_ _"]:
    """Multiply row vectors with (0.5 A + 0.5 I), its rows scaled to sum to 1."""
    real, places = block.places >= 0, block.places.clamp(min=0)
    # The residual half is more where a row of A sums to less than 1, and all where it sums to 0.
    scaled = rows[:, places] * real / (1 + block.weights.sum(dim=-1))  # (_, window, query)
    shared = torch.einsum("swq,wqk->swk", scaled, block.weights)
    return stitch(scaled + shared, block.places, (block.rows, block.columns), empty=0.0).flatten(1)


def _push_forward(block: Block, shares: Float[Tensor, " _"]) -> Float[Tensor, " _"]:
    """Multiply (0.5 A + 0.5 I), its rows scaled to sum to 1, with a vector; padding counts as 0."""
    real, places = block.places >= 0, block.places.clamp(min=0)
    values = shares[places] * real
    received = torch.einsum("wqk,wk->wq", block.weights, values)
    moved = (values + received) / (1 + block.weights.sum(dim=-1))
    return stitch(moved, block.places, (block.rows, block.columns), empty=0.0).flatten()


def _parents(block: Block, before: Block) -> Int[Tensor, " _"]:
    """For each place of the previous grid, the place that it is merged into."""
    row, column = torch.arange(before.rows), torch.arange(before.columns)
    return (row[:, None] // block.merging * block.columns + column // block.merging).flatten()


def _unmerge(block: Block, before: Block, rows: Float[Tensor, "_ _"]) -> Float[Tensor, "_ _"]:
    """Distribute each value equally over the merged places; the part of padding is dropped."""
    return rows[:, _parents(block, before)] / block.merging**2


def _merge(before: Block, block: Block, shares: Float[Tensor, " _"]) -> Float[Tensor, " _"]:
    merged = torch.zeros(block.rows * block.columns)
    return merged.index_add(0, _parents(block, before), shares / block.merging**2)
