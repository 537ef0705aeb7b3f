"""The view of a record: which of its calls are shown together, and the labels of their tokens."""

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
    """A call as a layer of a scene, labelled by `number`; weights are computed when the view needs them.

    Raises CaptureError for weights below 0: the view's scale begins at 0, and negative codes mark masked keys.
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

    `tokens` are the labels of the tokens, by default their positions; with `key_tokens` those of the queries, and the
    view shows cross attention. For a picture, give `grid` (rows and columns of patches), the `prefix` tokens before the
    patches, and the `picture` itself as (row, column, 3) bytes, which needs Pillow. `item` is the input within the
    batch, `within` the beginning of the module paths to show, where a model has several stacks.

    Calls of one shape are shown: the one that the labels fit, else the most frequent; a note says what is omitted.
    Raises CaptureError where the labels are no strings, or fit no call.
    """
    numbered_calls = [
        (number, call) for number, call in zip(layer_numbers(calls), calls, strict=True) if call.path.startswith(within)
    ]
    if numbered_calls and all(call.over == "channel" or call.partial for _, call in numbered_calls):
        raise CaptureError(
            f"'{numbered_calls[0][1].path}' looks from channel to channel or in pieces: rows and columns of its maps "
            "are not all tokens, and no view is made of them. call.weights() has their numbers."
        )
    numbered_calls = [(number, call) for number, call in numbered_calls if call.over == "token" and not call.partial]
    if not numbered_calls:
        raise CaptureError(f"No attention was recorded in a module whose path begins with '{within}'.")
    query = _sequence(tokens, picture, grid, strings(prefix))
    key = query if key_tokens is None else TextSequence(strings(key_tokens))
    kind, queries, keys = _shape(numbered_calls, query, key, crosses=key_tokens is not None)
    if max(queries, keys) > LONGEST:
        raise CaptureError(
            f"{queries:,} queries and {keys:,} keys are too many for one view, which has room for {LONGEST:,}: look at "
            "call.overview() or at a tile, call.weights(queries=..., keys=...)."
        )
    kind_is_known = kind != "unknown"  # else the labels are those of the queries, and the keys are counted
    key_name = "query" if key is query and queries == keys and kind_is_known else "key"
    keys_named = key if kind_is_known or key_tokens is not None else None
    key_sequence = query if key_name == "query" else keys_named
    sequences = {"query": query or _numbered_tokens(queries), key_name: key_sequence or _numbered_tokens(keys)}
    layers = tuple(
        layer_of_call(number, call, "query", key_name, item=item)
        for number, call in numbered_calls
        if _shape_of(call) == (kind, queries, keys)
    )
    return html_file(
        Scene(sequences, layers, title=title), note=_describe_omitted(numbered_calls, (kind, queries, keys))
    )


def _sequence(
    tokens: Many[str] | None, picture: np.ndarray | None, grid: tuple[int, int] | None, prefix: tuple[str, ...]
) -> Sequence | None:
    if grid is None and picture is not None:
        raise CaptureError("A picture needs its grid: give grid=(rows, columns), the number of its patches.")
    if grid is not None:
        return PatchSequence(*grid, prefix, picture)
    return None if tokens is None else TextSequence(strings(tokens))


def _numbered_tokens(length: int) -> TextSequence:
    return TextSequence(tuple(map(str, range(length))))


def _shape_of(call: AttentionCall) -> Shape:
    return call.kind, call.query_length, call.key_length


def _shape(
    numbered_calls: list[tuple[int, AttentionCall]], query: Sequence | None, key: Sequence | None, *, crosses: bool
) -> Shape:
    """The most frequent shape that the labels fit."""
    counts = Counter(_shape_of(call) for _, call in numbered_calls)
    kinds = ("cross" if crosses else "self", "unknown")
    fitting = [
        shape
        for shape, _ in counts.most_common()
        if (query is None or (shape[0] in kinds and shape[1] == len(query)))
        and (key is None or (shape[0] in kinds and shape[2] == len(key)))
    ]
    if not fitting:
        labels = _labels_with_names(query, key, crosses=crosses)
        given_labels = " and ".join(f"{len(sequence)} {name}" for sequence, name in labels)
        raise CaptureError(
            f"{given_labels} do not fit what was recorded: {_describe_counts(counts)}. Give one label for each token."
        )
    return fitting[0]


def _labels_with_names(query: Sequence | None, key: Sequence | None, *, crosses: bool) -> list[tuple[Sequence, str]]:
    named_sequences = ((query, "tokens"), (key if crosses else None, "key tokens"))
    return [(sequence, name) for sequence, name in named_sequences if sequence is not None]


def _describe_omitted(numbered_calls: list[tuple[int, AttentionCall]], shape: Shape) -> str:
    """The sentence about calls that are not shown; "" where all are."""
    counts = Counter(_shape_of(call) for _, call in numbered_calls)
    displayed = counts.pop(shape)
    if not counts:
        return ""
    calls = displayed + counts.total()
    return f"{displayed} of {calls} attention calls are shown. Left out: {_describe_counts(counts)}."


def _describe_counts(counts: Counter[Shape]) -> str:
    return ", ".join(
        f"{count} of {kind} attention with {queries:,} queries and {keys:,} keys"
        for (kind, queries, keys), count in counts.most_common()
    )
