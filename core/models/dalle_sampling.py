"""Pictures that a DALL-E samples code by code: several at once, from the top left, the first row first.

Each picture has random numbers of its own (`uniform_numbers`): it is the same whatever else is in the batch, and two
continuations that differ by one code use the same random numbers after it.
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
    first: Int[Tensor, "batch place"],
    uniform: Float[Tensor, "batch _"],
    *,
    temperature: float = 1.0,
    top_k: int = 0,
) -> Iterator[Int[Tensor, "batch _"]]:
    """Yields the codes so far, beginning with the `first`, after each row of the picture; the last time all of them.

    `words`: a sentence for each picture, padded to the context; `uniform`: random numbers in [0, 1), one for each
    picture and place.
    """
    config = network.config
    if first.shape[1] == config.places:  # the picture is complete
        return
    cache = Cache(config.layers, longest=config.longest)
    codes = first
    x = network.embed(words, first)
    while codes.shape[1] < config.places:
        logits = network.codes_head(network.read(x, cache)[:, -1])
        place = codes.shape[1]
        code = sample_codes(logits, uniform[:, place], temperature=temperature, top_k=top_k)[:, None]
        codes = torch.cat([codes, code], dim=1)
        if codes.shape[1] % config.grid == 0:
            yield codes
        if codes.shape[1] < config.places:
            x = network.embed_codes(code, first=place)


def sample_codes(
    logits: Float[Tensor, "batch code"], uniform: Float[Tensor, " batch"], *, temperature: float = 1.0, top_k: int = 0
) -> Int[Tensor, " batch"]:
    """A code for each random number in [0, 1), by the inverse of the cumulative distribution, most probable first.

    `core.generation.rules.draw` for a batch. `top_k` 0 leaves all codes; temperature 0 takes the most probable.
    """
    probabilities = sampling_probabilities(logits, temperature=temperature, top_k=top_k).double()
    descending, order = probabilities.sort(dim=-1, descending=True, stable=True)
    cumulative = descending.cumsum(dim=-1)
    places = torch.searchsorted(cumulative, (uniform.double() * cumulative[:, -1])[:, None], right=True)
    last = (descending > 0).sum(dim=-1, keepdim=True) - 1
    return order.gather(1, places.minimum(last))[:, 0]


def sampling_probabilities(
    logits: Float[Tensor, "batch code"], *, temperature: float = 1.0, top_k: int = 0
) -> Float[Tensor, "batch code"]:
    """The distribution to sample from: the softmax at a temperature over the `top_k` most probable codes (0: all)."""
    logits = logits.float()
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.shape[-1]).float()
    if top_k:
        least = logits.topk(min(top_k, logits.shape[-1]), dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    return (logits / temperature).softmax(dim=-1)


def uniform_numbers(seed: int, pictures: Sequence[int], places: int) -> Float[Tensor, "batch place"]:
    """Random numbers in [0, 1) for each place of each picture, seeded by `seed` and the picture's own number."""
    rows = [np.random.default_rng((seed, picture)).random(places) for picture in pictures]
    return torch.from_numpy(np.stack(rows)).float().clamp_max(1 - 1e-7)
