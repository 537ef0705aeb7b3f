"""The messages to the browser: thumbnails of all heads at once, and as many complete answers as fit.

An answer is what the browser needs to show any query of one head to the last digit that is shown:

| kind | of a head | bytes |
|---|---|---|
| dense | weights (query, key) as float16 | 2 for each weight |
| rough | the same in one byte (codec.py, "root"), for maps that would not fit otherwise | 1 for each weight |
| factors | queries and keys (token, head_dim) as float16, the mean row as float32 | 4 for each number of a token |
| windows | weights (window, query, key) as float16 | 2 for each weight |

Keys are sent without their mean over all tokens: it shifts every score of a row alike, which the softmax ignores, and
float16 is finer for the remainder.
"""

import numpy as np
import torch
from jaxtyping import Float

from core.view import codec
from core.view.view_request import ViewRequest
from core.vision.window_grid import stitch
from core.vision.windows import mean_received
from dashboard.components.photo_maps.scene import Factors, PhotoLayer, PhotoScene, Windows

BUDGET = 2_600_000  # bytes of answers in one message: 3.5 MB as base64, which leaves room for the photograph
LARGEST_HALF = 60_000  # float16 ends at 65,504


def pack(scene: PhotoScene, request: ViewRequest) -> dict:
    """The message for the browser, without the overview if the browser has it already."""
    overview = overview_of(scene)
    message = {"digest": overview["digest"], "overview": None, "answers": None}
    if request.have != overview["digest"]:
        message["overview"] = overview
    if not overview["whole"]:
        layer, head = request.layer_and_head(scene)
        message["answers"] = {"layer": layer, "heads": _answers(scene.layers[layer], head)}
    return message


def overview_of(scene: PhotoScene) -> dict:
    """The `overview` of a scene, computed once, because it computes every head, and cached in the scene."""
    if "overview" not in scene.packed:
        scene.packed["overview"] = overview(scene)
    return scene.packed["overview"]


def overview(scene: PhotoScene) -> dict:
    """The photograph, layers, thumbnails of each head, and all answers if they fit. Use `overview_of`."""
    fits = sum(layer.heads * size_of(layer) for layer in scene.layers) <= BUDGET
    packed = {
        "title": scene.title,
        "start": list(scene.start),
        "place": scene.place,
        "whole": fits,
        "picture": codec.picture_address(scene.picture),
        "layers": [_layer(layer, fits) for layer in scene.layers],
    }
    return packed | {"digest": codec.digest(packed)}


def kind_of(layer: PhotoLayer) -> str:
    """How the answers of a layer are sent: as factors only if these are smaller than the map itself."""
    if isinstance(layer.answers, Windows):
        return "windows"
    if isinstance(layer.answers, Factors):
        head_dim = layer.answers.query.shape[2]
        if 2 * head_dim < layer.tokens and _fits_half(layer.answers):
            return "factors"
    return "dense" if 2 * layer.tokens**2 <= BUDGET else "rough"


def size_of(layer: PhotoLayer) -> int:
    """Bytes of the answers of one head."""
    kind = kind_of(layer)
    if kind == "factors":
        assert isinstance(layer.answers, Factors)
        return 4 * layer.tokens * (layer.answers.query.shape[2] + 1)
    return (1 if kind == "rough" else 2) * int(np.prod(layer.shape))


def thumbnails(layer: PhotoLayer, weights: np.ndarray) -> Float[np.ndarray, "_ token"]:
    """The thumbnails of a head: the mean over queries, then the row of each prefix token.

    In windows: the mean weight that each place receives from the queries of its window.
    """
    if isinstance(layer.answers, Windows):
        return _mean_received(layer, layer.answers.places, weights)[None]
    mean = weights.sum(axis=0) / (layer.tokens - len(layer.absent))
    return np.concatenate([mean[None], weights[: len(layer.prefix)]])


def _mean_received(layer: PhotoLayer, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean over the queries of a window that have a place, stitched over the grid; 0 outside of all windows."""
    positions = torch.from_numpy(places).long()
    mean = mean_received(torch.from_numpy(weights), positions)
    return stitch(mean, positions, (layer.rows, layer.columns), empty=0.0).flatten().numpy()


def _layer(layer: PhotoLayer, with_answers: bool) -> dict:
    rows, answers = [], {}
    kind = kind_of(layer)
    for head in range(layer.heads):
        weights = layer.weights(head)
        rows.append(thumbnails(layer, weights))
        if with_answers:
            answers[str(head)] = _answer(layer, kind, head, weights)
    maps = np.nan_to_num(np.concatenate(rows))
    tops = np.maximum(maps.max(axis=1), 1e-9)
    names = ("label", "group", "path", "heads", "rows", "columns", "difference", "unit")
    return {name: getattr(layer, name) for name in names} | {
        "prefix": list(layer.prefix),
        "absent": list(layer.absent),
        "kind": kind,
        "each": layer.answers.query.shape[2] if isinstance(layer.answers, Factors) else None,
        "behind": layer.answers.behind if isinstance(layer.answers, Factors) else None,
        "windows": _windows(layer.answers) if isinstance(layer.answers, Windows) else None,
        "little": codec.weights_text(maps / tops[:, None], "root"),
        "tops": [float(top) for top in tops],
        "answers": answers if with_answers else None,
    }


def _windows(answers: Windows) -> dict:
    places = codec.as_text(np.ascontiguousarray(answers.places, dtype="<i4").tobytes())
    return {"count": answers.places.shape[0], "positions": answers.places.shape[1], "places": places}


def _answers(layer: PhotoLayer, head: int) -> dict:
    """The answers of all heads of a layer if they fit one message, else of the requested head alone."""
    kind = kind_of(layer)
    heads = range(layer.heads) if layer.heads * size_of(layer) <= BUDGET else (head,)
    return {str(head): _answer(layer, kind, head, layer.weights(head)) for head in heads}


def _answer(layer: PhotoLayer, kind: str, head: int, weights: np.ndarray) -> dict:
    if kind == "factors":
        assert isinstance(layer.answers, Factors)
        query, key = factors(layer.answers, head)
        mean = codec.floats(weights.mean(axis=0))
        return {"query": codec.weights_text(query), "key": codec.weights_text(key), "mean": mean}
    return {"weights": codec.weights_text(weights, "root" if kind == "rough" else "half")}


def factors(answers: Factors, head: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries and keys (token, head_dim) of a head as they are sent: keys are scaled, and without their mean."""
    key = answers.key[head].astype(np.float32)
    return answers.query[head].astype(np.float32), (key - key.mean(axis=0)) * np.float32(answers.scale)


def _fits_half(answers: Factors) -> bool:
    """Whether float16 can hold queries and keys; it cannot for models with a few enormous channels."""
    largest = max(np.abs(part).max() for head in range(len(answers.query)) for part in factors(answers, head))
    return bool(largest < LARGEST_HALF)  # False if there is a NaN, too
