"""The measurement of alignments, end to end on tiny models; and its parts against what can be counted by hand."""

import json

import pytest
import torch

from core.models.transformer import Transformer, TransformerConfig
from core.results import translator_results
from core.translation.alignment import Agreement, agreement
from core.translation.given_words import tokenize_words
from core.translation.spelling import normalise_english
from core.zoo.translators import TransformerTranslator
from training.common.pairs import train_tokenizer
from training.translation import alignment as measuring
from training.translation.alignment import Gold, Way, best_of, compare, cut_pair, english_words, french_words, read_gold

TOKENIZER = train_tokenizer([("the cat sleeps here", "le chat dort ici")] * 3, vocabulary=70)
LINKS = frozenset({(0, 0), (1, 1), (2, 2)})
PAIR = Gold(("the", "cat", "sleeps"), ("le", "chat", "dort"), LINKS, LINKS | {(2, 1)})


def translator() -> TransformerTranslator:
    torch.manual_seed(0)
    size = TOKENIZER.get_vocab_size()
    network = Transformer(TransformerConfig(size, size, width=16, layers=2, heads=2, hidden=32))
    return TransformerTranslator("transformer", "Transformer", network, TOKENIZER)


def cut(model: TransformerTranslator, pair: Gold):
    pieces = cut_pair(model, pair)
    assert pieces
    return pieces


def test_every_map_is_compared_in_every_way():
    model = translator()
    agreements = compare(model, [(PAIR, cut(model, PAIR))] * 2)
    # Two layers of two heads, the mean of each layer, the mean of all; two shifts, four directions.
    assert len(agreements) == (2 * 2 + 2 + 1) * 2 * 4
    assert all(part.sure == 2 * len(LINKS) for part in agreements.values())
    assert agreements[Way("mean", "mean", 0, "target")].predicted == 2 * 3


def test_the_links_of_a_head_are_those_of_a_loop_over_its_map():
    model = translator()
    source, target = cut(model, PAIR)
    maps = model.align(
        model.encode("the cat sleeps"), model.encode_target("le chat dort")
    ).cross  # the same text, in pieces
    for layer, head in ((0, 1), (1, 0)):
        links = set()
        for word, rows in enumerate(target.spans):
            weights = [
                sum(float(maps[layer][head, row, key]) for row in rows for key in keys) / len(rows)
                for keys in source.spans
            ]
            links.add((max(range(len(weights)), key=weights.__getitem__), word))
        expected = agreement(links, PAIR.sure, PAIR.possible)
        assert compare(model, [(PAIR, (source, target))])[Way(layer, head, 0, "target")] == expected


def test_the_way_with_the_smallest_error_rate_is_chosen():
    ways = {
        Way(0, 0, 0, "target"): Agreement(10, 10, 4, 5),
        Way(1, 3, 1, "both"): Agreement(8, 10, 7, 8),
        Way(1, 2, 0, "either"): Agreement(20, 10, 8, 9),
    }
    assert best_of(ways) == Way(1, 3, 1, "both")


def test_a_pair_longer_than_the_context_is_left_out():
    model = translator()
    long = Gold(("cat",) * 200, ("chat",), frozenset(), frozenset())
    assert cut_pair(model, long) is None
    assert len(tokenize_words(TOKENIZER, long.source, normalise_english, french=False).ids) > model.context


def test_words_are_cut_as_in_the_sentences_with_gold_links():
    assert english_words("Don't pay 1,000.5, cat's here!") == [
        "Don",
        "'t",
        "pay",
        "1,000.5",
        ",",
        "cat",
        "'s",
        "here",
        "!",
    ]
    assert french_words("L'an 12, aujourd'hui ?") == ["L'", "an", "12", ",", "aujourd'", "hui", "?"]


def test_a_link_to_a_word_that_is_not_there_is_refused_with_its_line(tmp_path):
    file = tmp_path / "gold.jsonl"
    rows = [{"src": ["a"], "tgt": ["b"], "sure": [[0, 0]], "possible": []}] * 2
    rows.append({"src": ["a"], "tgt": ["b"], "sure": [], "possible": [[0, 1]]})
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert len(read_gold(file, 2)) == 2
    assert read_gold(file, 1)[0].possible == {(0, 0)}
    with pytest.raises(ValueError, match=r"gold.jsonl, line 3: a link leads to a word that is not there"):
        read_gold(file)


def test_what_is_written_is_what_core_reads(tmp_path, monkeypatch):
    model = translator()
    (tmp_path / "translation").mkdir()
    for name in ("seq2seq", "bahdanau", "transformer"):
        (tmp_path / "translation" / f"{name}.safetensors").write_bytes(name.encode())
    monkeypatch.setattr(measuring.zoo, "load_translator", lambda name, weights: model)  # noqa: ARG005
    gold = {text: [PAIR] * 3 for text in measuring.SETS}
    results, rows = measuring.measure_models(gold, tmp_path)
    learnt = [("the cat", "le chat"), ("the dog", "le chien"), ("a cat sleeps", "un chat dort")]
    results["baselines"] = measuring.measure_baselines(gold, learnt)
    measuring.write(tmp_path, results, rows)
    alignment, heads = translator_results.alignment(tmp_path), translator_results.heads(tmp_path)
    assert alignment.learned_from == 3
    assert alignment.sets[measuring.CHOSEN_ON] == {"pairs": 3, "left_out": 0}
    chosen = alignment.models["transformer"]
    way = (str(chosen["layer"]), str(chosen["head"]), chosen["shift"], chosen["direction"])
    (row,) = (
        row
        for row in heads
        if (row.model, row.set) == ("transformer", measuring.REPORTED_ON[0])
        and (row.layer, row.head, row.shift, row.direction) == way
    )
    assert row.aer == chosen["agreement"][measuring.REPORTED_ON[0]]["aer"]
