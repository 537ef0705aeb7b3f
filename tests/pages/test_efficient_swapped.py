"""Swapped in: losses are those of core, whatever the text and the address."""

import math

import pytest

from core import zoo
from core.efficient import BigBird, SlidingWindow
from core.efficient.swapped import surprises
from core.text import read_text
from tests.pages.conftest import check, prose, told

PAGE = "scale/efficient_attention"
TEXT = "The old man looked at the sea. " * 5


def bits(variant=None, layers=range(6)):
    model = zoo.load_text("gpt-books")
    tokens = model.encode(read_text(TEXT))
    paths = [f"blocks.{layer}.attention" for layer in layers]
    return float(surprises(model, tokens, variant, paths=paths if variant else ()).mean()) / math.log(2)


@pytest.fixture
def open_swapped(visit):
    def open_with(**query):
        return visit(PAGE, show="Swapped in", model="gpt-books", **{"source": "Your own", "text": TEXT, **query})

    return open_with


def numbers(app):
    return {metric.label: metric.value for metric in app.metric}


def test_the_losses_are_those_of_core(open_swapped):
    app = open_swapped(swap_method="Sliding window", swap_window="4")
    exact, other = bits(), bits(SlidingWindow(window=4))
    shown = numbers(app)
    assert shown["Loss, exact"] == f"{exact:.3f} bits"
    assert shown["Loss, swapped in"] == f"{other:.3f} bits"
    assert shown["Rise"] == f"{other - exact:.3f} bits"


def test_an_address_chooses_layers_and_settings(open_swapped):
    app = open_swapped(
        swap_layers=["1", "4"], swap_method="BigBird", swap_block="4", swap_blocks="1", swap_random="0", swap_global="1"
    )
    assert app.multiselect(key="swap_layers").value == ["1", "4"]
    other = bits(BigBird(block=4, window=1, random=0, global_tokens=1), layers=(1, 4))
    assert numbers(app)["Loss, swapped in"] == f"{other:.3f} bits"


def test_what_looks_ahead_is_not_on_offer(open_swapped):
    app = open_swapped()
    assert "Clustered" not in app.segmented_control(key="swap_method").options
    assert "told the answer" in told(app, "caption")


def test_every_method_is_measured_on_a_click_and_kept(open_swapped):
    app = open_swapped(text="The old man looked at the sea and saw nothing. " * 20)
    assert "Of all settings" not in prose(app)
    app = check(app.button(key="swap-sweep").click().run())
    app = check(app.run())
    assert "Of all settings" in prose(app)
    assert not [button for button in app.button if button.key == "swap-sweep"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("a", "needs at least 2 tokens"), ("   ", "There is no text here yet")],
)
def test_a_text_that_cannot_be_used_gets_a_sentence(open_swapped, text, sentence):
    app = open_swapped()
    app = check(app.text_area(key="text").set_value(text).run())
    assert sentence in told(app)


def test_two_tokens_are_enough(open_swapped):
    app = open_swapped(text="The sea")
    assert "Loss, exact" in numbers(app)
    assert "costs more than twice the exact kernel" in told(app, "caption")


def test_markup_in_a_text_is_shown_as_text(open_swapped):
    app = open_swapped(text="<script>alert(1)</script> **bold** $x$ " * 5)
    assert not [element for element in app.markdown if "<script>" in element.value]
