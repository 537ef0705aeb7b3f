import pytest
import torch
import torch.nn.functional as F
from torch import nn

from core.attention.equations import terms
from core.attention.steps import STEPS, Projection, Projections, steps_from_heads, steps_from_tokens
from core.attention.worked_examples import CLASSIC, EXAMPLES, SENTENCE

CAUSAL = torch.ones(5, 5, dtype=torch.bool).tril()
OPTIONS = {
    "plain": ({}, {}),
    "causal": ({"causal": True}, {"is_causal": True}),
    "mask of booleans": ({"mask": CAUSAL[None]}, {"attn_mask": CAUSAL}),
    "mask of numbers": ({"mask": torch.full((1, 5, 5), -2.0).tril()}, {"attn_mask": torch.full((5, 5), -2.0).tril()}),
    "scale off": ({"scale": False}, {"scale": 1.0}),
    "temperature": ({"temperature": 0.5, "causal": True}, {"scale": 2 / 4**0.5, "is_causal": True}),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_mixed_values_equal_the_fused_kernel_of_torch(name):
    ours, fused = OPTIONS[name]
    query, key, value = random(3, 2, 5, 4)
    mixed = array(steps_from_heads(query, key, value, **ours), "mix")
    reference = F.scaled_dot_product_attention(query, key, value, **fused)
    torch.testing.assert_close(mixed, reference, rtol=0, atol=1e-6)


def test_queries_may_be_fewer_than_keys_as_in_cross_attention():
    query, (key, value) = random(2, 3, 4), random(2, 2, 7, 4)
    mixed = array(steps_from_heads(query, key, value), "mix")
    torch.testing.assert_close(mixed, F.scaled_dot_product_attention(query, key, value), rtol=0, atol=1e-6)


@pytest.mark.parametrize("bias", [True, False])
def test_all_steps_together_equal_multi_head_attention_of_torch(bias):
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(8, 2, bias=bias, batch_first=True)
    x = random(5, 8)
    maps = [Projection(w.T, b) for w, b in zip(layer.in_proj_weight.chunk(3), biases_of(layer), strict=True)]
    output = Projection(layer.out_proj.weight.T, layer.out_proj.bias)
    steps = steps_from_tokens(x, Projections(*maps, output=output), heads=2)
    result, weights = layer(x[None], x[None], x[None], average_attn_weights=False)
    torch.testing.assert_close(array(steps, "project out"), result[0], rtol=0, atol=1e-6)
    torch.testing.assert_close(array(steps, "normalise"), weights[0], rtol=0, atol=1e-6)


def test_the_classic_example_gives_112_and_96_then_14_and_12_then_88_and_12_percent():
    steps = CLASSIC.steps()
    assert array(steps, "score")[0, 0].tolist() == [112, 96]
    assert array(steps, "scale")[0, 0].tolist() == [14, 12]
    assert [round(weight, 2) for weight in array(steps, "normalise")[0, 0].tolist()] == [0.88, 0.12]


def test_in_the_three_token_example_the_verb_finds_the_noun():
    weights = array(SENTENCE.steps(), "normalise")
    assert weights[0, 2].argmax() == SENTENCE.tokens.index("cat")
    torch.testing.assert_close(weights[1, 2], torch.full((3,), 1 / 3))  # head 1 cannot decide


def test_steps_have_their_names_in_order_and_begin_where_the_example_begins():
    assert tuple(step.name for step in SENTENCE.steps()) == STEPS
    assert tuple(step.name for step in CLASSIC.steps()) == STEPS[1:-1]


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("options", [{}, {"causal": True, "temperature": 0.3}, {"scale": False}])
def test_every_cell_of_every_step_is_the_sum_of_its_terms(example, options):
    for step in example.steps(**options):
        for operation in step.operations:
            for head in range(example.heads):
                cells = operation.output.of_head(head)
                for row in range(min(3, cells.shape[0])):
                    for column in range(min(5, cells.shape[1])):
                        again = terms(operation, row, column, head=head).value
                        assert again == pytest.approx(float(cells[row, column]), abs=1e-5), (step.name, row, column)


def test_terms_name_the_places_that_their_numbers_come_from():
    score = SENTENCE.steps()[1].operations[0]
    made = terms(score, row=2, column=1)
    assert [term.factors for term in made.terms] == [
        (("Q[2,0]", 2.0), (r"K^{\top}[0,1]", 2.0)),
        (("Q[2,1]", 1.0), (r"K^{\top}[1,1]", 1.0)),
    ]
    assert made.value == 5


def test_terms_of_a_row_of_minus_infinity_before_a_softmax_are_zero():
    normalise = SENTENCE.steps(causal=True)[4].operations[0]
    assert [term.value for term in terms(normalise, row=0, column=0).terms] == [1, 0, 0]


def test_formulas_carry_the_current_shapes_and_numbers():
    formulas = {step.name: step.formula for step in SENTENCE.steps(temperature=0.5)}
    assert r"\underset{3\times 4}{X} \; \underset{4\times 2}{W_Q}" in formulas["project"]
    assert r"\frac{S}{\sqrt{2} \cdot 0.5}" in formulas["scale"]
    assert r"\underset{3\times 4}{Y}" in formulas["project out"]


def test_a_query_that_may_look_nowhere_has_no_weights_instead_of_zeros():
    query, key, value = random(3, 1, 2, 4)
    mask = torch.tensor([[[True, True], [False, False]]])
    weights = array(steps_from_heads(query, key, value, mask=mask), "normalise")
    assert weights[0, 0].isfinite().all()
    assert weights[0, 1].isnan().all()


def test_a_temperature_of_zero_is_refused_with_the_rule():
    query, key, value = random(3, 1, 2, 4)
    with pytest.raises(ValueError, match="must be above 0, not 0"):
        steps_from_heads(query, key, value, temperature=0.0)


def test_heads_that_cannot_share_the_channels_are_refused_with_the_numbers():
    projection = Projection(random(4, 4))
    with pytest.raises(ValueError, match="3 heads cannot share 4 channels equally"):
        steps_from_tokens(random(2, 4), Projections(projection, projection, projection), heads=3)


def random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def array(steps, name):
    """The one array that the step of this name makes."""
    return next(step for step in steps if step.name == name).operations[0].output.values


def biases_of(layer):
    return layer.in_proj_bias.chunk(3) if layer.in_proj_bias is not None else (None,) * 3
