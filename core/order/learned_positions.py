"""Where a model keeps its order: tables of positions, biases for distances, or a way that needs no weights."""

import math
import re
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

_TABLE = re.compile(r"(^|[._])(position_embeddings?|positional_embeddings?|embed_positions|wpe|pos_embed(ding)?s?)$")
_PREFIXES = (0, 1, 2, 4, 5)  # tokens without a place before the patches: class, distilled, registers


@dataclass(frozen=True, eq=False)
class PositionTable:
    """One vector for each position, as it is added to a token.

    `grid` gives rows and columns where positions are those of patches; `prefix` tokens come before them. `learned` is
    False where the vectors were computed (waves) and only kept as a table.
    """

    path: str
    vectors: Float[Tensor, "token width"]
    learned: bool = True
    prefix: int = 0
    grid: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class BucketBias:
    """T5's way: for each bucket of distances and each head a number that is added to the score."""

    path: str
    bias: Float[Tensor, "_ head"]
    bidirectional: bool
    longest: int


@dataclass(frozen=True, eq=False)
class WindowBias:
    """Swin's way: for each difference of places in a window and each head a number that is added to the score."""

    path: str
    bias: Float[Tensor, "_ head"]
    rows: int
    columns: int


def similarity(vectors: Float[Tensor, "token width"]) -> Float[Tensor, "token token"]:
    """Cosine of the angle between all pairs of position vectors (Dosovitskiy et al. 2020, figure 7)."""
    unit = F.normalize(vectors.float(), dim=-1)
    return unit @ unit.T


def find_tables(network: nn.Module, *, pictures: bool = False) -> tuple[PositionTable, ...]:
    """All tables of positions in a model of any library, found by the names that the libraries give them.

    Rows that stand for no position are left out: the padding of RoBERTa, the two spare rows of BART and OPT. With
    `pictures` the rows are patches, as many as fill a square after the tokens that have no place.
    """
    tables = [_from_embedding(path, module) for path, module in network.named_modules() if _is_table(path, module)]
    for path, parameter in network.named_parameters():
        if _TABLE.search(path) and parameter.ndim in (2, 3, 4) and parameter.shape[0] == 1:
            tables.append(PositionTable(path, parameter.detach().flatten(0, -2).float()))
    return tuple(_on_a_grid(table, network) if pictures else table for table in tables)


def find_bucket_biases(network: nn.Module) -> tuple[BucketBias, ...]:
    """The relative biases of T5 and its kin."""
    found = []
    for path, module in network.named_modules():
        table = getattr(module, "relative_attention_bias", None)
        if isinstance(table, nn.Embedding):
            longest = getattr(module, "relative_attention_max_distance", 128)
            decodes = bool(getattr(module, "is_decoder", False))
            name = f"{path}.relative_attention_bias".removeprefix(".")
            found.append(BucketBias(name, table.weight.detach().float(), not decodes, int(longest)))
    return tuple(found)


def find_window_biases(network: nn.Module) -> tuple[WindowBias, ...]:
    """The relative biases of Swin, in timm's or transformers' words; only tables that hold a whole window."""
    found = []
    for path, module in network.named_modules():
        table = getattr(module, "relative_position_bias_table", None)
        window = getattr(module, "window_size", None)
        if isinstance(table, Tensor) and window is not None:
            rows, columns = (window, window) if isinstance(window, int) else (int(window[0]), int(window[1]))
            if table.shape[0] == (2 * rows - 1) * (2 * columns - 1):
                name = f"{path}.relative_position_bias_table".removeprefix(".")
                found.append(WindowBias(name, table.detach().float(), rows, columns))
    return tuple(found)


Way = Literal["rotary", "alibi", "buckets", "window", "disentangled", "unknown"]


def other_way(network: nn.Module) -> Way:
    """How a model without a table of positions knows the order, as far as its modules tell."""
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
    """The base of a rotary model's angles, read off its config; None if it is not told."""
    config = getattr(network, "config", None)
    settings = getattr(config, "rope_parameters", None) or {}
    base = settings.get("rope_theta") if isinstance(settings, dict) else None
    return float(base or getattr(config, "rope_theta", None) or 0) or None


@dataclass(frozen=True)
class Likeness:
    """Mean similarity of pairs of patches, by how the two lie to one another; NaN where there is no such pair.

    "Far" pairs lie at least half the shorter side of the picture apart, so that nearness does not make them alike.
    """

    touching: float  # neighbours in a row or column
    far: float  # all far pairs
    same_line: float  # far pairs in the same row or column
    same_ring: float  # far pairs in different rows and columns, but equally far from the edge
    other: float  # all other far pairs


def likeness(grid: tuple[int, int], similarities: Float[Tensor, "token token"]) -> Likeness:
    """What a table of positions knows of the picture: nearness, rows and columns, distance from the edge."""
    rows, columns = grid
    row = torch.arange(rows).repeat_interleave(columns)
    column = torch.arange(columns).repeat(rows)
    edge = torch.stack([row, column, rows - 1 - row, columns - 1 - column]).amin(dim=0)
    down, across = (row[:, None] - row).abs(), (column[:, None] - column).abs()
    far = (down**2 + across**2).sqrt() >= min(rows, columns) / 2
    line = (down == 0) | (across == 0)
    ring = ~line & (edge[:, None] == edge)
    kinds = (down + across == 1, far, far & line, far & ring, far & ~line & ~ring)
    return Likeness(*(similarities[kind].mean().item() for kind in kinds))


def by_distance(similarities: Float[Tensor, "token token"]) -> Float[Tensor, " token"]:
    """Mean similarity of two positions that lie 0, 1, 2 ... tokens apart."""
    length = similarities.shape[0]
    return torch.stack([similarities.diagonal(distance).mean() for distance in range(length)])


def evenly(length: int, most: int) -> Int[Tensor, " token"]:
    """At most `most` of `length` positions, evenly spread: what a figure can show of a long table."""
    step = math.ceil(length / most)
    return torch.arange(0, length, step)


def _is_table(path: str, module: nn.Module) -> bool:
    return isinstance(module, nn.Embedding) and bool(_TABLE.search(path)) and module.num_embeddings > 1


def _from_embedding(path: str, module: nn.Module) -> PositionTable:
    assert isinstance(module, nn.Embedding)
    spare = getattr(module, "offset", None)
    if not isinstance(spare, int):
        spare = 0 if module.padding_idx is None else module.padding_idx + 1
    learned = "sinusoidal" not in type(module).__name__.lower()
    return PositionTable(path, module.weight.detach()[spare:].float(), learned)


def _on_a_grid(table: PositionTable, network: nn.Module) -> PositionTable:
    """The same table with its rows and columns, where the number of patches tells them."""
    count = len(table.vectors)
    known = getattr(getattr(network, "patch_embed", None), "grid_size", None)
    if known and count >= known[0] * known[1]:
        rows, columns = int(known[0]), int(known[1])
    else:
        sides = [
            math.isqrt(count - prefix) for prefix in _PREFIXES if math.isqrt(count - prefix) ** 2 == count - prefix
        ]
        if not sides:
            return table
        rows = columns = sides[0]
    return PositionTable(table.path, table.vectors, table.learned, count - rows * columns, (rows, columns))
