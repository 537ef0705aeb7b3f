"""Heads on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.measured.shrinking_heads import MODELS, Pruned, pruned
from pages.scale.shrinking import words_heads as words
from pages.scale.shrinking.heads import (
    about_doubt,
    about_four_fifths,
    about_loss,
    about_most,
    about_smaller,
    can_go,
    lines_of,
)

PAGE, SECTION = "scale/shrinking", "Heads"


@pytest.mark.parametrize("name", words.MODELS)
def test_the_section_opens_by_its_address(visit, name):
    app = visit(PAGE, show=SECTION, heads_of=name, heads_percent="50", heads_changed="0.1")
    assert any("heads are taken out" in each.value for each in app.markdown)
    assert app.get("plotly_chart")


def test_an_empty_sentence_gets_a_sentence(visit):
    app = visit(PAGE, show=SECTION)
    app.text_input(key="heads_text").set_value(" ").run()
    assert not app.exception
    assert [*app.error, *app.warning]


def test_with_no_head_gone_nothing_changes(visit):
    app = visit(PAGE, show=SECTION, heads_of="BERT, praise or blame", heads_percent="0")
    said = next(each.value for each in app.markdown if "heads are taken out" in each.value)
    assert said.startswith("**0 of 36** heads are taken out: 100% of the parameters")
    before, after = said.split(" before and ")
    assert before.rsplit(" ", 1)[1] == after.split(" now")[0]


CHANCES = st.lists(st.integers(1, 100), min_size=3, max_size=3, unique=True).map(
    lambda counts: torch.tensor(counts) / sum(counts)
)


@given(CHANCES, CHANCES, st.integers(0, 9))
def test_an_answer_that_changes_is_told(before, after, gone):
    smaller = SimpleNamespace(
        answers=("a", "b", "c"),
        before=before,
        after=after,
        written=None,
        parameters=(200, 150),
        milliseconds=(4.0, 3.0),
    )
    said = about_smaller(smaller, gone, 9)
    best = [max(range(3), key=lambda place: side[place]) for side in (before, after)]
    assert said.startswith(f"**{gone} of 9** heads are taken out: 75% of the parameters are left")
    assert ("first answer stays" in said) == (best[0] == best[1])
    assert f"“{'abc'[best[1]]}”**" in said


@given(st.lists(st.lists(st.integers(1, 100), min_size=4, max_size=4, unique=True), min_size=2, max_size=3))
def test_the_most_important_head_is_named(rows):
    importance = [torch.tensor(row) / 100 for row in rows]
    every = sorted(
        ((rows[module][head], module, head) for module in range(len(rows)) for head in range(4)),
        key=lambda each: each[0],
    )
    found = SimpleNamespace(importance=importance, order=[(module, head) for _, module, head in every])
    value, module, head = every[-1]
    said = about_most(found)
    assert said.startswith(f"On this input head {head} of module {module} ")
    assert f"({value / 100:.2f})" in said
    assert f"; {sum(each[0] < 10 for each in every)} of {len(every)} heads" in said


def rows_of(qualities: dict[str, list[float]], measure: str) -> tuple[Pruned, ...]:
    whole = Pruned("gpt-books", "whole", 0, 10, 100, 200, 1.0, 1.0, 50.0, measure)
    return whole, *(
        Pruned("gpt-books", order, removed, 10, 100 - removed, 200, 0.9, 1.0, quality, measure)
        for order, values in qualities.items()
        for removed, quality in enumerate(values, start=1)
    )


VALUES = st.lists(st.floats(1, 100).map(lambda value: round(value, 1)), min_size=10, max_size=10)


@given(VALUES, VALUES, VALUES, st.sampled_from(["bits", "BLEU"]))
def test_heads_can_go_until_too_much_is_lost(gradient, alone, by_chance, measure):
    rows = rows_of({"gradient": gradient, "alone": alone, "random 0": by_chance}, measure)
    for order, values in (("gradient", gradient), ("alone", alone)):
        for loss in (0.01, 0.05):
            fits = [(each - 50 if measure == "bits" else 50 - each) / 50 <= loss for each in values]
            first_bad = fits.index(False) if False in fits else len(fits)
            assert can_go(rows, order, loss) == first_bad / 10
    said = about_loss(rows)
    assert f"**{max(can_go(rows, order, 0.05) for order in ('gradient', 'alone')):.0%}** before 5%" in said
    eighth = (gradient[7] - 50) / 50 if measure == "bits" else (50 - gradient[7]) / 50
    assert f"with 8 of 10 heads gone by gradient, **{eighth:.0%}**" in about_four_fifths(rows)
    along, lines = lines_of(rows)
    assert along == [10.0 * step for step in range(11)]
    assert lines[words.ORDERS["random"]].tolist() == [50.0, *by_chance]


@pytest.mark.parametrize("model", MODELS)
def test_the_table_begins_with_the_whole_and_gets_smaller(model):
    whole, *rest = pruned(model)
    assert (whole.order, whole.removed) == ("whole", 0)
    for row in rest:
        assert row.parameters < whole.parameters
        assert row.bytes == 2 * row.parameters
    bare = [row for row in rest if row.removed == row.heads]
    assert len({row.quality for row in bare}) == 1  # without any head all orders are the same network
    assert {row.order for row in rest} == {"gradient", "alone", "random 0", "random 1", "random 2"}


def test_the_doubt_is_the_binomial_error_of_the_share():
    whole, *_ = pruned("bert-tasks")
    assert f"is {100 * (whole.quality * (1 - whole.quality) / 872) ** 0.5:.1f} points" in about_doubt(whole)
    assert about_doubt(pruned("translation")[0]) == ""
