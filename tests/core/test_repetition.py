"""Tokens said twice: the losses are those of the model, and the heads that are silenced are those that were named."""

import pytest
import torch

from core import zoo
from core.errors import CaptureError, InputError
from core.heads import measures
from core.heads.head_table import induction_scores, repeated_tokens, repetition_scores
from core.heads.repetition import draw_heads, paths_of, rank_heads, repeat_ids, run_repetition, uniform_scores
from tests.core.saved_models import save_text_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return zoo.load_text(str(save_text_model("gpt2", tmp_path_factory.mktemp("gpt2"))))


IDS = [17, 40, 99, 23, 61]


def test_losses_are_the_models_own_and_both_times_are_about_the_same_tokens(model):
    heard = run_repetition(model, repeat_ids(IDS))
    with torch.no_grad():
        probabilities = model.network(torch.tensor([IDS + IDS])).logits[0].softmax(dim=-1)
    assert heard.period == 5
    for place in range(1, 5):
        assert heard.first[0, place - 1] == pytest.approx(-float(probabilities[place - 1, IDS[place]].log()), abs=1e-4)
        again = -float(probabilities[5 + place - 1, IDS[place]].log())
        assert heard.second[0, place - 1] == pytest.approx(again, abs=1e-4)
    right = [int(probabilities[place - 1].argmax()) == IDS[place] for place in range(1, 5)]
    assert heard.first_accuracy == pytest.approx(sum(right) / 4)
    right = [int(probabilities[5 + place - 1].argmax()) == IDS[place] for place in range(1, 5)]
    assert heard.second_accuracy == pytest.approx(sum(right) / 4)


def test_a_silenced_head_is_one_without_its_rows_of_the_output_matrix(tmp_path):
    model = zoo.load_text(str(save_text_model("gpt2", tmp_path)))
    tokens = repeat_ids(IDS)
    baseline = run_repetition(model, tokens)
    silenced = run_repetition(model, tokens, paths_of(baseline.calls, [(1, 0)]))
    assert not silenced.calls
    with torch.no_grad():
        model.network.transformer.h[1].attn.c_proj.weight[:8] = 0
    by_hand = run_repetition(model, tokens)
    torch.testing.assert_close(silenced.losses, by_hand.losses)
    assert not torch.equal(baseline.losses, by_hand.losses)


def test_several_sequences_are_several_rows(model):
    tokens = repeated_tokens(model, longest=6)
    assert tokens.shape == (4, 12)
    assert torch.equal(tokens[:, :6], tokens[:, 6:])
    heard = run_repetition(model, tokens)
    for row in range(4):
        torch.testing.assert_close(heard.losses[row], run_repetition(model, tokens[row : row + 1]).losses[0])


def test_scores_are_those_of_the_table_of_heads_and_of_the_measures(model):
    tokens = repeated_tokens(model)
    calls = run_repetition(model, tokens).calls
    scores = repetition_scores(calls, tokens.shape[1] // 2)
    torch.testing.assert_close(scores["induction"], induction_scores(model))
    maps = torch.stack([calls[1].weights(head=1, item=item) for item in range(4)])
    assert scores["previous_token"][1, 1] == pytest.approx(float(measures.previous_token(maps).mean()), abs=1e-6)


def test_heads_are_ranked_by_their_scores_and_those_without_one_are_left_out():
    scores = torch.tensor([[0.1, 0.9, 0.3], [0.2, torch.nan, 0.9]])
    assert rank_heads(scores) == ((0, 1), (1, 2), (0, 2), (1, 0), (0, 0))


def test_others_are_drawn_without_repetition_and_the_same_for_the_same_seed():
    heads = [(layer, head) for layer in range(3) for head in range(4)]
    choices = draw_heads(heads, 5, times=3, seed=1)
    assert choices == draw_heads(heads, 5, times=3, seed=1) != draw_heads(heads, 5, times=3, seed=2)
    assert all(len(set(chosen)) == 5 and set(chosen) <= set(heads) for chosen in choices)
    with pytest.raises(InputError, match="13 others are to be silenced, and there are 12"):
        draw_heads(heads, 13, times=1, seed=0)


def test_even_scores_are_means_of_one_over_what_can_be_seen():
    induction, previous = uniform_scores(4)
    assert induction == pytest.approx(sum(1 / (row + 1) for row in range(4, 8)) / 4)
    assert previous == pytest.approx(sum(1 / (row + 1) for row in range(1, 8)) / 7)


def test_what_cannot_be_said_twice_or_silenced_is_a_sentence(model):
    with pytest.raises(InputError, match="Fewer than 2 tokens"):
        repeat_ids([3])
    with pytest.raises(CaptureError, match="no head 7 in layer 0"):
        paths_of(run_repetition(model, repeat_ids(IDS)).calls, [(0, 7)])
