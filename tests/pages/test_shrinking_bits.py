"""Bits on the page Shrinking: it opens, and its sentences are true of what was computed and measured."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ModelError
from core.results.shrinking import Rounding, measured
from core.shrinking.number_formats import BITS, FORMATS
from pages.scale.shrinking.bits import about_formats, about_layers, about_matrix, about_measured, lines_of
from pages.scale.shrinking.inputs import MODELS, SENTIMENTS
from tests.pages.conftest import check, prose

PAGE = "scale/shrinking"


@pytest.mark.parametrize("name", MODELS)
def test_the_section_opens_by_its_address(visit, name):
    app = visit(PAGE, show="Bits", shrunk=name, bits_number="8", bits_grouping="groups of 64")
    assert app.title[0].value == "Pruning and quantisation"
    assert "Rounding moves a weight by" in prose(app)
    assert "The first answer is the same as in float32" in prose(app)
    assert "Computed in fewer bits: bfloat16 **50%** of the memory" in prose(app)


def test_a_matrix_of_another_network_gives_way_to_the_first_one_of_this(visit):
    app = check(visit(PAGE, show="Bits", shrunk=SENTIMENTS, bits_matrix="no.such.matrix"))
    assert app.selectbox(key="bits_matrix").value == "bert.blocks.0.attention.qkv"


def test_error_and_bytes_of_a_matrix_are_shares():
    sentence = about_matrix(SimpleNamespace(error=0.02, size=0.1, stored=1250, full_bytes=5000))
    assert "**20.0%**" in sentence
    assert "**1,250** bytes instead of 5,000: **25.0%**" in sentence


@given(
    st.lists(st.floats(0.1, 3), min_size=3, max_size=3, unique=True), st.lists(st.booleans(), min_size=3, max_size=3)
)
def test_the_fastest_format_is_named_and_those_that_keep_the_answer(times, agreements):
    answers = [torch.tensor([0.6, 0.4]) if same else torch.tensor([0.4, 0.6]) for same in agreements]
    comparisons = tuple(
        SimpleNamespace(milliseconds=(1.0, time), bytes=(100, 50), before=torch.tensor([0.6, 0.4]), after=after)
        for time, after in zip(times, answers, strict=True)
    )
    sentence = about_formats(comparisons)
    best = sorted(zip(times, FORMATS[1:], strict=True))[0]
    assert sentence.startswith(f"Fastest here is **{best[1]}**" if best[0] < 1 / 1.1 else "No format is clearly faster")
    same = [name for name, stays in zip(FORMATS[1:], agreements, strict=True) if stays]
    expected = "in all formats" if len(same) == 3 else " and ".join(same) if same else "in no other format"
    assert expected in sentence


def row_of(variant: str, quality: float, measure: str, layer: int | None = None) -> Rounding:
    grouping = "" if variant == "whole" else "per tensor"
    bits = 32 if variant == "whole" else 4
    return Rounding("gpt-books", variant, 9, 50, 1.0, 2.0, quality, measure, 400, bits, grouping, layer, "float32", 100)


@given(st.lists(st.integers(1, 999), min_size=1, max_size=6), st.sampled_from(["accuracy", "bits"]))
def test_the_layer_that_suffers_most_has_the_worst_quality_and_small_differences_are_called_so(values, measure):
    rows = [row_of("whole", 0.9, measure)]
    rows += [row_of(f"{layer}", value / 1000, measure, layer) for layer, value in enumerate(values)]
    worst = sorted(values, reverse=measure == "bits")[0]
    same = [str(place) for place, value in enumerate(values) if value == worst]
    sentence = about_layers(tuple(rows))
    if len(set(values)) == 1:
        assert "No layer suffers more than another" in sentence
        return
    assert f"**layer{'s' if len(same) > 1 else ''} {', '.join(same)}" in sentence
    error = (worst / 1000 * (1 - worst / 1000) / 400) ** 0.5
    near = measure == "accuracy" and (max(values) - min(values)) / 1000 < 2 * 2**0.5 * error
    assert ("within two standard errors" in sentence) == near


@pytest.mark.parametrize("model", MODELS.values())
def test_the_table_begins_with_the_whole_network_and_formats_are_told(model):
    rows = measured(Rounding, model)
    assert (rows[0].variant, rows[0].bits) == ("whole", 32)
    assert all(row.bytes < rows[0].bytes for row in rows[1:])
    formats = {row.computed: row for row in rows if not row.grouping}
    assert {name: row.bits for name, row in formats.items()} == BITS
    assert formats["bfloat16"].memory * 2 == rows[0].memory
    sentence = about_measured(rows)
    assert f"int4 **{formats['int4'].memory / rows[0].memory:.0%}** of the memory" in sentence
    lines = lines_of(rows)
    assert lines["per output channel"][-1] != lines["per output channel"][-1]  # 2 bits were tried in groups alone
    assert len(lines["per tensor"]) == len({row.bits for row in rows if row.grouping})


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"shrinking_bits\.csv"):
        measured(Rounding, "gpt-books", tmp_path / "shrinking_bits.csv")
