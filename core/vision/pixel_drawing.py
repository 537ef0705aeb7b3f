"""Generation with image-GPT: completing a picture pixel by pixel, filling hidden pixels, and bits of each pixel.

for drawn in draw_rest(network, colours[:512], 4, Rules(top_k=100), seed=3):   # after each row
    network.paint(drawn.clamp_min(0))                                          # -1: not drawn yet
surprise(network, colours)                                                     # bits of each pixel
fill_hidden(network, colours, hidden, seed=3)                                  # by the network of hidden pixels
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..errors import InputError
from ..generation.rules import Rules
from ..models.image_gpt import ImageGPT, ParallelTokens
from ..models.key_value_cache import Cache

NOT_DRAWN = -1  # in place of a colour


@torch.inference_mode()
def draw_rest(
    network: ImageGPT, prefix: Int[Tensor, " place"], count: int, rules: Rules, *, seed: int
) -> Iterator[Int[Tensor, "draw place"]]:
    """Yield `count` pictures that begin with `prefix`, after each row; NOT_DRAWN where no pixel is drawn yet.

    The same seed gives the same pictures. Raises InputError where no pixel is left to draw, ValueError for rules other
    than temperature and top-k.
    """
    config = network.config
    if not len(prefix) < config.context:
        raise InputError(f"All {config.context:,} pixels are given: leave at least one to be drawn.")
    drawn = torch.full((count, config.context), NOT_DRAWN)
    drawn[:, : len(prefix)] = prefix
    uniforms = torch.stack(
        [torch.from_numpy(np.random.default_rng((seed, index)).random(config.context)) for index in range(count)]
    )
    start_and_prefix, remaining = F.pad(prefix, (1, 0), value=config.blank), config.context - len(prefix)
    cache = Cache(config.layers, longest=len(start_and_prefix) + count * remaining)
    # All pictures are one sequence: the prefix, then the first pixel of each, then the second of each. A pixel attends
    # to the prefix and to the pixels of its own picture.
    own_pixels = torch.eye(count, dtype=torch.bool).repeat(1, remaining)
    visible = torch.cat([torch.ones(count, len(start_and_prefix), dtype=torch.bool), own_pixels], dim=1)
    logits = network(start_and_prefix[None], cache)[0, -1:].expand(count, -1)
    for place in range(len(prefix), config.context):
        drawn[:, place] = sample_colours(colour_probabilities(logits, rules), uniforms[:, place])
        if (place + 1) % config.side == 0:
            yield drawn.clone()
        if place + 1 < config.context:
            parallel = ParallelTokens(place + 1, visible[:, : cache.length + count])
            logits = network(drawn[None, :, place], cache, parallel)[0]


def colour_probabilities(logits: Float[Tensor, "draw colour"], rules: Rules) -> Float[Tensor, "draw colour"]:
    """The distribution of the next colour by `core.generation.rules.apply`, for several pictures at once.

    Raises ValueError for rules other than temperature and top-k.
    """
    if rules != Rules(rules.temperature, rules.top_k):
        raise ValueError(f"Pixels are drawn by temperature and top-k alone, not by {rules}.")
    if not rules.temperature:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    scaled = logits / rules.temperature
    if rules.top_k:
        least = scaled.topk(min(rules.top_k, scaled.shape[-1])).values[:, -1:]
        scaled = scaled.masked_fill(scaled < least, -torch.inf)
    return scaled.softmax(dim=-1)


def sample_colours(
    probabilities: Float[Tensor, "draw colour"], uniforms: Float[Tensor, " draw"]
) -> Int[Tensor, " draw"]:
    """Sample one colour from each row by inverse transform; `uniforms` are random numbers from 0 to 1."""
    lengths = probabilities.double()
    ends = lengths.cumsum(dim=-1)
    places = torch.searchsorted(ends, uniforms.double()[:, None] * ends[:, -1:], right=True)[:, 0]
    # Rounding must not go beyond the last colour with a probability above 0.
    last = (lengths > 0).long().cumsum(dim=-1).argmax(dim=-1)
    return torch.minimum(places, last)


@torch.inference_mode()
def surprise(network: ImageGPT, colours: Int[Tensor, "batch place"]) -> Float[Tensor, "batch place"]:
    """-log2 of the probability of each pixel after the earlier ones, by the network that predicts the next pixel."""
    return bits_of(network(network.after_start(colours)), colours)


def bits_of(logits: Float[Tensor, "*leading colour"], colours: Int[Tensor, "*leading"]) -> Float[Tensor, "*leading"]:
    """-log2 of the probability of each colour."""
    return -logits.float().log_softmax(dim=-1).gather(-1, colours[..., None])[..., 0] / np.log(2)


@dataclass(frozen=True, eq=False)
class FilledPicture:
    """A picture with its hidden pixels filled in three ways, values 0 to 1; visible pixels are unchanged.

    `best`: the most probable colour of each pixel; `drawn`: a sample for each pixel, independently; `mean`: the mean of
    all colours by their probability, which minimises the expected squared error. `bits`: -log2 of the probability of
    the true colours of the hidden pixels, in their order.
    """

    best: Float[Tensor, "channel row column"]
    drawn: Float[Tensor, "channel row column"]
    mean: Float[Tensor, "channel row column"]
    bits: Float[Tensor, " point"]


@torch.inference_mode()
def fill_hidden(
    network: ImageGPT, colours: Int[Tensor, " place"], hidden: Bool[Tensor, " place"], *, seed: int
) -> FilledPicture:
    """Predict all hidden pixels at once from the visible ones, by the network that was trained for hidden pixels."""
    logits = network(colours.masked_fill(hidden, network.config.blank)[None])[0]
    probabilities = logits[hidden].softmax(dim=-1)
    uniforms = torch.from_numpy(np.random.default_rng(seed).random(len(probabilities)))
    guesses = {
        "best": network.palette[probabilities.argmax(dim=-1)],
        "drawn": network.palette[sample_colours(probabilities, uniforms)],
        "mean": probabilities @ network.palette,
    }
    pictures = {}
    for name, values in guesses.items():
        filled = network.palette[colours]
        filled[hidden] = values
        pictures[name] = filled.t().unflatten(1, (network.config.side, -1))
    return FilledPicture(**pictures, bits=bits_of(logits[hidden], colours[hidden]))


def fill_with_neighbours(
    pixels: Float[Tensor, "channel row column"], hidden: Bool[Tensor, "row column"]
) -> Float[Tensor, "channel row column"]:
    """Fill each hidden pixel with the mean of the visible ones in the smallest square around it that has any."""
    filled, unfilled, visible = pixels.clone(), hidden.clone(), (~hidden).float()[None]
    for reach in range(1, max(hidden.shape)):
        if not unfilled.any() or hidden.all():
            break
        size = 2 * reach + 1
        sums, counts = (F.avg_pool2d(values, size, stride=1, padding=reach) for values in (pixels * visible, visible))
        counts = counts[0]
        fillable = unfilled & (counts > 1e-9)
        filled[:, fillable] = sums[:, fillable] / counts[fillable]
        unfilled &= ~fillable
    return filled


def hide_pixels(side: int, share: float, *, seed: int) -> Bool[Tensor, " place"]:
    """A random mask of a share of the pixels of a square picture; at least one is hidden, and one is visible."""
    count = min(side**2 - 1, max(1, round(share * side**2)))
    order = torch.from_numpy(np.random.default_rng(seed).permutation(side**2))
    return torch.zeros(side**2, dtype=torch.bool).scatter(0, order[:count], True)
