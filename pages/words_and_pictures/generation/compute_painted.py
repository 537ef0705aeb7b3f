"""Pictures painted in stages by an attention GAN: kept for the next visitor."""

import time
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, UInt8
from torch import Tensor

from core.text import Tokens
from core.zoo.attention_gans import AS_LEARNED, interpolate_noise
from dashboard.cache.memo import cached
from dashboard.cache.models import attention_gan
from pages.words_and_pictures.generation.compute import Made, Prompt, as_pictures, judged

STEPS = 8  # pictures on a walk from one noise to another


@dataclass(frozen=True)
class PaintRequest(Prompt):
    """How an attention GAN paints a sentence; `word_attention`, one of WORD_ATTENTION: what places take of words."""

    count: int = 4
    seed: int = 0
    word_attention: str = AS_LEARNED


@dataclass(frozen=True, eq=False)
class Painted(Made):
    """Pictures that an attention GAN painted. `stages`: all of each stage, the smallest first.

    `attention`: of each later stage what each place of the picture before it took of each word, as `word_attention` let
    it.
    """

    word_attention: str
    words: Tokens
    stages: tuple[UInt8[np.ndarray, "batch _ _ channel"], ...]
    attention: tuple[Float[Tensor, "batch _ word"], ...]


@cached("Painting …")
def paint(request: PaintRequest) -> Painted:
    """Pictures of a sentence, each with noise of its own."""
    return _painted(request, attention_gan(request.world).noise(request.seed, range(request.count)))


@cached("Painting …")
def walk(request: PaintRequest) -> Painted:
    """Pictures of one sentence on the way from the first noise of this seed to that of the next."""
    painter = attention_gan(request.world)
    one, other = (painter.noise(seed, [0])[0] for seed in (request.seed, request.seed + 1))
    return _painted(request, interpolate_noise(one, other, STEPS))


def _painted(request: PaintRequest, noise: Float[Tensor, "batch noise"]) -> Painted:
    painter = attention_gan(request.world)
    words = painter.encode(request.text)
    began = time.perf_counter()
    stages = painter.paint([words] * len(noise), noise, word_attention=request.word_attention)
    seconds = time.perf_counter() - began
    return Painted(
        **judged(request, stages.pictures[-1]),
        seconds=seconds,
        word_attention=request.word_attention,
        words=words,
        stages=tuple(as_pictures(pixels) for pixels in stages.pictures),
        attention=stages.attention,
    )
