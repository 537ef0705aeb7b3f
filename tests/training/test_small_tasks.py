"""The small tasks' training: nothing held out is learned from, and what is counted is what is wrong."""

import pytest
import torch

from core.models.gpt import GPT, GPTConfig
from core.probing.small_tasks import ALPHABET, TASKS, write
from training.common.loop import Plan
from training.small_tasks.report import linear_accuracy, share_right, wrong
from training.small_tasks.train import learn, problems_to_learn_from

EACH = pytest.mark.parametrize("name", TASKS)


def tiny(name: str) -> GPT:
    torch.manual_seed(0)
    return GPT(GPTConfig(vocabulary=len(ALPHABET), context=TASKS[name].context, width=8, layers=1, heads=2))


@EACH
def test_nothing_held_out_is_learned_from_and_a_step_always_draws_the_same(name):
    task = TASKS[name]
    for seed in range(5):
        problems = problems_to_learn_from(task, 256, seed)
        assert problems.shape == (256, len(task.places))
        assert not task.is_held_out(problems).any()
        assert torch.equal(problems, problems_to_learn_from(task, 256, seed))


def test_digits_repeat_more_often_than_by_chance():
    def different(problems: torch.Tensor) -> float:
        return sum(len(set(problem)) for problem in problems.tolist()) / len(problems)

    task = TASKS["sort"]
    drawn = problems_to_learn_from(task, 512, 0)
    assert different(drawn) < different(task.draw(512, 0, held_out=False)) - 0.5
    assert any(len(set(problem)) == 1 for problem in drawn.tolist())


@EACH
def test_a_few_steps_make_the_answer_more_probable_and_the_same_seed_the_same_model(name, tmp_path):
    first, second = tiny(name), tiny(name)
    plan = Plan(steps=20, learning_rate=1e-2, warm_up=1, log_every=20)
    problem = TASKS[name].draw(1, 0)[0]
    before = write(first.eval(), TASKS[name], problem).probabilities
    learn(first, TASKS[name], plan, tmp_path / "first")
    learn(second, TASKS[name], plan, tmp_path / "second")
    after = write(first.eval(), TASKS[name], problem).probabilities
    assert after[:, :10].sum() > before[:, :10].sum()  # signs are never part of an answer
    torch.testing.assert_close(first.state_dict(), second.state_dict(), rtol=0, atol=0)


@EACH
def test_wrong_answers_are_counted_whole(name):
    task, network = TASKS[name], tiny(name).eval()
    problems = task.draw(15, 1)
    answers = [write(network, task, problem) for problem in problems]
    assert wrong(network, task, problems) == sum(answer.text != answer.right for answer in answers)


def test_no_rounding_makes_a_hundred_percent():
    assert share_right(200_000, 0) == "100%"
    assert share_right(200_000, 1) == "99.999% (1 wrong)"
    assert share_right(2_000, 30) == "98.500% (30 wrong)"


def test_a_linear_model_does_not_add(monkeypatch):
    monkeypatch.setattr("training.small_tasks.report.LINEAR", {"problems": 500, "steps": 20})
    assert linear_accuracy(TASKS["add"], 0) < 0.2
