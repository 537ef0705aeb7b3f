"""Find how a model encodes positions: tables of position vectors, relative biases, or a method without weights."""

import math
import re
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

_TABLE = re.compile(r"(^|[._])(position_embeddings?|positional_embeddings?|embed_positions|wpe|pos_embed(ding)?s?)$")
_PREFIXES = (0, 1, 2, 4, 5)  # possible numbers of tokens before the patches: class, distilled, registers


@dataclass(frozen=True, eq=False)
class PositionTable:
    """One vector for each position, which the model adds to the token there.

    `grid` is (rows, columns) where positions are those of patches; `prefix` tokens come before them. `learned` is False
    for sinusoidal vectors stored as a table.
    """

    path: str
    vectors: Float[Tensor, "token width"]
    learned: bool = True
    prefix: int = 0
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class BucketBias:
    """T5's relative position bias: for each bucket of distances and each head a number added to the score."""

    path: str
    bias: Float[Tensor, "_ head"]
    bidirectional: bool
    longest: int


@dataclass(frozen=True, eq=False)
class WindowBias:
    """Swin's relative position bias: for each offset within a window and each head a number added to the score."""

    path: str
    bias: Float[Tensor, "_ head"]
    rows: int
    columns: int


def similarity(vectors: Float[Tensor, "token width"]) -> Float[Tensor, "token token"]:
    """Cosine similarity of all pairs of position vectors (Dosovitskiy et al. 2020, figure 7)."""
    unit = F.normalize(vectors.float(), dim=-1)
    return unit @ unit.T


def find_tables(network: nn.Module, *, pictures: bool = False) -> tuple[PositionTable, ...]:
    """All position tables of a model of timm, transformers or others, found by their usual names.

    Rows of no position are dropped: the padding of RoBERTa, the two spare rows of BART and OPT. With `pictures` the
    rows are patches, which fill a square after the prefix tokens unless the model has a grid size.
    """
    tables = [_from_embedding(path, module) for path, module in network.named_modules() if _is_table(path, module)]
    for path, parameter in network.named_parameters():
        if _TABLE.search(path) and parameter.ndim in (2, 3, 4) and parameter.shape[0] == 1:
            tables.append(PositionTable(path, parameter.detach().flatten(0, -2).float()))
    return tuple(_with_grid(table, network) if pictures else table for table in tables)


def find_bucket_biases(network: nn.Module) -> tuple[BucketBias, ...]:
    """The relative position biases of T5 and related models."""
    biases = []
    for path, module in network.named_modules():
        table = getattr(module, "relative_attention_bias", None)
        if isinstance(table, nn.Embedding):
            longest = getattr(module, "relative_attention_max_distance", 128)
            decodes = bool(getattr(module, "is_decoder", False))
            name = f"{path}.relative_attention_bias".removeprefix(".")
            biases.append(BucketBias(name, table.weight.detach().float(), not decodes, int(longest)))
    return tuple(biases)


def find_window_biases(network: nn.Module) -> tuple[WindowBias, ...]:
    """The relative position biases of Swin in timm or transformers; only tables for a full window."""
    biases = []
    for path, module in network.named_modules():
        table = getattr(module, "relative_position_bias_table", None)
        window = getattr(module, "window_size", None)
        if isinstance(table, Tensor) and window is not None:
            rows, columns = (window, window) if isinstance(window, int) else (int(window[0]), int(window[1]))
            if table.shape[0] == (2 * rows - 1) * (2 * columns - 1):
                name = f"{path}.relative_position_bias_table".removeprefix(".")
                biases.append(WindowBias(name, table.detach().float(), rows, columns))
    return tuple(biases)


PositionMethod = Literal["rotary", "alibi", "buckets", "window", "disentangled", "unknown"]


def position_method(network: nn.Module) -> PositionMethod:
    """The positional encoding of a model without position table, by its modules and config."""
    if find_bucket_biases(network):
        return "buckets"
    config = getattr(network, "config", None)
    if getattr(config, "alibi", False) or getattr(config, "model_type", "") in ("bloom", "mpt"):
        return "alibi"
    for path, module in network.named_modules():
        kind = type(module).__name__.lower()
        if "rotary" in kind or "rope" in kind or path.endswith("rope"):
            return "rotary"
        if hasattr(module, "relative_position_index"):
            return "window"
        if path.endswith("rel_embeddings"):
            return "disentangled"
    return "unknown"


def rotary_base(network: nn.Module) -> float | None:
    """The base of a rotary model's angles, read off its config; None if that has none."""
    config = getattr(network, "config", None)
    settings = getattr(config, "rope_parameters", None) or {}
    base = settings.get("rope_theta") if isinstance(settings, dict) else None
    return float(base or getattr(config, "rope_theta", None) or 0) or None


@dataclass(frozen=True)
class PatchSimilarity:
    """Mean similarity of pairs of patches, by their relative position; NaN where there is no such pair.

    "Far" pairs lie at least half the shorter side of the picture apart, so that nearness does not make them similar.
    """

    touching: float  # neighbours in a row or column
    far: float  # all far pairs
    same_line: float  # far pairs in the same row or column
    same_ring: float  # far pairs in different rows and columns, but equally far from the edge
    other: float  # all other far pairs


def patch_similarity(grid: tuple[int, int], similarities: Float[Tensor, "token token"]) -> PatchSimilarity:
    """Mean similarities that show whether a table encodes nearness, rows and columns, or distance from the edge."""
    rows, columns = grid
    row = torch.arange(rows).repeat_interleave(columns)
    column = torch.arange(columns).repeat(rows)
    edge_distance = torch.stack([row, column, rows - 1 - row, columns - 1 - column]).amin(dim=0)
    row_distance, column_distance = (row[:, None] - row).abs(), (column[:, None] - column).abs()
    is_far = (row_distance**2 + column_distance**2).sqrt() >= min(rows, columns) / 2
    same_line = (row_distance == 0) | (column_distance == 0)
    same_ring = ~same_line & (edge_distance[:, None] == edge_distance)
    kinds = (
        row_distance + column_distance == 1,
        is_far,
        is_far & same_line,
        is_far & same_ring,
        is_far & ~same_line & ~same_ring,
    )
    return PatchSimilarity(*(similarities[kind].mean().item() for kind in kinds))


def mean_by_distance(similarities: Float[Tensor, "token token"]) -> Float[Tensor, " token"]:
    """Mean similarity of two positions at distance 0, 1, 2 ... tokens."""
    length = similarities.shape[0]
    return torch.stack([similarities.diagonal(distance).mean() for distance in range(length)])


def evenly_spaced(length: int, count: int) -> Int[Tensor, " token"]:
    """At most `count` of `length` positions, evenly spaced from 0."""
    step = math.ceil(length / count)
    return torch.arange(0, length, step)


def _is_table(path: str, module: nn.Module) -> bool:
    return isinstance(module, nn.Embedding) and bool(_TABLE.search(path)) and module.num_embeddings > 1


def _from_embedding(path: str, module: nn.Module) -> PositionTable:
    assert isinstance(module, nn.Embedding)
    first_row = getattr(module, "offset", None)
    if not isinstance(first_row, int):
        first_row = 0 if module.padding_idx is None else module.padding_idx + 1
    learned = "sinusoidal" not in type(module).__name__.lower()
    return PositionTable(path, module.weight.detach()[first_row:].float(), learned)


def _with_grid(table: PositionTable, network: nn.Module) -> PositionTable:
    """The table with `grid` and `prefix`, from the model's grid size or a square number of patches; else unchanged."""
    count = len(table.vectors)
    grid_size = getattr(getattr(network, "patch_embed", None), "grid_size", None)
    if grid_size and count >= grid_size[0] * grid_size[1]:
        rows, columns = int(grid_size[0]), int(grid_size[1])
    else:
        sides = [
            math.isqrt(count - prefix) for prefix in _PREFIXES if math.isqrt(count - prefix) ** 2 == count - prefix
        ]
        if not sides:
            return table
        rows = columns = sides[0]
    return PositionTable(table.path, table.vectors, table.learned, count - rows * columns, (rows, columns))
