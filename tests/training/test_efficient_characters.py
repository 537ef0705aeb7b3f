"""The character models of the comparison: none of them may see what it is to predict."""

import pytest
import torch

from core.efficient import Clustered, LowRank
from core.results import HIDDEN, NEXT, efficient_characters
from training.common.shakespeare import Windows
from training.efficient_characters.contestants import CONTEXT, Contestant, build, contestants
from training.efficient_characters.train import TASKS, loss

VOCABULARY = 12
GOING_ON, FILLING_IN = contestants(causal=True), contestants(causal=False)
EVERY = [(task, name) for task in TASKS for name in contestants(causal=task == NEXT)]


def drawn(seed: int = 1) -> torch.Tensor:
    return torch.randint(1, VOCABULARY, (1, CONTEXT), generator=torch.Generator().manual_seed(seed))


def before_and_after(contestant):
    """The logits of all characters but the last ones, with two different ends of the text."""
    text, other, model = drawn(), drawn(), build(contestant, VOCABULARY).eval()
    other[:, -40:] = (other[:, -40:] + 1) % VOCABULARY
    with torch.inference_mode():
        return [model(characters)[0, :-40] for characters in (text, other)]


@pytest.mark.parametrize("name", GOING_ON)
def test_later_characters_change_nothing_where_the_next_one_is_predicted(name):
    plain, changed = before_and_after(GOING_ON[name])
    torch.testing.assert_close(plain, changed, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("name", "variant"), [("Clustered", Clustered(clusters=4)), ("Low rank", LowRank(rank=4))])
def test_what_is_left_out_there_would_look_ahead(name, variant):
    plain, changed = before_and_after(Contestant.of(variant, "looks ahead"))
    assert (plain - changed).abs().max() > 1e-3
    assert name in FILLING_IN
    assert name not in GOING_ON


@pytest.mark.parametrize("name", FILLING_IN)
def test_what_is_filled_in_depends_on_both_sides(name):
    plain, changed = before_and_after(FILLING_IN[name])
    assert (plain - changed).abs().max() > 1e-3


@pytest.mark.parametrize(("task", "name"), EVERY)
def test_only_what_is_shown_reaches_the_model_and_only_the_rest_is_asked(task, name):
    """The loss is that of predictions from what is shown: recomputed from what the model was given."""
    model = build(contestants(causal=task == NEXT)[name], VOCABULARY)
    calls = []
    model.register_forward_hook(lambda _, inputs, output: calls.append((inputs[0], output)))
    windows = Windows(torch.randint(1, VOCABULARY, (8 * CONTEXT,)), CONTEXT, 2, seed=0)
    torch.manual_seed(0)
    mean_loss = loss(task, model, windows, 0)
    ((input_ids, logits),) = calls
    following = windows.batch(0)[1]
    is_target = input_ids == 0 if task == HIDDEN else torch.ones_like(input_ids, dtype=torch.bool)
    if task == HIDDEN:
        assert (is_target.sum(dim=1) == CONTEXT // 4).all()
        assert torch.equal(input_ids[~is_target], following[~is_target])
    expected = -logits.float().log_softmax(-1).gather(-1, following[..., None])[..., 0][is_target].mean()
    torch.testing.assert_close(mean_loss, expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("task", "name"), EVERY)
def test_every_weight_learns(task, name):
    model = build(contestants(causal=task == NEXT)[name], VOCABULARY)
    windows = Windows(torch.randint(1, VOCABULARY, (8 * CONTEXT,)), CONTEXT, 2, seed=0)
    loss(task, model, windows, 0).backward()
    for parameter in model.parameters():
        assert parameter.grad.isfinite().all()
        assert parameter.grad.any()


def test_all_start_from_the_same_weights():
    first = build(FILLING_IN["Exact"], VOCABULARY).state_dict()
    for task, name in EVERY:
        other = build(contestants(causal=task == NEXT)[name], VOCABULARY).state_dict()
        torch.testing.assert_close({key: other[key] for key in first}, first, atol=0, rtol=0)


def test_the_committed_table_is_of_these_models():
    committed = {(run.task, run.variant): run for run in efficient_characters()}
    assert sorted(committed) == sorted(EVERY)
    alphabet = 66
    for (task, name), run in committed.items():
        contestant = contestants(causal=task == NEXT)[name]
        assert (run.settings, run.multiplications) == (contestant.settings, contestant.multiplications)
        assert run.parameters == sum(parameter.numel() for parameter in build(contestant, alphabet).parameters())
        assert run.steps == committed[task, "Exact"].steps
