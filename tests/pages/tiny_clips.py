"""CLIP for each of its worlds as a tiny random network, for tests of pages: what they say is true of any."""

from dataclasses import replace

import pytest
import torch

from core.models.clip import CLIP, CLIPConfig, EncoderConfig
from core.zoo.clips import CLIPS, PictureText, load_clip
from dashboard.cache import memo
from tests.pages.tiny_drawers import randomise

SIDE, NARROW = 64, EncoderConfig(width=16, layers=2, heads=2)


@pytest.fixture(scope="module")
def tiny_clips():
    """One for each world, with the tokenizer of the trained one; what one test computes the next one has."""
    with pytest.MonkeyPatch.context() as patch, torch.random.fork_rng():
        torch.manual_seed(0)
        memo.clear()
        clips = {name: tiny_clip(load_clip(name)) for name in CLIPS}
        patch.setattr("dashboard.cache.models.load_clip", clips.__getitem__)
        yield
        memo.clear()


def tiny_clip(trained: PictureText) -> PictureText:
    """A random network that reads as a trained one does, and sees 64 pixels a side."""
    context, end = trained.network.config.context, trained.encode("a").ids[-1]
    vocabulary = trained.tokenizer.get_vocab_size()
    network = CLIP(CLIPConfig(NARROW, NARROW, SIDE, vocabulary=vocabulary, context=context, end=end, space=16))
    randomise(network, 0.2)
    return replace(trained, network=network, framing=replace(trained.framing, input_size=(3, SIDE, SIDE)))
