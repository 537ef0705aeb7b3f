"""The report on bert-pairs, end to end on a tiny model: what it writes is what the pages read."""

import json
import math
from dataclasses import asdict

import pytest
import torch

from core.results import translator_results
from core.zoo.embedded import load_embedded_text
from tests.core.tiny_bert import tiny_pairs
from training.bert_pairs import report as reporting
from training.common.loop import Plan
from training.common.pairs import Split
from training.translation.alignment import SETS

TEST = [
    ("The cat sleeps in the garden.", ["Le chat dort dans le jardin.", "Le chat dort au jardin."]),
    ("I am tired today.", ["Je suis fatigué aujourd'hui."]),
    ("My brother bought a small red car.", ["Mon frère a acheté une petite voiture rouge."]),
    ("Where are you going?", ["Où vas-tu ?"]),
] * 3
GOLD = {
    "src": ["The", "cat", "sleeps", "."],
    "tgt": ["Le", "chat", "dort", "."],
    "sure": [[0, 0], [1, 1], [2, 2]],
    "possible": [[3, 3]],
}
LONG = {"src": ["cat"] * 100, "tgt": ["chat"] * 100, "sure": [[0, 0]], "possible": []}
TOO_LONG = {"src": ["cat"] * 128, "tgt": ["chat"], "sure": [[0, 0]], "possible": []}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_pairs(tmp_path_factory.mktemp("weights"))


@pytest.fixture
def data(tmp_path):
    (tmp_path / "word_alignments").mkdir()
    for name in SETS:
        lines = "\n".join(map(json.dumps, [GOLD] * 3 + [LONG, TOO_LONG]))
        (tmp_path / "word_alignments" / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def test_the_report_runs_through_and_the_pages_read_what_it_writes(model, data, tmp_path, monkeypatch):
    monkeypatch.setattr(reporting, "WEIGHTS", tmp_path)
    (tmp_path / "bert-pairs").mkdir()
    run = {"plan": asdict(Plan(steps=9, learning_rate=1e-3)), "batch": 5000, "seconds": 120.0}
    run |= {"learnt": 161_227, "epochs": 6.0}
    reporting.report(model.network, model.tokenizer, Split([], [], TEST), run, data)
    folder = tmp_path / "bert-pairs"
    alignment = translator_results.alignment(pairs=folder).models["bert-pairs"]
    written = json.loads((folder / "results.json").read_text())
    assert alignment["agreement"] == {
        text: {name: tuple(of) if name == "counts" else of for name, of in agreement.items()}
        for text, agreement in written["alignment"]["agreement"].items()
    }
    guesses = translator_results.guesses(folder)
    assert guesses["French"].accuracy_alone == written["guesses"]["French, alone"]["accuracy"]
    card = (folder / "CARD.md").read_text(encoding="utf-8")
    assert "161,227 pairs" in card
    assert f"layer {alignment['layer']}, head {alignment['head']}" in card
    assert "English, with the other language" in card
    reloaded = load_embedded_text("bert-pairs", weights=tmp_path)
    assert reloaded.tokenizer.get_vocab_size() == model.tokenizer.get_vocab_size()


def test_each_sentence_of_a_pair_may_be_as_long_as_the_context_as_for_the_translators(model, data):
    alignment = reporting.align(model.network, model.tokenizer, data)
    assert {of["pairs"] for of in alignment["agreement"].values()} == {4}  # all but the one that is too long


def test_hidden_tokens_are_asked_for_where_they_stand(model):
    """Every token counted, its logits taken from a pass over the very row with the other language behind it."""
    guesses = reporting.guess(model.network, model.tokenizer, Split([], [], TEST[:1] * 20))
    masking = reporting.Masking(model.tokenizer)
    generator = torch.Generator().manual_seed(reporting.SEED)
    english, french = TEST[0][0], TEST[0][1][0]
    tokens = model.encode_pair(english, french)
    end = tokens.segments.index(1) - 1
    total, right, loss = 0, 0, 0.0
    for _ in range(20):
        is_target = masking.mask_words(torch.tensor([tokens.ids[1:end]]), generator, always_masked=True).is_target[0]
        places = [1 + place for place, hidden in enumerate(is_target.tolist()) if hidden]
        if not places:
            continue
        logits = model.run(model.mask_places(tokens, places)).logits
        for place in places:
            total += 1
            right += int(logits[place].argmax()) == tokens.ids[place]
            loss -= math.log(float(logits[place].float().softmax(-1)[tokens.ids[place]]))
    row = guesses["English, with the other language"]
    assert row["tokens"] == total
    assert row["accuracy"] == pytest.approx(right / total, abs=1e-4)
    assert row["perplexity"] == pytest.approx(math.exp(loss / total), rel=1e-2)
