"""The map of one head over a long text: exact cells, at any depth of zoom.

At depth z a cell covers 2^z queries by 2^z keys. Its *share* is the attention that these queries give to these keys
together, averaged over the queries: the sum of its weights over 2^z. Its *maximum* is the largest of its weights. At
depth 0 both are the weight itself. Cells of low depths are computed from queries, keys and normalisers for the part
that is looked at; those of high depths from a table of cells that is computed once for a head, the pyramid.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from .processors import processors, side_by_side

TABLE = 4096  # cells along an edge of the pyramid's largest table, at most: 64 MB in float32
CHUNK = 1024  # tokens along an edge of the part whose weights are held in memory at once: 4 MB
TILE = 256  # cells along an edge of a tile


@dataclass(frozen=True, eq=False)
class Cells:
    """Sums and maxima of the weights in blocks of a map."""

    sums: Float[Tensor, "row column"]
    maxima: Float[Tensor, "row column"]

    @classmethod
    def zeros(cls, rows: int, columns: int) -> "Cells":
        """Cells without any weight."""
        return cls(torch.zeros(rows, columns), torch.zeros(rows, columns))

    def pooled(self, block: int) -> "Cells":
        """Cells of block x block of these; the last cells may cover fewer."""
        rows, columns = self.sums.shape
        padding = (0, -columns % block, 0, -rows % block)
        sums, maxima = (F.pad(cells, padding) if any(padding) else cells for cells in (self.sums, self.maxima))
        return Cells(
            sums.unflatten(0, (-1, block)).sum(1).unflatten(1, (-1, block)).sum(2),
            maxima.unflatten(0, (-1, block)).amax(1).unflatten(1, (-1, block)).amax(2),
        )

    def part(self, rows: slice, columns: slice) -> "Cells":
        """Some rows and columns."""
        return Cells(self.sums[rows, columns], self.maxima[rows, columns])

    def shares(self, length: int, depth: int, row: int) -> Float[Tensor, "row column"]:
        """The shares of these cells, whose first row is row `row` of all cells of a text of `length` tokens."""
        return self.sums / queries_in(length, depth, row, len(self.sums))

    def put(self, row: int, column: int, cells: "Cells") -> None:
        """Write cells into these, from a row and a column on."""
        rows, columns = cells.sums.shape
        self.sums[row : row + rows, column : column + columns] = cells.sums
        self.maxima[row : row + rows, column : column + columns] = cells.maxima


@dataclass(frozen=True, eq=False)
class Pyramid:
    """All cells of a head at depth `first` and at all higher ones; entry 0 of `tables` is depth `first`."""

    first: int
    length: int  # tokens of the text
    tables: tuple[Cells, ...]

    def shares(self, depth: int) -> Float[Tensor, "row column"]:
        """The shares of all cells of a depth from `first` on."""
        sums = self.tables[depth - self.first].sums
        return sums / queries_in(self.length, depth, 0, len(sums))


def queries_in(length: int, depth: int, row: int, rows: int) -> Float[Tensor, "row 1"]:
    """The number of queries in each of some rows of cells over a text of `length` tokens."""
    starts = torch.arange(row, row + rows) * 2**depth
    return (length - starts).clamp(1, 2**depth).float()[:, None]


@dataclass(frozen=True, eq=False)
class HeadMap:
    """One head: its queries and keys in the order of the tokens, and logsumexp of the scores of each row.

    Queries are scaled so that a score is query · key / √head_dim, as in `StoredLayer`.
    """

    query: Float[Tensor, "token head_dim"]
    key: Float[Tensor, "token head_dim"]
    log_normaliser: Float[Tensor, " token"]
    causal: bool
    _scale: float = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "_scale", self.query.shape[-1] ** -0.5)

    def __len__(self) -> int:
        return len(self.query)

    @property
    def deepest(self) -> int:
        """The depth at which one cell covers all tokens."""
        return max(0, math.ceil(math.log2(max(1, len(self)))))

    @property
    def first_of_pyramid(self) -> int:
        """The lowest depth of the pyramid: that of its largest table."""
        return max(0, math.ceil(math.log2(max(1, len(self) / TABLE))))

    def weights(self, rows: slice | Tensor, columns: slice | Tensor) -> Float[Tensor, "query key"]:
        """Exact weights of a part of the map, in float32; 0 where the head may not look."""
        query, key = self.query[rows].float() * self._scale, self.key[columns].float()
        weights = torch.addmm(-self.log_normaliser[rows, None], query, key.T).exp_()
        if self.causal:
            row, column = self._positions(rows), self._positions(columns)
            if len(row) and len(column) and column.max() > row.min():
                weights.masked_fill_(column > row[:, None], 0.0)
        return weights

    def _positions(self, tokens: slice | Tensor) -> Int[Tensor, " token"]:
        return torch.arange(*tokens.indices(len(self))) if isinstance(tokens, slice) else tokens

    def row(self, query: int) -> Float[Tensor, " key"]:
        """The weights with which one token attends to all."""
        return self.weights(slice(query, query + 1), slice(None))[0]

    def column(self, key: int) -> Float[Tensor, " query"]:
        """The weights with which all tokens attend to one."""
        return self.weights(slice(None), slice(key, key + 1))[:, 0]

    def cells(self, depth: int, rows: slice, columns: slice) -> Cells:
        """The cells of some rows and columns of cells at a depth, computed from their weights."""
        block = 2**depth
        count = math.ceil(len(self) / block)
        first_row, last_row, _ = rows.indices(count)
        first_column, last_column, _ = columns.indices(count)
        cells = Cells.zeros(max(0, last_row - first_row), max(0, last_column - first_column))
        edge = max(1, CHUNK // block)  # cells along an edge of what is computed at once
        for top in range(first_row, last_row, edge):
            bottom = min(top + edge, last_row)
            for left in range(first_column, min(last_column, bottom) if self.causal else last_column, edge):
                right = min(left + edge, last_column)
                weights = self.weights(self._tokens(top, bottom, block), self._tokens(left, right, block))
                cells.put(top - first_row, left - first_column, Cells(weights, weights).pooled(block))
        return cells

    def tile(self, depth: int, row: int, column: int, pyramid: Pyramid | None = None) -> Cells:
        """A tile of at most TILE x TILE cells; smaller at the end of the text, empty beyond it.

        `pyramid`: the head's own, if it is known; without it the cells of every depth are computed anew.
        """
        return self.part(
            depth,
            slice(row * TILE, (row + 1) * TILE),
            slice(column * TILE, (column + 1) * TILE),
            pyramid,
        )

    def part(self, depth: int, rows: slice, columns: slice, pyramid: Pyramid | None = None) -> Cells:
        """Some rows and columns of cells of a depth; `pyramid` as for a tile."""
        if pyramid is not None and depth >= pyramid.first:
            return pyramid.tables[depth - pyramid.first].part(rows, columns)
        return self.cells(depth, rows, columns)

    def pyramid(self, progress: Callable[[int, int], None] = lambda _done, _total: None) -> Pyramid:
        """The tables of all cells from depth `first_of_pyramid` on; `progress` gets (rows done, all rows of cells)."""
        first = self.first_of_pyramid
        count = math.ceil(len(self) / 2**first)
        done = 0
        table = Cells.zeros(count, count)
        edge = max(1, CHUNK // 2**first)
        tops = list(range(0, count, edge))
        while tops:  # the longest rows first: so the processors have equally much to do
            some = [tops.pop() for _ in range(min(processors(), len(tops)))]
            bands = side_by_side(lambda top: self.cells(first, slice(top, top + edge), slice(None)), some)
            for top, band in zip(some, bands, strict=True):
                table.put(top, 0, band)
            done += sum(len(band.sums) for band in bands)
            progress(done, count)
        tables = [table]
        for _ in range(first, self.deepest):
            tables.append(tables[-1].pooled(2))
        return Pyramid(first, len(self), tuple(tables))

    def _tokens(self, first: int, last: int, block: int) -> slice:
        return slice(first * block, min(last * block, len(self)))

    def thumbnail(self, size: int, sampled: int = 4) -> Float[Tensor, "row column"]:
        """The map in at most size x size shares, those of a row of cells from `sampled` of its queries."""
        block = math.ceil(len(self) / size)
        cells = math.ceil(len(self) / block)
        rows = (torch.arange(cells)[:, None] + (torch.arange(sampled) + 0.5) / sampled) * block
        rows = rows.long().clamp(max=len(self) - 1)
        per_chunk = max(1, CHUNK**2 // (sampled * len(self)))
        parts = []
        for some in rows.split(per_chunk):
            mean = self.weights(some.flatten(), slice(None)).unflatten(0, (-1, sampled)).mean(1)
            parts.append(F.pad(mean, (0, cells * block - len(self))).unflatten(1, (cells, block)).sum(2))
        return torch.cat(parts)
