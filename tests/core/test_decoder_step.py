"""A step worked out by hand gives the numbers that the model itself computes."""

import itertools
import math

import pytest
import torch
from torch.testing import assert_close

from core.capture import record_attention
from core.translation.decoder_step import attend_additive, attend_dot_product, next_tokens, recurrent_step
from tests.core.tiny_translators import KINDS, reads, sentence, tiny

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
PLACES = range(5)


@pytest.mark.parametrize("score", ["additive", "dot"])
@pytest.mark.parametrize("place", PLACES)
def test_weights_and_context_are_those_that_the_models_own_step_returns(score, place):
    model, source, before = tiny("bahdanau", score=score), sentence(), reads(sentence(seed=2))
    state = model.read(source)
    for token in before[0, : place + 1]:
        _, state = model.step(token[None], state)
    look = attend_additive(model, source, before, place)
    assert_close(look.weights, state["weights"][0], **CLOSE)
    assert_close(look.mixed, state["context"][0], **CLOSE)
    assert_close(look.weights, model.attend(source, before)[1][0, place], **CLOSE)


def test_additive_scores_are_the_sum_written_in_the_paper_channel_by_channel():
    model, source, before = tiny("bahdanau"), sentence(), reads(sentence(seed=2))
    look = attend_additive(model, source, before, 3)
    w, u, v = (part.weight for part in (model.attention.query, model.attention.key, model.attention.vector))
    for j, score in enumerate(look.scores.tolist()):
        expected = 0.0
        for k in range(len(v[0])):
            inside = sum(float(w[k, c] * look.state[c]) for c in range(w.shape[1]))
            inside += sum(float(u[k, c] * look.value[j, c]) for c in range(u.shape[1]))
            expected += float(v[0, k]) * math.tanh(inside)
        assert score == pytest.approx(expected, abs=1e-5)


def test_the_first_state_is_the_one_that_reading_the_source_leaves():
    model, source, before = tiny("bahdanau"), sentence(), reads(sentence(seed=2))
    assert_close(attend_additive(model, source, before, 0).state, model.read(source)["state"][0], **CLOSE)


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("head", range(4))
@pytest.mark.parametrize("place", PLACES)
def test_weights_of_a_head_are_those_that_the_recorder_sees_over_the_whole_sentence(layer, head, place):
    model, source, before = tiny("transformer"), sentence(), reads(sentence(seed=2))
    with record_attention(model) as record:
        model(source, before)
    call = record[f"decoder.blocks.{layer}.cross_attention"]
    look = attend_dot_product(model, source, before, place, layer=layer, head=head)
    assert_close(look.weights, call.weights(head=head)[place], **CLOSE)
    assert_close(look.scores, call.scores(head=head)[place], **CLOSE)
    assert_close(look.mixed, call.output(head=head)[place], **CLOSE)
    assert look.scale == pytest.approx(1 / math.sqrt(16 / 4))


LOOKS = {
    "additive": lambda place: attend_additive(tiny("bahdanau"), sentence(), reads(sentence(seed=2)), place),
    "dot": lambda place: attend_additive(tiny("bahdanau", score="dot"), sentence(), reads(sentence(seed=2)), place),
    "head": lambda place: attend_dot_product(
        tiny("transformer"), sentence(), reads(sentence(seed=2)), place, layer=1, head=2
    ),
}


@pytest.mark.parametrize("kind", LOOKS)
def test_every_array_follows_from_those_above_it(kind):
    look = LOOKS[kind](2)
    if look.activation is None:
        assert_close(look.terms, look.query * look.key)
    else:
        assert_close(look.activation, (look.query + look.key).tanh())
        assert_close(look.terms, look.vector * look.activation)
    assert_close(look.raw_scores * look.scale, look.scores, **CLOSE)
    powers = [math.exp(score) for score in look.scores.tolist()]
    assert look.weights.tolist() == pytest.approx([power / sum(powers) for power in powers], abs=1e-6)
    assert_close(sum(weight * value for weight, value in zip(look.weights, look.value, strict=True)), look.mixed)


@pytest.mark.parametrize("kind", LOOKS)
def test_parts_add_up_to_the_mixed_vector_and_their_shares_to_one(kind):
    look = LOOKS[kind](4)
    assert_close(look.parts.sum(dim=0), look.mixed, **CLOSE)
    assert float(look.shares.sum()) == pytest.approx(1, abs=1e-5)
    length = float(look.mixed.norm())
    projected = [float(part @ look.mixed) / length for part in look.parts]
    assert look.shares.tolist() == pytest.approx([part / length for part in projected], abs=1e-5)


def test_the_summary_is_the_same_vector_at_every_step_while_the_state_moves():
    model, source, before = tiny("seq2seq"), sentence(), reads(sentence(seed=2))
    steps = [recurrent_step(model, source, before, place) for place in PLACES]
    assert all(torch.equal(step.summary, model.read(source)["summary"][0]) for step in steps)
    assert torch.equal(steps[0].before, model.read(source)["state"][0])
    for one, following in itertools.pairwise(steps):
        assert torch.equal(one.after, following.before)
        assert not torch.equal(one.before, one.after)


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_of_the_next_token_are_those_of_one_teacher_forced_pass(kind):
    model, source, before = tiny(kind), sentence(), reads(sentence(seed=2))
    expected = model(source, before)[0].log_softmax(dim=-1)
    for place in PLACES:
        log_probabilities = next_tokens(model, source, before, place)
        assert_close(log_probabilities, expected[place], **CLOSE)
        assert float(log_probabilities.exp().sum()) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("place", [-1, 6])
def test_a_step_that_is_not_there_is_refused_with_the_numbers(place):
    with pytest.raises(ValueError, match=rf"no step {place}: they are numbered 0 to 5"):
        next_tokens(tiny("seq2seq"), sentence(), reads(sentence(seed=2)), place)


def test_nothing_of_the_model_is_left_recording():
    model, source, before = tiny("transformer"), sentence(), reads(sentence(seed=2))
    first = model(source, before)
    attend_dot_product(model, source, before, 2, layer=0, head=0)
    assert torch.equal(model(source, before), first)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())
