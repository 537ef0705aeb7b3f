"""Attention step by step, Geometry: a query turns, and what is said is what numpy computes of the drawn vectors."""

import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.attention.worked_examples import CLASSIC, SENTENCE
from core.models.gpt import GPT, GPTConfig
from core.text import Tokens
from dashboard import contents
from pages.foundations.attention_step_by_step import geometry, inputs
from pages.foundations.attention_step_by_step.notices_geometry import notices
from pages.foundations.attention_step_by_step.turning import MOST_PLANE, QUERY_PLANE, Head, head_of, turn
from tests.pages.conftest import prose


def random_head(channels, tokens=5, query=3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    queries, keys, values = (torch.randn(tokens, channels, generator=generator) for _ in range(3))
    return Head(queries, keys, values, torch.arange(tokens) <= query, query)


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@pytest.mark.parametrize(("example", "head"), [(SENTENCE, 0), (SENTENCE, 1), (CLASSIC, 0)])
@pytest.mark.parametrize("plane", [QUERY_PLANE, MOST_PLANE])
def test_without_a_turn_the_weights_are_those_of_the_eight_steps(example, head, plane):
    for causal in (False, True):
        steps = example.steps(causal=causal, temperature=0.7)
        weights = next(step for step in steps if step.name == "normalise").arrays["A"][head]
        for query in range(len(example.tokens)):
            result = turn(head_of(steps, head, query), 0.0, plane=plane, scale=True, temperature=0.7)
            torch.testing.assert_close(result.weights, weights[query])
            torch.testing.assert_close(result.weights_before, weights[query])
            assert result.is_exact == (example is SENTENCE)


@settings(max_examples=15)
@given(st.integers(0, 50), st.sampled_from([2, 3, 8]), st.integers(-36, 36))
@pytest.mark.parametrize("plane", [QUERY_PLANE, MOST_PLANE])
def test_a_turned_query_attends_as_numpy_computes(plane, seed, channels, step):
    head, degrees = random_head(channels, seed=seed), 5.0 * step
    result = turn(head, degrees, plane=plane, scale=True, temperature=1.0)
    query, keys, axes = head.vector.numpy(), head.keys.numpy(), result.axes.numpy()
    angle = math.radians(degrees)
    rotation = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    vector = query + axes @ ((rotation - np.eye(2)) @ (axes.T @ query))
    np.testing.assert_allclose(result.vector, vector, atol=1e-5)
    np.testing.assert_allclose(result.products, keys @ vector, atol=1e-4)
    np.testing.assert_allclose(result.weights[:4], softmax(keys[:4] @ vector / math.sqrt(channels)), atol=1e-5)
    assert not float(result.weights[4])  # masked
    drawn = (keys @ axes) @ (axes.T @ vector)
    np.testing.assert_allclose(result.products_in_plane, drawn, atol=1e-4)
    if plane == QUERY_PLANE or channels == 2:
        np.testing.assert_allclose(drawn, keys @ vector, atol=1e-4)
    says(result, plane)


def says(result, plane):
    """The sentences about a turn, each claim beside its numbers."""
    names = "abcde"
    choice, hidden, *length = notices(result, names, plane)
    weights, products = result.weights.numpy(), result.products.numpy()
    if "to the key of" in choice:
        assert f"**{weights.max():.0%}** to the key of “{names[int(weights.argmax())]}”" in choice
    keys, axes = result.head.keys.numpy(), result.axes.numpy()
    if keys.shape[1] == 2:
        assert "the plane is exact" in hidden
    else:
        share = ((keys @ axes) ** 2).sum() / (keys**2).sum()
        assert f"keeps **{share:.0%}** of the squared length of the keys" in hidden
        error = np.abs((keys @ axes) @ (axes.T @ result.vector.numpy()) - products)[result.head.allowed.numpy()].max()
        differs = re.search(r"up to ([\d.]+)", hidden)
        assert bool(differs) == (error >= 0.005)
        if differs:
            assert float(differs[1]) == pytest.approx(error, abs=6e-3)
    lengths = np.linalg.norm(keys, axis=1)
    cosines = products[:4] / lengths[:4]
    if length and "smallest angle" in length[0]:
        assert f"“{names[int(products[:4].argmax())]}”" in length[0]
        assert cosines[int(products[:4].argmax())] >= cosines.max() - 0.01 * np.linalg.norm(result.vector)
    elif length:
        assert f"the key of “{names[int(cosines.argmax())]}” is nearest" in length[0]
        assert f"that of “{names[int(products[:4].argmax())]}”" in length[0]
        assert cosines.argmax() != products[:4].argmax()


def test_one_key_a_query_of_zero_and_equal_keys_are_said():
    def first(head):
        result = turn(head, 40.0, plane=QUERY_PLANE, scale=True, temperature=1.0)
        return notices(result, "abcde", QUERY_PLANE)[0]

    assert "only one token" in first(random_head(6, query=0))
    zero = random_head(6)
    zero.queries[3] = 0
    assert "points nowhere" in first(zero)
    equal = random_head(6)
    equal.keys[:] = 1.0
    assert "about **25%**" in first(equal)
    empty = random_head(6)
    empty.keys[:] = 0.0
    assert all(
        "nan" not in text
        for text in notices(turn(empty, 40.0, plane=MOST_PLANE, scale=True, temperature=1.0), "abcde", MOST_PLANE)
    )


@pytest.fixture
def small_model(monkeypatch):
    torch.manual_seed(0)
    network = GPT(GPTConfig(vocabulary=300, context=64, width=24, layers=3, heads=4)).eval()

    def encode(text):
        parts = text.split(" ")
        ids = tuple(sum(map(ord, word)) % 300 for word in parts)
        return Tokens(ids, tuple(parts), (False,) * len(parts), tuple(range(len(parts))))

    monkeypatch.setattr(inputs, "text_model", lambda name: SimpleNamespace(name=name, network=network, encode=encode))


def test_the_worked_example_is_exact_and_a_turn_changes_the_strongest_key(visit):
    app = visit(contents.STEPS.folder, show=geometry.SECTION.name)
    assert "gives **90%** to the key of “cat”" in prose(app)
    assert "the plane is exact" in prose(app)
    assert not any(box.label == "Plane of" for box in app.selectbox)
    app.slider(key="query_turn").set_value(180).run()
    assert not app.exception
    assert "Turned by +180°" in prose(app)
    assert "before the turn most went to “cat”" in prose(app)
    assert drawn(app)["degrees"] == 180


def drawn(app):
    """What the figure was sent."""
    parts = [part.proto for part in app.get("bidi_component") if part.proto.component_name.endswith("query_plane")]
    assert len(parts) == 1
    return json.loads(parts[0].json)


def test_the_figure_gets_the_vectors_and_the_divisor_of_the_head(visit):
    app = visit(contents.STEPS.folder, show=geometry.SECTION.name, temperature="0.5")
    sent = drawn(app)
    steps = SENTENCE.steps(temperature=0.5)
    head = head_of(steps, 0, 2)
    np.testing.assert_allclose(sent["keys"], head.keys, atol=1e-6)
    np.testing.assert_allclose(sent["query"], head.vector, atol=1e-6)
    np.testing.assert_allclose(sent["fixed"], 0, atol=1e-6)
    scores = np.array(sent["keys"]) @ sent["query"] / sent["divisor"]
    weights = next(step for step in steps if step.name == "normalise").arrays["A"][0, 2]
    np.testing.assert_allclose(softmax(scores), weights, atol=1e-6)
    without = drawn(visit(contents.STEPS.folder, show=geometry.SECTION.name, scaled="false"))
    assert without["divisor"] == 1.0


@pytest.mark.usefixtures("small_model")
@pytest.mark.parametrize("plane", [QUERY_PLANE, MOST_PLANE])
def test_a_sentence_is_drawn_in_either_plane_and_longer_ones_list_the_largest_weights(visit, plane):
    address = {"begin": contents.OWN_SENTENCE, "text": " ".join("abcdefghijklmnopq"), "query_plane": plane}
    app = visit(contents.STEPS.folder, show=geometry.SECTION.name, **address)
    assert "The plane is two of 6 dimensions" in prose(app)
    assert "Bars of the 12 keys with the largest weights, of 17" in " ".join(caption.value for caption in app.caption)
    assert not app.warning


@pytest.mark.usefixtures("small_model")
def test_one_token_has_nothing_to_choose(visit):
    app = visit(contents.STEPS.folder, show=geometry.SECTION.name, begin=contents.OWN_SENTENCE, text="<b>*one*</b>")
    assert "only one token" in prose(app)
    assert "<b>*one*</b>" in prose(app)


def test_geometry_reads_the_numbers_that_were_changed(visit):
    app = visit(contents.STEPS.folder, show=geometry.SECTION.name, X="0x4;0x4;0x4")
    assert "points nowhere" in prose(app)
