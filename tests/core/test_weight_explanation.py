"""Why a weight is what it is: each step against torch's own operations, and a reason where a step is not known."""

import math

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from core.capture import edit_attention, record_attention
from core.errors import CaptureError
from core.heads.contributions import contributions, watch_outputs
from core.heads.weight_explanation import NO_OUTPUT, NO_PRODUCT, explain_weight, written_by
from tests.core import tiny_models

MODELS = {  # causal; bidirectional; rotary with shared keys; a bias for positions instead of a scale; a picture
    "gpt": lambda: (tiny_models.tiny_gpt(), {"tokens": tiny_models.tokens()}),
    **{
        name: lambda name=name: (tiny_models.tiny_transformers(name), tiny_models.inputs_of(name))
        for name in ("gpt2", "bert", "llama", "opt", "t5", "bart")
    },
    **{
        name: lambda name=name: (tiny_models.tiny_timm(name), {"x": tiny_models.picture(side=16)})
        for name in ("vit", "eva02", "dinov3")
    },
}


def run(network, inputs):
    return network(inputs["tokens"]) if "tokens" in inputs else network(**inputs)


def recorded(name):
    """The calls of a tiny model, and the arguments and results of the fused kernel in the same run, seen by a patch."""
    network, inputs = MODELS[name]()
    kernel_calls = []

    class Watch(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            if func is scaled_dot_product_attention:
                kernel_calls.append((args, dict(kwargs or {}), result))
            return result

    with torch.inference_mode(), record_attention(network) as record:
        run(network, inputs)
    with torch.inference_mode(), Watch():
        run(network, inputs)
    assert len(kernel_calls) == len(record.calls)
    return network, inputs, record.calls, kernel_calls


@pytest.mark.parametrize("name", MODELS)
def test_each_step_of_each_weight_of_a_model_follows_from_the_one_before(name):
    _, _, calls, kernel_calls = recorded(name)
    for call, (args, options, result) in zip(calls, kernel_calls, strict=True):
        query, key, value = (*args, *(options[part] for part in ("query", "key", "value") if part in options))[:3]
        shared = call.heads // key.shape[1]
        for head, row in ((0, call.query_length - 1), (call.heads - 1, call.query_length // 2)):
            for column in (0, row % call.key_length):
                explanation = explain_weight(call, head, row, column)
                scores, values = explanation.scores, explanation.values
                assert not explanation.missing
                torch.testing.assert_close(scores.query.float(), query[0, head, row])
                torch.testing.assert_close(scores.key.float(), key[0, head // shared, column])
                assert scores.dot == pytest.approx(
                    float(query[0, head, row] @ key[0, head // shared, column]), abs=1e-5
                )
                assert scores.dot * scores.scale == pytest.approx(float(scores.scaled[column]), abs=1e-9)
                assert scores.masked.softmax(-1).sum() == pytest.approx(1)
                assert explanation.weight == pytest.approx(
                    math.exp(scores.score - scores.log_normaliser), rel=1e-4, abs=1e-6
                )
                assert explanation.weights.sum() == pytest.approx(1, abs=1e-5)
                torch.testing.assert_close(values.output.float(), result[0, head, row], atol=1e-5, rtol=1e-4)
                torch.testing.assert_close(values.lengths.float(), value[0, head // shared].norm(dim=-1))
                assert values.shares.sum() == pytest.approx(1)


def test_the_largest_products_are_the_farthest_from_zero_and_the_rest_completes_the_sum():
    _, _, calls, _ = recorded("gpt2")
    scores = explain_weight(calls[0], 1, 4, 2).scores
    first = scores.largest(3)
    others = scores.products.clone()
    others[first] = 0
    assert scores.products[first].abs().min() >= others.abs().max()
    assert float(scores.products[first].sum() + others.sum()) == pytest.approx(scores.dot)
    assert len(scores.largest(1000)) == len(scores.products)


def test_a_key_that_the_mask_forbids_has_no_score_and_no_weight():
    _, _, calls, _ = recorded("gpt")
    explanation = explain_weight(calls[0], 0, 1, 3)
    assert explanation.scores.score == -math.inf
    assert explanation.weight == 0
    assert math.isfinite(explanation.scores.dot)


@pytest.mark.parametrize("name", ["gpt2", "bert", "llama", "vit"])
def test_what_a_head_writes_is_the_sum_of_what_comes_from_its_keys(name):
    network, inputs, _, _ = recorded(name)
    outputs = watch_outputs(network, lambda double: run(double, inputs))[1]
    call, row = outputs.call, outputs.call.query_length - 1
    vectors = contributions(outputs, queries=[row])[:, 0]
    cells = [written_by(explain_weight(call, 1, row, column), outputs) for column in range(call.key_length)]
    torch.testing.assert_close(cells[0].heads, vectors.norm(dim=-1))
    assert sum(cells[0].share(head) for head in range(call.heads)) == pytest.approx(1)
    matrix = outputs.output_map.weight.unflatten(0, (call.heads, -1))[1]
    for column, cell in enumerate(cells):
        part = call.weights(1)[row, column] * call.value[0, 1, column] @ matrix
        assert cell.cell == pytest.approx(float(part.norm()), abs=1e-6)


def test_weights_that_an_edit_has_changed_are_not_explained_by_query_and_key():
    network, inputs = MODELS["gpt2"]()
    with torch.inference_mode(), record_attention(network) as plain:
        run(network, inputs)
    path = plain.calls[1].path
    for edit in ("silence", "uniform"):
        with torch.inference_mode(), edit_attention(network, {(path, 1): edit}), record_attention(network) as record:
            run(network, inputs)
        changed, other = (explain_weight(record[path], head, 5, 0) for head in (1, 0))
        assert changed.scores is None
        assert "something else changed them" in changed.missing[0]
        assert other.scores is not None
    with torch.inference_mode(), edit_attention(network, {(path, 1): "silence"}), record_attention(network) as record:
        run(network, inputs)
    silenced = explain_weight(record[path], 1, 5, 0)
    assert NO_OUTPUT in silenced.missing
    assert silenced.values.shares.isnan().all()


def test_attention_that_is_written_out_has_weights_and_values_and_a_reason_for_the_rest():
    class Written(nn.Module):
        def __init__(self):
            super().__init__()
            self.map = nn.Linear(8, 24)

        def forward(self, x):
            query, key, value = self.map(x).chunk(3, -1)
            return (query @ key.mT / 8**0.5).softmax(-1) @ value

    torch.manual_seed(0)
    network, x = Written(), torch.randn(1, 5, 8)
    with torch.inference_mode(), record_attention(network) as record:
        output = network(x)
    explanation = explain_weight(record.calls[0], 0, 3, 2)
    assert explanation.missing == (NO_PRODUCT,)
    assert explanation.scores is None
    torch.testing.assert_close(explanation.values.output.float(), output[0, 3])


def test_a_row_whose_mask_allows_no_key_has_nothing_to_explain():
    class Blind(nn.Module):
        def __init__(self):
            super().__init__()
            self.map = nn.Linear(8, 8)

        def forward(self, x):
            x = self.map(x)
            mask = torch.ones(4, 4, dtype=torch.bool).tril(-1)
            return scaled_dot_product_attention(x, x, x, attn_mask=mask)

    with torch.inference_mode(), record_attention(network := Blind()) as record:
        network(torch.randn(1, 2, 4, 8))
    explanation = explain_weight(record.calls[0], 0, 0, 0)
    assert math.isnan(explanation.weight)
    assert explanation.scores is explanation.values is None
    assert "allows no key" in explanation.missing[0]


@pytest.mark.parametrize("cell", [(9, 0, 0), (0, 99, 0), (0, 0, 99), (0, 0, -1)])
def test_a_cell_that_does_not_exist_is_refused(cell):
    _, _, calls, _ = recorded("gpt2")
    with pytest.raises(CaptureError, match=r"numbered|positions"):
        explain_weight(calls[0], *cell)


def test_a_layer_with_a_norm_before_its_output_map_is_refused_with_the_reason():
    class Normed(nn.Module):
        def __init__(self):
            super().__init__()
            self.map, self.norm, self.out = nn.Linear(8, 8), nn.LayerNorm(8), nn.Linear(8, 8)

        def forward(self, x):
            mixed = scaled_dot_product_attention(*[self.map(x).unflatten(-1, (2, 4)).transpose(1, 2)] * 3)
            return self.out(self.norm(mixed.transpose(1, 2).flatten(2)))

    torch.manual_seed(0)
    x = torch.randn(1, 5, 8)
    (outputs,) = watch_outputs(Normed(), lambda network: network(x))
    with pytest.raises(CaptureError, match="No linear map takes the heads"):
        written_by(explain_weight(outputs.call, 1, 3, 2), outputs)
