"""Word by word, the beam: the tree of a search as it is drawn, its table, and what is told of it."""

import itertools

import pytest

from core.translation.decoding import PENALTY, Decoded, beam_search, length_penalty
from dashboard.figures.beam_tree import LONGEST, Node, beam_tree, rows_of
from dashboard.output import search_tree
from dashboard.theme import DARK, LIGHT, Look
from tests.core.tiny_translators import sentence, tiny

HUE = "#d55e00"


def label(number: int) -> str:
    return f"t{number}"


@pytest.fixture(scope="module")
def decoded() -> Decoded:
    return beam_search(tiny("seq2seq", seed=5), sentence(), beam=8, max_tokens=9, keep_steps=True)[0]


def nodes_of(decoded: Decoded, *, last: int | None = None, columns: int = 10) -> tuple[Node, ...]:
    last = len(decoded.best.tokens) if last is None else last
    return search_tree.nodes_of(decoded, label, last=last, columns=columns)


def test_the_way_to_the_result_reads_as_the_translation(decoded):
    assert [node.label for node in nodes_of(decoded) if node.winning] == ["<s>", *map(label, decoded.best.tokens)]


def test_each_node_continues_its_parent_one_step_earlier(decoded):
    nodes = nodes_of(decoded)
    for place, node in enumerate(nodes):
        assert (node.parent is None) == (node.step == 0)
        if node.parent is not None:
            assert node.parent < place
            assert nodes[node.parent].step == node.step - 1
            assert nodes[node.parent].is_kept


def test_everything_kept_is_drawn_and_of_the_dropped_only_the_best(decoded):
    nodes = nodes_of(decoded)
    for number, step in enumerate(decoded.steps[: len(decoded.best.tokens)], start=1):
        column = [node for node in nodes if node.step == number]
        assert sum(node.is_kept for node in column) == sum(candidate.is_kept for candidate in step)
        dropped = [label(candidate.token) for candidate in step if not candidate.is_kept]
        assert [node.label for node in column if not node.is_kept] == dropped[: search_tree.DROPPED]


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
    winning = search_tree.winning_places(decoded)
    for number, step in enumerate(decoded.steps[: len(decoded.best.tokens)], start=1):
        table = search_tree.table(step, winning[number], label)
        assert len(table) == len(step)
        assert list(table["what became of it"]).count("leads to the result") == 1
        assert table["token"][winning[number]] == label(decoded.best.tokens[number - 1])
        for row, candidate in zip(table.itertuples(), step, strict=True):
            assert row.total == pytest.approx(sum(candidate.hypothesis.log_probabilities))
            assert row.score == pytest.approx(row.total / ((5 + number) / 6) ** PENALTY)
        assert sum(table["what became of it"] == "dropped") == sum(
            not candidate.is_kept for place, candidate in enumerate(step) if place != winning[number]
        )


@pytest.mark.parametrize("beam", [1, 2, 8])
def test_a_tree_is_drawn_for_every_beam_and_every_step(beam):
    decoded = beam_search(tiny("transformer", seed=4), sentence(), beam=beam, max_tokens=9, keep_steps=True)[0]
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
        Node(1, 0, "c", "", is_kept=False),
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


@pytest.mark.parametrize("beam", [1, 2, 8])
@pytest.mark.parametrize("longest", [2, 9, 40])
@pytest.mark.parametrize("kind", ["seq2seq", "transformer"])
def test_the_rule_that_is_told_is_the_one_that_ended_the_search(kind, longest, beam):
    for seed in range(4):
        search = beam_search(tiny(kind, seed=seed), sentence(), beam=beam, max_tokens=longest, keep_steps=True)[0]
        reason = search_tree.why_it_ended(search, beam=beam, longest=longest)
        complete, ends = [], []
        for step in search.steps:  # after each step, which of the three rules hold, in the words of the search
            complete += [candidate.hypothesis for candidate in step if candidate.is_kept and candidate.hypothesis.ended]
            going = [candidate.hypothesis for candidate in step if candidate.is_kept and not candidate.hypothesis.ended]
            best = max((hypothesis.score(PENALTY) for hypothesis in complete), default=None)
            ends.append(
                {
                    f"as many texts were complete as the beam holds ({beam})": len(complete) >= beam,
                    "nothing that was still going could overtake this result": best is not None
                    and all(
                        hypothesis.log_probability / length_penalty(longest, PENALTY) <= best for hypothesis in going
                    ),
                    "as many tokens as it may write were written": len(step[0].hypothesis.tokens) >= longest,
                }
            )
        assert not any(any(rules.values()) for rules in ends[:-1])
        assert ends[-1][reason]


def test_candidates_are_counted_and_the_one_that_won_is_ranked(decoded):
    for number, step in enumerate(decoded.steps[: len(decoded.best.tokens)], start=1):
        text = search_tree.about_candidates(decoded, number)
        assert (
            f"**{len(step)} candidates** in this step and kept {sum(candidate.is_kept for candidate in step)}" in text
        )
        own = next(candidate for candidate in step if candidate.hypothesis.tokens == decoded.best.tokens[:number])
        better = sum(candidate.hypothesis.log_probability > own.hypothesis.log_probability for candidate in step)
        assert ("stood first" if not better else f"only number {better + 1}") in text


def test_the_drawing_says_how_the_search_went_on_only_at_its_last_step(decoded):
    last = len(decoded.best.tokens)
    captions = [search_tree.about_drawing(decoded, step, beam=8, longest=9) for step in range(1, last + 1)]
    assert all(caption.endswith("in the table.") for caption in captions[:-1])
    more = len(decoded.steps) - last
    assert ("Here the search ended" if not more else "The search went on for") in captions[-1]
