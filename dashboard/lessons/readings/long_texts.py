"""Readings of the beginning of a book: how far heads look, where their far links lead, and what these are worth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from core.errors import InputError
from core.long_context import LongReading, read
from core.long_context.distances import Distances, distances, sampled_rows
from core.long_context.head_map import HeadMap
from core.long_context.links import Link, strongest_links
from core.long_context.removal import Removal, RemovedFar, RemovedLink, losses_without
from core.text import encode
from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import book_model
from dashboard.lessons.readings.answers import Amount, Choice, percent
from dashboard.long_text.books import BOOKS, book_text

MODEL = "gpt-books-long"
FAR = 4  # a link is far if it is longer than the text divided by this
LINKS = 50  # the strongest far links of a head
DRAWS = 3  # random links to compare with
NARROW, WIDE = 32, 512  # tokens: what is farther is taken away
MUCH = 2.0  # standard errors
SAME, AFTER, ANOTHER = "the same token", "what followed it", "elsewhere"
FAR_LINK, NEAR_LINK, RANDOM_LINK = "strongest far", "strongest near", "random far"
LEAST = 0.001  # bits: costs are rounded to it


@dataclass(frozen=True, eq=False)
class _Book:
    """The beginning of a book as a model read it, and the distances of each head."""

    reading: LongReading
    by_head: dict[tuple[int, int], Distances]


def smaller_than_maps(book: str, tokens: int, model: str = MODEL) -> Amount:
    """The bytes that all maps of a reading would take in float32, divided by those of what is kept of it.

    Beside it: the number of `heads`, of the `links` of one head, and both sizes, as `maps` and `kept`.
    """
    opened = _read(book, tokens, model)
    maps = 4 * len(opened.by_head) * tokens**2
    extra = {
        "heads": f"{len(opened.by_head)}",
        "links": f"{tokens * (tokens + 1) // 2:,}",
        "maps": f"{maps / 1e6:,.0f} MB",
        "kept": f"{opened.reading.bytes / 1e6:,.0f} MB",
    }
    return Amount(maps / opened.reading.bytes, "times", within=0.5, extra=extra)


def farthest_head(book: str, tokens: int, model: str = MODEL) -> Amount:
    """The mean distance in tokens at which the head looks that looks farthest, without the first token.

    Beside it: its `layer` and `head`, the standard `error`, the distance of attention that is spread evenly (`even`), a
    `verdict` that compares both, and the distance of the `nearest` head.
    """
    by_head = _read(book, tokens, model).by_head
    (layer, head), farthest = max(by_head.items(), key=lambda entry: entry[1].mean)
    even = (tokens - 2) / 4  # in row i the mean over keys 1 to i is (i - 1) / 2
    comparison = _compared(farthest.mean - even, farthest.error, ("farther than", "less far than", "about as far as"))
    extra = {
        "layer": f"{layer}",
        "head": f"{head}",
        "error": f"{farthest.error:,.0f}",
        "even": f"{even:,.0f}",
        "verdict": comparison,
        "nearest": f"{min(measured.mean for measured in by_head.values()):,.0f}",
    }
    return Amount(farthest.mean, "tokens", within=0.15, extra=extra)


def rests_on_first(book: str, tokens: int, model: str = MODEL) -> Amount:
    """The largest percentage of its attention that a head leaves on the first token.

    Beside it: its `layer` and `head`, and the percentage if it were spread `even`ly.
    """
    by_head = _read(book, tokens, model).by_head
    (layer, head), most = max(by_head.items(), key=lambda entry: entry[1].first_token)
    even = float((1 / (sampled_rows(tokens) + 1)).mean())
    extra = {"layer": f"{layer}", "head": f"{head}", "even": percent(even)}
    return Amount(100 * most.first_token, "%", digits=1, within=0.5, extra=extra)


def far_links_lead_to(book: str, tokens: int, layer: int, head: int, model: str = MODEL) -> Choice:
    """The shares of the strongest far links of a head that lead to the same token, to what followed it, or elsewhere.

    Beside it: the same shares of all far keys of the same queries ("elsewhere by chance"), the number of `links`,
    the distance beyond which they are far (`farther`), and the tokens `from` and `to` which the strongest one leads.
    """
    opened = _read(book, tokens, model)
    ids, farther = torch.tensor(opened.reading.tokens.ids), tokens // FAR
    links = _far_links(_map(opened, layer, head), farther)
    shares, chance = np.zeros(3), np.zeros(3)
    for link in links:
        keys = torch.arange(1, link.query - farther)
        same = ids[keys] == ids[link.query]
        after = (ids[keys - 1] == ids[link.query]) & ~same
        kinds = torch.stack([same, after, ~(same | after)]).double()
        shares += kinds[:, link.key - 1].numpy() / len(links)
        chance += kinds.mean(1).numpy() / len(links)
    names = (SAME, AFTER, ANOTHER)
    extra = {f"{name} by chance": percent(float(share)) for name, share in zip(names, chance, strict=True)}
    extra |= _ends(opened, links[0]) | {"links": f"{len(links)}", "farther": f"{farther:,}"}
    return Choice(dict(zip(names, shares.tolist(), strict=True)), extra=extra)


def missed_link(book: str, tokens: int, layer: int, head: int, model: str = MODEL) -> Choice:
    """The bits that the next token costs more without a link: the strongest far one of a head, a near or a random one.

    The near link is the strongest one of the same query that is not far; the random ones are far links of the same
    query, and their value is the mean of a few. Beside it: the tokens `from` and `to` which the far link leads, its
    `weight`, the distance beyond which links are far (`farther`), the number of random links (`drawn`), and a bound
    of the change by any of them (`largest`). Costs are rounded to LEAST.
    """
    opened = _read(book, tokens, model)
    head_map, farther = _map(opened, layer, head), tokens // FAR
    link = next((link for link in _far_links(head_map, farther) if farther + 2 < link.query < tokens - 1), None)
    if link is None:
        raise InputError("No far link of this head has a next token, and another far link to compare it with.")
    start = link.query - farther
    near = start + int(head_map.row(link.query)[start : link.query + 1].argmax())
    others = [key for key in range(1, start) if key != link.key]
    drawn = np.random.default_rng(link.query).choice(others, min(DRAWS, len(others)), replace=False).tolist()
    unchanged = _losses(book, tokens, model, None)
    far_cost, near_cost, *random_costs = (
        float((_losses(book, tokens, model, removal) - unchanged)[link.query])
        for removal in (RemovedLink(layer, head, link.query, key) for key in (link.key, near, *drawn))
    )
    largest = max(map(abs, random_costs))
    extra = _ends(opened, link) | {
        "weight": percent(link.weight),
        "farther": f"{farther:,}",
        "drawn": f"{len(drawn)}",
        "largest": f"{largest:.3f} bits" if largest >= LEAST else f"{LEAST} bits",
    }
    costs = {FAR_LINK: far_cost, NEAR_LINK: near_cost, RANDOM_LINK: float(np.mean(random_costs))}
    rounded = {name: round(cost / LEAST) * LEAST for name, cost in costs.items()}
    return Choice(rounded, "bits", extra=extra)


def loss_beyond(book: str, tokens: int, length: int, model: str = MODEL) -> Amount:
    """The mean loss in bits of the tokens after the first `length` ones.

    Beside it: the loss `below`, the standard `error` of their difference, a `verdict` that compares both, and what the
    later tokens cost more without all that is farther than a `narrow` and a `wide` window ("narrow cost").
    """
    if not 2 < length < tokens - 1:
        raise InputError(f"In this reading `length` is at least 3 and shorter than the text of {tokens:,} tokens.")
    unchanged = _losses(book, tokens, model, None)
    (below, below_error), (beyond, beyond_error) = map(
        _mean_and_error, (unchanged[: length - 1].tolist(), unchanged[length - 1 :].tolist())
    )
    error = math.hypot(below_error, beyond_error)
    comparison = _compared(beyond - below, error, ("worse than", "better than", "about as well as"))
    extra = {"below": f"{below:.1f} bits", "error": f"{error:.1f} bits", "verdict": comparison}
    for name, window in (("narrow", NARROW), ("wide", WIDE)):
        more = (_losses(book, tokens, model, RemovedFar(window)) - unchanged)[length - 1 :].tolist()
        extra |= {name: f"{window}", f"{name} cost": _cost(*_mean_and_error(more))}
    return Amount(beyond, "bits", digits=1, extra=extra)


@cached()
def _read(book: str, tokens: int, model: str) -> _Book:
    if book not in BOOKS:
        raise InputError(f"There is no book “{book[:40]}” here; there are {', '.join(BOOKS)}.")
    reader = book_model(model)
    reading = LongReading(encode(reader.tokenizer, book_text(book), context=tokens))
    read(reader, reading)
    if not all(layer.place.causal for layer in reading.layers):
        raise InputError("This reading needs a model that reads from left to right.")
    return _Book(
        reading,
        {
            (number, head): distances(layer.head(head))
            for number, layer in enumerate(reading.layers)
            for head in range(layer.place.heads)
        },
    )


def _map(opened: _Book, layer: int, head: int) -> HeadMap:
    if (layer, head) not in opened.by_head:
        raise InputError(f"There is no head {head} in layer {layer} of this model.")
    return opened.reading.layers[layer].head(head)


def _far_links(head_map: HeadMap, farther: int) -> tuple[Link, ...]:
    links = strongest_links(head_map, head_map.pyramid(), LINKS, farther_than=farther, from_key=1)
    if not links:
        raise InputError(f"This head has no link that is longer than {farther:,} tokens.")
    return links


def _ends(opened: _Book, link: Link) -> dict[str, str]:
    """The words of the two tokens of a link."""
    tokens = opened.reading.tokens
    return {"from": typeset.in_word(tokens, link.query), "to": typeset.in_word(tokens, link.key)}


@cached()
def _losses(book: str, tokens: int, model: str, removal: Removal | None) -> Float[Tensor, " _"]:
    return losses_without(book_model(model), _read(book, tokens, model).reading.tokens, removal).double()


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))


def _compared(difference: float, error: float, words: tuple[str, str, str]) -> str:
    """The first of three phrases if a difference is clearly above 0, the second if clearly below, else the third."""
    more, less, equal = words
    if not (math.isfinite(error) and abs(difference) > MUCH * error):
        return equal
    return more if difference > 0 else less


def _cost(bits: float, error: float) -> str:
    amount = f"{abs(bits):.2f} bits"
    return _compared(bits, error, (f"{amount} more", f"{amount} less", "no measurable difference"))
