"""Next word, small tasks: one's own problem, what is said about it, and what is said of several hundred."""

import re

import numpy as np
import pytest
import torch

from core.probing.small_tasks import TASKS, Links, WrittenAnswer, load_small_gpt, right_digits, write
from core.probing.small_tasks.tasks import CARRY, COLUMN, Aim
from pages.language.next_word import compute_small_tasks as compute
from pages.language.next_word.small_tasks import SECTION, TITLES, about_answer, equation
from pages.language.next_word.small_tasks_counted import about_links, about_silence, best_head
from tests.pages.conftest import message_text, prose

PAGE = "language/next_word"
TITLE_OF = {name: title for title, name in TITLES.items()}
EACH = pytest.mark.parametrize("name", TASKS)


@EACH
def test_each_task_is_alive_at_once(visit, name):
    app = visit(PAGE, show="Small tasks", small_task=TITLE_OF[name])
    assert app.segmented_control(key="small_task").value == TITLE_OF[name]
    assert "How it is computed" in [element.value for element in app.subheader]
    assert not app.warning
    drawn = TASKS[name].draw(1, seed=1)[0]
    written = write(load_small_gpt(name), TASKS[name], drawn)
    assert equation(TASKS[name], drawn, written) in prose(app)


def test_a_sum_in_the_address_is_added(visit):
    app = visit(PAGE, show="Small tasks", small_task=TITLE_OF["add"], small_add="47+85", small_digit="tens")
    assert "### 47 + 85 = 132" in prose(app)
    assert app.segmented_control(key="small_digit").value == "tens"
    assert "tens" in app.segmented_control(key="small_digit").value


def test_digits_in_the_address_are_sorted(visit):
    app = visit(PAGE, show="Small tasks", small_task=TITLE_OF["sort"], small_sort="3 5 2 0 4 1", small_digit="3rd")
    assert "### 3 5 2 0 4 1 → 0 1 2 3 4 5" in prose(app)
    assert app.segmented_control(key="small_digit").value == "3rd"


@pytest.mark.parametrize(
    ("name", "typed", "rule"),
    [("sort", "12345", "exactly six digits"), ("add", "<b>1+1", "two whole numbers"), ("add", "100+1", "from 0 to 99")],
)
def test_a_bad_problem_gets_one_sentence_and_the_page_stays(visit, name, typed, rule):
    app = visit(PAGE, show="Small tasks", small_task=TITLE_OF[name], **{f"small_{name}": typed})
    assert rule in message_text(app, "warning")
    assert len(app.warning) == 1
    app.text_input(key=f"small_{name}").set_value("").run()
    assert not app.warning
    assert not app.exception


def test_another_problem_takes_the_place_of_ones_own(visit):
    app = visit(PAGE, show="Small tasks", small_sort="111111", small_draw="7")
    assert "### 1 1 1 1 1 1 →" in prose(app)
    next(button for button in app.button if button.label == "Another").click().run()
    assert not app.exception
    assert app.number_input(key="small_draw").value == 8
    assert app.text_input(key="small_sort").value == ""
    assert f"### {' '.join(map(str, TASKS['sort'].draw(1, seed=8)[0].tolist()))} →" in prose(app)


@EACH
def test_a_silenced_head_is_counted_live(visit, name):
    app = visit(PAGE, show="Small tasks", small_task=TITLE_OF[name], **{f"small_silenced_{name}": "0.0"})
    problems = TASKS[name].draw(compute.PROBLEMS, compute.SEED)
    right = right_digits(load_small_gpt(name), TASKS[name], problems, [(0, 0)]).all(dim=-1).float().mean()
    assert app.metric[0].value == f"{float(right):.1%}"
    assert f"**{float(right):.1%}**" in prose(app)


def test_choices_that_do_not_exist_fall_back(visit):
    app = visit(PAGE, show="Small tasks", small_task="multiply", small_digit="9th", small_draw="-4")
    assert app.segmented_control(key="small_task").value == TITLE_OF["sort"]
    assert app.segmented_control(key="small_digit").value == "1st"


def test_the_projector_shows_no_prose(visit):
    app = visit(PAGE, show="Small tasks", present="1")
    assert SECTION.about not in prose(app)
    assert "How it is computed" not in [element.value for element in app.subheader]


@EACH
def test_each_head_alone_is_what_the_map_holds(name):
    alone = compute.without_each(name)
    for layer, head in compute.heads_of(name):
        assert alone[layer, head] == pytest.approx(compute.accuracy(name, ((layer, head),)))


def answered(name: str, text: str, right: str, least: int = 0) -> WrittenAnswer:
    probabilities = torch.full((len(right), 12), 0.0)
    for place, digit in enumerate(text):
        probabilities[place, int(digit)] = 0.6 if place == least else 0.9
    return WrittenAnswer(text, right, probabilities, torch.zeros(1, 1, len(right), TASKS[name].context))


def test_what_is_nearly_certain_is_not_called_so():
    written = answered("add", "231", "231")
    sure = WrittenAnswer("231", "231", written.probabilities.clamp_min(0.9999), written.weights)
    assert "at more than 99.9%" in about_answer(TASKS["add"], torch.tensor([4, 7, 8, 5]), sure)


def test_a_wrong_digit_is_struck_out_and_the_right_answer_given():
    problem = torch.tensor([4, 7, 8, 5])
    assert equation(TASKS["add"], problem, answered("add", "231", "231")) == "47 + 85 = 132"
    assert equation(TASKS["add"], problem, answered("add", "221", "231")) == "47 + 85 = 1~~2~~2\u2003(right: 132)"
    problem = torch.tensor([3, 5, 2, 0, 4, 1])
    wrong = equation(TASKS["sort"], problem, answered("sort", "012346", "012345"))
    assert wrong == "3 5 2 0 4 1 → 0 1 2 3 4 ~~6~~\u2003(right: 0 1 2 3 4 5)"


@EACH
@pytest.mark.parametrize("held_out", [True, False])
def test_what_is_said_of_an_answer_is_true_of_it(name, held_out):
    task = TASKS[name]
    problem = task.draw(1, 5, held_out=held_out)[0]
    right = "".join(map(str, task.solve(problem[None])[0].tolist()))
    sentence = about_answer(task, problem, answered(name, right, right, least=2))
    assert sentence.startswith("The answer is right")
    assert f"**{task.answers[2]}" in sentence
    assert "**, at 60.0%." in sentence
    assert ("not trained on" in sentence) == held_out
    other = str((int(right[0]) + 1) % 10) + right[1:]
    count = len(right)
    assert about_answer(task, problem, answered(name, other, right)).startswith(f"{count - 1} of {count} digits are")


def test_the_head_named_is_the_one_that_points_best():
    generator = torch.Generator().manual_seed(0)
    aims = (Aim(COLUMN, 0), Aim(COLUMN, 1), Aim(CARRY, 1), Aim(CARRY, 2))
    for _ in range(20):
        pointed = torch.randint(0, 101, (2, 3, 4), generator=generator)
        links = Links(aims, 100, pointed, torch.tensor([0.2, 0.4, 0.1, 0.3]), torch.tensor([0.5, 0.6, 1.0, 1.0]))
        column, carry = about_links(links)
        sums = {(layer, head): int(pointed[layer, head, :2].sum()) for layer in range(2) for head in range(3)}
        name, count = re.search(
            r"\*\*head (\d\.\d)\*\* points to the column that is added up in \*\*(\d+) of 200", column
        ).groups()
        assert int(count) == max(sums.values()) == sums[tuple(map(int, name.split(".")))]
        assert "by chance it would in 30%" in column
        # Of 200 cases two standard errors of a difference from 55 % are nearly 10 points.
        better = sum(count / 200 > 0.55 + 0.0985 for count in sums.values())
        assert (f"**{better} of 6 heads** do clearly better" if better else "No head does clearly better") in column
        assert "The place is always the same here" in carry
        totals = pointed.sum(dim=-1)
        assert totals[best_head(links)] == totals.max()


@pytest.mark.parametrize("silenced", [(), ((0, 1),)])
def test_what_is_said_of_silence_is_true_of_the_numbers(silenced):
    generator = np.random.default_rng(0)
    for _ in range(20):
        alone = generator.random((2, 3)).astype(np.float32)
        most = divmod(int(alone.argmin()), 3)
        *before, sentence = about_silence(compute.Accuracy(1.0, 0.25, alone), silenced, (1, 2))
        assert before == (["Without 0.1 the share of right answers goes from 100.0% to **25.0%**."] if silenced else [])
        assert f"**Head {most[0]}.{most[1]}** matters most: {alone.min():.1%}" in sentence
        assert f"{alone.max():.1%} without head" in sentence
        assert ("It is also the head that points best" in sentence) == (most == (1, 2))


def test_nobody_is_missed_where_nothing_is_lost():
    nothing = compute.Accuracy(1.0, 1.0, np.ones((2, 2), dtype=np.float32))
    assert "No single head is needed" in about_silence(nothing, (), (0, 0))[0]
    few = compute.Accuracy(0.99, 0.99, np.array([[0.985, 0.99], [0.99, 0.99]], dtype=np.float32))
    assert "No single head is needed" in about_silence(few, (), (0, 0))[0]  # three of 512 answers
    assert "stays at **100.0%**" in about_silence(nothing, ((0, 0),), (0, 0))[0]
