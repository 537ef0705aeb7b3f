"""Corners of real models: each was wrong without a word, or a crash, before it was closed."""

import math
from pathlib import Path

import pytest
import timm
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils.checkpoint import checkpoint
from transformers import (
    BigBirdConfig,
    BigBirdModel,
    GPT2Config,
    GPT2LMHeadModel,
    GptOssConfig,
    GptOssModel,
    LlamaConfig,
    LlamaModel,
)

from core.capture import Cut, Temperature, edit_attention, record_attention
from core.errors import CaptureError
from core.images import open_example
from core.zoo import load_image
from tests.core.saved_models import save_timm_model
from tests.core.test_capture_coverage import EinsumAttention, Projected, WrittenAttention, recorded
from tests.core.tiny_models import WIDTH, tiny_gpt, tokens

ROOT = Path(__file__).parents[2]
X = torch.randn(2, 6, WIDTH, generator=torch.Generator().manual_seed(0))


class Checkpointed(nn.Module):
    def __init__(self, *, reentrant: bool):
        super().__init__()
        self.block, self.reentrant = WrittenAttention(), reentrant

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=self.reentrant)


@pytest.mark.parametrize("reentrant", [True, False])
def test_edits_under_gradient_checkpointing_are_refused_before_a_head_has_run(reentrant):
    model = Checkpointed(reentrant=reentrant)
    refusal = pytest.raises(CaptureError, match=r"'block' runs under gradient checkpointing.*Switch")
    with refusal, edit_attention(model, {("block", 0): "silence"}):
        model(X.clone().requires_grad_())


@pytest.mark.parametrize("reentrant", [True, False])
def test_what_runs_again_for_a_gradient_is_recorded_once(reentrant):
    model = Checkpointed(reentrant=reentrant)
    with record_attention(model) as record:
        model(X.clone().requires_grad_()).sum().backward()
    assert len(record.calls) == 1
    assert model.block.query.weight.grad.abs().sum() > 0


def a_gpt(**settings) -> GPT2LMHeadModel:
    torch.manual_seed(3)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 40, "n_positions": 32}
    ends = {"bos_token_id": 0, "eos_token_id": None, "pad_token_id": 0}
    return GPT2LMHeadModel(GPT2Config(**sizes, **ends, **settings)).eval()


def written_with(model, edits, **how):
    with torch.inference_mode(), edit_attention(model, edits):
        return model.generate(
            torch.tensor([[5, 8, 2]]), max_new_tokens=8, do_sample=False, return_dict_in_generate=True,
            output_logits=True, **how,
        )  # fmt: skip


@pytest.mark.parametrize("cache", [{"use_cache": True}, {"use_cache": True, "cache_implementation": "static"}])
def test_a_link_is_cut_in_a_growing_text_with_a_cache_as_without(cache):
    model = a_gpt()
    links = Cut({(5, 1), (6, 4), (7, 0), (1, 0)}, growing=True)
    edits = {(f"transformer.h.{layer}.attn", head): links for layer in range(2) for head in range(4)}
    with_cache, without = written_with(model, edits, **cache), written_with(model, edits, use_cache=False)
    plain = written_with(model, {}, use_cache=True)
    for one, other in zip(with_cache.logits, without.logits, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    assert max(float((a - b).abs().max()) for a, b in zip(with_cache.logits, plain.logits, strict=True)) > 1e-4


class Crossing(Projected):
    def forward(self, x, memory):
        query, key, value = self.split(x, memory)
        return F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)


def test_which_step_looks_across_cannot_be_told_from_single_queries():
    model = Crossing()
    cut = {("", 0): Cut({(2, 1)}, growing=True)}
    with edit_attention(model, cut):
        for length in range(1, 5):
            model(X[:, :length], X)
    with edit_attention(model, cut):
        model(X[:, :1], X)
        with pytest.raises(CaptureError, match="use_cache=False"):
            model(X[:, 1:2], X)


@pytest.mark.parametrize("cache", ["dynamic", "static"])
def test_each_step_of_a_decoder_is_causal(cache):
    model = a_gpt()
    with torch.inference_mode(), record_attention(model) as record:
        model.generate(torch.tensor([[5, 8, 2]]), max_new_tokens=4, do_sample=False, cache_implementation=cache)
    assert len(record.calls) == 8
    assert all(call.causal for call in record.calls)


@pytest.mark.parametrize("looks", ["all", "back"])
def test_several_new_queries_beside_a_cache_are_causal_only_if_none_looks_ahead(looks):
    class Step(Projected):
        def forward(self, x):
            query, key, value = self.split(x, x)
            allowed = torch.ones(3, 6, dtype=torch.bool)
            mask = allowed.tril(3) if looks == "back" else allowed
            return F.scaled_dot_product_attention(query[:, :, 3:], key, value, attn_mask=mask)

    (call,) = recorded(Step(), X).calls
    assert call.kind == "self"
    assert call.causal == (looks == "back")


def test_a_row_that_is_forbidden_by_the_lowest_number_stays_even():
    class Masked(Projected):
        def forward(self, x):
            query, key, value = self.split(x, x)
            bias = torch.zeros(6, 6)
            bias[2] = torch.finfo(bias.dtype).min
            return F.scaled_dot_product_attention(query, key, value, attn_mask=bias)

    model = Masked()
    plain = model(X)
    for degree in (1.0, 0.5, 2.0):
        edits = {("", head): Temperature(degree) for head in range(4)}
        with edit_attention(model, edits), record_attention(model) as record:
            changed = model(X)
        torch.testing.assert_close(record[""].weights(1)[2], torch.full((6,), 1 / 6))
        torch.testing.assert_close(changed[:, :, 2], plain[:, :, 2])


def test_three_views_of_one_sequence_are_self_attention():
    attention = nn.MultiheadAttention(WIDTH, 4)
    model = nn.ModuleDict({"attention": attention})
    with record_attention(model) as record:
        attention(X.transpose(0, 1), X.transpose(0, 1), X.transpose(0, 1))
        attention(X.transpose(0, 1), X.clone().transpose(0, 1), X.clone().transpose(0, 1))
    assert [call.kind for call in record.calls] == ["self", "cross"]


class FoldedHeads(Projected):
    """Heads laid along the batch, as in the first translators of transformers."""

    def forward(self, x):
        query, key, value = (part.flatten(0, 1) for part in self.split(x, x))
        mixed = torch.bmm(torch.softmax(torch.bmm(query, key.mT), dim=-1), value)
        return mixed.unflatten(0, (len(x), 4)).transpose(1, 2).flatten(2)


def test_heads_that_are_folded_into_the_batch_are_silenced_one_by_one():
    model = FoldedHeads()
    call = recorded(model, X)[""]
    query, key, value = model.split(X, X)
    weights = (query @ key.mT).softmax(-1)
    assert call.shape == (2, 4, 6, 6)
    torch.testing.assert_close(call.weights(2, 1), weights[1, 2])
    with edit_attention(model, {("", 1): "silence"}):
        changed = model(X)
    expected = weights.clone()
    expected[:, 1] = 0
    torch.testing.assert_close(changed, (expected @ value).transpose(1, 2).flatten(2))


class TalkingHeads(Projected):
    """Mixes the maps of its heads after the softmax (Shazeer et al. 2020, section 4)."""

    def __init__(self, how: str):
        super().__init__()
        self.how, self.mix = how, nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        query, key, value = self.split(x, x)
        weights = (query @ key.mT).softmax(-1)
        if self.how == "einsum":
            mixed = torch.einsum("bhqk,hg->bgqk", weights, self.mix)
        elif self.how == "einsum, the mix first":
            mixed = torch.einsum("gh,bhqk->bgqk", self.mix, weights)
        else:
            mixed = (self.mix @ weights.flatten(2)).unflatten(2, weights.shape[2:])
        return (mixed @ value).transpose(1, 2).flatten(2)


@pytest.mark.parametrize("how", ["einsum", "einsum, the mix first", "matmul"])
def test_heads_that_talk_after_the_softmax_are_not_taken_for_values(how):
    model = TalkingHeads(how)
    with pytest.raises(CaptureError, match="no attention could be seen"):
        recorded(model, X)
    assert recorded(nn.Sequential(model, EinsumAttention()), X).paths == ("1",)


def test_attention_over_channels_says_so():
    small = {"img_size": 32, "patch_size": 8, "embed_dim": 32, "depth": 1, "num_heads": 4, "cls_attn_layers": 1}
    model = timm.create_model("xcit_nano_12_p8_224", **small).eval()
    calls = {call.path: call for call in recorded(model, torch.randn(2, 3, 32, 32)).calls}
    channel = calls["blocks.0.attn"]
    assert channel.shape == (2, 4, 8, 8)
    assert channel.over == "channel"
    assert calls["cls_attn_blocks.0.attn"].over == "token"


def test_as_many_channels_as_patches_are_no_patches(tmp_path):
    model = load_image(str(save_timm_model("xcit", tmp_path / "xcit")))
    prepared = model.prepare(open_example("cat"))
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(prepared)
    assert [call.over for call in record] == ["channel", "channel", "token"]
    assert record[0].shape == (1, 4, 16, 16)
    assert len(run.sequences["4 × 4 patches"]) == 16
    assert [model.sequences_of(call, run) for call in record] == [None, None, ("prefix", "patches")]
    assert not record[2].causal


def test_a_square_map_of_tokens_is_none_of_channels():
    attention = timm.create_model(
        "vit_tiny_patch16_224", img_size=64, embed_dim=64, num_heads=4, depth=1, class_token=False, global_pool="avg"
    )
    (call,) = recorded(attention, torch.randn(1, 3, 64, 64)).calls
    assert call.shape == (1, 4, 16, 16)
    assert call.over == "token"


def a_big_bird(kind: str) -> BigBirdModel:
    torch.manual_seed(0)
    return BigBirdModel(
        BigBirdConfig(
            vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=64,
            max_position_embeddings=128, attention_type=kind, block_size=4, num_random_blocks=1,
        )
    ).eval()  # fmt: skip


def test_a_map_in_pieces_says_which_share_it_is_and_cannot_be_edited():
    ids = torch.arange(48).remainder(50)[None]
    record = recorded(a_big_bird("block_sparse"), ids)
    assert record.calls
    assert all(call.partial is not None and call.partial[1] == 48 for call in record.calls)
    assert record.partial[record.calls[0].path] == (sum(call.query_length for call in record.calls), 48)
    path = record.calls[0].path
    model = a_big_bird("block_sparse")
    refusal = pytest.raises(CaptureError, match=r"looks in pieces.*of 48 rows.*original_full")
    with torch.inference_mode(), refusal, edit_attention(model, {(path, 0): "silence"}):
        model(ids)
    full_record = recorded(a_big_bird("original_full"), ids)
    assert full_record.partial == {}
    assert full_record.calls[0].partial is None
    assert recorded(tiny_gpt(), tokens()).partial == {}


def test_the_share_of_an_attention_sink_is_told_beside_the_weights():
    torch.manual_seed(0)
    model = GptOssModel(
        GptOssConfig(
            vocab_size=50, hidden_size=32, num_hidden_layers=1, num_attention_heads=4, num_key_value_heads=2,
            head_dim=8, intermediate_size=32, num_local_experts=2, num_experts_per_tok=1, sliding_window=64,
            layer_types=["full_attention"], max_position_embeddings=64, attn_implementation="eager",
        )
    ).eval()  # fmt: skip
    ids = torch.arange(7)[None]
    with torch.inference_mode(), record_attention(model) as record:
        output = model(ids, output_attentions=True)
    (call,) = record.calls
    assert call.shape == (1, 4, 7, 7)
    ours = torch.stack([call.weights(head) for head in range(4)])
    torch.testing.assert_close(ours, output.attentions[0][0])
    torch.testing.assert_close(ours.sum(-1) + call.sink[0], torch.ones(4, 7))
    assert call.sink.min() > 0


class ListedAttention(Projected):
    """As EinsumAttention, with the factors in a list, as CvT has them (Wu et al. 2021)."""

    def forward(self, x):
        query, key, value = self.split(x, x)
        weights = torch.softmax(torch.einsum("bhqe,bhke->bhqk", [query, key]), dim=3)
        return torch.einsum("bhqk,bhke->bqhe", [weights, value]).flatten(2)


def test_factors_of_a_product_may_be_given_as_a_list():
    torch.manual_seed(0)
    listed, plain = ListedAttention(), EinsumAttention()
    plain.load_state_dict(listed.state_dict())
    for head in range(2):
        assert recorded(listed, X)[0].weights(head).equal(recorded(plain, X)[0].weights(head))
    with edit_attention(listed, {("", 0): "silence"}), edit_attention(plain, {("", 0): "silence"}):
        assert listed(X).equal(plain(X))


class Around(nn.Module):
    """A norm with a gate that is called after the attention behind it, as in Hyper-Connections (Zhu et al. 2024)."""

    def __init__(self):
        super().__init__()
        self.attention = EinsumAttention()
        self.post_attention_layernorm = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH))

    def forward(self, x):
        return self.post_attention_layernorm(self.attention(x))


def test_a_norm_that_is_called_after_the_attention_is_not_one_that_was_unseen():
    assert recorded(Around(), X).unseen == ()


def looks(_batch, head, i, j):
    return (i >= j) & ((head > 0) | (i - j < 3))


class Flexible(Projected):
    """torch's flex_attention with a bias for distance that is not linear, and a mask."""

    def forward(self, x):
        query, key, value = self.split(x, x)
        mask = create_block_mask(looks, None, 4, 6, 6, device="cpu")
        return flex_attention(query, key, value, score_mod=self.bend, block_mask=mask).transpose(1, 2).flatten(2)

    def bend(self, score, batch, head, i, j):
        return 2 * torch.tanh(score / 2) - 0.1 * (head + 1) * (i - j) + 0.3 * batch

    def written(self, x):
        query, key, value = self.split(x, x)
        place, head = torch.arange(6), torch.arange(4)[:, None, None]
        apart = place[:, None] - place
        scores = 2 * torch.tanh(query @ key.mT / WIDTH**0.5) - 0.1 * (head + 1) * apart
        scores = scores.masked_fill((apart < 0) | ((head == 0) & (apart >= 3)), -math.inf)
        return scores.softmax(-1), value


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_flex_attention_is_recorded_and_edited_exactly():
    torch.manual_seed(0)
    model = Flexible()
    with torch.no_grad():
        plain, (weights, value) = model(X), model.written(X)
        with record_attention(model) as record:
            watched = model(X)
        (call,) = record.calls
        torch.testing.assert_close(watched, plain)
        torch.testing.assert_close(call.weights(), weights)
        assert (call.kind, call.causal) == ("self", True)
        with edit_attention(model, {("", 2): "silence"}):
            changed = model(X)
    weights[:, 2] = 0
    torch.testing.assert_close(changed, (weights @ value).transpose(1, 2).flatten(2))


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
def test_flex_attention_of_transformers_is_that_of_its_eager_form():
    torch.manual_seed(0)
    sizes = {"vocab_size": 40, "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4, "head_dim": 16}
    sizes |= {"num_key_value_heads": 2, "intermediate_size": 32, "max_position_embeddings": 64}
    eager, flexible = (
        LlamaModel(LlamaConfig(**sizes, attn_implementation=form)).eval() for form in ("eager", "flex_attention")
    )
    flexible.requires_grad_(False)  # torch has it without gradients only, on a processor
    flexible.load_state_dict(eager.state_dict())
    ids = torch.arange(9)[None]
    with torch.inference_mode(), record_attention(flexible) as record:
        flexible(ids)
    expected = eager(ids, output_attentions=True).attentions[0]
    torch.testing.assert_close(record[0].weights(), expected, atol=1e-5, rtol=1e-4)


def test_a_record_inside_torch_func_is_refused_in_a_sentence_and_an_edit_works():
    model, fused = WrittenAttention().eval(), tiny_gpt().eval()
    for network, inputs in ((model, X), (fused, tokens())):
        values = dict(network.named_parameters())

        def loss(values, network=network, inputs=inputs):
            return torch.func.functional_call(network, values, (inputs,)).square().mean()

        with pytest.raises(CaptureError, match=r"torch\.func"), record_attention(network):
            torch.func.grad(loss)(values)
    path = {("", 0): "silence"}
    values = dict(model.named_parameters())
    with edit_attention(model, path):
        inside = torch.func.grad(lambda v: torch.func.functional_call(model, v, (X,)).square().mean())(values)
        outside = torch.autograd.grad(model(X).square().mean(), list(values.values()))
    for one, other in zip(inside.values(), outside, strict=True):
        torch.testing.assert_close(one, other)


def test_a_negative_link_is_refused():
    with pytest.raises(CaptureError, match="counted from 0"):
        Cut({(-1, 0)}, growing=True)
    assert math.isfinite(Temperature(1.0).degree)
