import base64

import numpy as np
import pytest
import torch

from core.attention.worked_examples import CLASSIC, EXAMPLES, SENTENCE
from dashboard.components.step_view import scene
from dashboard.components.step_view.mathml import mathml
from pages.foundations.attention_step_by_step import matrices


def scene_of(example, **options):
    steps, other = example.steps(**options), example.steps(**options, scale=False)
    return scene(steps, other, head=example.heads - 1, query=0, tokens=example.tokens, channels=example.channels)


def numbers(matrix):
    values = np.frombuffer(base64.b64decode(matrix["values"]), "<f4")
    return values.reshape(matrix["rows"], matrix["columns"])


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_the_scene_holds_exactly_the_numbers_of_the_chosen_head(example):
    sent = scene_of(example, causal=True)
    for step in example.steps(causal=True):
        for operation in step.operations:
            [stop] = (stop for stop in sent["stops"] if stop["formula"] == mathml(operation.formula))
            made = operation.output.of_head(example.heads - 1).numpy()
            np.testing.assert_array_equal(numbers(sent["matrices"][stop["output"]]), made)


def test_rows_are_named_by_tokens_and_channels_only_where_they_mean_something():
    sent = scene_of(SENTENCE)["matrices"]
    assert sent["X"]["rowLabels"] == ("the", "cat", "sleeps")
    assert sent["X"]["columnLabels"] == sent["W_Q"]["rowLabels"] == ("article", "noun", "verb", "place")
    assert sent["Kᵀ"]["columnLabels"] == ("the", "cat", "sleeps")
    assert sent["Q"]["columnLabels"] is sent["W_O"]["rowLabels"] is None


def test_the_comparison_has_the_weights_with_and_without_the_scale():
    sent = scene_of(CLASSIC)
    scaled, other = sent["comparison"]
    assert (scaled["isScaled"], other["isScaled"]) == (True, False)
    assert numbers(sent["matrices"][scaled["name"]])[0, 0] == pytest.approx(0.8808, abs=1e-4)
    assert numbers(sent["matrices"][other["name"]])[0, 0] == pytest.approx(1, abs=1e-6)


def test_every_formula_of_the_steps_becomes_mathml():
    for example in EXAMPLES.values():
        for step in example.steps(temperature=0.5):
            assert mathml(step.formula)[0] == "mrow"


def test_a_fraction_with_a_root_and_a_prime_keeps_its_structure():
    assert mathml(r"S' = \frac{S}{\sqrt{64}}") == [
        "mrow",
        ["msup", ["mi", "S"], ["mo", "′"]],
        ["mo", "="],
        ["mfrac", ["mrow", ["mi", "S"]], ["mrow", ["msqrt", ["mrow", ["mn", "64"]]]]],
    ]


@pytest.mark.parametrize(
    ("latex", "reason"), [(r"\mystery", "not among those"), ("{Q", "never closed"), ("Q}", "never opened")]
)
def test_latex_that_is_not_understood_is_refused(latex, reason):
    with pytest.raises(ValueError, match=reason):
        mathml(latex)


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_a_matrix_survives_the_address(example):
    for matrix in example.matrices.values():
        assert torch.equal(matrices.decode(matrices.encode(matrix), matrix.shape), matrix)


def test_numbers_that_repeat_are_written_once():
    assert matrices.encode(torch.tensor([[1.0, 1, 1, 0.5], [-2, 0, 0, 0]])) == "1x3,0.5;-2,0x3"
