"""What a browser asks of a reading, by HTTP, so that looking around needs no run of the page.

| address below /readings/<token> | answer |
|---|---|
| state | JSON: tokens, heads of each layer, layers read, tokens done of all, seconds left, a sentence; a sign of life |
| text | JSON: labels of the tokens, marks of chapters, paragraphs and sentences |
| thumbnails/layer | two uint16 (heads, side), shares as float16 |
| pyramid/layer/head | JSON: how far the tables of the head are; the first request begins them |
| tile/layer/head/depth/row/column | two uint16 (rows, columns), shares as float16, for depths above 0 maxima, too |
| cells/layer/head/depth/row/last row/column/last column | a part of the map as NPZ; last ones are not included |
| word/layer/head/token | its row and its column, float16 |
| links/layer/head?farther=&from=&count= | JSON: links [query, key, weight], the strongest first; nearby (tokens) |

425 means that the tables of the head are not ready.
"""

import io
from collections.abc import Callable

import numpy as np
import torch
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.view import codec
from dashboard.long_text.open_reading import NEARBY, OpenReading
from dashboard.long_text.readings import of_token

ADDRESS = "/readings"
MOST_LINKS = 1000
MOST_CELLS = 4_000_000  # of a file: 32 MB
PRIVATE = {"Cache-Control": "private"}  # what a map shows never changes, and nobody else may have it
TOO_EARLY = 425

UNKNOWN = "This reading has ended. Load the page again."
OUTSIDE = "There is no such part of this reading."


def route() -> Route:
    """The route of all requests."""
    return Route(ADDRESS + "/{token}/{what}{numbers:path}", answer)


async def answer(request: Request) -> Response:
    """The answer to one request."""
    reading = of_token(request.path_params["token"])
    function = ANSWERS.get(request.path_params["what"])
    if reading is None or function is None:
        return JSONResponse({"error": UNKNOWN}, 404)
    texts = request.path_params["numbers"].split("/")[1:] + [request.query_params.get(name, "0") for name in QUERY]
    if request.path_params["what"] != "links":
        texts = texts[: -len(QUERY)]
    numbers = [number for text in texts if (number := codec.whole_number(text)) is not None]
    if not len(numbers) == len(texts) == COUNTS[request.path_params["what"]]:
        return JSONResponse({"error": OUTSIDE}, 400)
    try:
        return await run_in_threadpool(_computed, function, reading, numbers)
    except IndexError:
        return JSONResponse({"error": OUTSIDE}, 400)


@torch.inference_mode()
def _computed(function: Callable[..., Response], reading: OpenReading, numbers: list[int]) -> Response:
    return function(reading, *numbers)


def state(reading: OpenReading) -> Response:
    """How far the reading is."""
    done, total = reading.progress
    return JSONResponse(
        {
            "tokens": len(reading.tokens),
            "layers": reading.heads,
            "read": reading.layers_read,
            "done": done,
            "total": total,
            "seconds": reading.seconds_left,
            "waiting": reading.waiting,
            "error": reading.error,
            "finished": reading.finished,
            "causal": reading.causal,
        }
    )


def text(reading: OpenReading) -> Response:
    """The text and its outline."""
    marks = [[mark.token, mark.level, mark.label] for mark in reading.marks]
    return JSONResponse({"labels": reading.tokens.labels, "marks": marks})


def thumbnails(reading: OpenReading, layer: int) -> Response:
    """The thumbnails of a layer."""
    if layer >= reading.layers_read:
        raise IndexError(layer)
    pictures = reading.thumbnails[layer]
    return _binary(pictures.shape[:2], pictures)


def pyramid(reading: OpenReading, layer: int, head: int) -> Response:
    """How far the tables of a head are."""
    tables = reading.pyramid(layer, head)
    done, total = tables.progress
    ready = tables.value is not None
    first = tables.head_map.first_of_pyramid
    return JSONResponse({"done": done, "total": total, "ready": ready, "first": first})


def tile(reading: OpenReading, layer: int, head: int, depth: int, row: int, column: int) -> Response:
    """One tile of a map."""
    if depth > reading.head(layer, head).deepest:
        raise IndexError(depth)
    cells = reading.tile(layer, head, depth, row, column)
    if cells is None:
        return Response(status_code=TOO_EARLY)
    shares, maxima = cells
    return _binary(shares.shape, shares, *([maxima] if depth else []))


def cells(
    reading: OpenReading, layer: int, head: int, depth: int, row: int, last_row: int, column: int, last_column: int
) -> Response:
    """A part of the map as a file of numpy's: shares, maxima, and the first token of each row and column of cells."""
    head_map = reading.head(layer, head)
    count = (max(0, last_row - row)) * max(0, last_column - column)
    if depth > head_map.deepest or not 0 < count <= MOST_CELLS:
        raise IndexError(count)
    pyramid = reading.pyramid(layer, head).value
    if pyramid is None and depth >= head_map.first_of_pyramid:
        return Response(status_code=TOO_EARLY)
    part = head_map.part(depth, slice(row, last_row), slice(column, last_column), pyramid)
    file = io.BytesIO()
    np.savez(
        file,
        share=part.shares(len(head_map), depth, row).numpy(),
        maximum=part.maxima.numpy(),
        first_query=np.arange(row, row + len(part.sums)) << depth,
        first_key=np.arange(column, column + part.sums.shape[1]) << depth,
        token=np.array(reading.tokens.labels),
    )
    return Response(file.getvalue(), media_type="application/octet-stream", headers=PRIVATE)


def word(reading: OpenReading, layer: int, head: int, token: int) -> Response:
    """The weights of a token's row and of its column."""
    if token >= len(reading.tokens):
        raise IndexError(token)
    head_map = reading.head(layer, head)
    return _binary((), head_map.row(token), head_map.column(token))


def links(reading: OpenReading, layer: int, head: int, farther: int, from_key: int, count: int) -> Response:
    """The strongest links of a head, and how near a stronger one none of them is."""
    strongest = reading.links(layer, head, farther, from_key, min(count, MOST_LINKS))
    if strongest is None:
        return Response(status_code=TOO_EARLY)
    links = [[link.query, link.key, link.weight] for link in strongest]
    return JSONResponse({"links": links, "nearby": NEARBY})


ANSWERS: dict[str, Callable[..., Response]] = {
    function.__name__: function for function in (state, text, thumbnails, pyramid, tile, cells, word, links)
}
COUNTS = {"state": 0, "text": 0, "thumbnails": 1, "pyramid": 2, "tile": 5, "cells": 7, "word": 3, "links": 5}
QUERY = ("farther", "from", "count")


def _binary(sizes: tuple[int, ...] | torch.Size, *parts: torch.Tensor) -> Response:
    header = np.array(sizes, "<u2").tobytes()
    content = b"".join(codec.write(part.numpy(), "half") for part in parts)
    return Response(header + content, media_type="application/octet-stream", headers=PRIVATE)
