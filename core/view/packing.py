"""What is sent to the browser: everything while it is small, else an overview and the head that was chosen."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from . import codec
from .scene import Layer, PatchSequence, Scene, Sequence, TextSequence
from .wanted import Wanted

Heard = Callable[[int, np.ndarray], None]  # the number of a layer, patterns of some of its heads

BUDGET = 1_500_000  # bytes of weights in one message: 2 MB as base64
THUMBNAIL = 32  # cells on each side, at most
HALF_UP_TO = 1024  # tokens: a longer map of one head is sent in one byte for each weight


def pack(scene: Scene, wanted: Wanted) -> dict:
    """The message for the browser; the overview is left out where it is there already."""
    layer, head = wanted.within(scene)
    overview = overview_of(scene)
    message = {"digest": overview["digest"], "overview": None, "chosen": None, "exact": None}
    if wanted.have != overview["digest"]:
        message["overview"] = overview
    if overview["code"] is None:
        message["chosen"] = _chosen(scene, layer, head)
    asked = (wanted.layer or 0, wanted.head or 0) == (layer, head)
    if asked and wanted.exact is not None and wanted.exact < scene.shape(layer)[0]:
        row = codec.floats(scene.pattern(layer, head)[wanted.exact])
        message["exact"] = {"layer": layer, "head": head, "token": wanted.exact, "cells": row}
    return message


def overview_of(scene: Scene) -> dict:
    """What is sent of all heads: made once for each scene, because it computes every head, and kept in it."""
    if "overview" not in scene.packed:
        scene.packed["overview"] = overview(scene)
    return scene.packed["overview"]


def overview(scene: Scene, heard: Heard | None = None) -> dict:
    """Sequences, layers, a thumbnail of each head, and all the maps where they fit. Use `overview_of`.

    `heard` is given every layer's patterns, some heads at a time, on the way: they are computed only once.
    """
    code = fitting_code(scene)
    packed = {
        "title": scene.title,
        "start": list(scene.start),
        "code": code,
        "sequences": {name: _sequence(sequence) for name, sequence in scene.sequences.items()},
        "layers": [_layer(scene, place, code, heard) for place in range(len(scene.layers))],
    }
    return packed | {"digest": codec.digest(packed)}


def fitting_code(scene: Scene) -> codec.Code | None:
    """The finest code in which all heads fit the budget; None if none does."""
    maps = sum(_cells(scene, place) * layer.heads for place, layer in enumerate(scene.layers))
    thumbnails = thumbnail_cells(scene)
    for code in ("half", "root"):
        if maps * codec.BYTES[code] + thumbnails <= BUDGET:
            return code
    return None


def thumbnail_cells(scene: Scene) -> int:
    """How many cells the thumbnails of all heads have, at most; each is a byte."""
    shapes = (scene.shape(place) for place in range(len(scene.layers)))
    return sum(
        min(queries, THUMBNAIL) * min(keys, THUMBNAIL) * layer.heads
        for layer, (queries, keys) in zip(scene.layers, shapes, strict=True)
    )


def _cells(scene: Scene, place: int) -> int:
    queries, keys = scene.shape(place)
    return int(codec.corner(queries, keys).sum()) if scene.layers[place].causal else queries * keys


def _chosen(scene: Scene, layer: int, head: int) -> dict:
    pattern = scene.pattern(layer, head)
    code: codec.Code = "half" if max(pattern.shape) <= HALF_UP_TO else "root"
    cells = codec.weights_text(sent(scene.layers[layer], pattern), code)
    return {"layer": layer, "head": head, "code": code, "cells": cells}


def sent(layer: Layer, patterns: Float[np.ndarray, "*head query key"]) -> Float[np.ndarray, "..."]:
    """What is sent of one head or of several, one after the other."""
    return patterns[..., codec.corner(*patterns.shape[-2:])] if layer.causal else patterns


def _layer(scene: Scene, place: int, code: codec.Code | None, heard: Heard | None) -> dict:
    layer = scene.layers[place]
    thumbnails, maps = [], []
    for patterns in scene.patterns(place):
        thumbnails.append(thumbnails_of(scene, layer, patterns))
        if code:
            maps.append(codec.write(sent(layer, patterns), code))
        if heard:
            heard(place, patterns)
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
    """Heads in little: their maps, or over a picture where the class token (else the mean query) looks.

    Maps keep the largest weight of each block, which keeps thin diagonals; pictures are scaled to their own maximum.
    """
    key = scene.sequences[layer.key]
    if not isinstance(key, PatchSequence):
        return pooled(patterns)
    to_itself = layer.query == layer.key and key.prefix
    looking = patterns[:, 0] if to_itself else np.maximum(patterns, 0).mean(axis=1)
    pictures = pooled(np.maximum(looking[:, len(key.prefix) :], 0).reshape(-1, key.rows, key.columns))
    return pictures / np.fmax(np.fmax.reduce(pictures, axis=(1, 2), keepdims=True), 1e-9)


def pooled(patterns: Float[np.ndarray, "*leading query key"]) -> Float[np.ndarray, "*leading row column"]:
    """At most 32 x 32 blocks, each with its largest weight; NaN only where there is nothing else."""
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
