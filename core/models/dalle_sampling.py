"""A picture that a DALL-E draws code by code: several at once, from the top left, the first row first.

Each picture has its own dice (`dice_of`): a picture is the same whoever is drawn beside it, and two ways to go on that
differ by one code differ by what follows from it alone.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from .dalle import DALLE
from .key_value_cache import Cache


@torch.no_grad()
def draw_codes(
    network: DALLE,
    words: Int[Tensor, "batch token"],
    given: Int[Tensor, "batch place"],
    dice: Float[Tensor, "batch _"],
    *,
    temperature: float = 1.0,
    top_k: int = 0,
) -> Iterator[Int[Tensor, "batch _"]]:
    """The codes so far, those that are `given` with them, after each row of the picture; the last time all of them.

    `words`: for each a sentence, filled up to the context; `dice`: for each picture and place a number from 0 up to 1.
    """
    config = network.config
    if given.shape[1] == config.places:  # there is nothing left to draw
        return
    cache = Cache(config.layers, longest=config.longest)
    codes = given
    x = network.embed(words, given)
    while codes.shape[1] < config.places:
        logits = network.codes_head(network.read(x, cache)[:, -1])
        place = codes.shape[1]
        chosen = drawn(logits, dice[:, place], temperature=temperature, top_k=top_k)[:, None]
        codes = torch.cat([codes, chosen], dim=1)
        if codes.shape[1] % config.grid == 0:
            yield codes
        if codes.shape[1] < config.places:
            x = network.embed_codes(chosen, first=place)


def drawn(
    logits: Float[Tensor, "batch code"], numbers: Float[Tensor, " batch"], *, temperature: float = 1.0, top_k: int = 0
) -> Int[Tensor, " batch"]:
    """The code at each number (0 up to 1) when all codes lie in a row, each as long as its probability.

    `core.generation.rules.draw` for many at once. `top_k` 0 leaves all codes; temperature 0 takes the most probable.
    """
    chances = chances_of(logits, temperature=temperature, top_k=top_k).double()
    lengths, order = chances.sort(dim=-1, descending=True, stable=True)
    ends = lengths.cumsum(dim=-1)
    places = torch.searchsorted(ends, (numbers.double() * ends[:, -1])[:, None], right=True)
    last = (lengths > 0).sum(dim=-1, keepdim=True) - 1
    return order.gather(1, places.minimum(last))[:, 0]


def chances_of(
    logits: Float[Tensor, "batch code"], *, temperature: float = 1.0, top_k: int = 0
) -> Float[Tensor, "batch code"]:
    """What is drawn from: the most probable codes alone, warmer or colder; they sum to 1."""
    logits = logits.float()
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.shape[-1]).float()
    if top_k:
        least = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    return (logits / temperature).softmax(dim=-1)


def dice_of(seed: int, pictures: Sequence[int], places: int) -> Float[Tensor, "batch place"]:
    """Numbers from 0 up to 1 for each place of pictures, which are known by their own numbers."""
    rows = [np.random.default_rng((seed, picture)).random(places) for picture in pictures]
    return torch.from_numpy(np.stack(rows)).float().clamp_max(1 - 1e-7)
