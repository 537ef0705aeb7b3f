"""From what was recorded to what the view shows: which calls go together, and what their tokens are called."""

from collections import Counter
from collections.abc import Sequence as Many

import numpy as np

from ..errors import CaptureError
from ..view.html_file import HtmlFile, html_file
from ..view.scene import Layer, PatchSequence, Scene, Sequence, TextSequence
from .call import AttentionCall
from .labels import strings
from .layer_numbers import layer_numbers

LONGEST = 4096  # tokens: a map of one head has 16.8 million weights then

Shape = tuple[str, int, int]  # kind of a call, its queries, its keys


def layer_of_call(number: int, call: AttentionCall, query: str, key: str, *, group: str = "", item: int = 0) -> Layer:
    """A call as a layer of a scene, named by `number`; weights are computed when asked for.

    Raises CaptureError for weights below 0: the view's scales begin at 0, and less than that means "not allowed".
    """
    call.check_not_negative()
    return Layer(
        label=str(number),
        query=query,
        key=key,
        heads=call.heads,
        weights=lambda head: call.weights(head, item).detach().cpu().numpy(),
        path=call.path,
        kind=call.kind,
        group=group,
        causal=call.causal,
        by_heads=lambda: (weights.detach().cpu().numpy() for weights in call.weights_by_heads(item)),
    )


def show(
    calls: Many[AttentionCall],
    tokens: Many[str] | None = None,
    *,
    key_tokens: Many[str] | None = None,
    within: str = "",
    item: int = 0,
    title: str = "",
    picture: np.ndarray | None = None,
    grid: tuple[int, int] | None = None,
    prefix: Many[str] = (),
) -> HtmlFile:
    """All heads of recorded calls in one view, as an HTML file that a notebook shows.

    `tokens` are the labels of the tokens, by default their places; with `key_tokens` those of the queries, and the
    view shows cross attention. Of a picture, give `grid` (rows and columns of patches), the `prefix` tokens that come
    before them, and the `picture` itself as (row, column, 3) bytes, which needs Pillow. `item` is the input within the
    batch, `within` how the module paths begin, where a model has several stacks.

    Calls of one shape are shown: the one that the labels fit, else the most frequent; a sentence says what is left out.
    Raises CaptureError where the labels are no strings, or fit no call.
    """
    own = [
        (number, call) for number, call in zip(layer_numbers(calls), calls, strict=True) if call.path.startswith(within)
    ]
    if own and all(call.over == "channel" or call.partial for _, call in own):
        raise CaptureError(
            f"'{own[0][1].path}' looks from channel to channel or in pieces: rows and columns of its maps are not all "
            "tokens, and no view is made of them. call.weights() has their numbers."
        )
    own = [(number, call) for number, call in own if call.over == "token" and not call.partial]
    if not own:
        raise CaptureError(f"No attention was recorded in a module whose path begins with '{within}'.")
    query = _sequence(tokens, picture, grid, strings(prefix))
    key = query if key_tokens is None else TextSequence(strings(key_tokens))
    kind, queries, keys = _shape(own, query, key, crosses=key_tokens is not None)
    if max(queries, keys) > LONGEST:
        raise CaptureError(
            f"{queries:,} queries and {keys:,} keys are too many for one view, which has room for {LONGEST:,}: look at "
            "call.overview() or at a tile, call.weights(queries=..., keys=...)."
        )
    known = kind != "unknown"  # else the labels are those of the queries, and the keys are counted
    looked_at = "query" if key is query and queries == keys and known else "key"
    keys_named = key if known or key_tokens is not None else None
    named = query if looked_at == "query" else keys_named
    sequences = {"query": query or _counted(queries), looked_at: named or _counted(keys)}
    layers = tuple(
        layer_of_call(number, call, "query", looked_at, item=item)
        for number, call in own
        if _shape_of(call) == (kind, queries, keys)
    )
    return html_file(Scene(sequences, layers, title=title), note=_left_out(own, (kind, queries, keys)))


def _sequence(
    tokens: Many[str] | None, picture: np.ndarray | None, grid: tuple[int, int] | None, prefix: tuple[str, ...]
) -> Sequence | None:
    if grid is None and picture is not None:
        raise CaptureError("A picture needs its grid: give grid=(rows, columns), the number of its patches.")
    if grid is not None:
        return PatchSequence(*grid, prefix, picture)
    return None if tokens is None else TextSequence(strings(tokens))


def _counted(length: int) -> TextSequence:
    return TextSequence(tuple(map(str, range(length))))


def _shape_of(call: AttentionCall) -> Shape:
    return call.kind, call.query_length, call.key_length


def _shape(
    own: list[tuple[int, AttentionCall]], query: Sequence | None, key: Sequence | None, *, crosses: bool
) -> Shape:
    """The most frequent shape that the labels fit."""
    found = Counter(_shape_of(call) for _, call in own)
    kinds = ("cross" if crosses else "self", "unknown")
    fitting = [
        shape
        for shape, _ in found.most_common()
        if (query is None or (shape[0] in kinds and shape[1] == len(query)))
        and (key is None or (shape[0] in kinds and shape[2] == len(key)))
    ]
    if not fitting:
        given = " and ".join(f"{len(labels)} {of}" for labels, of in _given(query, key, crosses=crosses))
        raise CaptureError(f"{given} do not fit what was recorded: {_counts(found)}. Give one label for each token.")
    return fitting[0]


def _given(query: Sequence | None, key: Sequence | None, *, crosses: bool) -> list[tuple[Sequence, str]]:
    both = ((query, "tokens"), (key if crosses else None, "key tokens"))
    return [(labels, of) for labels, of in both if labels is not None]


def _left_out(own: list[tuple[int, AttentionCall]], shape: Shape) -> str:
    """Which calls are not shown, in a sentence; "" where all are."""
    found = Counter(_shape_of(call) for _, call in own)
    shown = found.pop(shape)
    return f"{shown} of {shown + found.total()} attention calls are shown. Left out: {_counts(found)}." if found else ""


def _counts(found: Counter[Shape]) -> str:
    return ", ".join(
        f"{count} of {kind} attention with {queries:,} queries and {keys:,} keys"
        for (kind, queries, keys), count in found.most_common()
    )
