"""Captioners: what is recorded is what they looked at, written step by step as taught, and the loss of the paper."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from core.capture import edit_attention, record_attention
from core.models.caption_transformer import CaptionTransformer, CaptionTransformerConfig
from core.models.show_attend_tell import CaptionerConfig, ShowAttendTell, caption_loss
from core.translation.decoding import BEGIN, PAD, beam_search

SIZES = CaptionerConfig(vocabulary=20, place_width=12, width=10, state=14, attention=8)


def lstm() -> ShowAttendTell:
    torch.manual_seed(0)
    return ShowAttendTell(SIZES).eval().requires_grad_(False)


def transformer() -> CaptionTransformer:
    torch.manual_seed(0)
    sizes = CaptionTransformerConfig(vocabulary=20, place_width=12, places=9, width=16, layers=2, heads=4)
    return CaptionTransformer(sizes).eval().requires_grad_(False)


def given_input(seed: int, length: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(seed)
    return torch.randn(2, 9, 12, generator=rng), torch.randint(20, (2, length), generator=rng)


@given(st.integers(0, 99))
@settings(max_examples=10)
def test_written_word_by_word_it_looks_where_it_looks_when_it_is_taught(seed):
    network = lstm()
    places, words = given_input(seed)
    logits, weights, gates = network.attend(places, words)
    state = network.read(places)
    for step in range(words.shape[1]):
        step_logits, state = network.step(words[:, step], state)
        assert_close(step_logits, logits[:, step])
        assert_close(state["weights"], weights[:, step])
        assert_close(state["gate"], gates[:, step])
    assert_close(weights.sum(dim=-1), torch.ones(2, 5))
    assert bool(((gates > 0) & (gates < 1)).all())


def test_every_look_is_recorded():
    network = lstm()
    places, words = given_input(1)
    with record_attention(network) as record:
        _, weights, _ = network.attend(places[:1], words[:1])
    assert len(record.calls) == 5
    for step, call in enumerate(record.calls):
        assert (call.path, call.heads, call.query_length, call.key_length) == ("attention", 1, 1, 9)
        assert_close(call.weights(0)[0], weights[0, step])


def test_a_silenced_look_sees_nothing():
    network = lstm()
    places, words = given_input(2)
    with edit_attention(network, {("attention", 0): "silence"}):
        changed = network(places[:1], words[:1])
    state = network.read(places[:1])
    state |= {"places": torch.zeros_like(places[:1])}  # the same looks at nothing
    for step in range(words.shape[1]):
        step_logits, state = network.step(words[:1, step], state)
        assert_close(changed[:, step], step_logits)


def test_a_gate_that_is_shut_lets_nothing_through():
    network = lstm()
    network.gate.weight.zero_()
    network.gate.bias.fill_(-100.0)
    places, words = given_input(3)
    other = places + torch.randn(2, 9, 12, generator=torch.Generator().manual_seed(4))
    other += places.mean(dim=1, keepdim=True) - other.mean(dim=1, keepdim=True)  # the first state stays as it was
    assert_close(network(places, words), network(other, words))


def test_the_loss_is_equation_14():
    logits = torch.randn(2, 3, 20, generator=torch.Generator().manual_seed(5))
    weights = torch.rand(2, 3, 9, generator=torch.Generator().manual_seed(6)).softmax(dim=-1)
    following = torch.tensor([[4, 7, 9], [3, 0, 0]])
    words = [
        -logits[row, place].log_softmax(-1)[following[row, place]] for row, place in ((0, 0), (0, 1), (0, 2), (1, 0))
    ]
    apart = [(1 - sum(float(weights[0, t, i]) for t in range(3))) ** 2 for i in range(9)] + [
        (1 - float(weights[1, 0, i])) ** 2 for i in range(9)
    ]
    expected = sum(words) / 4 + 0.5 * sum(apart) / 18
    assert_close(caption_loss(logits, weights, following, ignore=0, fairness=0.5), expected)


def test_the_transformer_writes_without_knowing_what_follows_and_its_looks_are_recorded():
    network = transformer()
    places, words = given_input(7)
    logits = network(places, words)
    other = words.clone()
    other[:, 3:] = (other[:, 3:] + 1) % 20
    assert_close(network(places, other)[:, :3], logits[:, :3])
    with record_attention(network) as record:
        network(places[:1], words[:1])
    cross = [call for call in record.calls if call.kind == "cross"]
    assert [(call.query_length, call.key_length) for call in cross] == [(5, 9)] * 2
    for call in cross:
        assert_close(call.weights(0).sum(dim=-1), torch.ones(5))


def test_the_transformer_writes_word_by_word_what_it_is_taught():
    network = transformer()
    places, words = given_input(8)
    logits, state = network(places, words), network.read(places)
    for step in range(words.shape[1]):
        step_logits, state = network.step(words[:, step], state)
        assert_close(step_logits, logits[:, step], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("make", [lstm, transformer])
def test_both_write_by_beam_search_and_one_beam_is_the_most_probable_word_each_time(make):
    network = make()
    places, _ = given_input(9)
    state = network.read(places)
    decoded, _ = beam_search(network, torch.zeros(2, 1, dtype=torch.long), beam=1, max_tokens=6, state=state)
    words = [BEGIN]
    for token in decoded.best.tokens:
        logits = network(places[:1], torch.tensor([words]))[0, -1]
        logits[[PAD, BEGIN]] = -torch.inf  # which nobody writes
        assert int(logits.argmax()) == token
        words.append(token)


def test_sizes_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="at least 1 for 'state', not 0"):
        CaptionerConfig(vocabulary=5, state=0)
