"""The BERT of two tasks: its body is the pre-trained one, its heads read what they should, and it comes back."""

import random

import pytest
import torch

from core.capture import record_attention
from core.errors import ModelError
from core.models.bert_tasks import SENTIMENTS, TAGS, TasksBERT, with_heads
from core.probing.fine_tuning import frequent_tags
from core.probing.fine_tuning.attention_shift import maps_of, row_moved, shares
from core.probing.fine_tuning.frequent_tags import TagCount
from core.probing.fine_tuning.task_predictions import read
from core.results import bert_tasks_results
from core.zoo.embedded import load_embedded_text, save_text
from tests.core.tiny_bert import tiny_bert

TEXT = "The unbelievable old man doesn't mind the boats!"


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return tiny_bert(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def after(before, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuned")
    torch.manual_seed(1)
    network = with_heads(before.network)
    with torch.no_grad():
        for weight in network.parameters():
            weight += 0.1 * torch.randn_like(weight)
    save_text(network, before.tokenizer, folder / "bert-tasks")
    return load_embedded_text("bert-tasks", weights=folder)


def test_before_it_learns_the_body_is_the_pretrained_one(before):
    network, tokens = with_heads(before.network), before.encode(TEXT)
    with record_attention(network) as record, torch.no_grad():
        network(torch.tensor([tokens.ids]))
    mine = torch.stack([torch.cat(list(call.weights_by_heads())) for call in record.calls])
    torch.testing.assert_close(mine, maps_of(before, tokens), rtol=0, atol=0)


def test_a_saved_one_comes_back_with_both_heads(after):
    assert isinstance(after.network, TasksBERT)
    tokens = torch.tensor([after.encode(TEXT).ids])
    tags, sentiment = after.network(tokens)
    assert (tags.shape, sentiment.shape) == ((1, tokens.shape[1], len(TAGS)), (1, len(SENTIMENTS)))
    assert after.run(after.encode(TEXT)).logits is None  # it says nothing about tokens of the vocabulary


def test_the_verdict_hangs_on_the_first_vector_alone(after):
    x = torch.randn(2, 5, after.network.config.width, generator=torch.Generator().manual_seed(0))
    changed = torch.cat([x[:, :1], torch.zeros_like(x[:, 1:])], dim=1)
    torch.testing.assert_close(after.network.sentiment(x), after.network.sentiment(changed))


def test_padding_changes_nothing(after):
    ids = torch.tensor([after.encode(TEXT).ids])
    padded = torch.cat([ids, torch.zeros(1, 6, dtype=torch.long)], dim=1)
    tags, sentiment = after.network(ids)
    longer, same = after.network(padded, torch.arange(padded.shape[1])[None] >= ids.shape[1])
    torch.testing.assert_close(longer[:, : ids.shape[1]], tags, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(same, sentiment, rtol=1e-4, atol=1e-5)


def test_a_tag_is_read_off_the_piece_in_which_its_word_begins(after):
    reading = read(after, TEXT)
    encoding = after.tokenizer.encode(TEXT)  # found in another way: by the characters at which the pieces begin
    places, start = [], 0
    for word in ("The", "unbelievable", "old", "man", "doesn't", "mind", "the", "boats", "!"):
        start = TEXT.index(word, start)
        places.append(next(place for place, (_, end) in enumerate(encoding.offsets) if end > start))
        start += len(word)
    assert [word.label.strip() for word in reading.words] == [
        "The", "unbelievable", "old", "man", "doesn't", "mind", "the", "boats", "!"
    ]  # fmt: skip
    assert list(reading.first_pieces) == places
    logits = after.network(torch.tensor([encoding.ids]))[0][0, places]
    torch.testing.assert_close(reading.tags, logits.softmax(dim=-1))
    assert float(reading.sentiment.sum()) == pytest.approx(1)


@pytest.mark.parametrize("text", ["😀", "مرحبا بالعالم", "...", "日本", "\u200b", "a"])
def test_any_text_is_read(after, text):
    reading = read(after, text)
    assert len(reading.tags) == len(reading.words)


def test_the_shares_of_a_row_make_one_and_are_its_parts(after):
    tokens = after.encode(TEXT)
    maps = maps_of(after, tokens)
    last = len(tokens) - 1
    for place in (0, 3, last):
        row = maps[1, 2, place]
        part = shares(row, tokens, place)
        others = sum(float(row[key]) for key in range(1, last) if key != place)
        assert part.itself == pytest.approx(float(row[place]))
        assert part.first == pytest.approx(float(row[0]) if place else 0.0)
        assert part.separator == pytest.approx(float(row[last]) if place != last else 0.0)
        assert part.others == pytest.approx(others, abs=1e-5)
        assert part.itself + part.first + part.separator + part.others == pytest.approx(1, abs=1e-5)


def test_what_moved_is_what_one_would_have_to_carry_elsewhere():
    generator = torch.Generator().manual_seed(0)
    before, after = torch.rand(2, 6, generator=generator).softmax(dim=-1)
    carried = sum(max(0.0, float(new - old)) for old, new in zip(before, after, strict=True))
    assert float(row_moved(before, after)) == pytest.approx(carried)
    assert float(row_moved(before, before)) == 0
    assert float(row_moved(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))) == 1


def test_frequent_tags_are_counted_saved_and_read_again(tmp_path):
    rng = random.Random(0)
    pairs = [(rng.choice(["book", "Book", "read", "the"]), rng.choice(TAGS[:4])) for _ in range(400)] + [("a", "DET")]
    tags = frequent_tags.count(pairs)
    for word in ("book", "Book", "read", "the"):
        word_tags = [tag for of, tag in pairs if of == word]
        best = max(TAGS[:4], key=word_tags.count)
        assert (tags.by_word[word].times, tags.by_word[word].of) == (word_tags.count(best), len(word_tags))
        assert word_tags.count(tags.tag(word)) == word_tags.count(best)
    every = [tag for _, tag in pairs]
    assert every.count(tags.tag("never seen")) == max(map(every.count, TAGS))
    frequent_tags.save(tags, tmp_path)
    again = frequent_tags.load(tmp_path)
    assert "a" not in again.by_word  # seen once only
    assert again.by_word == {word: of for word, of in tags.by_word.items() if word != "a"}
    assert again.lookup("THE") == tags.by_word["the"]
    assert again.lookup("boat") is None


def test_wrong_files_of_tags_are_a_sentence(tmp_path):
    with pytest.raises(ModelError, match="is not there"):
        frequent_tags.load(tmp_path)
    frequent_tags.save(frequent_tags.FrequentTags({"a": TagCount("NONE", 3, 3)}, TagCount("NOUN", 1, 1)), tmp_path)
    with pytest.raises(ModelError, match="NONE is no tag"):
        frequent_tags.load(tmp_path)
    (tmp_path / frequent_tags.FILE).write_text("{}")
    with pytest.raises(ModelError, match="cannot be read"):
        frequent_tags.load(tmp_path)


def test_the_results_of_the_project_are_read_and_make_sense():
    results = bert_tasks_results.results()
    tuned = results.variants["tuned"]
    assert sum(results.cases.values()) == results.words
    for by_tag, accuracy in ((tuned.by_tag, tuned.tags), (results.frequent_by_tag, results.most_frequent_tag)):
        mean = sum(by_tag[tag] * cases for tag, cases in results.cases.items()) / results.words
        assert mean == pytest.approx(accuracy, abs=1e-3)


def test_missing_results_are_a_sentence(tmp_path):
    with pytest.raises(ModelError, match="make train-bert-tasks"):
        bert_tasks_results.results(tmp_path)
