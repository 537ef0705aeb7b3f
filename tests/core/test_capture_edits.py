"""Heads that are silenced, levelled, sharpened, cut and pasted while a model runs."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from core.capture import Cut, Paste, Temperature, edit_attention, record_attention
from core.errors import CaptureError
from tests.core.tiny_models import (
    PAIR_FAMILIES,
    TEXT_FAMILIES,
    all_weights,
    inputs_of,
    picture,
    tiny_encoder,
    tiny_gpt,
    tiny_timm,
    tiny_transformers,
    tokens,
)

FIRST = "blocks.0.attention"


def output_of(result):
    return result if isinstance(result, torch.Tensor) else result.last_hidden_state


def runs():
    """(name, model, how it is run, where its attention modules project what the heads say)"""
    return {
        "gpt": lambda: (tiny_gpt(), {"tokens": tokens()}, "out"),
        "vit": lambda: (tiny_timm("vit"), {"x": picture()}, "proj"),
        "swin": lambda: (tiny_timm("swin"), {"x": picture(side=32)}, "proj"),
        "swinv2": lambda: (tiny_timm("swinv2"), {"x": picture(side=32)}, "proj"),
        "bert": lambda: (tiny_transformers("bert"), inputs_of("bert", padded=True), None),
        "gpt2": lambda: (tiny_transformers("gpt2"), inputs_of("gpt2", padded=True), "c_proj"),
        "llama": lambda: (tiny_transformers("llama"), inputs_of("llama", padded=True), "o_proj"),
        "gemma2": lambda: (tiny_transformers("gemma2"), inputs_of("gemma2"), "o_proj"),
        "deberta-v2": lambda: (tiny_transformers("deberta-v2"), inputs_of("deberta-v2"), None),
        "t5": lambda: (tiny_transformers("t5"), inputs_of("t5", padded=True), "o"),
        "encoder": lambda: (tiny_encoder(), {"src": torch.randn(2, 5, 32)}, "out_proj"),
    }


@pytest.fixture(params=runs())
def run(request):
    model, inputs, projection = runs()[request.param]()
    with torch.inference_mode(), record_attention(model) as record:
        plain = output_of(model(**inputs))
    return model, inputs, projection, record, plain


def edited(model, inputs, edits):
    with torch.inference_mode(), edit_attention(model, edits):
        return output_of(model(**inputs))


def for_every_head(record, edit):
    return {(call.path, head): edit(call, head) for call in record.calls for head in range(call.heads)}


def whole_pattern(call, head):
    return torch.stack([call.weights(head, item) for item in range(call.batch_size)])


def test_silencing_every_head_equals_removing_the_attention_output(run):
    model, inputs, projection, record, plain = run
    silent = edited(model, inputs, for_every_head(record, lambda *_: "silence"))
    assert (silent - plain).abs().max() > 1e-3

    def hear_nothing(_, args):
        return (torch.zeros_like(args[0]), *args[1:])

    def say_nothing(*called):
        result = called[-1]
        return (torch.zeros_like(result[0]), *result[1:]) if isinstance(result, tuple) else torch.zeros_like(result)

    for call in record.calls:
        attention = model.get_submodule(call.path)
        if isinstance(attention, nn.MultiheadAttention):  # its projection is no module call: take its bias
            attention.register_forward_hook(lambda m, _, r: (m.out_proj.bias.expand_as(r[0]), None))
        elif projection:
            attention.get_submodule(projection).register_forward_pre_hook(hear_nothing)
        else:
            attention.register_forward_hook(say_nothing)
    with torch.no_grad():
        removed = output_of(model(**inputs))
    torch.testing.assert_close(silent, removed, atol=1e-5, rtol=0)


def test_pasting_a_heads_own_pattern_changes_nothing(run):
    model, inputs, _, record, plain = run
    pasted = edited(model, inputs, for_every_head(record, lambda call, head: Paste(whole_pattern(call, head))))
    torch.testing.assert_close(pasted, plain, atol=1e-5, rtol=0)


def test_a_temperature_of_one_changes_nothing(run):
    model, inputs, _, record, plain = run
    same = edited(model, inputs, for_every_head(record, lambda *_: Temperature(1.0)))
    torch.testing.assert_close(same, plain, atol=1e-5, rtol=0)


def test_a_record_shows_the_edited_weights_whichever_block_comes_first(run):
    model, inputs, _, record, _ = run
    place = record.calls[0].path, 1
    with torch.inference_mode():
        with edit_attention(model, {place: "uniform"}), record_attention(model) as inside:
            model(**inputs)
        with record_attention(model) as outside, edit_attention(model, {place: "uniform"}):
            model(**inputs)
    for edited_record in (inside, outside):
        weights = whole_pattern(edited_record.calls[0], 1)
        assert not torch.equal(weights, whole_pattern(record.calls[0], 1))
        positive = weights > 0
        torch.testing.assert_close(weights, positive / positive.sum(-1, keepdim=True))
        torch.testing.assert_close(whole_pattern(edited_record.calls[0], 0), whole_pattern(record.calls[0], 0))
    assert torch.equal(all_weights(inside.calls[-1]), all_weights(outside.calls[-1]))


def recorded_edit(edits, *, model=None, inputs=None):
    model, inputs = model or tiny_gpt(), tokens() if inputs is None else inputs
    with torch.inference_mode(), record_attention(model) as plain:
        model(inputs)
    with torch.inference_mode(), edit_attention(model, edits), record_attention(model) as record:
        model(inputs)
    return plain.calls[0], record.calls[0]


def test_uniform_gives_each_allowed_key_the_same():
    _, call = recorded_edit({(FIRST, 2): "uniform"})
    expected = torch.ones(7, 7).tril() / torch.arange(1, 8)[:, None]
    torch.testing.assert_close(call.weights(2, 1), expected)


@pytest.mark.parametrize(("edit", "degree"), [("sharpen", 0.5), ("flatten", 2.0), (Temperature(3.0), 3.0)])
def test_a_temperature_divides_the_scores(edit, degree):
    plain, call = recorded_edit({(FIRST, 2): edit})
    torch.testing.assert_close(call.weights(2), (plain.weights(2).log() / degree).softmax(-1))


def test_a_cut_link_is_shared_out_among_the_others():
    plain, call = recorded_edit({(FIRST, 0): Cut({(5, 2), (5, 3)})})
    expected = plain.weights(0).clone()
    expected[5, 2:4] = 0
    expected[5] /= expected[5].sum()
    torch.testing.assert_close(call.weights(0), expected)


def test_a_query_whose_last_link_is_cut_takes_nothing():
    _, call = recorded_edit({(FIRST, 0): Cut({(0, 0)})})
    assert call.weights(0)[0].tolist() == [0.0] * 7
    assert call.output(0)[0].abs().max() == 0


def test_a_cut_never_opens_what_the_mask_forbids():
    # The lowest finite number is transformers' way to forbid: with the one allowed key cut, it must not win.
    model = Bare()
    mask = torch.full((1, 1, 3, 3), torch.finfo(torch.float32).min).triu(1)
    with edit_attention(model, {("", 0): Cut({(0, 0)})}), record_attention(model) as record:
        model(*torch.randn(3, 1, 1, 3, 4), attn_mask=mask)
    assert record[""].weights(0)[0].tolist() == [0.0, 0.0, 0.0]


def test_two_edits_of_one_head_are_made_one_after_the_other():
    model = tiny_gpt()
    with torch.inference_mode(), edit_attention(model, {(FIRST, 1): "sharpen"}), record_attention(model) as record:
        with edit_attention(model, {(FIRST, 1): "flatten"}):
            model(tokens())
        model(tokens())
    plain, _ = recorded_edit({(FIRST, 1): "sharpen"})
    torch.testing.assert_close(record.calls[0].weights(1), plain.weights(1))
    assert not torch.allclose(record.calls[2].weights(1), plain.weights(1))


class Bare(nn.Module):
    def forward(self, query, key, value, **options):
        return F.scaled_dot_product_attention(query, key, value, **options)


def test_heads_that_are_not_named_keep_the_fused_kernels_result():
    model, (query, key, value) = Bare(), torch.randn(3, 2, 4, 6, 8)
    plain = model(query, key, value, is_causal=True)
    with edit_attention(model, {("", 2): "silence"}):
        changed = model(query, key, value, is_causal=True)
    assert torch.equal(changed[:, [0, 1, 3]], plain[:, [0, 1, 3]])
    assert changed[:, 2].abs().max() == 0


def test_a_query_that_may_look_at_nothing_still_says_nothing_when_edited():
    model, (query, key, value) = Bare(), torch.randn(3, 1, 2, 6, 8)
    mask = torch.ones(6, 6, dtype=torch.bool)
    mask[3] = False
    plain = model(query, key, value, attn_mask=mask)
    for edit in ("uniform", Temperature(1.0), Cut({(0, 0)}), Paste(torch.full((6, 6), torch.nan))):
        with edit_attention(model, {("", 0): edit}), record_attention(model) as record:
            changed = model(query, key, value, attn_mask=mask)
        assert torch.equal(changed[0, 0, 3], plain[0, 0, 3])
        assert record[""].weights(0)[3].isnan().all()


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({(FIRST, 4): "silence"}, "'blocks.0.attention' has no head 4: its heads are numbered 0 to 3"),
        ({("blocks.0.attn", 0): "silence"}, "no module 'blocks.0.attn'; did you mean .*'blocks.0.attention'"),
        ({("blocks.0.mlp", 0): "silence"}, "No attention was seen at 'blocks.0.mlp'.*'blocks.0.attention'"),
        ({(FIRST, 0): "loud"}, "'loud' is not an edit: use one of 'silence', 'uniform'"),
        ({(FIRST, 0): Paste(torch.eye(3))}, r"shape \(3, 3\) does not fit: the head's own is \(2, 7, 7\)"),
        ({(FIRST, 0): Cut({(7, 0)})}, r"The link \(7, 0\) cannot be cut: there are 7 queries and 7 keys"),
    ],
)
def test_an_edit_that_cannot_be_made_is_an_error_that_says_why(edits, message):
    with pytest.raises(CaptureError, match=message):
        edited(tiny_gpt(), {"tokens": tokens()}, edits)


@pytest.mark.parametrize("degree", [0.0, -1.0, float("nan"), float("inf")])
def test_a_temperature_is_above_zero(degree):
    with pytest.raises(CaptureError, match="above 0"):
        Temperature(degree)


@pytest.mark.parametrize("family", [*TEXT_FAMILIES, *PAIR_FAMILIES])
def test_one_silenced_head_changes_the_answer_of_every_family(family):
    model, inputs = tiny_transformers(family), inputs_of(family)
    with torch.inference_mode(), record_attention(model) as record:
        plain = output_of(model(**inputs))
    changed = edited(model, inputs, {(record.calls[-1].path, 0): "silence"})
    assert (changed - plain).abs().max() > 1e-4


class Crossing(nn.Module):
    """Queries and keys are projected here, each from its own sequence."""

    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, memory):
        return F.scaled_dot_product_attention(self.query(x), self.key(memory), memory)


@torch.no_grad()
def test_a_cut_waits_while_the_map_grows_until_there_is_such_a_query():
    model, cut = Crossing(), Cut({(3, 1), (0, 0)}, growing=True)
    x, memory = torch.randn(2, 1, 1, 6, 4)
    query, key = model.query(x), model.key(memory)
    for queries in range(1, 7):  # as a text is written: one query more at each step
        with edit_attention(model, {("", 0): cut}), record_attention(model) as record:
            model(x[:, :, :queries], memory)
        expected = (query[0, 0, :queries] @ key[0, 0].T / 2).softmax(-1)
        expected[0, 0] = 0
        if queries > 3:
            expected[3, 1] = 0
        torch.testing.assert_close(record[""].weights(0), expected / expected.sum(-1, keepdim=True))


def test_a_growing_cut_is_refused_where_nothing_says_whose_the_keys_are():
    model, (query, key, value) = Bare(), torch.randn(3, 1, 1, 6, 4)
    refusal = pytest.raises(CaptureError, match=r"6 keys of ''.*its 2 queries.*use_cache=False")
    with refusal, edit_attention(model, {("", 0): Cut({(0, 1)}, growing=True)}):
        model(query[:, :, :2], key, value)


def test_a_growing_cut_of_which_no_query_is_there_yet_changes_nothing():
    model, (query, key, value) = Bare(), torch.randn(3, 1, 2, 3, 4)
    plain = model(query, key, value)
    with edit_attention(model, {("", 0): Cut({(3, 0), (9, 2)}, growing=True)}):
        changed = model(query, key, value)
    torch.testing.assert_close(changed, plain)


def test_a_growing_map_still_refuses_a_key_that_will_never_come():
    model, inputs = Bare(), torch.randn(3, 1, 1, 3, 4)
    message = r"The link \(0, 3\) cannot be cut: there are 3 queries and 3 keys"
    with (
        pytest.raises(CaptureError, match=message),
        edit_attention(model, {("", 0): Cut({(0, 3)}, growing=True)}),
    ):
        model(*inputs)
