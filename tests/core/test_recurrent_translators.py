"""The two recurrent translators against torch's own layers and against their equations, written out."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.models.bahdanau import AdditiveAttention, Bahdanau, BahdanauConfig
from core.models.recurrent import lengths_of, reverse
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig

SOURCE = torch.tensor([[5, 6, 7, 8, 2], [9, 10, 2, 0, 0]])
PADDING = SOURCE == 0
TARGET = torch.tensor([[1, 12, 13, 14], [1, 15, 16, 2]])


def small(kind: str, **more) -> nn.Module:
    torch.manual_seed(3)
    if kind == "seq2seq":
        return Seq2Seq(Seq2SeqConfig(20, 8, 12)).eval()
    return Bahdanau(BahdanauConfig(20, 8, 7, 12, 9, **more)).eval()


def test_reversing_twice_gives_the_same_and_padding_stays():
    lengths = lengths_of(SOURCE, PADDING)
    assert reverse(SOURCE, lengths).tolist() == [[2, 8, 7, 6, 5], [2, 10, 9, 0, 0]]
    assert torch.equal(reverse(reverse(SOURCE, lengths), lengths), SOURCE)


def test_annotations_equal_those_of_torch_s_own_bidirectional_gru():
    model = small("bahdanau")
    theirs = nn.GRU(8, 7, batch_first=True, bidirectional=True)
    for name, parameter in model.forwards.named_parameters():
        getattr(theirs, name).data = parameter.data
        getattr(theirs, f"{name}_reverse").data = getattr(model.backwards, name).data
    packed = pack_padded_sequence(
        model.embedding(SOURCE), lengths_of(SOURCE, PADDING), batch_first=True, enforce_sorted=False
    )
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    memory = model.read(SOURCE, PADDING)["memory"]
    torch.testing.assert_close(memory[~PADDING], expected[~PADDING])


@pytest.mark.parametrize("score", ["additive", "dot"])
def test_weights_are_the_softmax_of_the_scores_that_the_paper_writes(score: str):
    torch.manual_seed(0)
    attention = AdditiveAttention(4, 6, 5, score)
    state, memory = torch.randn(1, 4), torch.randn(1, 3, 6)
    scores = []
    for word in memory[0]:
        ours, theirs = attention.query.weight @ state[0], attention.key.weight @ word
        if score == "additive":
            scores.append(attention.vector.weight[0] @ torch.tanh(ours + theirs))
        else:
            scores.append(ours @ theirs)
    weights = attention(state, attention.key(memory), torch.ones(1, 3, dtype=torch.bool))
    torch.testing.assert_close(weights[0], torch.stack(scores).softmax(dim=0))


def test_a_row_to_which_nothing_is_open_is_zero_and_not_nan():
    attention = AdditiveAttention(4, 6, 5, "additive")
    closed = torch.zeros(2, 3, dtype=torch.bool)
    assert attention(torch.randn(2, 4), torch.randn(2, 3, 5), closed).count_nonzero() == 0


def test_rows_sum_to_one_over_real_words_and_padding_gets_nothing():
    _, weights = small("bahdanau").attend(SOURCE, TARGET, PADDING)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 4))
    assert weights[1, :, 3:].count_nonzero() == 0


def test_the_context_is_the_weighted_sum_of_the_annotations():
    model = small("bahdanau")
    state = model.read(SOURCE, PADDING)
    _, after = model.step(TARGET[:, 0], state)
    expected = torch.einsum("bj,bjw->bw", after["weights"], state["memory"])
    torch.testing.assert_close(after["context"], expected)


@pytest.mark.parametrize("kind", ["seq2seq", "bahdanau"])
def test_a_batch_gives_what_each_sentence_gives_alone(kind: str):
    model = small(kind)
    together = model(SOURCE, TARGET, PADDING)
    for place, length in enumerate(lengths_of(SOURCE, PADDING).tolist()):
        alone = model(SOURCE[place : place + 1, :length], TARGET[place : place + 1])
        torch.testing.assert_close(together[place], alone[0], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["seq2seq", "bahdanau"])
def test_step_by_step_gives_the_logits_of_teacher_forcing(kind: str):
    model = small(kind)
    state, logits = model.read(SOURCE, PADDING), []
    for token in TARGET.T:
        step_logits, state = model.step(token, state)
        logits.append(step_logits)
    torch.testing.assert_close(torch.stack(logits, dim=1), model(SOURCE, TARGET, PADDING), atol=1e-5, rtol=1e-5)


def test_without_attention_the_summary_is_all_that_is_known_of_the_source():
    model = small("seq2seq")
    one, other = model.read(SOURCE[:1]), model.read(torch.tensor([[11, 4, 2]]))
    assert not torch.allclose(one["summary"], other["summary"])
    swapped = {name: part.clone() for name, part in one.items()}
    after_one, _ = model.step(TARGET[:1, 0], one)
    after_swapped, _ = model.step(TARGET[:1, 0], swapped)
    assert torch.equal(after_one, after_swapped)
    assert set(one) == {"summary", "state"}
    assert one["summary"].shape == other["summary"].shape == (1, 12)


def test_the_word_read_last_is_the_first_of_the_sentence():
    model = small("seq2seq")
    states, _ = model.encoder(model.embedding(SOURCE[:1].flip(1)))
    torch.testing.assert_close(model.read(SOURCE[:1])["summary"], torch.tanh(model.summary(states[:, -1])))


@pytest.mark.parametrize(("made", "words"), [(lambda: Seq2SeqConfig(state=0), "at least 1 for 'state', not 0")])
def test_sizes_that_cannot_be_are_refused(made, words: str):
    with pytest.raises(ValueError, match=words):
        made()
