"""Many heads, "Added up": the vectors shown are the model's own, and what is said of them is true."""

import numpy as np
import pytest
import torch

from core import zoo
from core.capture import record_attention
from core.errors import CaptureError, InputError
from core.heads.contributions import HeadOutputs, largest_difference, output_shares
from core.images import Patches
from dashboard.inputs import example_texts
from dashboard.recordings import layer_outputs
from dashboard.recordings.watched import WatchedText, watch_text
from dashboard.theme import LIGHT, Look
from pages.foundations.many_heads import compute
from pages.foundations.many_heads.added_up import noticed
from pages.foundations.many_heads.compute import Sum, add_up
from pages.foundations.many_heads.figures import length_bars
from pages.foundations.many_heads.head_in_view import sequences_of, token_names
from tests.core import saved_models
from tests.pages.conftest import prose

TEXT = example_texts.examples("next-word")["Repetition"]


@pytest.fixture
def opened(visit):
    return lambda **address: visit("foundations/many_heads", **{"show": "Added up", "text": TEXT, **address})


@pytest.fixture(scope="module")
def example():
    return watch_text("gpt-books", TEXT)


@pytest.mark.parametrize("layer", range(6))
def test_on_the_example_every_layer_adds_up(example, layer):
    assert largest_difference(compute.head_outputs(example)[layer]).relative < 1e-5


def test_vectors_are_those_of_the_model_by_its_own_matrix(example):
    added = add_up(compute.head_outputs(example)[3], 7)
    matrix = example.model.network.blocks[3].attention.out.weight.T
    for head in range(6):
        mixed = example.record.calls[3].output(head)[7]
        np.testing.assert_allclose(added.heads[head], mixed, atol=1e-5)
        np.testing.assert_allclose(added.vectors[head], mixed @ matrix[48 * head : 48 * head + 48], atol=1e-5)
    np.testing.assert_allclose(added.total, added.returned, atol=1e-5)
    assert list(added.rows) == [*(f"head {head}" for head in range(6)), "bias", "sum"]


def test_a_link_holds_layer_and_token_and_the_sum_is_said_to_be_exact(opened, example):
    app = opened(layer="2", token="10")
    assert app.number_input(key="layer").value == 2
    assert app.slider(key="token").value == 10
    assert "What each head of layer 2 adds at “it”" in prose(app)
    difference = largest_difference(compute.head_outputs(example)[2]).largest
    assert f"over all 19 tokens and 288 channels the largest difference is **{difference:.0e}"[:-4] in prose(app)


def test_impossible_links_and_shorter_texts_fall_back(opened):
    assert "adds at “dogs”" in prose(opened(layer="-1", token="9999"))
    assert opened(text="one two", token="10").slider(key="token").value <= 3


def test_what_is_to_be_noticed_on_the_example_is_true(example):
    outputs = compute.head_outputs(example)[5]
    most, _, lengths = noticed(add_up(outputs, 18), output_shares(outputs).tolist(), "“dogs”")
    vectors = [(example.record.calls[5].output(head)[18] @ rows_of(example, 5, head)).numpy() for head in range(6)]
    norms = [np.linalg.norm(vector) for vector in vectors]
    assert most.startswith(
        f"**Head {int(np.argmax(norms))}** writes most at “dogs”: a vector of length {max(norms):.2f}, "
        f"{max(norms) / sum(norms):.0%} of all lengths together."
    )
    assert f"add up to {sum(norms):.2f}; the sum of their vectors is {np.linalg.norm(sum(vectors)):.2f} long" in lengths
    assert lengths.endswith("in different directions.")


def rows_of(watched, layer: int, head: int) -> torch.Tensor:
    return watched.model.network.blocks[layer].attention.out.weight.T[48 * head : 48 * head + 48]


def summed(vectors: list[list[float]], bias: list[float] | None = None) -> Sum:
    array = np.array(vectors, dtype=np.float32)
    added = np.array(bias or [0.0] * array.shape[1], dtype=np.float32)
    return Sum(array, array, added, array.sum(axis=0) + added)


@pytest.mark.parametrize(
    ("vectors", "phrase"),
    [
        (
            [[3, 0], [-2, 0], [0, 1]],
            "Heads 0 and 1** point most against each other (cosine −1.00): alone they are 3.00",
        ),
        ([[3, 0], [-2, 0], [0, 1]], "2.00 long, together 1.00"),
        (
            [[1, 0], [0, 1], [1, 1]],
            "No two heads pull against each other here: the smallest cosine between two of them",
        ),
        ([[1, 0], [-0.05, 1], [1, 1]], "No two heads cancel each other here: heads 0 and 1 come closest to it"),
        ([[1, 0], [0, 0], [2, 0]], "smallest cosine between two of them is 1.00"),  # the silent one has no direction
    ],
)
def test_heads_that_pull_against_each_other_are_named_and_only_those(vectors, phrase):
    assert phrase in noticed(summed(vectors), [1 / len(vectors)] * len(vectors), "“x”")[1]


@pytest.mark.parametrize(
    ("vectors", "bias", "phrase"),
    [
        ([[1, 0], [0, 1]], [9, 9], "add up to 2.00; the sum of their vectors is 1.41 long, with the bias 14.14: the"),
        ([[1, 0], [2, 0]], [0, 0], "add up to 3.00; the sum of their vectors is 3.00 long."),
        ([[1, 0], [2, 0]], [-3, 0], "add up to 3.00; the sum of their vectors is 3.00 long, with the bias 0.00."),
        ([[2, 0]], [0, 0], "add up to 2.00; the sum of their vectors is 2.00 long."),
    ],
)
def test_a_bias_is_not_taken_for_heads_that_point_different_ways(vectors, bias, phrase):
    assert phrase in noticed(summed(vectors, bias), [1 / len(vectors)] * len(vectors), "“x”")[-1]


@pytest.mark.parametrize(
    ("vectors", "usual", "phrase"),
    [
        ([[2, 0]], [1.0], "The only head of this layer writes a vector of length 2.00 at “x”."),
        ([[2, 0], [0, 2]], [0.5, 0.5], "**Heads 0 and 1** write most at “x”: 50% of all lengths together each. Over"),
        ([[2, 0], [0, 2]], [0.5, 0.5], "Over all tokens no head writes more than the others: 50% on average."),
        ([[3, 0], [0, 1]], [0.8, 0.2], "It does so over all tokens, too: 80% on average."),
        ([[3, 0], [0, 1]], [0.2, 0.8], "Over all tokens it is head 1 that does: 80% on average."),
        ([[3, 0], [0, 1]], [float("nan")] * 2, "75% of all lengths together."),
    ],
)
def test_who_writes_most_is_said_of_those_that_do(vectors, usual, phrase):
    first = noticed(summed(vectors), usual, "“x”")[0]
    assert phrase in first
    assert "nan" not in first


def test_heads_that_write_nothing_are_said_to():
    assert noticed(summed([[0, 0], [0, 0]]), [0.5, 0.5], "“x”") == ("No head writes anything at “x”.",)


def test_patches_are_named_by_row_and_column_and_the_class_token_comes_first():
    assert token_names(Patches(1, 2, ("class",))) == ("the class token", "row 0, column 0", "row 0, column 1")


def test_a_picture_has_its_class_token_in_view_first(opened):
    assert "adds at the class token" in prose(opened(input="Picture", picture="coffee"))


def test_without_prose_when_it_is_presented(opened):
    app = opened(present="1")
    assert "the largest difference is" not in prose(app)
    assert len(app.get("plotly_chart")) == 3


def test_a_layer_that_is_no_sum_over_heads_says_why(example):
    call = example.record.calls[0]
    nothing = HeadOutputs(call, None, reason="The values of 'x' could not be seen.")
    with pytest.raises(CaptureError, match="could not be seen"):
        add_up(nothing, 0)


def test_each_side_of_an_encoder_decoder_has_its_own_tokens(tmp_path):
    model = zoo.load_text(str(saved_models.save_text_model("t5", tmp_path)))
    tokens = model.encode("the cat sat")
    with record_attention(model.network) as record:
        run = model.run(tokens)
    watched = WatchedText(model, tokens, run, record, identity=tmp_path)
    layers = compute.head_outputs(watched)
    assert [one.call.path for one in layers] == [call.path for call in record.calls]
    for one in layers:
        assert largest_difference(one).relative < 1e-5
        side = "source" if one.call.path.startswith("encoder") else "target"
        assert sequences_of(watched, one.call)[0] == side


def test_a_text_that_is_too_long_is_refused_with_the_numbers(example, monkeypatch):
    monkeypatch.setattr(layer_outputs, "LONGEST", 12)
    compute.head_outputs.forget(example)
    with pytest.raises(InputError, match="at most 12 tokens, and this input has 19"):
        compute.head_outputs(example)


def test_a_vector_that_shortens_the_sum_has_the_colour_of_negative_values():
    figure = length_bars(["a", "<b>", "sum"], [1, 2, 3], [0.5, -0.5, 1], look=Look(LIGHT), height=200)
    (bars,) = figure.data
    assert bars.marker.color == (LIGHT.map, LIGHT.negative, LIGHT.ink)
    assert bars.text[1] == "2.00  (cos −0.50)"
    assert figure.layout.yaxis.ticktext == ("a", "&lt;b&gt;", "sum")
