"""The tree of a beam search as it is drawn, and the bars and strips beside it."""

import itertools

import numpy as np
import pytest
import torch

from core.translation.decoding import PENALTY, Decoded, beam_search
from dashboard.figures.score_bars import Column, score_bars
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.theme import DARK, LIGHT, Look
from pages.language.translation import step_tree
from pages.language.translation.figures_beam_tree import LONGEST, Node, beam_tree, rows_of
from tests.core.tiny_translators import sentence, tiny

HUE = "#d55e00"


def label(number: int) -> str:
    return f"t{number}"


@pytest.fixture(scope="module")
def decoded() -> Decoded:
    return beam_search(tiny("seq2seq", seed=5), sentence(), beam=8, longest=9, keep_steps=True)[0]


def nodes_of(decoded: Decoded, *, last: int | None = None, columns: int = 10) -> tuple[Node, ...]:
    last = len(decoded.best.tokens) if last is None else last
    return step_tree.nodes_of(decoded, label, last=last, columns=columns)


def test_the_way_to_the_result_reads_as_the_translation(decoded):
    assert [node.label for node in nodes_of(decoded) if node.winning] == ["<s>", *map(label, decoded.best.tokens)]


def test_each_node_continues_its_parent_one_step_earlier(decoded):
    nodes = nodes_of(decoded)
    for place, node in enumerate(nodes):
        assert (node.parent is None) == (node.step == 0)
        if node.parent is not None:
            assert node.parent < place
            assert nodes[node.parent].step == node.step - 1
            assert nodes[node.parent].kept


def test_everything_kept_is_drawn_and_of_the_dropped_only_the_best(decoded):
    nodes = nodes_of(decoded)
    for number, step in enumerate(decoded.steps[: len(decoded.best.tokens)], start=1):
        column = [node for node in nodes if node.step == number]
        assert sum(node.kept for node in column) == sum(each.kept for each in step)
        dropped = [label(each.token) for each in step if not each.kept]
        assert [node.label for node in column if not node.kept] == dropped[: step_tree.DROPPED]


@pytest.mark.parametrize("columns", [1, 3, 20])
@pytest.mark.parametrize("last", [1, 2, 5])
def test_only_the_last_steps_are_drawn_and_the_beginning_only_with_the_first(decoded, columns, last):
    steps = {node.step for node in nodes_of(decoded, last=last, columns=columns)}
    first = max(1, last - columns + 1)
    assert steps == set(range(0 if first == 1 else first, last + 1))


def test_no_two_lines_cross_and_no_two_labels_share_a_place(decoded):
    nodes = nodes_of(decoded)
    rows = rows_of(nodes)
    assert len({(node.step, row) for node, row in zip(nodes, rows, strict=True)}) == len(nodes)
    for step in range(1, max(node.step for node in nodes) + 1):
        lines = [
            (rows[node.parent], row)
            for node, row in zip(nodes, rows, strict=True)
            if node.step == step and node.parent is not None
        ]
        for (from_one, to_one), (from_other, to_other) in itertools.combinations(lines, 2):
            assert (from_one - from_other) * (to_one - to_other) >= 0


def test_the_way_to_the_result_is_a_straight_line(decoded):
    nodes = nodes_of(decoded)
    assert {row for node, row in zip(nodes, rows_of(nodes), strict=True) if node.winning} == {0.0}


def test_the_sentence_below_the_pointer_has_the_numbers_of_the_search(decoded):
    node = next(node for node in nodes_of(decoded) if node.winning and node.step == 3)
    first = decoded.best.log_probabilities[:3]
    assert f"log-probability of the token {first[2]:.2f}".replace("-0", "−0").replace(" -", " −") in node.tell
    assert f"total of 3 tokens {sum(first):.2f}".replace(" -", " −") in node.tell
    assert f"length penalty {sum(first) / (8 / 6) ** PENALTY:.2f}".replace(" -", " −") in node.tell


def test_the_table_holds_every_candidate_and_names_what_became_of_it(decoded):
    winning = step_tree.winning_places(decoded)
    for number, step in enumerate(decoded.steps[: len(decoded.best.tokens)], start=1):
        table = step_tree.table(step, winning[number], label)
        assert len(table) == len(step)
        assert list(table["what became of it"]).count("leads to the result") == 1
        assert table["token"][winning[number]] == label(decoded.best.tokens[number - 1])
        for row, each in zip(table.itertuples(), step, strict=True):
            assert row.total == pytest.approx(sum(each.hypothesis.log_probabilities))
            assert row.score == pytest.approx(row.total / ((5 + number) / 6) ** PENALTY)
        assert sum(table["what became of it"] == "dropped") == sum(
            not each.kept for place, each in enumerate(step) if place != winning[number]
        )


@pytest.mark.parametrize("beam", [1, 2, 8])
def test_a_tree_is_drawn_for_every_beam_and_every_step(beam):
    decoded = beam_search(tiny("transformer", seed=4), sentence(), beam=beam, longest=9, keep_steps=True)[0]
    for last in range(1, len(decoded.best.tokens) + 1):
        nodes = nodes_of(decoded, last=last, columns=4)
        figure = beam_tree(nodes, look=Look(LIGHT), hue=HUE, chosen=last)
        assert len(figure.layout.annotations) == len(nodes)
        assert figure.layout.height < 90 + 2 * 14 * 24


def test_a_winner_that_was_not_the_best_is_still_drawn_with_lines_of_its_own_colour():
    nodes = (
        Node(0, None, "<s>", "", winning=True),
        Node(1, 0, "a", ""),
        Node(1, 0, "b", "", winning=True),
        Node(1, 0, "c", "", kept=False),
    )
    assert rows_of(nodes) == [0, -1, 0, 1]
    lines = {trace.name: trace for trace in beam_tree(nodes, look=Look(DARK), hue=HUE, chosen=1).data}
    assert lines["winning"].line.color == HUE
    assert lines["winning"].line.width > lines["kept"].line.width > lines["dropped"].line.width
    assert [len(lines[name].x) for name in ("winning", "kept", "dropped")] == [5, 5, 5]


def test_lines_from_steps_that_are_not_drawn_begin_at_the_edge():
    nodes = (Node(4, None, "a", "", winning=True), Node(4, None, "b", ""))
    figure = beam_tree(nodes, look=Look(LIGHT), hue=HUE, chosen=4)
    assert figure.data[2].x[0] < 4
    assert list(figure.data[2].y[:2]) == [0, 0]
    assert list(figure.layout.xaxis.ticktext) == ["step 4"]


def test_a_token_that_looks_like_markup_is_only_text_and_a_long_one_is_cut():
    nodes = (Node(1, None, "<b>&", "“<i>x</i>”\nnext", winning=True), Node(1, None, "x" * 40, ""))
    figure = beam_tree(nodes, look=Look(LIGHT), hue=HUE, chosen=1)
    assert figure.layout.annotations[0].text == "<b>&lt;b&gt;&amp;</b>"
    assert figure.layout.annotations[1].text == "x" * (LONGEST - 1) + "…"
    assert figure.data[3].customdata[0] == "“&lt;i&gt;x&lt;/i&gt;”<br>next"


def test_bars_have_a_scale_for_each_column_and_write_every_number():
    columns = [
        Column("score", np.array([-3.2, 1.5, 0.25]), "%{x}"),
        Column("weight", np.array([0.125, -1e-6, np.nan]), "%{x}", percent=True, colour=HUE),
    ]
    figure = score_bars(["<b>", "b", "c"], columns, look=Look(LIGHT), marked=1)
    score, weight = figure.data
    assert score.text == ("−3.20", "1.50", "0.25")
    assert weight.text == ("12.5%", "0.0%", "")
    assert score.marker.color == (LIGHT.negative, LIGHT.map, LIGHT.map)
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;", "<b>b</b>", "c")
    assert figure.layout.xaxis.range[0] < -3.2
    assert figure.layout.xaxis.range[1] > 1.5
    assert figure.layout.xaxis2.range[0] <= 0
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]


def test_strips_share_a_scale_only_when_they_are_to_be_added_up():
    rows = [Row("a", "a", np.array([0.5, -2.0])), Row("b", "b", torch.zeros(3).numpy())]
    assert [trace.zmax for trace in vector_rows(rows, look=Look(LIGHT)).data] == [2, 1]
    together = vector_rows(rows, look=Look(LIGHT), one_scale=True)
    assert [(trace.zmin, trace.zmax) for trace in together.data] == [(-2, 2), (-2, 2)]
    assert together.data[0].z.tolist() == [[0.5, -2.0]]
    domains = [together.layout.yaxis.domain, together.layout.yaxis2.domain]
    assert domains[1][0] >= 0
    assert domains[1][1] < domains[0][0] < domains[0][1] < 1
