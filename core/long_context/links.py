"""The strongest links of a head over a long text, found exactly without computing its map again.

Blocks of the map are opened in the order of their largest weights, which the pyramid knows, until no block that is
still closed can hold a stronger link than those already there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .head_map import HeadMap, Pyramid

OPENED = 256  # blocks opened at first; then twice as many


@dataclass(frozen=True)
class Link:
    """A query, a key, and the weight with which the one attends to the other."""

    query: int
    key: int
    weight: float


def strongest_links(
    head: HeadMap, pyramid: Pyramid, count: int = 200, *, farther_than: int = -1, from_key: int = 0, nearby: int = 0
) -> tuple[Link, ...]:
    """The `count` strongest links, the strongest first; of equal ones that of the earlier query, then the earlier key.

    `farther_than`: only links whose tokens are more than so many tokens apart. `from_key`: only keys from this one on,
    to leave out the first tokens, on which attention rests that is needed nowhere (Xiao et al. 2023, section 3.1).
    `nearby`: a link is left out whose query and key are both at most so many tokens from those of a stronger one in the
    list, so that one copied passage does not fill it.
    """
    searched = count
    while True:
        links = _search(head, pyramid, searched, farther_than, from_key)
        distinct = _without_nearby(links, nearby)[:count] if nearby else links
        if len(distinct) == count or len(links) < searched:
            return tuple(distinct)
        searched *= 4  # at most (2 nearby + 1)² links are near one of those in the list, so this ends


def _search(head: HeadMap, pyramid: Pyramid, count: int, farther_than: int, from_key: int) -> list[Link]:
    block = 2**pyramid.first
    maxima = pyramid.tables[0].maxima.flatten()
    columns = pyramid.tables[0].maxima.shape[1]
    order = maxima.argsort(descending=True, stable=True)
    order = order[maxima[order] > 0]
    links = torch.empty(0), torch.empty(0, 2, dtype=torch.long)
    start, opened = 0, OPENED
    while start < len(order):
        blocks = order[start : start + opened]
        weights, places = _open(head, blocks // columns, blocks % columns, block, farther_than, from_key)
        links = _strongest(torch.cat([links[0], weights]), torch.cat([links[1], places]), count)
        start, opened = start + opened, 2 * opened
        if len(links[0]) == count and start < len(order) and maxima[order[start]] < links[0][-1]:
            break
    return [Link(query, key, weight) for weight, (query, key) in zip(links[0].tolist(), links[1].tolist(), strict=True)]


def _without_nearby(links: Sequence[Link], nearby: int) -> list[Link]:
    """Links, the strongest first, without those that are near a stronger one of the result."""
    distinct: list[Link] = []
    squares: dict[tuple[int, int], list[Link]] = {}  # of the map: what is near a link lies in its own or beside it
    for link in links:
        row, column = link.query // (nearby + 1), link.key // (nearby + 1)
        around = product((row - 1, row, row + 1), (column - 1, column, column + 1))
        stronger = (other for square in around for other in squares.get(square, ()))
        if not any(max(abs(link.query - other.query), abs(link.key - other.key)) <= nearby for other in stronger):
            distinct.append(link)
            squares.setdefault((row, column), []).append(link)
    return distinct


def links_of(
    weights: Float[Tensor, " token"], count: int, excluded: Sequence[int] = ()
) -> tuple[tuple[int, float], ...]:
    """The positions of the `count` largest weights of a row or a column with these weights, the largest first."""
    weights = weights.clone()
    weights[list(excluded)] = 0.0
    values, positions = weights.topk(min(count, len(weights)))
    pairs = zip(positions.tolist(), values.tolist(), strict=True)
    return tuple((position, value) for position, value in pairs if value > 0)


def _open(
    head: HeadMap, rows: Int[Tensor, " block"], columns: Int[Tensor, " block"], block: int, apart: int, from_key: int
) -> tuple[Float[Tensor, " link"], Int[Tensor, "link 2"]]:
    """All permitted weights of some blocks, and their queries and keys."""
    within = torch.arange(block)
    queries, keys = (rows[:, None] * block + within), (columns[:, None] * block + within)
    last = len(head) - 1
    query = head.query[queries.clamp(max=last)].float() * head.query.shape[-1] ** -0.5
    scores = query @ head.key[keys.clamp(max=last)].float().mT
    weights = (scores - head.log_normaliser[queries.clamp(max=last)][..., None]).exp()
    distance = queries[:, :, None] - keys[:, None, :]
    allowed = (distance.abs() > apart) & (keys >= from_key)[:, None, :]
    allowed &= (queries <= last)[:, :, None] & (keys <= last)[:, None, :]
    if head.causal:
        allowed &= distance >= 0
    which, row, column = allowed.nonzero(as_tuple=True)
    return weights[which, row, column], torch.stack([queries[which, row], keys[which, column]], dim=1)


def _strongest(
    weights: Float[Tensor, " link"], places: Int[Tensor, "link 2"], count: int
) -> tuple[Float[Tensor, " _"], Int[Tensor, "_ 2"]]:
    in_order = (places[:, 0] * (places.max() + 1 if len(places) else 1) + places[:, 1]).argsort()
    weights, places = weights[in_order], places[in_order]
    best = weights.argsort(descending=True, stable=True)[:count]
    return weights[best], places[best]
