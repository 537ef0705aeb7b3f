"""The BERT of inference: its body is the pre-trained one, it reads two sentences in order, and it comes back."""

import json

import pytest
import torch

from core.capture import record_attention
from core.errors import InputError, ModelError
from core.models.bert_inference import RELATIONS, InferenceBERT, with_classifier
from core.probing.fine_tuning.inference import (
    COMBINATIONS,
    across,
    as_read,
    encode,
    pad_pairs,
    pair_ids,
    predict,
    sides,
    word_maps,
)
from core.results import bert_inference_results
from core.zoo.embedded import load_embedded_text, save_text
from tests.core.tiny_bert import tiny_pairs

TEXTS = ("A man isn't unbelievably tired.", "Un homme n'est pas fatigué.")
LANGUAGES = COMBINATIONS["en-fr"]


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return tiny_pairs(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def after(before, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuned")
    torch.manual_seed(1)
    network = with_classifier(before.network)
    with torch.no_grad():
        for weight in network.parameters():
            weight += 0.1 * torch.randn_like(weight)
    save_text(network, before.tokenizer, folder / "bert-inference")
    return load_embedded_text("bert-inference", weights=folder)


def test_before_it_learns_the_body_is_the_pretrained_one(before):
    network, pair = with_classifier(before.network), encode(before, TEXTS, LANGUAGES)
    with record_attention(network) as record, torch.no_grad():
        network(torch.tensor([pair.ids]), torch.tensor([pair.segments]))
    with record_attention(before.network) as expected, torch.no_grad():
        before.run(before.encode_pair(*(text.removesuffix(".") for text in TEXTS)))
    for own, call in zip(record.calls, expected.calls, strict=True):
        torch.testing.assert_close(own.weights(1), call.weights(1), rtol=0, atol=0)


def test_a_saved_one_comes_back_with_its_classifier(after):
    assert isinstance(after.network, InferenceBERT)
    probabilities = predict(after, encode(after, TEXTS, LANGUAGES))
    assert probabilities.shape == (len(RELATIONS),)
    assert float(probabilities.sum()) == pytest.approx(1, abs=1e-6)


def test_the_logits_are_those_of_the_first_vector_alone(after):
    network, pair = after.network, encode(after, TEXTS, LANGUAGES)
    tokens, segments = torch.tensor([pair.ids]), torch.tensor([pair.segments])
    first = network.bert(tokens, segments)[0, 0]
    hidden = torch.tanh(network.pooler.weight @ first + network.pooler.bias)
    expected = (network.relation.weight @ hidden + network.relation.bias).softmax(dim=-1)
    torch.testing.assert_close(predict(after, pair), expected, rtol=1e-4, atol=1e-5)


def test_which_sentence_comes_first_matters(after):
    turned = predict(after, encode(after, TEXTS[::-1], LANGUAGES[::-1]))
    assert not torch.allclose(turned, predict(after, encode(after, TEXTS, LANGUAGES)), atol=1e-4)


def test_padding_and_other_pairs_of_a_batch_change_nothing(after):
    languages = COMBINATIONS["en-en"]
    pairs = [("A man", "A man"), ("A tired man is running along the beach", "Nobody is there"), ("No", "A long answer")]
    batch = pad_pairs([pair_ids(after.tokenizer, texts, languages) for texts in pairs])
    assert batch.padding.sum() > 0
    together = after.network(batch.tokens, batch.segments, batch.padding).softmax(dim=-1)
    for row, texts in zip(together, pairs, strict=True):
        torch.testing.assert_close(row, predict(after, encode(after, texts, languages)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("A man is  sleeping.", "English", "A man is sleeping"),
        ("Wait...", "English", "Wait..."),
        ("Is he?", "English", "Is he?"),
        ("Dort-il?", "French", "Dort-il ?"),
        ("L’homme dort .", "French", "L'homme dort"),
        (".", "English", ""),
    ],
)
def test_a_full_stop_at_the_end_is_dropped_and_nothing_else(text, language, expected):
    assert as_read(text, language) == expected


def test_with_and_without_a_full_stop_is_the_same(after):
    without = tuple(text.removesuffix(".") for text in TEXTS)
    assert encode(after, without, LANGUAGES).ids == encode(after, TEXTS, LANGUAGES).ids
    assert list(encode(after, TEXTS, LANGUAGES).ids) == pair_ids(after.tokenizer, TEXTS, LANGUAGES)[0]


def test_maps_are_between_words_of_both_sentences_and_rows_sum_to_one(before, after):
    pair = encode(after, TEXTS, LANGUAGES)
    first, second = sides(pair)
    for model in (before, after):
        maps = word_maps(model, pair)
        assert maps.shape[:2] == (2, 3)
        torch.testing.assert_close(maps.sum(dim=-1), torch.ones(maps.shape[:-1]), rtol=0, atol=1e-5)
        assert len(first) + len(second) + 3 == maps.shape[-1]
        by_hand = [float(maps[1, 2, row, second].sum()) for row in first]
        by_hand += [float(maps[1, 2, row, first].sum()) for row in second]
        assert float(across(maps, pair)[1, 2]) == pytest.approx(sum(by_hand) / len(by_hand), abs=1e-6)


@pytest.mark.parametrize("texts", [("", "A man"), (".", "A man"), ("A man", " ")])
def test_an_empty_sentence_is_an_error(after, texts):
    with pytest.raises(InputError):
        encode(after, texts, COMBINATIONS["en-en"])


def test_sentences_that_are_too_long_together_are_an_error_with_the_numbers(after):
    with pytest.raises(InputError, match=r"203 tokens.*128"):
        encode(after, ("man " * 100, "man " * 100), COMBINATIONS["en-en"])


# The weights and the results that come with the project.


def test_the_weights_learned_their_languages_from_bert_pairs():
    model = load_embedded_text("bert-inference")
    pretrained = load_embedded_text("bert-pairs")
    assert model.network.config == pretrained.network.config
    assert model.tokenizer.to_str() == pretrained.tokenizer.to_str()


def test_the_results_are_read_with_their_errors():
    results = bert_inference_results.results()
    assert set(results.bilingual) == set(results.logistic) == set(COMBINATIONS)
    assert results.english is None or set(results.english) == set(COMBINATIONS)
    assert results.pairs == 4906
    assert results.majority == pytest.approx(0.5687, abs=1e-4)
    share = results.bilingual["en-en"]
    assert results.error(share) == pytest.approx((share * (1 - share) / 4906) ** 0.5)


@pytest.mark.parametrize("wrong", [{"majority": 1.2}, {"pairs": 0}, {"logistic": {"en-en": 0.5}}, {"variants": {}}])
def test_results_that_make_no_sense_are_an_error_that_names_the_command(tmp_path, wrong):
    measured = json.loads((bert_inference_results.FOLDER / "results.json").read_text())
    (tmp_path / "results.json").write_text(json.dumps(measured | wrong))
    with pytest.raises(ModelError, match="make train-bert-inference"):
        bert_inference_results.results(tmp_path)
