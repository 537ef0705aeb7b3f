"""Small tasks: what is asked, what is right, what was held out, what a model reads; all worked out in another way."""

import json

import pytest
import torch

from core.capture import record_attention
from core.errors import InputError, ModelError
from core.models.gpt import GPT, GPTConfig
from core.probing.small_tasks import (
    ALPHABET,
    SHARE,
    TASKS,
    load_small_gpt,
    right_digits,
    save_small_gpts,
    strongest_links,
    with_answers,
    write,
)
from core.probing.small_tasks.small_gpts import FOLDER
from core.probing.small_tasks.tasks import CARRY, COLUMN, COPY
from core.results import small_task_results

EACH = pytest.mark.parametrize("name", TASKS)


def tiny(name: str, seed: int = 0) -> GPT:
    """Random weights, large enough that heads prefer one token to another."""
    torch.manual_seed(seed)
    network = GPT(GPTConfig(vocabulary=len(ALPHABET), context=TASKS[name].context, width=16, layers=2, heads=2))
    for parameter in network.parameters():
        if parameter.ndim == 2:
            torch.nn.init.normal_(parameter, std=0.5)
    return network.eval().requires_grad_(False)


def drawn(name: str, count: int = 40, seed: int = 3) -> torch.Tensor:
    return TASKS[name].draw(count, seed)


def test_a_sort_is_answered_by_python():
    task = TASKS["sort"]
    for problem, answer in zip(drawn("sort"), task.solve(drawn("sort")), strict=True):
        assert task.spell(problem) == "".join(map(str, problem.tolist())) + "="
        assert answer.tolist() == sorted(problem.tolist())


def test_a_sum_is_answered_by_python():
    task = TASKS["add"]
    for problem, answer in zip(drawn("add"), task.solve(drawn("add")), strict=True):
        written = "".join(map(str, answer.tolist()))
        first, second = task.spell(problem).rstrip("=").split("+")
        assert int(written[::-1]) == int(first) + int(second)
        assert len(first) == len(second) == 2
        assert len(written) == 3


@pytest.mark.parametrize(
    ("name", "typed", "read"),
    [
        ("sort", "352041", "352041="),
        ("sort", " 3 5,2, 0 4 1", "352041="),
        ("add", "47+85", "47+85="),
        ("add", " 7 + 085 = ", "07+85="),
        ("add", "0+0", "00+00="),
        ("add", "00+000", "00+00="),
    ],
)
def test_a_problem_may_be_typed_in_several_ways(name, typed, read):
    assert TASKS[name].spell(TASKS[name].read(typed)) == read


@pytest.mark.parametrize("typed", ["35204", "3520411", "35204a", "٣٥٢٠٤١", "<b>352041", "-52041", "35.041"])
def test_what_is_no_six_digits_gets_the_rule(typed):
    with pytest.raises(InputError, match="exactly six digits"):
        TASKS["sort"].read(typed)


@pytest.mark.parametrize("typed", ["47", "100+1", "4.7+85", "-4+5", "47 85", "47+", "４7+85", "47+85+1", "x" * 500])
def test_what_is_no_sum_gets_the_rule(typed):
    with pytest.raises(InputError, match="two whole numbers from 0 to 99") as caught:
        TASKS["add"].read(typed)
    assert len(str(caught.value)) < 120


@EACH
def test_a_problem_and_its_rearrangements_are_held_out_together(name):
    task = TASKS[name]
    problems = task.draw(200, 1)
    order = torch.tensor([5, 3, 0, 1, 4, 2] if name == "sort" else [2, 3, 0, 1])
    assert task.is_held_out(problems).all()
    assert task.is_held_out(problems[:, order]).all()
    learned = task.draw(200, 1, held_out=False)
    assert not task.is_held_out(learned).any()
    assert not task.is_held_out(learned[:, order]).any()


@EACH
def test_about_a_fifth_is_held_out_and_counted_in_the_results(name):
    task = TASKS[name]
    held_out = int(task.is_held_out(task.every()).sum())
    of = small_task_results.results()[name]
    assert of.held_out == held_out
    assert of.learned == min(20_000, 10 ** len(task.places) - held_out)
    assert abs(held_out / len(task.every()) - SHARE) < 0.02


def test_what_is_held_out_is_the_same_in_every_version():
    """The committed weights never saw these: another draw would make the card wrong."""
    held_out = {
        name: [task.spell(problem) for problem in task.every()[task.is_held_out(task.every())][:4]]
        for name, task in TASKS.items()
    }
    assert held_out == HELD_OUT


HELD_OUT = {
    "sort": ["000028=", "000045=", "000054=", "000055="],
    "add": ["00+25=", "00+35=", "00+40=", "00+46="],
}


def test_what_matters_in_a_sort_is_every_copy_of_the_next_digit():
    task = TASKS["sort"]
    for problem in drawn("sort"):
        text, right = task.spell(problem), sorted(task.spell(problem)[:-1])
        for aim in task.aims:
            matters = task.matters(aim, problem[None])[0].tolist()
            assert aim.kind == COPY
            assert matters == [sign == right[aim.answer] for sign in text] + [False] * 5


def test_what_matters_in_a_sum_are_the_columns():
    task = TASKS["add"]
    letters = "tu+TU=uth"[: task.context]  # tens and units of both numbers, then what is written
    column = {(COLUMN, 0): "uU", (COLUMN, 1): "tT", (CARRY, 1): "uU", (CARRY, 2): "tT"}
    assert {(aim.kind, aim.answer) for aim in task.aims} == set(column)
    for aim in task.aims:
        matters = task.matters(aim, drawn("add", 1))[0].tolist()
        wanted = column[aim.kind, aim.answer]
        assert matters == [sign in wanted and place < task.prompt for place, sign in enumerate(letters)]


@EACH
def test_a_model_writes_what_it_would_token_by_token(name):
    task, network = TASKS[name], tiny(name)
    for problem in drawn(name, 5):
        tokens = task.tokens(problem[None])
        written = write(network, task, problem)
        for place in range(len(task.answers)):
            probabilities = network(tokens)[0, -1].softmax(dim=-1)
            torch.testing.assert_close(written.probabilities[place], probabilities, atol=1e-5, rtol=1e-4)
            tokens = torch.cat([tokens, probabilities.argmax().view(1, 1)], dim=1)
        assert written.text == "".join(ALPHABET[number] for number in tokens[0, task.prompt :].tolist())
        assert written.right == "".join(map(str, task.solve(problem[None])[0].tolist()))


@EACH
@pytest.mark.parametrize("silenced", [(), ((0, 1),), ((0, 0), (1, 1))])
def test_what_is_right_with_the_right_beginning_is_right_when_written_freely(name, silenced):
    task, network, problems = TASKS[name], load_small_gpt(name), drawn(name, 30)
    right = right_digits(network, task, problems, silenced).all(dim=-1).tolist()
    freely = [write(network, task, problem, silenced) for problem in problems]
    assert right == [written.text == written.right for written in freely]


@EACH
def test_a_silenced_head_reads_nothing_and_its_neighbours_read_on(name):
    task, network, problem = TASKS[name], tiny(name), drawn(name, 1)[0]
    before, after = write(network, task, problem), write(network, task, problem, [(0, 1)])
    assert not after.weights[0, 1].any()
    # Before the first digit is written both have read the same, and layer 0 nothing else.
    torch.testing.assert_close(before.weights[0, 0, 0], after.weights[0, 0, 0])
    torch.testing.assert_close(before.weights.sum(dim=-1), torch.ones(before.weights.shape[:-1]))


@EACH
def test_strongest_links_are_counted_as_one_would_by_hand(name):
    task, network, problems = TASKS[name], tiny(name, seed=5), drawn(name, 25)
    links = strongest_links(network, task, problems)
    counts = torch.zeros_like(links.pointed)
    hits = {aim: [] for aim in task.aims}
    with record_attention(network) as record:
        network(with_answers(task, problems)[0])
    for number, problem in enumerate(problems):
        for place, aim in enumerate(task.aims):
            row = task.prompt - 1 + aim.answer
            matters = set(task.matters(aim, problem[None])[0].nonzero()[:, 0].tolist())
            hits[aim].append(matters)
            for layer, call in enumerate(record.calls):
                for head in range(call.heads):
                    weights = call.weights(head, item=number)[row].tolist()
                    counts[layer, head, place] += weights.index(max(weights)) in matters
    assert torch.equal(links.pointed, counts)
    assert links.problems == 25
    for place, aim in enumerate(task.aims):
        visible = task.prompt + aim.answer
        assert float(links.chance[place]) == pytest.approx(sum(map(len, hits[aim])) / 25 / visible)
        best = max(sum(token in of for of in hits[aim]) for token in range(visible))
        assert float(links.fixed[place]) == pytest.approx(best / 25)


@EACH
def test_shares_of_a_kind_are_those_of_all_its_cases_together(name):
    task = TASKS[name]
    links = strongest_links(tiny(name), task, drawn(name, 20))
    for kind in {aim.kind for aim in task.aims}:
        places = [place for place, aim in enumerate(task.aims) if aim.kind == kind]
        assert links.cases(kind) == 20 * len(places)
        expected = sum(links.pointed[..., place] for place in places) / links.cases(kind)
        torch.testing.assert_close(links.of_kind(kind), expected)
        chance, fixed = links.baselines(kind)
        assert chance == pytest.approx(sum(float(links.chance[place]) for place in places) / len(places))
        assert fixed == pytest.approx(sum(float(links.fixed[place]) for place in places) / len(places))


def test_what_was_saved_answers_as_before(tmp_path):
    networks = {name: tiny(name) for name in TASKS}
    save_small_gpts(networks, tmp_path)
    for name, network in networks.items():
        read = with_answers(TASKS[name], drawn(name))[0]
        torch.testing.assert_close(load_small_gpt(name, tmp_path)(read), network(read), atol=0.05, rtol=0.05)


def test_a_missing_model_is_a_sentence_that_says_how_to_get_it(tmp_path):
    with pytest.raises(ModelError, match="make train-small-tasks"):
        load_small_gpt("sort", tmp_path)


@EACH
def test_the_committed_weights_reach_on_a_sample_what_the_card_says(name):
    task, network, of = TASKS[name], load_small_gpt(name), small_task_results.results()[name]
    assert sum(parameter.numel() for parameter in network.parameters()) == of.parameters
    for held_out, wrong, problems in ((True, of.held_out_wrong, of.held_out), (False, of.learned_wrong, of.learned)):
        sample = task.draw(2000, 7, held_out=held_out)
        missed = int((~right_digits(network, task, sample).all(dim=-1)).sum())
        assert missed <= 3 * (wrong / problems * 2000) + (1 if wrong else 0)


def test_the_targets_are_met():
    of = small_task_results.results()
    assert of["sort"].held_out_wrong == 0
    assert of["add"].held_out_wrong / of["add"].held_out <= 0.01


def test_weights_are_small_and_the_card_names_what_made_them():
    assert all(file.stat().st_size < 1_000_000 for file in FOLDER.iterdir())
    card = (FOLDER / "CARD.md").read_text()
    results = json.loads((FOLDER / "results.json").read_text())
    for word in ("make train-small-tasks", f"seed {results['seed']}", results["hardware"], "linear model"):
        assert word in card
