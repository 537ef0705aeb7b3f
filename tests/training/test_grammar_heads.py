"""The table of heads that follow grammar: made from a treebank, rows replaced by model, read as they were written."""

import csv
import gzip
import json

import pytest

from core.errors import ModelError
from core.probing.grammar.relations import TO_GOVERNOR, best_heads, count
from core.probing.grammar.trees import Tree
from core.results import grammar_heads as read_table
from core.zoo import load_text
from tests.core.saved_models import save_text_model
from tests.core.test_grammar_relations import DOGS, FOX
from training.measurements import grammar_heads


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "ud"
    folder.mkdir()
    long = Tree(("x",) * 200, (-1, *[0] * 199), ("root", *["conj"] * 199), "")
    for part, trees in (("train", [DOGS, FOX, long]), ("test", [FOX, DOGS])):
        with gzip.open(folder / f"{part}.jsonl.gz", "wt") as file:
            for tree in trees:
                head = [governor + 1 for governor in tree.governors]
                of = {"words": tree.words, "text": tree.text, "head": head, "deprel": tree.relations, "id": "1"}
                file.write(json.dumps(of) + "\n")
    return folder


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["grammar_heads", *map(str, arguments)])
    grammar_heads.main()


def test_the_table_holds_what_was_counted_and_rows_are_replaced_by_model(data, tmp_path, monkeypatch):
    table = tmp_path / "table.csv"
    names = [str(save_text_model(kind, tmp_path / kind)) for kind in ("gpt2", "bert")]
    run(monkeypatch, "--data", data, "--table", table, "--model", names[0], "--model", names[1], "--threads", 1)
    first = table.read_text()
    by_model = read_table(table)
    assert list(by_model) == names
    assert [of.causal for of in by_model.values()] == [True, False]
    model = load_text(names[1])
    expected = best_heads(count(model, [DOGS, FOX]), count(model, [FOX, DOGS]))
    for row, best in zip(by_model[names[1]].heads, expected.heads, strict=True):
        assert (row.relation, row.direction, row.head, row.offset, row.cases) == (
            best.relation, best.direction, best.head, best.offset, best.cases,
        )  # fmt: skip
        for name in ("share", "chosen_share", "offset_share", "earlier"):
            assert getattr(row, name) == pytest.approx(getattr(best, name), abs=6e-5)
        assert dict(row.by_head) == pytest.approx(dict(best.by_head), abs=6e-4)
    run(monkeypatch, "--data", data, "--table", table, "--model", names[0], "--threads", 1)
    again = table.read_text()
    assert sorted(again.splitlines()) == sorted(first.splitlines())
    assert list(read_table(table)) == names[::-1]
    with table.open() as lines:
        clark = {(row["relation"], row["direction"]): row["clark_share"] for row in csv.DictReader(lines)}
    assert clark["det", TO_GOVERNOR] == "0.943"
    assert clark["cc", TO_GOVERNOR] == clark["det", "to dependent"] == ""


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ("0.0:5 x", "names a head as 'layer.head:percent', not 'x'"),
        ("0.0:500", "is a number from 0 to 100"),
        ("9.9:5", "no share of layer"),
    ],
)
def test_shares_of_heads_that_cannot_be_right_are_refused(data, tmp_path, monkeypatch, shares, words):
    table = tmp_path / "table.csv"
    name = str(save_text_model("bert", tmp_path / "bert"))
    run(monkeypatch, "--data", data, "--table", table, "--model", name, "--threads", 1)
    with table.open() as lines:
        rows = list(csv.DictReader(lines))
    rows[1]["by_head"] = shares
    table.unlink()
    grammar_heads.replace_rows(table, "none", rows)
    with pytest.raises(ModelError, match=rf"line 3: .*{words}.*make grammar"):
        read_table(table)


def test_a_sample_is_the_same_each_time_and_all_where_there_are_no_more():
    trees = [DOGS, FOX] * 10
    assert grammar_heads.sample(trees, 20) == trees
    assert grammar_heads.sample(trees, 5) == grammar_heads.sample(trees, 5)
    assert len(grammar_heads.sample(trees, 5)) == 5
