"""The explorer of published figures: what is shown, said, and drawn is what the rows and the choices say."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.figures.label_positions import MARK, Box, boxes, name_positions
from dashboard.figures.scatter import Axis, Line, scatter
from dashboard.theme import DARK, LIGHT, Look
from pages.scale.scaling_comparison.cards import as_markdown
from pages.scale.scaling_comparison.explorer import numbers, points
from pages.scale.scaling_comparison.selection import (
    NOT_STATED,
    Choices,
    Measure,
    Table,
    best_shown,
    difference,
    front_shown,
    hidden_by,
    select,
)
from tests.pages.scaling import TABLES, has_no_number, plain

HUES = {"transformer": "#009e73", "convolutional": "#cc79a7"}
COST, SCORE = Measure("cost", "Cost", "", "less", "count"), Measure("score", "Score", "%", "more", "one")


def table_of(rows, **more):
    """A table with the given rows: (cost, score, data), named by their numbers, each second one a transformer."""
    frame = pd.DataFrame(rows, columns=["cost", "score", "data"]).astype({"cost": float, "score": float})
    frame["label"] = [f"model {number}" for number in range(len(frame))]
    frame["family"] = np.resize(["transformer", "convolutional"], len(frame))
    frame = frame.assign(source="a paper", note="")
    return Table("t", frame, (COST, SCORE), "cost", "score", HUES, **{"own_data": "own", **more})


value = st.one_of(st.integers(0, 4), st.none())
rows = st.lists(st.tuples(value, value, st.sampled_from(["own", "much", NOT_STATED])), min_size=1, max_size=9)


@settings(max_examples=20, deadline=None)
@given(rows)
def test_the_front_and_who_is_missing_are_those_counted_pair_by_pair(given_rows):
    table = table_of(given_rows)
    selection = select(table, Choices(COST, SCORE))
    both = [(a, b) for a, b, _ in given_rows if a is not None and b is not None]
    front = [
        one for one in both if not any(other[0] <= one[0] and other[1] >= one[1] and other != one for other in both)
    ]
    assert Counter(zip(selection.front.cost, selection.front.score, strict=True)) == Counter(front)
    if not both:
        return
    sentences = hidden_by(table, selection)
    assert f"**{len(both)} of {len(given_rows)}** models are shown" in sentences[0]
    for place, name in ((0, "cost"), (1, "score")):
        without = sum(row[place] is None for row in given_rows)
        assert (f"{without} {'has' if without == 1 else 'have'} no figure for *{name}*" in sentences[0]) == (
            without > 0
        )
    neither = sum(row[0] is None and row[1] is None for row in given_rows)
    assert (" neither" in sentences[0]) == (neither > 0)
    best = [number for number, row in enumerate(given_rows) if row[0] is not None and row[1] == max(b for _, b in both)]
    if len(best) < 4:
        assert all(f"**model {number}**" in best_shown(selection) for number in best)
    if len(front) > 1:
        assert f"**{len(front)} of {len(both)}** are on the Pareto front" in front_shown(selection)


@settings(max_examples=20, deadline=None)
@given(rows)
def test_more_data_than_everybody_had_are_counted_and_unknown_ones_are_not_among_them(given_rows):
    table = table_of([(1, 1, data) for _, _, data in given_rows])
    selection = select(table, Choices(COST, SCORE))
    text = plain(hidden_by(table, selection))
    extra, unknown = (sum(row[2] == data for row in given_rows) for data in ("much", NOT_STATED))
    every = len(given_rows)
    expected = (
        "None of them is known to have learned from more than own"
        if not extra
        else "**All** of them learned from more than own"
        if extra == every
        else f"**{extra} of {every}** learned from more than own"
    )
    assert expected in text
    assert (f"of {unknown} it is not stated" in text) == (unknown > 0)


@pytest.mark.parametrize("name", TABLES)
@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_no_sentence_about_any_choice_of_any_table_holds_what_is_no_number(name, data):
    make, notice, hides = TABLES[name]
    table = make()
    x, y = (data.draw(st.sampled_from(table.measures)) for _ in "xy")
    families = data.draw(st.lists(st.sampled_from(sorted(set(table.rows.family))), max_size=2, unique=True))
    only = {
        column: tuple(data.draw(st.lists(st.sampled_from(sorted(set(table.rows[column]))), max_size=1)))
        for column in table.filters
    }
    search = data.draw(st.sampled_from(["", "a", "1", "transformer", *table.rows.label.head(3)]))
    log = data.draw(st.booleans())
    selection = select(table, Choices(x, y, log, log, tuple(families), only, None, search))
    if len(selection.placed):
        text = plain((*notice(selection), *hides(selection), *hidden_by(table, selection)))
        assert not has_no_number(text), text
        assert len(points(table, selection)) == len(numbers(table, selection)) == len(selection.placed)


@pytest.mark.parametrize("text", ["(.*", "<script>alert(1)</script>", "\\", "[", "%s{0}", "🙂" * 40])
def test_a_search_may_be_hostile(text):
    table = table_of([(1, 2, "own")] * 3)
    assert select(table, Choices(COST, SCORE, search=text)).matches.empty
    assert len(select(table, Choices(COST, SCORE, search="  1  MODEL ")).matches) == 1


def test_what_is_noted_of_a_figure_stands_below_the_pointer_in_the_card_and_in_the_numbers():
    table = table_of([(1, 2, "own"), (2, 3, "own")])
    table.rows.loc[1, "note"] = "the slide is wrong"
    selection = select(table, Choices(COST, SCORE))
    assert [("the slide is wrong" in tell) for tell in points(table, selection).tell] == [False, True]
    assert numbers(table, selection).note.tolist() == ["", "the slide is wrong"]
    by_name = table.rows.set_index("label")
    assert "| Note | the slide is wrong |" in as_markdown(table, by_name.iloc[1:])
    assert "| Note | — | the slide is wrong |" in as_markdown(table, by_name)
    assert "Note" not in as_markdown(table, by_name.iloc[:1])
    assert "| Score | 2.0% | **3.0%** |" in as_markdown(table, by_name)
    assert "| Cost | **1** | 2 |" in as_markdown(table, by_name)


@pytest.mark.parametrize(("value", "expected"), [(0.26, "+0.3"), (-0.26, "−0.3"), (-0.04, "0.0"), (0.0, "0.0")])
def test_a_difference_has_its_sign_and_nothing_has_none(value, expected):
    assert difference(value) == expected


def table(count, seed=0):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "x": 10 ** random.uniform(5, 9, count),
            "y": random.uniform(40, 90, count),
            "family": random.choice(list(HUES), count),
            "label": [f"model {number}" for number in range(count)],
            "short": [f"m{number}" for number in range(count)],
            "tell": "accuracy: 1%\nparameters: <b>2</b>",
        },
        index=range(100, 100 + count),
    )


@pytest.mark.parametrize("seed", range(8))
def test_names_cover_neither_one_another_nor_a_mark(seed):
    random = np.random.default_rng(seed)
    across, up = random.uniform(0.1, 0.9, (2, 14))
    names = ["x" * length for length in random.integers(3, 25, 14)]
    places = name_positions(across, up, names, width=700, height=400, size=11)
    marks = [Box(x - MARK, x + MARK, y - MARK, y + MARK) for x, y in zip(700 * across, 400 * (1 - up), strict=True)]
    taken = {
        row: boxes(700 * across[row], 400 * (1 - up[row]), 0.54 * 11 * len(names[row]), 11)[place]
        for row, place in enumerate(places)
        if place
    }
    assert len(taken) > 6
    for row, box in taken.items():
        assert not any(box.meets(other) for number, other in taken.items() if number != row)
        assert not any(box.meets(mark) for number, mark in enumerate(marks) if number != row)
        assert box.left >= 0
        assert box.right <= 700


def test_of_two_at_one_place_both_have_a_name():
    across, up = np.array([0.5, 0.5]), np.array([0.5, 0.52])
    assert all(name_positions(across, up, ["GPT-1", "BERT"], width=700, height=400, size=11))


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_a_click_gives_back_the_row_and_the_pointer_tells_in_text(palette):
    points = table(40)
    figure = scatter(points, x=Axis("size", True, "B"), y=Axis("score"), hues=HUES, look=Look(palette), footer="a <i>")
    rows = [row for trace in figure.data for row in trace.customdata]
    assert sorted(rows) == points.index.tolist()
    for trace in figure.data:
        assert trace.marker.color == HUES[trace.name]
        assert "&lt;b&gt;2&lt;/b&gt;" in trace.hovertext[0]
        assert trace.hovertemplate.endswith("a &lt;i&gt;<extra></extra>")


def test_only_few_have_names_and_only_the_chosen_are_named_among_many():
    few = scatter(table(8), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT))
    assert any(trace.mode == "markers+text" for trace in few.data)
    many = scatter(table(60), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT), chosen=[103, 999])
    assert all(trace.mode == "markers" for trace in many.data)
    assert [note.text for note in many.layout.annotations] == ["model 3"]


def test_lines_lie_below_the_marks_and_take_no_clicks():
    line = Line("a fit", np.array([1e5, 1e9]), np.array([50.0, 80.0]), low=np.array([45, 75]), high=np.array([55, 85]))
    figure = scatter(table(30), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT), lines=[line])
    assert [trace.mode for trace in figure.data][:3] == ["lines"] * 3
    assert all(trace.hoverinfo == "skip" for trace in figure.data[:3])


def test_one_point_alone_has_a_range_around_it():
    figure = scatter(table(1), x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT))
    low, high = figure.layout.xaxis.range
    assert low < np.log10(figure.data[0].x[0]) < high


@pytest.mark.parametrize("count", range(1, 7))
def test_names_of_chosen_neighbours_lie_apart_and_in_the_order_of_their_marks(count):
    points = table(60)
    points["x"] = 1e6  # all above one another
    figure = scatter(
        points, x=Axis("size", True), y=Axis("score"), hues=HUES, look=Look(LIGHT), chosen=points.index[:count].tolist()
    )
    # Plotly counts an annotation's offset in pixels downwards.
    heights = [note.ay for note in sorted(figure.layout.annotations, key=lambda note: -note.y)]
    assert heights == sorted(heights)
    assert all(after - before >= 26 for before, after in pairwise(heights))
