"""Painted in stages: an attention GAN's pictures, and three ways to look at them."""

from dashboard.cache.models import attention_gan
from dashboard.frame import layout
from dashboard.inputs import controls
from pages.words_and_pictures.generation import another_word, inputs, noise_walk, stages, words


def show() -> None:
    """The sentence, and one of the three ways to look."""
    request = inputs.paint_request()
    attention_gan(request.world).encode(request.text)  # what it does not know is told before anything is painted
    with layout.control_bar():
        ways = {words.STAGES: stages.show, words.SWAP: another_word.show, words.WALK: noise_walk.show}
        way = controls.choice("Look at", ways, key="painted_view")
        number = (
            None if way == words.WALK else controls.choice("Picture", range(1, request.count + 1), key="painted_one")
        )
    ways[way](request, (number or 1) - 1)
