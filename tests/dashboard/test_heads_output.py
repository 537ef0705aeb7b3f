"""Many heads, "Added up": the vectors shown are the model's own, and what is said of them is true."""

import json

import numpy as np
import pytest
import torch
from pages.foundations.many_heads.figures_contributions import length_bars
from pages.foundations.many_heads.sums import Sum, add_up, noticed
from streamlit.testing.v1 import AppTest

from core import zoo
from core.capture import record_attention
from core.errors import CaptureError, InputError
from core.heads.contributions import HeadOutputs, largest_difference, watch_outputs
from core.images import open_example
from dashboard import examples
from dashboard.theme import LIGHT, Look
from dashboard.watched import WatchedImage, WatchedText, watch_text
from pages.foundations.many_heads import compute_contributions as runs_contributions
from pages.foundations.many_heads import output
from tests.core import saved_models

SECTION = """
from dashboard import layout
from pages.foundations.many_heads import compute_contributions as runs_contributions
from dashboard.watched import WatchedImage
from dashboard.watched import WatchedText
from dashboard.watched import watch_text
from pages.foundations.many_heads import output
from pages.foundations.many_heads.given import Given
with layout.sentences():
    output.show(Given({watched}, "", ""))
"""
TEXT = 'watch_text("gpt-books", {text!r})'
PICTURE = 'watch_image("vit-tiny-imagenet", "coffee", 96)'


def visit(watched: str, **address: str) -> AppTest:
    app = AppTest.from_string(SECTION.format(watched=watched), default_timeout=60)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception, [error.value for error in app.exception]
    return app


def of_text(text: str = examples.SENTENCE, **address: str) -> AppTest:
    return visit(TEXT.format(text=text), **address)


def prose(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.subheader))


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec)["data"][0] for chart in app.get("plotly_chart")]


@pytest.fixture(scope="module")
def example():
    return watch_text("gpt-books", examples.SENTENCE)


@pytest.mark.parametrize("layer", range(6))
def test_on_the_example_every_layer_adds_up(example, layer):
    assert largest_difference(runs_contributions.head_outputs(example)[layer]).relative < 1e-5


def test_vectors_are_those_of_the_model_by_its_own_matrix(example):
    added = add_up(runs_contributions.head_outputs(example)[3], 7)
    matrix = example.model.network.blocks[3].attention.out.weight.T
    for head in range(6):
        mixed = example.record.calls[3].output(head)[7]
        np.testing.assert_allclose(added.heads[head], mixed, atol=1e-5)
        np.testing.assert_allclose(added.vectors[head], mixed @ matrix[48 * head : 48 * head + 48], atol=1e-5)
    np.testing.assert_allclose(added.total, added.returned, atol=1e-5)
    assert list(added.rows) == [*(f"head {head}" for head in range(6)), "bias", "sum"]


def test_a_link_holds_layer_and_token():
    app = of_text(layer="2", token="10")
    assert app.number_input(key="layer").value == 2
    assert app.slider(key="token").value == 10
    assert "What each head of layer 2 adds at “it”" in prose(app)


@pytest.mark.parametrize("address", [{"layer": "99"}, {"token": "9999"}, {"layer": "-1", "token": "x"}])
def test_impossible_links_fall_back(address):
    assert "at “dogs”" in prose(of_text(**address))


def test_a_shorter_text_keeps_the_page_alive():
    app = of_text("one two", token="10")
    assert app.slider(key="token").value <= len(watch_text("gpt-books", "one two").given) - 1


def test_the_bars_are_as_long_as_the_vectors(example):
    added = add_up(runs_contributions.head_outputs(example)[2], 10)
    bars = next(figure for figure in figures(of_text(layer="2", token="10")) if figure["type"] == "bar")
    assert len(bars["text"]) == 8
    expected = [*np.linalg.norm(added.vectors, axis=1), np.linalg.norm(added.bias), np.linalg.norm(added.total)]
    shown = [float(words.split()[0]) for words in bars["text"]]
    np.testing.assert_allclose(shown, expected, atol=0.0051)


def test_that_the_sum_is_exact_is_said_with_its_number(example):
    found = largest_difference(runs_contributions.head_outputs(example)[2])
    said = prose(of_text(layer="2", token="10"))
    assert f"the largest difference is **{output.tiny(found.largest)}**" in said
    assert "over all 19 tokens and 288 channels" in said


def test_what_is_to_be_noticed_on_the_example_is_true(example):
    outputs = runs_contributions.head_outputs(example)[5]
    added = add_up(outputs, 18)
    most, _, lengths = noticed(added, outputs, "“dogs”")
    norms = [np.linalg.norm(example.record.calls[5].output(head)[18] @ rows_of(example, 5, head)) for head in range(6)]
    assert most.startswith(
        f"**Head {int(np.argmax(norms))}** writes most at “dogs”: a vector of length {max(norms):.2f}, "
        f"{max(norms) / sum(norms):.0%} of all lengths together."
    )
    assert f"add up to {sum(norms):.2f}" in lengths
    assert lengths.endswith("different directions.")


def rows_of(watched, layer: int, head: int) -> torch.Tensor:
    return watched.model.network.blocks[layer].attention.out.weight.T[48 * head : 48 * head + 48]


def summed(vectors: list[list[float]], bias: list[float] | None = None) -> Sum:
    array = np.array(vectors, dtype=np.float32)
    added = np.array(bias or [0.0] * array.shape[1], dtype=np.float32)
    return Sum(array, array, added, array.sum(axis=0) + added)


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([[3, 0], [-2, 0], [0, 1]], "**Heads 0 and 1** cancel each other most (cosine −1.00): alone they are 3.00 and"),
        ([[3, 0], [-2, 0], [0, 1]], "2.00 long, together 1.00"),
        (
            [[1, 0], [0, 1], [1, 1]],
            "No two heads pull against each other here: the smallest cosine between two of them",
        ),
        ([[1, 0], [-0.05, 1], [1, 1]], "No two heads cancel each other here: heads 0 and 1 come closest to it"),
        ([[1, 0], [0, 0]], "No two heads pull against each other"),  # a silent head has no direction
    ],
)
def test_heads_that_cancel_are_named_and_only_those(example, vectors, said):
    outputs = runs_contributions.head_outputs(example)[0]
    assert said in noticed(summed(vectors), outputs, "“x”")[1]


def test_a_bias_that_makes_the_sum_longer_is_not_called_a_cancellation(example):
    outputs = runs_contributions.head_outputs(example)[0]
    assert noticed(summed([[1, 0], [0, 1]], [9, 9]), outputs, "“x”")[2].endswith("here the bias counts.")


def test_patches_are_named_by_row_and_column_and_the_class_token_comes_first():
    assert "adds at class" in prose(visit(PICTURE))
    assert "adds at row 1, column 2" in prose(visit(PICTURE, token="15"))  # class, a row of 12, then two more


@pytest.mark.parametrize("text", ["<b>x</b> **y** $z$", "😀", "مرحبا بالعالم", "word " * 400])
def test_odd_texts_are_shown_as_they_are(text):
    app = of_text(text, token="0")
    assert "<b>" not in prose(app).replace(r"\<b\>", "")


def test_without_prose_when_it_is_presented():
    app = of_text(present="1")
    assert "the largest difference is" not in prose(app)
    assert len(figures(app)) == 3


def test_a_layer_that_is_no_sum_over_heads_says_why(example):
    call = example.record.calls[0]
    nothing = HeadOutputs(call, None, reason="The values of 'x' could not be seen.")
    with pytest.raises(CaptureError, match="could not be seen"):
        add_up(nothing, 0)


def test_each_side_of_an_encoder_decoder_has_its_own_tokens(tmp_path):
    model = zoo.load_text(str(saved_models.save_text_model("t5", tmp_path)), allow_folders=True)
    tokens = model.encode("the cat sat")
    with record_attention(model.network) as record:
        run = model.run(tokens)
    watched = WatchedText(model, tokens, run, record)
    layers = runs_contributions.head_outputs(watched)
    assert [one.call.path for one in layers] == [call.path for call in record.calls]
    for one in layers:
        assert largest_difference(one).relative < 1e-5
        side = "source" if one.call.path.startswith("encoder") else "target"
        assert len(output.token_labels(watched, one)) == len(run.sequences[side])


def test_windows_have_no_tokens_of_their_own(tmp_path):
    model = zoo.load_image(str(saved_models.save_timm_model("swin", tmp_path)), allow_folders=True)
    prepared = model.prepare(open_example("coffee"))
    with record_attention(model.network) as record:
        run = model.run(prepared)
    windows = watch_outputs(model.network, lambda network: network(prepared.pixels))[0]
    assert output.token_labels(WatchedImage(model, prepared, run, record), windows) == ()


def test_a_text_that_is_too_long_is_refused_with_the_numbers(example, monkeypatch):
    monkeypatch.setattr("pages.foundations.many_heads.compute_contributions.LONGEST", 12)
    with pytest.raises(InputError, match="at most 12 tokens, and this input has 19"):
        runs_contributions.head_outputs(example)


@pytest.mark.parametrize(
    ("value", "written"), [(0.0, "0"), (4.4e-7, "4 × 10⁻⁷"), (-1.2e-12, "−1 × 10⁻¹²"), (0.02, "2 × 10⁻²")]
)
def test_rounding_errors_are_written_as_people_do(value, written):
    assert output.tiny(value) == written


def test_a_vector_that_shortens_the_sum_has_the_colour_of_negative_values():
    figure = length_bars(["a", "<b>", "sum"], [1, 2, 3], [0.5, -0.5, 1], look=Look(LIGHT), height=200)
    (bars,) = figure.data
    assert bars.marker.color == (LIGHT.map, LIGHT.negative, LIGHT.ink)
    assert bars.text[1] == "2.00  (cos −0.50)"
    assert figure.layout.yaxis.ticktext == ("a", "&lt;b&gt;", "sum")
