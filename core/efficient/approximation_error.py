"""The cost and the errors of an approximation of attention, on the queries, keys and values of a recorded head.

head = head_of(record["blocks.3.attention"], 2)
comparison = compare(BigBird(), head)
comparison.output_error, comparison.dropped, comparison.links[0]

All rows of texts of up to MAX_FULL_ROWS tokens are compared; of longer texts a sample of ROWS rows, evenly spread.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..capture import AttentionCall
from ..capture.overview import block_width, pool_columns
from ..errors import CaptureError
from ..progress import Progress
from . import (
    Fused,
    Variant,
    WrittenOut,
)

MAX_FULL_ROWS, ROWS = 2048, 256  # tokens up to which every row is compared; rows of longer texts
TILE = 2**21  # weights of each of the two maps in memory at once
MAX_LINKS = 12  # links in Comparison.links


@dataclass(frozen=True, eq=False)
class Head:
    """Query, key and value of one head, in float32; scores are to be divided by sqrt(head_dim)."""

    query: Float[Tensor, "query head_dim"]
    key: Float[Tensor, "key head_dim"]
    value: Float[Tensor, "key value_dim"]
    causal: bool

    @property
    def tokens(self) -> int:
        """The number of queries, equal to that of keys."""
        return len(self.query)

    @property
    def parts(self) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value as a batch of one head."""
        return self.query[None, None], self.key[None, None], self.value[None, None]


@dataclass(frozen=True)
class Link:
    """One weight of the exact map and of the approximate one."""

    query: int
    key: int
    exact: float
    approximate: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """An approximate map compared with the exact one.

    `exact` and `approximate` are the two maps, or means over blocks of them; `rows` are the positions of the compared
    queries. A link is dropped where the exact weight is above 0 and the approximate one is not.
    """

    exact: Float[Tensor, "_ _"]
    approximate: Float[Tensor, "_ _"]
    rows: Int[Tensor, " query"]
    tokens: int
    output_error: float  # |approximate output - exact output| / |exact output|, Frobenius norms
    divergence: float  # mean over rows of KL(exact || approximate) in bits, where that is finite; NaN if nowhere
    infinite: float  # the share of the rows where it is infinite, because a link was dropped
    dropped: float  # the mean share of a row's attention that falls on dropped links
    moved: float  # half of the sum of |approximate - exact| over a row, on average
    links: tuple[Link, ...]  # those that lose most weight, the largest loss first
    multiplications: int
    exact_multiplications: int  # multiplications of the fused exact kernel

    @property
    def sampled(self) -> bool:
        """Whether only a sample of the rows was compared."""
        return len(self.rows) < self.tokens

    @property
    def cost(self) -> float:
        """Multiplications, as a share of those of the exact kernel."""
        return self.multiplications / self.exact_multiplications


def head_of(call: AttentionCall, head: int, item: int = 0) -> Head:
    """The queries, keys and values of one head of a call.

    Raises CaptureError for anything but recorded self-attention with a causal mask or none.
    """
    if call.product is None or call.kind != "self" or call.query_length != call.key_length:
        raise CaptureError(
            f"'{call.path}' is not known to be self-attention, or was not seen with its queries, keys and values, so "
            "that nothing can be computed in its place. Choose another layer or model."
        )
    if (causal := call.product.causality) is None:
        raise CaptureError(
            f"The mask of '{call.path}' holds more than causality, such as padding or a bias for positions: the "
            "approximations here have no place for it. Choose another layer or model."
        )
    query, key, value = (part[item, 0].float() for part in call.product.parts([head]))
    return Head(query, key, value, causal)


def compared_rows(tokens: int) -> Int[Tensor, " query"]:
    """Positions of all rows of a short text; of a long one of ROWS rows, evenly spread from the first to the last."""
    return torch.arange(tokens) if tokens <= MAX_FULL_ROWS else torch.linspace(0, tokens - 1, ROWS).round().long()


@torch.inference_mode()
def compare(variant: Variant, head: Head, *, size: int = 256, progress: Progress | None = None) -> Comparison:
    """Compare a variant with exact attention, with both maps reduced to at most size x size cells.

    `progress` is called after each chunk of rows and may stop the work by raising an exception.
    """
    rows, exact_maps, approximate_maps = compared_rows(head.tokens), [], []
    sums, links = _Sums(), list[Link]()
    chunks = rows.split(max(1, TILE // head.tokens))
    for done, chunk in enumerate(chunks):
        exact = WrittenOut(causal=head.causal).weights(head.query, head.key, chunk)
        approximate = variant.weights(head.query, head.key, chunk)
        sums.add(exact, approximate, head.value)
        links = _largest_losses(links, chunk, exact, approximate)
        block = block_width(head.tokens, size)
        exact_maps.append(pool_columns(exact, block, head.tokens, "mean"))
        approximate_maps.append(pool_columns(approximate, block, head.tokens, "mean"))
        if progress:
            progress(done + 1, len(chunks))
    block, head_dim = block_width(len(rows), size), head.query.shape[-1]
    exact_map, approximate_map = (
        pool_columns(torch.cat(maps).mT, block, len(rows), "mean").mT for maps in (exact_maps, approximate_maps)
    )
    return Comparison(
        exact=exact_map,
        approximate=approximate_map,
        rows=rows,
        tokens=head.tokens,
        output_error=sums.output_error,
        divergence=sums.divergence,
        infinite=sums.infinite,
        dropped=sums.dropped,
        moved=sums.moved,
        links=tuple(links),
        multiplications=variant.multiplications(head.tokens, head_dim),
        exact_multiplications=Fused(causal=head.causal).multiplications(head.tokens, head_dim),
    )


class _Sums:
    """Accumulates the errors over chunks of rows."""

    def __init__(self):
        self._rows = self._finite = 0
        self._divergence = self._dropped = self._moved_weight = 0.0
        self._squared_error = self._squared_output = 0.0  # squares of the output's error and of the output

    def add(
        self,
        exact: Float[Tensor, "query key"],
        approximate: Float[Tensor, "query key"],
        value: Float[Tensor, "key value_dim"],
    ) -> None:
        is_dropped = (exact > 0) & (approximate <= 0)
        finite = ~is_dropped.any(dim=-1)
        exact_rows, approximate_rows = exact[finite], approximate[finite]
        ratio = torch.where(exact_rows > 0, exact_rows / approximate_rows.clamp_min(1e-38), 1.0).log2()
        self._divergence += float((exact_rows * ratio).sum())
        self._finite += int(finite.sum())
        self._rows += len(exact)
        self._dropped += float((exact * is_dropped).sum())
        self._moved_weight += float((exact - approximate).abs().sum()) / 2
        self._squared_error += float(((approximate - exact) @ value).square().sum())
        self._squared_output += float((exact @ value).square().sum())

    @property
    def output_error(self) -> float:
        return math.sqrt(self._squared_error / self._squared_output)

    @property
    def divergence(self) -> float:
        return self._divergence / self._finite if self._finite else math.nan

    @property
    def infinite(self) -> float:
        return 1 - self._finite / self._rows

    @property
    def dropped(self) -> float:
        return self._dropped / self._rows

    @property
    def moved(self) -> float:
        return self._moved_weight / self._rows


def _largest_losses(
    links: list[Link],
    rows: Int[Tensor, " query"],
    exact: Float[Tensor, "query key"],
    approximate: Float[Tensor, "query key"],
) -> list[Link]:
    """The MAX_LINKS links that lose most weight, among `links` and those of further rows."""
    losses, indices = (exact - approximate).flatten().topk(min(MAX_LINKS, exact.numel()))
    for index in indices[losses > 0].tolist():
        row, key = divmod(index, exact.shape[1])
        links = [*links, Link(int(rows[row]), key, float(exact[row, key]), float(approximate[row, key]))]
    return sorted(links, key=lambda link: link.approximate - link.exact)[:MAX_LINKS]
