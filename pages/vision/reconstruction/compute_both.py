"""The lower half of one photograph, filled in by the masked autoencoder and drawn by image-GPT."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from core.generation.rules import Rules
from core.images import open_example, open_picture
from core.vision.patch_masks import error_of, pixel_mask
from core.vision.pixel_drawing import draw_rest
from core.zoo.image_gpts import NEXT
from core.zoo.masked_autoencoders import AUTOENCODERS, PLAIN
from dashboard.cache.memo import cached
from dashboard.cache.models import autoencoder, image_gpt
from dashboard.output.streaming import NOBODY, StepObserver
from dashboard.recordings.watched import Picture

MAE, PALETTE, MEAN = "autoencoder", "palette", "mean colour"  # whose error it is, besides the completions


@dataclass(frozen=True, eq=False)
class Both:
    """One photograph in small, its lower half hidden from both networks; values 0 to 1, all of one size.

    `filled` is the autoencoder's, `drawn` are image-GPT's, `even` has the mean colour of the upper half. `errors` are
    mean squared errors over the lower half by MAE, MEAN, and PALETTE (the truth in image-GPT's colours, nearer than
    which it cannot come); `draw_errors` those of the completions. `rough`: how much neighbouring pixels of the lower
    half differ.
    """

    photograph: UInt8[np.ndarray, "_ _ channel"]
    truth: Float[Tensor, "channel row column"]
    where: Bool[Tensor, "row column"]
    filled: Float[Tensor, "channel row column"]
    drawn: Float[Tensor, "draw channel row column"]
    even: Float[Tensor, "channel row column"]
    errors: dict[str, float]
    draw_errors: tuple[float, ...]
    rough: dict[str, float]  # "truth", MAE, "draws" (their mean)
    patches: int  # hidden from the autoencoder, and as many are seen


@cached()
def both(picture: Picture, count: int, rules: Rules, seed: int, observer: StepObserver = NOBODY) -> Both:
    """What both make of the lower half; `observer` sees image-GPT's completions grow."""
    opened = open_example(picture) if isinstance(picture, str) else open_picture(picture.content)
    model, reader = autoencoder(next(iter(AUTOENCODERS))), image_gpt(NEXT)
    side, prepared = reader.side, model.prepare(opened)
    hidden = torch.arange(model.patches) >= model.patches // 2
    fine = pixel_mask(hidden, model.grid, model.grid, model.patch)
    pixels = model.colours(prepared.pixels[0])
    guessed = torch.where(fine, model.run(prepared.pixels, hidden)[PLAIN], pixels)
    truth, filled = (F.adaptive_avg_pool2d(image, side) for image in (pixels, guessed))
    where = (torch.arange(side) >= side // 2)[:, None].expand(side, side)
    pixel_picture = reader.read(truth, prepared.photograph)
    drawn = pixel_picture.colours[None]
    for step, drawn in enumerate(
        draw_rest(reader.network, pixel_picture.colours[: side**2 // 2], count, rules, seed=seed)
    ):
        observer.report(step, [drawn])
    pictures = reader.network.paint(drawn)
    even = torch.where(where, truth[:, ~where].mean(dim=1)[:, None, None], truth)
    errors = {MAE: filled, PALETTE: pixel_picture.painted, MEAN: even}
    rough = [roughness(completion, where) for completion in pictures]
    return Both(
        prepared.photograph,
        truth,
        where,
        filled,
        pictures,
        even,
        {name: error_of(image, truth, where) for name, image in errors.items()},
        tuple(error_of(completion, truth, where) for completion in pictures),
        {"truth": roughness(truth, where), MAE: roughness(filled, where), "draws": sum(rough) / len(rough)},
        int(hidden.sum()),
    )


def roughness(picture: Float[Tensor, "channel row column"], where: Bool[Tensor, "row column"]) -> float:
    """How much a pixel differs from the one to its left and the one above: the root of the mean square, 0 to 1.

    Counted are pairs of which both lie `where` it is asked.
    """
    across = (picture[:, :, 1:] - picture[:, :, :-1]).square()[:, where[:, 1:] & where[:, :-1]]
    down = (picture[:, 1:] - picture[:, :-1]).square()[:, where[1:] & where[:-1]]
    return float(torch.cat([across, down], dim=1).mean().sqrt())
