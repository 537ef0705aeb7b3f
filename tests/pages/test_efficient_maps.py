"""Maps: the numbers are those of core, whatever the text, the method and the address."""

import pytest
import torch

from core import zoo
from core.capture import record_attention
from core.efficient import BigBird, SlidingWindow
from core.efficient.approximation_error import compare, head_of
from core.text import read_text
from pages.scale.efficient_attention.maps import percent
from tests.pages.conftest import check, message_text, prose

PAGE = "scale/efficient_attention"
TEXT = "The old man looked at the sea. " * 9


def measured(variant, layer, head, text=TEXT):
    model = zoo.load_text("gpt-books")
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(model.encode(read_text(text)))
    return compare(variant, head_of(record.calls[layer], head))


@pytest.fixture
def open_maps(visit):
    def open_with(**query):
        return visit(PAGE, show="Maps", model="gpt-books", **{"source": "Your own", "text": TEXT, **query})

    return open_with


def numbers(app):
    return {metric.label: metric.value for metric in app.metric}


def test_the_numbers_are_those_of_core(open_maps):
    app = open_maps(layer="5", head="2", maps_method="Sliding window", maps_window="16")
    comparison = measured(SlidingWindow(window=16), 5, 2)
    metrics = numbers(app)
    assert metrics["Error of the output"] == percent(comparison.output_error)
    assert metrics["On dropped links"] == percent(comparison.dropped)
    assert metrics["Attention moved"] == percent(comparison.moved)
    assert metrics["Work"] == f"{comparison.cost:.3g}×"
    link = comparison.links[0]
    assert f"{link.exact:.2f}" in prose(app)
    assert f"token {link.query:,}" in prose(app)


def test_an_address_opens_the_method_with_its_settings(open_maps):
    app = open_maps(
        layer="1", head="3", maps_method="BigBird", maps_block="8", maps_blocks="2", maps_random="2", maps_global="8"
    )
    comparison = measured(BigBird(block=8, window=2, random=2, global_tokens=8), 1, 3)
    assert numbers(app)["Error of the output"] == percent(comparison.output_error)


@pytest.mark.parametrize(("method", "text"), [("Linformer", TEXT), ("Low rank", "The sea"), ("Clustered", "The sea")])
def test_a_method_without_a_mask_has_its_map_its_curve_and_its_sentence(open_maps, method, text):
    app = open_maps(maps_method=method, text=text)
    assert f"*{method}* does " in prose(app)
    assert f"*{method}* leaves no pair out" in message_text(app, "caption")


def test_a_setting_that_moves_changes_the_numbers(open_maps):
    app = open_maps(maps_window="8")
    before = numbers(app)
    app = check(app.select_slider(key="maps_window").set_value(32).run())
    assert numbers(app)["Work"] != before["Work"]
    assert numbers(app)["On dropped links"] != before["On dropped links"]


def test_a_text_that_cannot_be_used_gets_a_sentence_and_the_page_stays(open_maps):
    app = open_maps(text="a")
    assert "A map needs at least 2 tokens; this text has 1." in message_text(app)
    app = check(app.text_area(key="text").set_value("   ").run())
    assert "There is no text here yet" in message_text(app)
    app = check(app.text_area(key="text").set_value("One two three four five.").run())
    assert "Error of the output" in numbers(app)


def test_markup_is_shown_as_text_and_a_text_beyond_the_context_is_cut_and_said_so(open_maps):
    app = open_maps(text="<script>alert(1)</script> **bold** $x$ " * 60, maps_window="2")
    assert "it reads the first 256 of" in message_text(app)
    assert not [element for element in app.markdown if "<script>" in element.value]


def test_a_setting_that_nobody_chose_follows_the_text_and_a_chosen_one_stays(open_maps):
    app = open_maps(maps_method="Sliding window", text="One, two, three, four.")
    short = app.select_slider(key="maps_window").value
    app.text_area(key="text").set_value(TEXT).run()
    assert app.select_slider(key="maps_window").value > short
    app.select_slider(key="maps_window").set_value(2).run()
    app.text_area(key="text").set_value(TEXT + TEXT).run()
    assert app.select_slider(key="maps_window").value == 2
    app.text_area(key="text").set_value("One").run()
    app.text_area(key="text").set_value("One two").run()
    assert app.select_slider(key="maps_window").value <= 2  # the nearest that a shorter text has
