"""What image-GPT makes of a picture: its rest drawn pixel by pixel, hidden pixels filled in, and how surprised it is.

for drawn in draw_rest(network, colours[:512], 4, Rules(top_k=100), seed=3):   # after each row
    network.paint(drawn.clamp_min(0))                                          # -1: not drawn yet
surprise(network, colours)                                                     # bits of each pixel
fill_hidden(network, colours, hidden, seed=3)                                  # of the network of the other task
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
from ..models.image_gpt import Aside, ImageGPT
from ..models.key_value_cache import Cache

NOT_YET = -1  # in place of a colour


@torch.inference_mode()
def draw_rest(
    network: ImageGPT, given: Int[Tensor, " place"], count: int, rules: Rules, *, seed: int
) -> Iterator[Int[Tensor, "draw place"]]:
    """`count` pictures that begin with the colours `given`, after each row that was drawn; NOT_YET where nothing is.

    The same seed gives the same pictures. InputError where nothing is left to draw; ValueError for rules besides
    temperature and top-k.
    """
    config = network.config
    if not len(given) < config.context:
        raise InputError(f"All {config.context:,} pixels are given: leave at least one to be drawn.")
    drawn = torch.full((count, config.context), NOT_YET)
    drawn[:, : len(given)] = given
    dice = torch.stack(
        [torch.from_numpy(np.random.default_rng((seed, each)).random(config.context)) for each in range(count)]
    )
    begin, rest = F.pad(given, (1, 0), value=config.blank), config.context - len(given)
    cache = Cache(config.layers, longest=len(begin) + count * rest)
    # All are one sequence: what is given, then the first pixel of each, the second of each; each sees its own.
    own = torch.eye(count, dtype=torch.bool).repeat(1, rest)
    seen = torch.cat([torch.ones(count, len(begin), dtype=torch.bool), own], dim=1)
    logits = network(begin[None], cache)[0, -1:].expand(count, -1)
    for place in range(len(given), config.context):
        drawn[:, place] = draw_each(chances_of(logits, rules), dice[:, place])
        if (place + 1) % config.side == 0:
            yield drawn.clone()
        if place + 1 < config.context:
            aside = Aside(place + 1, seen[:, : cache.length + count])
            logits = network(drawn[None, :, place], cache, aside)[0]


def chances_of(logits: Float[Tensor, "draw colour"], rules: Rules) -> Float[Tensor, "draw colour"]:
    """What is drawn from, as `core.generation.rules.apply` has it, for several rows at once.

    ValueError for other rules than temperature and top-k.
    """
    if rules != Rules(rules.temperature, rules.top_k):
        raise ValueError(f"Pixels are drawn by temperature and top-k alone, not by {rules}.")
    if not rules.temperature:
        return F.one_hot(logits.argmax(dim=-1), logits.shape[-1]).to(logits.dtype)
    warmed = logits / rules.temperature
    if rules.top_k:
        least = warmed.topk(min(rules.top_k, warmed.shape[-1])).values[:, -1:]
        warmed = warmed.masked_fill(warmed < least, -torch.inf)
    return warmed.softmax(dim=-1)


def draw_each(chances: Float[Tensor, "draw colour"], dice: Float[Tensor, " draw"]) -> Int[Tensor, " draw"]:
    """For each row the colour at its number from 0 to 1, when colours lie in a row, each as long as its chance."""
    lengths = chances.double()
    ends = lengths.cumsum(dim=-1)
    places = torch.searchsorted(ends, dice.double()[:, None] * ends[:, -1:], right=True)[:, 0]
    # Rounding must not reach beyond the last colour that has a chance.
    last = (lengths > 0).long().cumsum(dim=-1).argmax(dim=-1)
    return torch.minimum(places, last)


@torch.inference_mode()
def surprise(network: ImageGPT, colours: Int[Tensor, "batch place"]) -> Float[Tensor, "batch place"]:
    """Bits of each pixel after those before it: -log2 of its probability; of the network of the next pixel."""
    return bits_of(network(network.after_start(colours)), colours)


def bits_of(logits: Float[Tensor, "*leading colour"], colours: Int[Tensor, "*leading"]) -> Float[Tensor, "*leading"]:
    """-log2 of the probability of each colour."""
    return -logits.float().log_softmax(dim=-1).gather(-1, colours[..., None])[..., 0] / np.log(2)


@dataclass(frozen=True, eq=False)
class Filled:
    """A picture whose hidden pixels were filled in, in three ways, values 0 to 1; where it was seen it is itself.

    `best`: the most probable colour of each; `drawn`: one drawn from what is expected, each by itself; `mean`: the mean
    of all colours by their probability, which has the smallest squared error that the network can expect. `bits` of
    the true colours of the hidden pixels, in their order.
    """

    best: Float[Tensor, "channel row column"]
    drawn: Float[Tensor, "channel row column"]
    mean: Float[Tensor, "channel row column"]
    bits: Float[Tensor, " point"]


@torch.inference_mode()
def fill_hidden(
    network: ImageGPT, colours: Int[Tensor, " place"], hidden: Bool[Tensor, " place"], *, seed: int
) -> Filled:
    """All hidden pixels guessed at once, from those that are seen; of the network of hidden pixels."""
    logits = network(colours.masked_fill(hidden, network.config.blank)[None])[0]
    chances = logits[hidden].softmax(dim=-1)
    dice = torch.from_numpy(np.random.default_rng(seed).random(len(chances)))
    guesses = {
        "best": network.palette[chances.argmax(dim=-1)],
        "drawn": network.palette[draw_each(chances, dice)],
        "mean": chances @ network.palette,
    }
    pictures = {}
    for name, values in guesses.items():
        filled = network.palette[colours]
        filled[hidden] = values
        pictures[name] = filled.t().unflatten(1, (network.config.side, -1))
    return Filled(**pictures, bits=bits_of(logits[hidden], colours[hidden]))


def neighbour_mean(
    pixels: Float[Tensor, "channel row column"], hidden: Bool[Tensor, "row column"]
) -> Float[Tensor, "channel row column"]:
    """Each hidden pixel as the mean of the seen ones around it: of the nearest square around it that holds any."""
    filled, waiting, seen = pixels.clone(), hidden.clone(), (~hidden).float()[None]
    for reach in range(1, max(hidden.shape)):
        if not waiting.any() or hidden.all():
            break
        wide = 2 * reach + 1
        sums, counts = (F.avg_pool2d(each, wide, stride=1, padding=reach) for each in (pixels * seen, seen))
        counts = counts[0]
        ready = waiting & (counts > 1e-9)
        filled[:, ready] = sums[:, ready] / counts[ready]
        waiting &= ~ready
    return filled


def hide_pixels(side: int, share: float, *, seed: int) -> Bool[Tensor, " place"]:
    """A share of the pixels of a square picture at random; at least one is hidden, and one is seen."""
    count = min(side**2 - 1, max(1, round(share * side**2)))
    order = torch.from_numpy(np.random.default_rng(seed).permutation(side**2))
    return torch.zeros(side**2, dtype=torch.bool).scatter(0, order[:count], True)
