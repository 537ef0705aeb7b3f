"""Messages to the browser: all heads if they are small, else an overview and the requested head."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from . import codec
from .scene import Layer, PatchSequence, Scene, Sequence, TextSequence
from .view_request import ViewRequest

PatternCallback = Callable[[int, np.ndarray], None]  # called with the number of a layer and patterns of its heads

BUDGET = 1_500_000  # bytes of weights in one message: 2 MB as base64
THUMBNAIL = 32  # cells on each side, at most
HALF_UP_TO = 1024  # tokens: the weights of a longer map are sent in one byte each


def pack(scene: Scene, request: ViewRequest) -> dict:
    """The message for the browser, without the overview if the browser has it already."""
    layer, head = request.layer_and_head(scene)
    overview = overview_of(scene)
    message = {"digest": overview["digest"], "overview": None, "chosen": None, "exact": None}
    if request.have != overview["digest"]:
        message["overview"] = overview
    if overview["code"] is None:
        message["chosen"] = _exact_head(scene, layer, head)
    is_requested = (request.layer or 0, request.head or 0) == (layer, head)
    if is_requested and request.exact is not None and request.exact < scene.shape(layer)[0]:
        row = codec.floats(scene.pattern(layer, head)[request.exact])
        message["exact"] = {"layer": layer, "head": head, "token": request.exact, "cells": row}
    return message


def overview_of(scene: Scene) -> dict:
    """The `overview` of a scene, computed once, because it computes every head, and cached in the scene."""
    if "overview" not in scene.packed:
        scene.packed["overview"] = overview(scene)
    return scene.packed["overview"]


def overview(scene: Scene, on_patterns: PatternCallback | None = None) -> dict:
    """Sequences, layers, a thumbnail of each head, and all maps if they fit. Use `overview_of`.

    `on_patterns` is called with every layer's patterns, some heads at a time, so that they are computed only once.
    """
    code = fitting_code(scene)
    packed = {
        "title": scene.title,
        "start": list(scene.start),
        "code": code,
        "sequences": {name: _sequence(sequence) for name, sequence in scene.sequences.items()},
        "layers": [_layer(scene, index, code, on_patterns) for index in range(len(scene.layers))],
    }
    return packed | {"digest": codec.digest(packed)}


def fitting_code(scene: Scene) -> codec.Code | None:
    """The finest code in which all heads fit the budget; None if none does."""
    maps = sum(_cells(scene, index) * layer.heads for index, layer in enumerate(scene.layers))
    thumbnails = thumbnail_cells(scene)
    for code in ("half", "root"):
        if maps * codec.BYTES[code] + thumbnails <= BUDGET:
            return code
    return None


def thumbnail_cells(scene: Scene) -> int:
    """The maximum number of cells in the thumbnails of all heads; each takes a byte."""
    shapes = (scene.shape(index) for index in range(len(scene.layers)))
    return sum(
        min(queries, THUMBNAIL) * min(keys, THUMBNAIL) * layer.heads
        for layer, (queries, keys) in zip(scene.layers, shapes, strict=True)
    )


def _cells(scene: Scene, index: int) -> int:
    queries, keys = scene.shape(index)
    return int(codec.corner(queries, keys).sum()) if scene.layers[index].causal else queries * keys


def _exact_head(scene: Scene, layer: int, head: int) -> dict:
    pattern = scene.pattern(layer, head)
    code: codec.Code = "half" if max(pattern.shape) <= HALF_UP_TO else "root"
    cells = codec.weights_text(cells_to_send(scene.layers[layer], pattern), code)
    return {"layer": layer, "head": head, "code": code, "cells": cells}


def cells_to_send(layer: Layer, patterns: Float[np.ndarray, "*head query key"]) -> Float[np.ndarray, "..."]:
    """The cells of one or several heads that are sent: of a causal map, those up to the diagonal."""
    return patterns[..., codec.corner(*patterns.shape[-2:])] if layer.causal else patterns


def _layer(scene: Scene, index: int, code: codec.Code | None, on_patterns: PatternCallback | None) -> dict:
    layer = scene.layers[index]
    thumbnails, maps = [], []
    for patterns in scene.patterns(index):
        thumbnails.append(thumbnails_of(scene, layer, patterns))
        if code:
            maps.append(codec.write(cells_to_send(layer, patterns), code))
        if on_patterns:
            on_patterns(index, patterns)
    _, rows, columns = thumbnails[0].shape
    names = ("label", "group", "path", "kind", "query", "key", "heads", "causal")
    return {name: getattr(layer, name) for name in names} | {
        "masked": layer.allowed is not None,
        "thumbnails": {
            "rows": rows,
            "columns": columns,
            "cells": codec.as_text(b"".join(codec.write(thumb, "root") for thumb in thumbnails)),
        },
        "maps": codec.as_text(b"".join(maps)) if code else None,
    }


def thumbnails_of(
    scene: Scene, layer: Layer, patterns: Float[np.ndarray, "head query key"]
) -> Float[np.ndarray, "head row column"]:
    """Thumbnails of heads: their maps, or over a picture the attention of the class token (else of the mean query).

    Maps keep the largest weight of each block, which preserves thin diagonals; pictures are scaled to their maximum.
    """
    key = scene.sequences[layer.key]
    if not isinstance(key, PatchSequence):
        return pooled(patterns)
    from_class_token = layer.query == layer.key and key.prefix
    key_weights = patterns[:, 0] if from_class_token else np.maximum(patterns, 0).mean(axis=1)
    pictures = pooled(np.maximum(key_weights[:, len(key.prefix) :], 0).reshape(-1, key.rows, key.columns))
    return pictures / np.fmax(np.fmax.reduce(pictures, axis=(1, 2), keepdims=True), 1e-9)


def pooled(patterns: Float[np.ndarray, "*leading query key"]) -> Float[np.ndarray, "*leading row column"]:
    """Maps reduced to at most 32 x 32 blocks, each with its largest weight; NaN where a block has only NaN."""
    for axis in (-2, -1):
        length = patterns.shape[axis]
        if length > THUMBNAIL:
            starts = np.linspace(0, length, THUMBNAIL, endpoint=False).astype(int)
            patterns = np.fmax.reduceat(patterns, starts, axis=axis)
    return patterns


def _sequence(sequence: Sequence) -> dict:
    if isinstance(sequence, TextSequence):
        return {"kind": "text", "labels": list(sequence.labels), "special": list(map(int, sequence.special))}
    return {
        "kind": "patches",
        "rows": sequence.rows,
        "columns": sequence.columns,
        "prefix": list(sequence.prefix),
        "picture": None if sequence.picture is None else codec.picture_address(sequence.picture),
    }
