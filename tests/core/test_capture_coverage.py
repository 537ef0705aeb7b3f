"""What counts as attention, where it happened, and what is said when nothing was seen."""

import pytest
import timm
import torch
import torch.nn.functional as F
from torch import nn

from core.capture import record_attention
from core.errors import CaptureError
from tests.core.tiny_models import WIDTH, picture, tiny_encoder, tiny_gpt, tokens

X = torch.randn(2, 6, WIDTH, generator=torch.Generator().manual_seed(0))


class Projected(nn.Module):
    """Queries and keys by their own projections; what is done with them is left open."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))

    def split(self, x, memory):
        parts = self.query(x), self.key(memory), self.value(memory)
        return (part.unflatten(-1, (4, -1)).transpose(1, 2) for part in parts)


class WrittenAttention(Projected):
    def forward(self, x, memory=None):
        query, key, value = self.split(x, x if memory is None else memory)
        weights = (query @ key.mT).softmax(-1)
        return (F.dropout(weights, 0.1, self.training) @ value).transpose(1, 2).flatten(2)


class EinsumAttention(Projected):
    def forward(self, x):
        query, key, value = self.split(x, x)
        weights = torch.softmax(torch.einsum("bhqe,bhke->bhqk", query, key), dim=3)
        return torch.einsum("bhqk,bhke->bqhe", weights, value).flatten(2)


class FusedFunction(nn.Module):
    """The kernel in a module of its own, which is handed finished queries and keys."""

    def forward(self, query, key, value):
        return F.scaled_dot_product_attention(query, key, value)


class WrappedAttention(Projected):
    def __init__(self):
        super().__init__()
        self.mix = FusedFunction()

    def forward(self, x, memory=None):
        return self.mix(*self.split(x, x if memory is None else memory)).transpose(1, 2).flatten(2)


class LinearAttention(Projected):
    """Without a softmax over keys (Katharopoulos et al. 2020, equation 5)."""

    def forward(self, x):
        query, key, value = self.split(x, x)
        return (F.elu(query) @ (F.elu(key).mT @ value)).transpose(1, 2).flatten(2)


class Gated(nn.Module):
    """A softmax that is no attention: it gates channels."""

    def __init__(self):
        super().__init__()
        self.gate, self.up = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return self.up(x) * self.gate(x).softmax(-1)


def recorded(model, *args):
    with torch.inference_mode(), record_attention(model) as record:
        model(*args)
    return record


@pytest.mark.parametrize("build", [WrittenAttention, EinsumAttention])
def test_a_softmax_that_is_multiplied_with_values_is_attention(build):
    model = build()
    call = recorded(model, X)[""]
    query, key, _ = model.split(X, X)
    torch.testing.assert_close(call.weights(3, 1), (query @ key.mT).softmax(-1)[1, 3])


def test_a_softmax_that_gates_is_not_attention():
    record = recorded(nn.Sequential(Gated(), WrittenAttention(), Gated()), X)
    assert [call.path for call in record.calls] == ["1"]


@pytest.mark.parametrize("build", [WrittenAttention, WrappedAttention])
def test_self_and_cross_are_told_apart_by_where_the_keys_come_from(build):
    model = build()
    assert recorded(model, X).calls[0].kind == "self"
    assert recorded(model, X, X.clone()).calls[0].kind == "cross"


def test_a_model_without_visible_attention_is_an_error_that_names_the_module():
    model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ModuleDict({"mixer": LinearAttention()})["mixer"])
    with pytest.raises(CaptureError, match=r"Sequential ran.*may hold some: '1'.*scaled_dot_product_attention"):
        recorded(model, X)


def test_a_model_without_attention_is_an_error_that_names_its_parts():
    with pytest.raises(CaptureError, match=r"It consists of '0', '1'\."):
        recorded(nn.Sequential(nn.Linear(WIDTH, WIDTH), Gated()), X)


def test_a_model_that_did_not_run_is_an_error_that_says_so():
    with pytest.raises(CaptureError, match="GPT did not run inside the with-block"), record_attention(tiny_gpt()):
        pass


def test_an_attention_that_ran_unseen_is_named_beside_those_that_were_seen():
    model = nn.Sequential(WrittenAttention(), LinearAttention())
    record = recorded(model, X)
    assert [call.path for call in record.calls] == ["0"]
    assert record.unseen == ("1",)


def test_an_attention_that_did_not_run_is_not_called_unseen():
    model = nn.ModuleDict({"left": WrittenAttention(), "right": LinearAttention()})
    with record_attention(model) as record:
        model["left"](X)
    assert record.unseen == ()


def test_an_unknown_path_is_an_error_with_the_near_ones():
    record = recorded(tiny_gpt(), tokens())
    with pytest.raises(CaptureError, match=r"at 'blocks\.1\.attn', but at 'blocks\.1\.attention'"):
        record["blocks.1.attn"]


def test_a_module_under_two_names_has_the_one_that_was_called():
    model = nn.Sequential(nn.Sequential(WrittenAttention()), nn.Sequential(WrittenAttention()))
    model[1][0] = model[0][0]
    assert [call.path for call in recorded(model, X).calls] == ["0.0", "1.0"]


def test_a_layer_that_runs_twice_is_there_twice():
    layer = WrittenAttention()
    record = recorded(nn.Sequential(layer, layer), X)
    assert len(record.calls) == 2
    assert {call.path for call in record.calls} == {"0"}


def test_a_model_in_training_is_recorded_as_it_is():
    torch.manual_seed(0)
    record = recorded(tiny_encoder().train(), X)
    torch.testing.assert_close(record.calls[0].weights(0).sum(-1), torch.ones(6))


@pytest.mark.parametrize("family", ["vit_base_patch16_siglip_224", "vit_base_patch16_siglip_gap_224"])
def test_a_learned_query_that_looks_at_the_tokens_is_cross_attention(family):
    small = {"img_size": 16, "patch_size": 4, "embed_dim": WIDTH, "depth": 1, "num_heads": 4}
    kinds = {call.path: call.kind for call in recorded(timm.create_model(family, **small), picture()).calls}
    assert kinds == {"blocks.0.attn": "self"} | ({} if "gap" in family else {"attn_pool": "cross"})


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:FutureWarning")
@pytest.mark.parametrize("compiled", [torch.compile, torch.jit.script], ids=["compile", "script"])
def test_a_compiled_model_is_refused_before_it_runs(compiled):
    with pytest.raises(CaptureError, match="use the model from which it was made"), record_attention(compiled(Gated())):
        pass


def test_progress_counts_the_calls_and_may_stop_the_run():
    model, heard = tiny_gpt(), []
    ids = tokens()
    with record_attention(model, progress=heard.append) as record:
        model(ids)
    assert heard == list(range(1, len(record.calls) + 1))

    def stop(count):
        if count == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError), record_attention(model, progress=stop) as stopped:
        model(ids)
    assert len(stopped.calls) == 2
