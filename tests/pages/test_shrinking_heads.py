"""Heads on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.results.shrinking import Pruned, measured
from core.shrinking.importance import random_order
from pages.scale.shrinking import compute_heads
from pages.scale.shrinking.compute_heads import BY_GRADIENT, WAYS, places
from pages.scale.shrinking.heads import (
    ORDERS,
    about_four_fifths,
    about_loss,
    about_most,
    about_trained,
    can_go,
    lines_of,
)
from pages.scale.shrinking.inputs import MODELS, SENTIMENTS
from tests.pages.conftest import prose

PAGE, SECTION = "scale/shrinking", "Heads"


@pytest.mark.parametrize("name", MODELS)
def test_the_section_opens_by_its_address(visit, name):
    app = visit(PAGE, show=SECTION, shrunk=name, heads_percent="50", heads_changed="0.1")
    assert "heads are taken out" in prose(app)
    assert app.get("plotly_chart")


@pytest.mark.parametrize("way", WAYS)
def test_heads_go_in_the_order_that_was_asked_for(visit, monkeypatch, way):
    # Greedily takes 666 runs: tests/core/test_shrinking_heads.py counts them with a tiny network. What is kept of the
    # order below is of this sentence alone.
    monkeypatch.setattr(compute_heads, "greedy_order", lambda network, *_: random_order(network, seed=1))
    app = visit(PAGE, show=SECTION, shrunk=SENTIMENTS, heads_order=way, sentence=f"Dull, {way}.")
    assert "**11 of 36** heads are taken out" in prose(app)
    assert ("has the largest share" in prose(app)) == (way == BY_GRADIENT)


def test_with_no_head_gone_nothing_changes(visit):
    app = visit(PAGE, show=SECTION, shrunk="BERT, praise or blame", heads_percent="0")
    assert "**0 of 36** heads are taken out: **100%** of the parameters" in prose(app)
    before, after = re.search(r"([\d.]+%) before and ([\d.]+%) now", prose(app)).groups()
    assert before == after


def test_a_heads_place_in_an_order_runs_from_0_to_1():
    ranks = places([(1, 0), (0, 1), (0, 0)], [2, 1])
    assert [module_ranks.tolist() for module_ranks in ranks] == [[1.0, 0.5], [0.0]]


@given(st.lists(st.lists(st.integers(1, 100), min_size=4, max_size=4, unique=True), min_size=2, max_size=3))
def test_the_most_important_head_is_named(rows):
    importance = [torch.tensor(row) / 100 for row in rows]
    every = sorted(
        ((rows[module][head], module, head) for module in range(len(rows)) for head in range(4)),
        key=lambda entry: entry[0],
    )
    ranking = SimpleNamespace(way=BY_GRADIENT, values=importance, order=[(module, head) for _, module, head in every])
    value, module, head = every[-1]
    sentence = about_most(ranking)
    assert sentence.startswith(f"On this input head {head} of module {module} ")
    assert f"({value / 100:.2f})" in sentence
    assert f"; {sum(entry[0] < 10 for entry in every)} of {len(every)} heads" in sentence


def row_of(order: str, removed: int, quality: float, measure: str, trained: int = 0) -> Pruned:
    variant = "whole" if order == "whole" else f"{order} {removed} {trained}"
    return Pruned("gpt-books", variant, 100 - removed, 400, 0.9, 1.0, quality, measure, 99, order, removed, 10, trained)


def rows_of(qualities: dict[str, list[float]], measure: str) -> tuple[Pruned, ...]:
    return row_of("whole", 0, 50.0, measure), *(
        row_of(order, removed, quality, measure)
        for order, values in qualities.items()
        for removed, quality in enumerate(values, start=1)
    )


VALUES = st.lists(st.floats(1, 100).map(lambda value: round(value, 1)), min_size=10, max_size=10)


@given(VALUES, VALUES, VALUES, VALUES, st.sampled_from(["bits", "BLEU"]))
def test_heads_can_go_until_too_much_is_lost(gradient, alone, greedy, by_chance, measure):
    rows = rows_of({"gradient": gradient, "alone": alone, "greedy": greedy, "random 0": by_chance}, measure)
    for order, values in (("gradient", gradient), ("alone", alone), ("greedy", greedy)):
        for loss in (0.01, 0.05):
            fits = [(quality - 50 if measure == "bits" else 50 - quality) / 50 <= loss for quality in values]
            first_bad = fits.index(False) if False in fits else len(fits)
            assert can_go(rows, order, loss) == first_bad / 10
    sentence = about_loss(rows)
    assert (
        f"**{max(can_go(rows, order, 0.05) for order in ('gradient', 'alone', 'greedy')):.0%}** before 5%" in sentence
    )
    eighth, same = (
        (qualities[7] - 50) / 50 if measure == "bits" else (50 - qualities[7]) / 50 for qualities in (gradient, greedy)
    )
    if abs(eighth - 0.005) > 1e-9:
        is_lost = eighth > 0.005
        assert (f"with 8 of 10 heads gone by gradient, **{eighth:.0%}**" in about_four_fifths(rows)) == is_lost
        assert (f"(greedily {same:.0%}, by chance" in about_four_fifths(rows)) == is_lost
        assert ("nothing is lost" in about_four_fifths(rows)) == (not is_lost)
    along, lines = lines_of(rows)
    assert along == [10.0 * step for step in range(11)]
    assert lines[ORDERS["random"]].tolist() == [50.0, *by_chance]
    assert about_trained(rows) == ""


@given(VALUES, st.floats(1, 100), st.floats(1, 100))
def test_what_was_trained_on_stands_beside_the_whole_network_trained_as_long(values, all_heads, fewer):
    plain = rows_of({"gradient": values}, "BLEU")
    rows = (*plain, row_of("gradient", 0, all_heads, "BLEU", 200), row_of("gradient", 8, fewer, "BLEU", 200))
    sentence = about_trained(rows)
    assert f"without 80% of its heads has **{fewer:.4g}** (before them {values[7]:.4g})" in sentence
    assert sentence.endswith(f"the whole one has {all_heads:.4g} after as many.")
    trained = lines_of(rows)[1][ORDERS["trained"]]
    assert [place for place in range(11) if not np.isnan(trained[place])] == [0, 8]
    assert can_go(rows, "gradient", 0.05) == can_go(plain, "gradient", 0.05)


@pytest.mark.parametrize("model", MODELS.values())
def test_the_table_begins_with_the_whole_and_gets_smaller(model):
    baseline, *pruned = measured(Pruned, model)
    assert (baseline.variant, baseline.order, baseline.removed) == ("whole", "whole", 0)
    for row in pruned:
        assert (row.parameters < baseline.parameters) == (row.removed > 0)
        assert row.bytes == 4 * row.parameters
    bare = [row for row in pruned if row.removed == row.heads]
    assert len({row.quality for row in bare}) == 1  # without any head all orders are the same network
    assert {row.order for row in pruned} == {"gradient", "alone", "greedy", "random 0", "random 1", "random 2"}
    trained = [row for row in pruned if row.trained]
    assert [round(row.share, 1) for row in trained] == [0.0, 0.2, 0.4, 0.6, 0.8]
    for row in trained[2:]:
        (plain,) = (
            other for other in pruned if (other.order, other.removed, other.trained) == (row.order, row.removed, 0)
        )
        assert row.quality_loss(baseline) < plain.quality_loss(baseline)  # training gives something back
