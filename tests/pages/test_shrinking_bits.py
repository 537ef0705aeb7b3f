"""Bits on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelError
from core.measured.shrinking_bits import Rounding, roundings
from pages.scale.shrinking import words_bits as words
from pages.scale.shrinking.bits import about_answers, about_chance, about_layers, about_matrix, about_measured
from tests.pages.conftest import check

PAGE = "scale/shrinking"


@pytest.mark.parametrize("kind", words.KINDS)
def test_the_section_opens_by_its_address(visit, kind):
    app = visit(PAGE, show="Bits", bits_of=kind, bits_number="8", bits_grouping="groups of 64")
    assert app.title[0].value == "What can be removed?"
    assert any("Rounding moves a weight by" in each.value for each in app.markdown)
    assert len(app.get("plotly_chart")) == 2


def test_a_matrix_of_another_network_gives_way_to_the_first_one_of_this(visit):
    app = check(visit(PAGE, show="Bits", bits_of="BERT, verdict", bits_matrix="no.such.matrix"))
    assert app.selectbox(key="bits_matrix").value == "bert.blocks.0.attention.qkv"


def test_an_empty_sentence_gets_a_sentence_and_another_one_works_after_it(visit):
    app = visit(PAGE, show="Bits")
    app.text_input(key="bits_text").set_value(" ").run()
    assert not app.exception
    check(app.text_input(key="bits_text").set_value("The dog slept by the door.").run())
    assert any("of the probability has moved" in each.value for each in app.markdown)


CHANCES = st.lists(st.integers(1, 100), min_size=3, max_size=3, unique=True).map(
    lambda counts: torch.tensor(counts) / sum(counts)
)


@given(CHANCES, CHANCES)
def test_the_first_answer_stays_where_it_is_the_same_and_moved_mass_is_what_was_gained(before, after):
    told = about_answers(SimpleNamespace(labels=("a", "b", "c"), before=before, after=after))
    old, new = (max(range(3), key=lambda place: each[place]) for each in (before, after))
    assert ("stays" in told) == (old == new)
    assert f"**“{'abc'[new]}”**" in told
    gained = sum(max(0.0, float(new - old)) for old, new in zip(before, after, strict=True))
    said = float(told.split("In all, **")[1].split("%")[0])
    assert said == pytest.approx(100 * gained, abs=0.051)


def test_only_a_share_has_a_standard_error():
    row = Rounding("whole", 100, 1.0, 0.5, "accuracy", 32, None)
    assert "1.6 points" in about_chance((row,))
    assert about_chance((Rounding("whole", 100, 1.0, 5.0, "bits", 32, None),)) == ""


def test_error_and_bytes_of_a_matrix_are_shares():
    told = about_matrix(SimpleNamespace(error=0.02, size=0.1, stored=1250, whole=5000))
    assert "**20.0%**" in told
    assert "**1,250** bytes instead of 5,000: **25.0%**" in told


@given(st.lists(st.integers(0, 999), min_size=1, max_size=6), st.sampled_from(["accuracy", "bits"]))
def test_the_layer_that_suffers_most_has_the_worst_quality(values, measure):
    rows = [Rounding("whole", 100, 1.0, 0.9, measure, 32, None)]
    rows += [Rounding(f"{each}", 50, None, value / 1000, measure, 4, each) for each, value in enumerate(values)]
    worst = sorted(values, reverse=measure == "bits")[0]
    same = [str(place) for place, value in enumerate(values) if value == worst]
    told = about_layers(tuple(rows))
    assert f"**layer{'s' if len(same) > 1 else ''} {', '.join(same)}" in told


@pytest.mark.parametrize("model", words.KINDS.values())
def test_the_table_begins_with_the_whole_network_and_the_smallest_is_told(model):
    rows = roundings(model)
    assert (rows[0].variant, rows[0].bits) == ("whole", 32)
    assert all(row.bytes < rows[0].bytes for row in rows[1:])
    assert len([row for row in rows if row.layer is not None]) == 6
    least = sorted(row.bytes for row in rows)[0]
    assert f"**{least / rows[0].bytes:.0%}** of the bytes" in about_measured(rows)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"shrinking_bits\.csv"):
        roundings("gpt-books", tmp_path / "shrinking_bits.csv")
