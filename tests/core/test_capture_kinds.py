"""Self-attention, cross attention or unknown: where the keys come from, and never how many there are."""

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from transformers import Gemma3nTextConfig, Gemma3nTextModel, Gemma4TextConfig, Gemma4TextModel

from core.capture import Cut, Record, edit_attention, record_attention
from core.capture.lineage import Lineage
from core.capture.provenance import Traced
from core.errors import CaptureError
from core.shrinking.number_formats import in_number_format
from tests.core.test_capture_coverage import WIDTH, Projected, WrittenAttention, X, recorded
from tests.core.tiny_models import inputs_of, tiny_transformers

SIZES = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 4, "num_attention_heads": 4}


class Fused(Projected):
    def forward(self, x, memory=None):
        query, key, value = self.split(x, x if memory is None else memory)
        return F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)


class OwnProduct(torch.autograd.Function):
    """A linear map with a gradient of its own, as libraries of 4-bit weights have it."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(weight)
        return x @ weight.t()

    @staticmethod
    def backward(ctx, gradient):
        return gradient @ ctx.saved_tensors[0], None


class OwnKernel(OwnProduct):
    """The same in code that torch does not see: as a kernel of one's own, by numpy here."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(weight)
        return torch.from_numpy(x.detach().numpy() @ weight.detach().numpy().T)


class OwnLinear(nn.Linear):
    function: type[torch.autograd.Function] = OwnProduct

    def forward(self, x):
        return self.function.apply(x, self.weight)


def with_projections(model, function):
    for name in ("query", "key", "value"):
        linear = OwnLinear(WIDTH, WIDTH)
        linear.function = function
        setattr(model, name, linear)
    return model


def in_int8(model):
    """As torch has it, and as this project has it."""
    return torch.ao.quantization.quantize_dynamic(copy.deepcopy(model), {nn.Linear})


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("build", [Fused, WrittenAttention])
@pytest.mark.parametrize(
    "change",
    [
        lambda model: with_projections(model, OwnProduct),
        in_int8,
        lambda model: in_number_format(model, "int8"),
    ],
    ids=["autograd.Function", "dynamic int8", "own int8"],
)
def test_the_trail_goes_through_projections_of_all_sorts(build, change):
    model = change(build())
    assert recorded(model, X).calls[0].kind == "self"
    assert recorded(model, X, X.clone()).calls[0].kind == "cross"


def test_where_the_trail_is_lost_the_kind_is_unknown_and_said(tmp_path):
    model = with_projections(Fused(), OwnKernel)
    for memory in (X, X.clone(), X[:, :4]):
        with torch.no_grad(), record_attention(model) as record:
            model(X, memory)
        (call,) = record
        assert (call.kind, call.causal) == ("unknown", False)
        assert "self or cross unknown" in repr(record)
        query, key, _ = model.split(X, memory)
        expected = (query @ key.mT / 8**0.5).softmax(-1)
        torch.testing.assert_close(call.weights(2, 1), expected[1, 2])
        record.save(tmp_path / "kept.safetensors")
        assert Record.load(tmp_path / "kept.safetensors")[0].kind == "unknown"


def test_a_causal_mask_is_that_of_one_sequence():
    class Causal(Projected):
        def forward(self, x):
            return F.scaled_dot_product_attention(*self.split(x, x), is_causal=True)

    with torch.no_grad(), record_attention(model := with_projections(Causal(), OwnKernel)) as record:
        model(X)
    assert (record[0].kind, record[0].causal) == ("self", True)


@torch.no_grad()
def test_what_needs_to_know_whose_the_keys_are_is_refused_where_that_is_unknown():
    model = with_projections(Fused(), OwnKernel)
    mask = torch.ones(2, 6)
    mask[1, 4:] = 0
    with record_attention(model, attention_mask=mask) as record:
        model(X)
    with pytest.raises(CaptureError, match=r"6 keys of ''"):
        record.item(1)
    with pytest.raises(CaptureError, match=r"record\.calls"):
        record.merged("")
    with edit_attention(model, {("", 0): Cut({(2, 1)})}), record_attention(model) as cut:
        model(X)
    assert cut[0].weights(0)[2, 1] == 0
    labels = [f"token{number}" for number in range(6)]
    assert recorded(model, X[:1]).show(labels)  # of the queries; the keys are counted


def gemma4(attention="sdpa"):
    torch.manual_seed(0)
    config = Gemma4TextConfig(
        **SIZES, intermediate_size=48, num_key_value_heads=2, head_dim=8, global_head_dim=8, num_kv_shared_layers=2,
        hidden_size_per_layer_input=8, vocab_size_per_layer_input=50, sliding_window=4, max_position_embeddings=64,
        layer_types=["sliding_attention", "full_attention"] * 2,
    )  # fmt: skip
    config._attn_implementation = attention
    return Gemma4TextModel(config).eval()


def gemma3n(attention="sdpa"):
    torch.manual_seed(0)
    config = Gemma3nTextConfig(
        **SIZES, intermediate_size=48, num_key_value_heads=2, head_dim=8, num_kv_shared_layers=2, laurel_rank=4,
        hidden_size_per_layer_input=8, vocab_size_per_layer_input=50, sliding_window=4, max_position_embeddings=64,
        activation_sparsity_pattern=[0.0] * 4, layer_types=["sliding_attention", "full_attention"] * 2,
    )  # fmt: skip
    config._attn_implementation = attention
    return Gemma3nTextModel(config).eval()


@pytest.mark.parametrize("build", [gemma4, gemma3n])
def test_layers_that_share_keys_attend_to_their_own_sequence(build):
    ids = torch.arange(6)[None]
    for attention in ("sdpa", "eager"):
        with torch.no_grad(), record_attention(model := build(attention)) as record:
            model(ids)
        assert [(call.kind, call.causal) for call in record] == [("self", True)] * 4
    with torch.no_grad():
        expected = model(ids, output_attentions=True).attentions
    for call, weights in zip(record, expected, strict=True):
        torch.testing.assert_close(call.weights(), weights)


@pytest.mark.parametrize("build", [gemma4, gemma3n])
def test_layers_that_share_keys_stay_causal_with_a_cache(build):
    model, ids = build(), torch.arange(6)[None]
    with torch.no_grad(), record_attention(model) as record:
        cache = model(ids, use_cache=True).past_key_values
        model(ids[:, :1], past_key_values=cache, use_cache=True)
    assert [(call.kind, call.causal) for call in record] == [("self", True)] * 8


class Sharing(nn.Module):
    """Two layers; the second one takes the keys of the first, from wherever its queries are."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Keeping(), Keeping()

    def forward(self, x, other=None):
        hidden, keys = self.first(x, {})
        return self.second(hidden if other is None else other, {"keys": keys})[0]


class Keeping(Projected):
    def forward(self, x, shared):
        query, key, value = self.split(x, x)
        key, value = shared.get("keys", (key, value))
        mixed = F.scaled_dot_product_attention(query, key, value)
        return x + mixed.transpose(1, 2).flatten(2), (key, value)


def test_shared_keys_are_those_of_a_sequence_only_where_the_queries_come_from_it():
    assert [call.kind for call in recorded(Sharing(), X)] == ["self", "self"]
    assert recorded(Sharing(), X, X.clone())[1].kind != "self"


@pytest.mark.parametrize("family", ["t5", "bart"])
def test_cached_keys_of_another_sequence_are_cross_attention_at_each_step(family):
    model, inputs = tiny_transformers(family), inputs_of(family)
    ids, kinds = inputs["decoder_input_ids"], []
    with torch.no_grad(), record_attention(model) as record:
        cache = model(**{**inputs, "decoder_input_ids": ids[:, :2]}, use_cache=True).past_key_values
        before = len(record)
        memory = (model.encoder(inputs["input_ids"])[0],)
        after = len(record)
        model(encoder_outputs=memory, decoder_input_ids=ids[:, 2:3], past_key_values=cache, use_cache=True)
    kinds = [call.kind for call in record]
    assert kinds[before - 4 : before] == kinds[after:] == ["self", "cross"] * 2


def test_numbers_of_rows_are_no_part_of_what_a_key_was_computed_from():
    """Beam search takes rows of cached keys by numbers, whose tensor may have the id of a key that was freed."""
    lineage, cached, numbers = Lineage(), torch.zeros(3, 2), torch.tensor([0, 0, 1])
    lineage._keys = {id(numbers): Traced("self")}
    chosen = cached.index_select(0, numbers)
    lineage.remember(torch.Tensor.index_select, (cached, 0, numbers), {}, chosen)
    assert lineage._origin(id(chosen), {}, keys=lineage._keys).earlier is None
    lineage._keys[id(cached)] = Traced("cross")
    assert lineage._origin(id(chosen), {}, keys=lineage._keys).earlier == Traced("cross")
