"""How bert-tasks learns: texts put together again, first pieces, batches, baselines that count."""

import math

import numpy as np
import pytest
import torch

from core.models.bert_tasks import TAGS
from tests.core.tiny_bert import tiny_bert
from training.bert_tasks.data import IGNORED, Batches, Example, batch_of, tagged_sentence
from training.bert_tasks.report import NaiveBayes, by_frequency, features, right_tags
from training.bert_tasks.train import loss_of, network_of
from training.common.sst2 import capital, half_capital, restore

WORDS = ["I", "can", "not", "unquestionably", "book", "it", "."]
PARTS = ["PRON", "AUX", "PART", "ADV", "VERB", "PRON", "PUNCT"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_bert(tmp_path_factory.mktemp("weights"))


@pytest.mark.parametrize(
    ("cut", "typed"),
    [
        ("i do n't like it , but it 's `` good '' .", "I don't like it, but it's \"good\"."),
        ("the parents ' house", "the parents' house"),
        ("-lrb- really -rrb- ... no !", "(really)... no!"),
        ("you ca n't , they 'll , we 've", "you can't, they'll, we've"),
        ("it can not be", "it cannot be"),
        ("gon na cost $ 10 , 5 % off", "gonna cost $10, 5% off"),
        ("no wit -- none", "no wit -- none"),
        ("plain words", "plain words"),
        ("", ""),
    ],
)
def test_a_text_is_put_together_as_it_is_typed(cut, typed):
    assert restore(cut) == typed


def test_no_letter_is_lost_or_added():
    dice = np.random.default_rng(0)
    pieces = ["good", "n't", "'s", ",", ".", "...", "(", ")", "film", "can", "not", "'", ":", "3"]
    for _ in range(200):
        text = " ".join(dice.choice(pieces, size=8))
        assert restore(text).replace(" ", "") == text.replace(" ", "")


def test_capitals_go_to_the_first_letter_of_half_of_the_texts():
    assert capital("“good” film") == "“Good” film"
    assert (capital("..."), capital("")) == ("...", "")
    texts = half_capital(["film"] * 1000, seed=0)
    assert 400 < texts.count("Film") < 600
    assert texts == half_capital(["film"] * 1000, seed=0)


def test_a_tag_is_asked_for_where_each_word_begins(model):
    text = "I cannot unquestionably book it."
    example = tagged_sentence(WORDS, PARTS, text, model).example
    offsets, start = model.tokenizer.encode(text).offsets, 0
    expected = {}
    for word, tag in zip(WORDS, PARTS, strict=True):
        start = text.index(word, start)
        begins = [place for place, (first, end) in enumerate(offsets) if first <= start < end or first == start - 1]
        places = [place for place in begins if offsets[place][1] > start]
        expected.setdefault(places[-1] if places else None, tag)
        start += len(word)
    for place, tag in zip(example.places, example.tags, strict=True):
        assert expected[place] == TAGS[tag]
    assert len(example.places) >= len(WORDS) - 1  # "not" may have no token of its own


def test_a_sentence_that_is_too_long_has_no_example(model):
    words = ["book"] * 200
    assert tagged_sentence(words, ["NOUN"] * 200, " ".join(words), model).example is None


def some_examples(count: int, seed: int, *, sentiments: bool) -> list[Example]:
    dice = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        ids = tuple(int(number) for number in dice.integers(1, 50, dice.integers(3, 20)))
        made.append(Example(ids, sentiment=1) if sentiments else Example(ids, (1,), (2,)))
    return made


def test_batches_take_turns_hold_every_example_once_an_epoch_and_depend_on_the_step_alone():
    tasks = (some_examples(40, 0, sentiments=False), some_examples(30, 1, sentiments=True))
    batches, again = Batches(tasks, tokens=60, seed=3), Batches(tasks, tokens=60, seed=3)
    torch.testing.assert_close(again.batch(9).ids, batches.batch(9).ids)  # asked for in another order
    rows: list[tuple[int, ...]] = []
    for step in range(0, 2 * len(batches._epoch(0, 0)), 2):
        batch = batches.batch(step)
        assert batch.tags is not None
        assert batches.batch(step + 1).tags is None
        assert batch.ids.numel() <= 60
        rows += [tuple(row[~gone].tolist()) for row, gone in zip(batch.ids, batch.padding, strict=True)]
    assert sorted(rows) == sorted(example.ids for example in tasks[0])


def test_a_batch_asks_only_where_it_should():
    batch = batch_of([Example((5, 6, 7), (1,), (4,)), Example((8, 9), (0, 1), (2, 3))])
    assert batch.tags.tolist() == [[IGNORED, 4, IGNORED], [2, 3, IGNORED]]
    assert batch.padding.tolist() == [[False] * 3, [False, False, True]]


def test_a_frozen_body_gets_no_gradient_and_a_tuned_one_does(model):
    batch = batch_of([Example(tuple(model.encode("A book.").ids), (1, 2), (0, 0))])
    for name, body in (("frozen", False), ("tuned", True), ("scratch", True)):
        network = network_of(name, model.network)
        loss_of(network, batch).backward()
        assert (network.bert.blocks[0].mlp.up.weight.grad is not None) == body
        assert network.tags.weight.grad is not None
    same = network_of("tuned", model.network).bert.token_embedding.weight
    assert torch.equal(same, model.network.bert.token_embedding.weight)
    assert not torch.equal(network_of("scratch", model.network).bert.token_embedding.weight, same)


def test_right_tags_are_counted_as_one_by_one(model):
    network = network_of("scratch", model.network)
    sentences = [tagged_sentence(WORDS, PARTS, "I cannot unquestionably book it.", model)] * 3
    example = sentences[0].example
    predictions = network(torch.tensor([example.ids]))[0][0].argmax(dim=-1)
    expected = sum(int(predictions[place]) == tag for place, tag in zip(example.places, example.tags, strict=True))
    assert right_tags(network, sentences).total() == 3 * expected


def test_the_most_frequent_tag_is_tried_on_other_sentences(model):
    learned = [tagged_sentence(WORDS, PARTS, "I cannot unquestionably book it.", model)]
    tried = [tagged_sentence(["I", "book", "ships"], ["PRON", "NOUN", "NOUN"], "I book ships", model)]
    _, shares = by_frequency(learned, tried)
    assert shares["tags"] == round(1 / 3, 4)  # "book" was a verb; of a new word the most frequent tag, PRON, is said
    assert shares["unknown"] == round(1 / 3, 4)
    assert shares["by_tag"] == {"NOUN": 0.0, "PRON": 1.0}


def test_naive_bayes_is_bayes_rule_with_counts_that_begin_at_one():
    bayes = NaiveBayes(["good film", "bad film", "bad"], [1, 0, 0])
    assert features("Good film") == ["good", "film", "good film"]
    different = len({"good", "film", "good film", "bad", "bad film"})
    good = math.log(1 / 3) + math.log(2 / (3 + different))
    bad = math.log(2 / 3) + math.log(1 / (4 + different))
    assert bayes.prediction("good") == int(good > bad)
    assert bayes.prediction("bad film") == 0
