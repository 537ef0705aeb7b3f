"""Painted in stages: an attention GAN's pictures, and three ways to look at them."""

from core.zoo import attention_gans
from core.zoo.attention_gans import WORD_ATTENTION
from dashboard.cache.models import attention_gan
from dashboard.frame import layout
from dashboard.inputs import controls
from pages.words_and_pictures.generation import another_word, inputs, noise_walk, stages
from pages.words_and_pictures.generation.compute_painted import PaintRequest
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Painted in stages")
WALK = "a walk through noise"
WAYS = {"stages and words": stages.show, "another word": another_word.show, WALK: noise_walk.show}
PAINTINGS = 4  # pictures that are painted at once


def show() -> None:
    """The sentence, and one of the three ways to look."""
    with layout.control_bar():
        world, text = inputs.world_and_sentence(attention_gans.available(), inputs.NO_PAINTER)
        way = controls.menu("Show", WAYS, key="painted_view", width=195)
        with layout.settings():
            word_attention = controls.choice(
                "Word attention", WORD_ATTENTION, key="word_attention", about=SECTION.text("Word attention")
            )
            seed = inputs.seed("Seed of the noise")
            inputs.again("Paint again")
            number = 1 if way == WALK else controls.choice("Picture", range(1, PAINTINGS + 1), key="painted_one")
    attention_gan(world).encode(text)  # what it does not know is told before anything is painted
    WAYS[way](PaintRequest(world, text, PAINTINGS, seed, word_attention), number - 1)
