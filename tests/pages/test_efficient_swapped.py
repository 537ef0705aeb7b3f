"""Swapped in and Cost as pages: losses are those of core and are kept, and what is measured here goes before ours."""

import math

import pytest

from core import zoo
from core.costs.attention_costs import TOKENS, VARIANTS
from core.costs.one_pass import Cost
from core.efficient import BigBird
from core.efficient.model_loss import surprises
from core.text import read_text
from pages.scale.efficient_attention import compute, work_curves
from tests.pages.conftest import check, message_text, prose

PAGE = "scale/efficient_attention"
TEXT = "The old man looked at the sea. " * 5


def bits(variant=None, layers=()):
    model = zoo.load_text("gpt-books")
    tokens = model.encode(read_text(TEXT))
    paths = [f"blocks.{layer}.attention" for layer in layers]
    return float(surprises(model, tokens, variant, paths=paths).mean()) / math.log(2)


@pytest.fixture
def open_swapped(visit):
    def open_with(**query):
        return visit(PAGE, show="Swapped in", model="gpt-books", **{"source": "Your own", "text": TEXT, **query})

    return open_with


def numbers(app):
    return {metric.label: metric.value for metric in app.metric}


def test_an_address_chooses_layers_and_settings_and_the_losses_are_those_of_core(open_swapped):
    app = open_swapped(
        swap_layers=["1", "4"], swap_method="BigBird", swap_block="4", swap_blocks="1", swap_random="0", swap_global="1"
    )
    assert app.multiselect(key="swap_layers").value == ["1", "4"]
    exact, other = bits(), bits(BigBird(block=4, window=1, random=0, global_tokens=1), layers=(1, 4))
    metrics = numbers(app)
    assert metrics["Loss, exact"] == f"{exact:.3f} bits"
    assert metrics["Loss, swapped in"] == f"{other:.3f} bits"
    assert metrics["Rise"] == f"{other - exact:.3f} bits"
    assert "Clustered" not in app.selectbox(key="swap_method").options
    assert "shown the answer" in message_text(app, "caption")


def test_every_setting_is_measured_on_a_click_and_kept(open_swapped, monkeypatch):
    plan = work_curves.plan
    monkeypatch.setattr(work_curves, "plan", lambda reading: plan(reading)[:4])
    app = open_swapped(text="The old man looked at the sea and saw nothing. " * 20)
    assert "Of all settings" not in prose(app)
    app = check(app.button(key="swap-sweep").click().run())
    app = check(app.run())
    assert "Of all settings" in prose(app)
    assert not [button for button in app.button if button.key == "swap-sweep"]


def test_a_text_that_cannot_be_used_gets_a_sentence_and_two_tokens_are_enough(open_swapped):
    app = open_swapped(text="a")
    assert "needs at least 2 tokens" in message_text(app)
    app = check(app.text_area(key="text").set_value("   ").run())
    assert "There is no text here yet" in message_text(app)
    app = check(app.text_area(key="text").set_value("<b>").run())
    assert "Loss, exact" in numbers(app)
    assert "costs more than twice the exact kernel" in message_text(app, "caption")
    assert not [element for element in app.markdown if "<b>" in element.value]


def test_a_measurement_on_this_machine_takes_the_place_of_the_one_that_comes_along(visit, monkeypatch):
    compute.measured_here.forget()
    quick = tuple(Cost(name, n, 1e-6 * n, 3, 4 * n) for n in TOKENS for name in VARIANTS)
    monkeypatch.setattr(compute, "measure_attention", lambda progress: progress(1, 1) or quick)
    app = visit(PAGE, show="Cost")
    assert "Measured with" in message_text(app, "caption")
    next(button for button in app.button if button.label == "Measure on this machine").click().run()
    assert "Measured on this machine just now" in message_text(app, "caption")
    assert "medians of 3 passes" in message_text(app, "caption")
    quick = tuple(Cost(cost.name, cost.tokens, cost.seconds, 4, cost.bytes) for cost in quick)
    next(button for button in app.button if button.label == "Measure again").click().run()
    assert "medians of 4 passes" in message_text(app, "caption")
    compute.measured_here.forget()
