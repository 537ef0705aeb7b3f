"""What draws as tiny networks with random weights, for tests of pages: what a page says is true of any."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from core.models.attention_gan import AttentionGANConfig, Generator
from core.models.dalle import DALLE, DALLEConfig
from core.models.damsm import Matching
from core.models.discrete_vae import DiscreteVAE, DiscreteVAEConfig
from core.models.image_gpt import ImageGPT, ImageGPTConfig
from core.models.scene_reader import SceneReader
from core.zoo import attention_gans, dalles
from core.zoo.attention_gans import ATTENTION_GANS, StagePainter
from core.zoo.dalles import CODERS, DALLES, PictureCoder, PictureDrawer
from core.zoo.image_gpts import IMAGE_GPTS, NEXT, PixelReader
from dashboard.cache import memo
from training.common.scenes import scenes_tokenizer
from training.common.word_tokens import words_tokenizer


@pytest.fixture(scope="module")
def tiny_drawers():
    """DALL-E, its discrete VAEs, the attention GAN and the reader of scenes; what one test draws the next one has."""
    with pytest.MonkeyPatch.context() as patch, torch.random.fork_rng():
        torch.manual_seed(0)
        coders, reader = tiny_coders(), tiny_reader()
        drawers = tiny_dalles(coders)
        painter = tiny_painter()
        patch.setattr(dalles, "available", lambda *_: ("scenes",))
        patch.setattr(dalles, "coders", lambda *_: tuple(coders))
        patch.setattr(attention_gans, "available", lambda *_: ("scenes",))
        patch.setattr("dashboard.cache.models.load_dalle", drawers.__getitem__)
        patch.setattr("dashboard.cache.models.load_coder", coders.__getitem__)
        patch.setattr("dashboard.cache.models.load_attention_gan", lambda _: painter)
        patch.setattr("dashboard.cache.models.load_scene_reader", lambda: reader)
        memo.clear()
        yield
        memo.clear()


@pytest.fixture(scope="module")
def tiny_image_gpts():
    """Image-GPT for both of its tasks; what one test draws the next one has."""
    with pytest.MonkeyPatch.context() as patch, torch.random.fork_rng():
        torch.manual_seed(0)
        memo.clear()
        patch_image_gpts(patch)
        yield
        memo.clear()


def patch_image_gpts(patch: pytest.MonkeyPatch) -> None:
    """Put image-GPT of two narrow layers in the place of the trained ones."""
    readers = {}
    for name, title in IMAGE_GPTS.items():
        network = ImageGPT(ImageGPTConfig(width=8, layers=2, heads=2, causal=name == NEXT))
        randomise(network, 0.2)
        network.palette.copy_(torch.cartesian_prod(*[torch.linspace(0, 1, 8)] * 3))
        readers[name] = PixelReader(name, title, network)
    patch.setattr("dashboard.cache.models.load_image_gpt", readers.__getitem__)


def tiny_coders() -> dict[str, PictureCoder]:
    """One of each kind for drawn scenes; emoji have the codes of scenes."""
    sizes = {"width": 8, "code_width": 8, "blocks": 1}
    coders = {
        name: PictureCoder(name, CODERS[name], DiscreteVAE(DiscreteVAEConfig(**sizes, quantiser=quantiser)))
        for name, quantiser in (("scenes", "nearest"), ("scenes-gumbel", "gumbel"))
    }
    return coders | {"emoji": replace(coders["scenes"], name="emoji", title=CODERS["emoji"])}


def tiny_dalles(coders: dict[str, PictureCoder]) -> dict[str, PictureDrawer]:
    """With the words of drawn scenes; of emoji it knows four."""
    tokenizer = scenes_tokenizer()
    network = DALLE(DALLEConfig(words=tokenizer.get_vocab_size(), width=16, heads=2, masks=("row", "column")))
    randomise(network, 0.2)
    tokenizers = {"scenes": tokenizer, "emoji": words_tokenizer(["red", "blue", "heart", "cat"])}
    return {name: PictureDrawer(name, DALLES[name], tokenizers[name], network, coders[name]) for name in tokenizers}


def tiny_painter() -> StagePainter:
    """The attention GAN of drawn scenes, with their words."""
    tokenizer = scenes_tokenizer()
    config = AttentionGANConfig(words=tokenizer.get_vocab_size(), text=8, condition=4, noise=3, width=4, judge=4)
    network, matching = Generator(config), Matching(config)
    randomise(network, 0.3)
    randomise(matching, 0.3)
    return StagePainter("scenes", ATTENTION_GANS["scenes"], tokenizer, network, matching.text)


def tiny_reader() -> SceneReader:
    """Untrained; it claims a few things and not dozens, whose relations would take most of a test's time."""
    reader = SceneReader().eval()
    with torch.no_grad():
        reader.head.bias[0] -= FEW
    return reader


FEW = 0.07


def randomise(network: nn.Module, std: float) -> None:
    """Draw all weights anew, large enough that inputs make a difference."""
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=std)
