"""How far information can have travelled: the maps of all blocks put together, from one place back to the patches.

As in attention rollout (Abnar and Zuidema 2020, section 3), each block passes on 0.5 A + 0.5 I: one half stands for
what a place keeps by the residual connection, whatever the model really keeps. Values, W_O, norms and the MLP are
left out. What is put together are vectors over the places of a grid, block by block: no matrix of all places by all
places is ever made. Between stages a merged place takes the places that it was made of equally.
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
    """One block: its grid, its windows (places as in `WindowLayer`, -1 for padding), and who takes how much."""

    rows: int
    columns: int
    merging: int  # places on a side, of the block before, that were merged into one of this; 1 within a stage
    places: Int[Tensor, "window position"]
    regions: Int[Tensor, "window position"]  # within a window, only the places of one region see one another
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
            window_weights(call, head).nan_to_num(nan=0.0),  # a query that sees nothing takes nothing
        )
        for number, (layer, call) in enumerate(zip(layers, record.calls, strict=True))
    )


def over(blocks: Sequence[Block], number: int, row: int, column: int) -> int:
    """The place of a block's grid that lies over a patch of the first grid: row * columns + column."""
    factor = math.prod(block.merging for block in blocks[1 : number + 1])
    return row // factor * blocks[number].columns + column // factor


def growing_reach(blocks: Sequence[Block], row: int, column: int) -> Float[Tensor, "layer row column"]:
    """How much of each input patch has reached a place after every block: that which lies over one patch of the input.

    Each map sums to 1 less what came from padding, which carries nothing of the picture.
    """
    return _back(blocks, _all_over(blocks, row, column), outer=False)


def growing_limit(blocks: Sequence[Block], row: int, column: int) -> Bool[Tensor, "layer row column"]:
    """Which patches can have reached that place at all, whatever the weights: windows, shifts, masks and merging."""
    return _back(_evenly(blocks), _all_over(blocks, row, column), outer=True) > 0


def spread_of(blocks: Sequence[Block], row: int, column: int) -> tuple[Float[Tensor, "row column"], ...]:
    """The other direction: how much of what each place is made of, after every block, is one patch of the input.

    One map for each block, on the block's own grid.
    """
    return _forth(blocks, row, column, outer=False)


def spread_limit(blocks: Sequence[Block], row: int, column: int) -> tuple[Bool[Tensor, "row column"], ...]:
    """Which places one patch can have come to at all, after every block."""
    return tuple(found > 0 for found in _forth(_evenly(blocks), row, column, outer=True))


def growing_rollout(
    calls: Sequence[AttentionCall], token: int, head: int | None = None
) -> Float[Tensor, "layer token"]:
    """The same for a model in which each token sees all: the rollout of one token after every block.

    `calls` are its blocks from the input on, of one picture and one sequence. Each row sums to 1 over all tokens,
    those without a place included.
    """
    travelling = torch.zeros(0, calls[0].key_length)
    for call in reversed(calls):
        start = torch.zeros(1, call.query_length)
        start[0, token] = 1.0
        travelling = torch.cat([start, travelling])
        weights = _mean_map(call, head)
        kept = travelling / (1 + weights.sum(dim=-1))  # one half; more where a row sums to less than 1
        travelling = kept + kept @ weights
    return travelling


def rollout_spread(calls: Sequence[AttentionCall], token: int, head: int | None = None) -> Float[Tensor, "layer token"]:
    """The other direction for such a model: how much of each token, after every block, is one token of the input."""
    carried, found = torch.zeros(calls[0].key_length), []
    carried[token] = 1.0
    for call in calls:
        weights = _mean_map(call, head)
        carried = (carried + weights @ carried) / (1 + weights.sum(dim=-1))
        found.append(carried)
    return torch.stack(found)


def _mean_map(call: AttentionCall, head: int | None) -> Float[Tensor, "token token"]:
    """The map of one head, or the mean over all (None); 0 where a query may look at nothing.

    Raises CaptureError for weights below 0, which a mean could hide.
    """
    call.check_not_negative()
    heads = range(call.heads) if head is None else [head]
    total = torch.zeros(call.query_length, call.key_length)
    for number in heads:
        total += call.weights(number).nan_to_num(nan=0.0)
    return total / len(heads)


def share_needed(reach: Float[Tensor, "row column"], part: float = 0.9) -> float:
    """The smallest share of all places that together hold `part` of what all of them hold."""
    ordered = reach.flatten().double().sort(descending=True).values.cumsum(dim=0)
    enough = ordered >= (part - 1e-6) * ordered[-1]
    return (int((~enough).sum()) + 1) / len(ordered)


def _all_over(blocks: Sequence[Block], row: int, column: int) -> dict[int, int]:
    return {number: over(blocks, number, row, column) for number in range(len(blocks))}


def _back(blocks: Sequence[Block], starts: Mapping[int, int], *, outer: bool) -> Float[Tensor, "_ row column"]:
    """From the places after some blocks (number -> place), all at once, down to the patches of the first grid.

    `outer` keeps only whether anything arrives, so that no long chain of small factors vanishes.
    """
    travelling = torch.zeros(0, blocks[-1].rows * blocks[-1].columns)
    for number in range(len(blocks) - 1, -1, -1):
        block = blocks[number]
        if number in starts:
            start = torch.zeros(1, block.rows * block.columns)
            start[0, starts[number]] = 1.0
            travelling = torch.cat([start, travelling])
        travelling = _backwards(block, travelling)
        if block.merging > 1:
            travelling = _unmerged(block, blocks[number - 1], travelling)
        if outer:
            travelling = (travelling > 0).float()
    return travelling.view(-1, blocks[0].rows, blocks[0].columns)


def _forth(blocks: Sequence[Block], row: int, column: int, *, outer: bool) -> tuple[Float[Tensor, "row column"], ...]:
    """From one patch of the first grid up to all places after every block."""
    first = blocks[0]
    carried = torch.zeros(first.rows * first.columns)
    carried[row * first.columns + column] = 1.0
    found, before = [], first
    for block in blocks:
        if block.merging > 1:
            carried = _merged(before, block, carried)
        carried = _onwards(block, carried)
        if outer:
            carried = (carried > 0).float()
        found.append(carried.view(block.rows, block.columns))
        before = block
    return tuple(found)


def _evenly(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The same blocks, each place looking equally at all that it may look at."""
    seen = [(block.regions[:, :, None] == block.regions[:, None, :]).float() for block in blocks]
    return tuple(
        replace(block, weights=each / each.sum(dim=-1, keepdim=True)) for block, each in zip(blocks, seen, strict=True)
    )


def _backwards(block: Block, travelling: Float[Tensor, "_ _"]) -> Float[Tensor, "_ _"]:
    """vector (0.5 A + 0.5 I), rows scaled to sum to 1: what a place holds goes to those that it looked at."""
    real, places = block.places >= 0, block.places.clamp(min=0)
    # One half is kept; more where a row sums to less than 1, all of it where a query sees nothing.
    kept = travelling[:, places] * real / (1 + block.weights.sum(dim=-1))  # (_, window, query)
    shared = torch.einsum("swq,wqk->swk", kept, block.weights)
    return stitch(kept + shared, block.places, (block.rows, block.columns), empty=0.0).flatten(1)


def _onwards(block: Block, carried: Float[Tensor, " _"]) -> Float[Tensor, " _"]:
    """(0.5 A + 0.5 I) vector, rows scaled to sum to 1: what a place takes from others; padding carries nothing."""
    real, places = block.places >= 0, block.places.clamp(min=0)
    held = carried[places] * real
    taken = torch.einsum("wqk,wk->wq", block.weights, held)
    moved = (held + taken) / (1 + block.weights.sum(dim=-1))
    return stitch(moved, block.places, (block.rows, block.columns), empty=0.0).flatten()


def _parents(block: Block, before: Block) -> Int[Tensor, " _"]:
    """For each place of the grid before, the place that it is merged into."""
    row, column = torch.arange(before.rows), torch.arange(before.columns)
    return (row[:, None] // block.merging * block.columns + column // block.merging).flatten()


def _unmerged(block: Block, before: Block, travelling: Float[Tensor, "_ _"]) -> Float[Tensor, "_ _"]:
    """Equal parts for the places that each was made of; an odd grid is padded, and that part is lost."""
    return travelling[:, _parents(block, before)] / block.merging**2


def _merged(before: Block, block: Block, carried: Float[Tensor, " _"]) -> Float[Tensor, " _"]:
    merged = torch.zeros(block.rows * block.columns)
    return merged.index_add(0, _parents(block, before), carried / block.merging**2)
