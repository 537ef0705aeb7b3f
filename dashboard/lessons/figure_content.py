"""The map or the picture that the question of a station is about, without its answer.

It is computed from the question's own reading and arguments, so that the figure beside a question is never about
another text or another picture. `dashboard.lessons.station_figure` draws it.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, UInt8
from PIL import Image

from core.capture import by_layer
from core.images import open_example
from core.scenes.codes import read_code
from core.scenes.draw import draw
from core.vision.patch_masks import hide_patches, pixel_mask
from dashboard.cache.memo import cached
from dashboard.cache.models import autoencoder, translator
from dashboard.lessons.form import Question
from dashboard.lessons.readings import READINGS
from dashboard.recordings import watched

PICTURE_SIDE = 240  # pixels, at least: the pixels of a smaller picture are repeated
MASKED_PATCH = 127  # grey of a masked patch


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """The attention weights of one head, or of the mean of several; `row` is the one that a question is about.

    NaN weights are those of a covered row.
    """

    weights: Float[np.ndarray, "query key"]
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    row: int

    def covered(self) -> "AttentionMap":
        """The same map without the weights of the row that is asked for."""
        weights = self.weights.copy()
        weights[self.row] = np.nan
        return replace(self, weights=weights)


@cached("Asking the model …")
def attention_map(question: Question) -> AttentionMap | None:
    """The map of which a question asks for one row; None for a question about something else.

    The question has been answered before (`readings.ask`), so its arguments are valid.
    """
    make = _MAPS.get(question.reading)
    return make(**_arguments(question)) if make else None


@cached()
def picture(question: Question) -> UInt8[np.ndarray, "row column channel"] | None:
    """The picture that a question is about, with masked patches in grey; None for a question without a picture."""
    if question.reading not in READINGS:
        return None
    arguments = _arguments(question)
    if scene := arguments.get("scene"):
        pixels = draw(read_code(scene))
    elif name := arguments.get("picture"):
        pixels = np.asarray(open_example(name).convert("RGB"))
    else:
        return None
    if question.reading == "nearest_filling":
        return _with_masked_patches(arguments)
    times = -(-PICTURE_SIDE // max(pixels.shape[:2]))
    return pixels.repeat(times, axis=0).repeat(times, axis=1)


def _arguments(question: Question) -> dict[str, Any]:
    """The arguments of a question's reading, with its defaults."""
    call = inspect.signature(READINGS[question.reading]).bind_partial(**question.arguments)
    call.apply_defaults()
    return dict(call.arguments)


def _head_map(text: str, layer: int, head: int, token: int = -1, model: str = "") -> AttentionMap:
    recording = watched.watch_text(model, text)
    weights = by_layer(recording.record.calls)[layer].weights(head).float().numpy()
    labels = tuple(recording.inputs.labels)
    return AttentionMap(weights, labels, labels, token % len(labels))


def _alignment(text: str, word: str, model: str) -> AttentionMap:
    """The mean cross-attention of all heads of a translator's last layer, as in the reading `comes_from`."""
    writer = translator(model)
    source = writer.encode(text)
    target = writer.tokens(writer.write(source).best.tokens)
    weights = writer.align(source, target).cross[-1].mean(dim=0).float().numpy()
    row = [label.strip() for label in target.labels].index(word)
    return AttentionMap(weights, tuple(target.labels)[: len(weights)], tuple(source.labels), row)


_MAPS: Mapping[str, Callable[..., AttentionMap]] = {
    "attends_to": _head_map,
    "finds_again": _head_map,
    "comes_from": _alignment,
}


def _with_masked_patches(arguments: Mapping[str, Any]) -> UInt8[np.ndarray, "row column channel"]:
    """The photograph as the masked autoencoder reads it, with the patches in grey that it has to fill."""
    model = autoencoder("mae")
    truth = model.colours(model.prepare(open_example(arguments["picture"])).pixels[0])
    hidden = hide_patches(arguments["way"], model.grid, model.grid, arguments["share"], seed=arguments["seed"])
    masked = pixel_mask(hidden, model.grid, model.grid, model.patch).numpy()
    pixels = (255 * truth.clamp(0, 1)).round().to(torch.uint8).permute(1, 2, 0).numpy().copy()
    pixels[masked] = MASKED_PATCH
    return np.asarray(Image.fromarray(pixels).resize((PICTURE_SIDE, PICTURE_SIDE), Image.Resampling.NEAREST))
