"""Which models can be seen (docs/models.py): a sample of families is built and judged."""

import os
import re
import signal
import threading
from collections import Counter

import pytest
import torch
from torch import nn

from docs import generation, models
from docs.families import Family, Way

SAMPLE = {
    "MultiheadAttention": "exact",
    "TransformerDecoder": "consistent",
    "bert": "exact",
    "bart": "exact",
    "big_bird": "partly",
    "cvt": "consistent",  # the factors of its products are given as lists
    "deepseek_v2": "consistent",
    "dots3_note_text": "exact",  # its layers have each a number of heads of their own
    "gpt_oss": "exact",
    "llama": "exact",
    "longformer": "refused",
    "t5": "exact",
    "vit": "exact",
    "time_series_transformer": "exact",
    "videomae": "exact",
    "vit_b_16": "consistent",
}


@pytest.fixture(scope="module")
def built():
    return {family.name: family for family in models.families()}


@pytest.mark.parametrize("family", SAMPLE)
def test_a_family_is_judged_by_what_the_recorder_does_with_it(built, family):
    row = models.row_of(built[family])
    assert row.verdict == SAMPLE[family], row
    assert row.detail


class Blind(nn.Module):
    """Says another map than it uses: what the page must not call exact or consistent."""

    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        weights = (self.query(x) @ self.key(x).mT).softmax(-1)
        return (weights @ x) * weights.diagonal(dim1=-2, dim2=-1)[..., None]


def test_the_test_of_consistency_can_fail():
    inputs = torch.randn(1, 5, 8)

    def build():
        return Blind, lambda model: model(inputs), lambda model: (model(inputs), [torch.eye(5)[None, None]])

    row = models.row_of(Family("torch.nn", "Blind", (Way(build),)))
    assert row.verdict == "partly"
    assert "0 of 1 maps equal" in row.detail


def test_a_family_that_hangs_or_takes_all_memory_is_a_row_like_others(monkeypatch):
    monkeypatch.setattr(models, "PATIENCE", 3)

    def hang():
        threading.Event().wait()

    def swallow():
        return lambda: torch.empty(2**40), None, None

    ways = {"Slow": hang, "Large": swallow, "Killed": lambda: os.kill(os.getpid(), signal.SIGKILL)}
    rows = models.rows_of([Family("torch.nn", name, (Way(build),)) for name, build in ways.items()])
    assert [(row.family, row.verdict) for row in rows] == [(name, "not built") for name in ways]


@pytest.fixture(scope="module")
def rows():
    return models.read(models.FILE)


def test_a_page_is_read_as_it_was_written(rows, tmp_path):
    odd = models.Row("timm", "odd", "refused", "a | b <c>")
    (tmp_path / "page.md").write_text(models.page([*rows, odd]))
    assert sorted(map(repr, models.read(tmp_path / "page.md"))) == sorted(map(repr, [*rows, odd]))


def test_the_page_has_more_than_120_families_and_nothing_is_silently_wrong(rows):
    verdicts = Counter(row.verdict for row in rows)
    assert verdicts.keys() <= {"exact", "consistent", "partly", "refused", "not built"}, "FAILED is a fault of ours."
    assert verdicts["exact"] + verdicts["consistent"] + verdicts["partly"] + verdicts["refused"] > 120
    unknown = [row.family for row in rows if row.verdict == "not built" and row.detail != models.NO_HEADS]
    assert len(unknown) <= 118, "Of 178 that could not be built a few lines build 60."
    assert all(row.detail for row in rows)
    for row in rows:
        pasted = re.search(r"(\d+) of (\d+) maps pasted", row.detail)
        assert row.verdict != "consistent" or (pasted and pasted[1] == pasted[2]), row
    assert {row.library for row in rows} == {"torch.nn", "transformers", "timm", "torchvision"}


def test_the_page_names_no_place_of_a_machine(rows):
    assert models._words(ValueError("no X in '/home/me/lib/site-packages/a/b.py'")) == "no X in 'a/b.py'"
    assert not any("site-packages" in row.detail or str(models.FILE.parents[1]) in row.detail for row in rows)


@pytest.mark.parametrize("family", SAMPLE)
def test_the_page_says_what_is_found_here(rows, family):
    assert [row.verdict for row in rows if row.family == family] == [SAMPLE[family]]


def test_the_library_page_counts_as_the_page_of_models_does(rows):
    ran = Counter(row.verdict for row in rows if row.verdict != "not built")
    match = re.search(
        r"of (\d+) that ran, (\d+) are exact or consistent", (models.FILE.parent / "library.md").read_text()
    )
    assert match
    assert [int(number) for number in match.groups()] == [ran.total(), ran["exact"] + ran["consistent"]]


WRITTEN = {
    ("mistral", "cache that grows or slides"): "exact (4 of 4)",
    ("mistral", "drafts (prompt look-up), with `length=`"): "exact (2 of 2)",
    ("gemma3_text", "static cache"): "exact (4 of 4)",
    ("gemma4_text", "static cache"): "exact (8 of 8)",
    ("gemma4_text", "cache that grows or slides"): "exact (4 of 8), refused (4 of 8)",
    ("gemma2", "beams, with `beams=`"): "exact (4 of 4)",
    ("gpt2", "quantised cache (8-bit floats)"): "exact (4 of 4)",
    ("jamba", "cache that grows or slides"): "exact (2 of 2)",
    ("bart", "beams, without"): "exact (4 of 8), refused (4 of 8)",
}


@pytest.mark.parametrize(("family", "way"), WRITTEN)
def test_the_page_says_what_becomes_of_a_text_that_is_written(family, way):
    page = generation.read(models.FILE.read_text(encoding="utf-8"))
    computed = generation.cell(family, next(own for own in generation.WAYS if own.name == way))
    assert computed == page[family, way] == WRITTEN[family, way]


def test_the_page_has_every_way_of_writing_and_none_is_wrong(monkeypatch):
    page = generation.read(models.FILE.read_text(encoding="utf-8"))
    assert page.keys() == {(family, way.name) for family in generation.FAMILIES for way in generation.WAYS}
    assert all(re.match(r"(exact|refused|the library cannot)\b", verdict) for verdict in page.values())
    assert not any("WRONG" in verdict for verdict in page.values())
    monkeypatch.setattr(generation, "CLOSE", 0.0)
    assert generation.cell("gpt2", generation.WAYS[0]).startswith("WRONG"), "The comparison can fail."
