"""Small specialists for sentiment: edits of a text, unknown words, and logits of any network."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from core.errors import ModelError
from core.models.bert import BERTConfig
from core.models.bert_tasks import TasksBERT
from core.models.sentiment import SentimentConfig, make_reviewer
from core.results.specialist_results import COLUMNS, measured_classifiers
from core.sentiment import specialists
from core.sentiment.specialists import negate, reverse_words, sentiment_logits, unknown_words, words_of
from core.zoo.text_models import Classifier, Encoder

WORDS = ["[PAD]", "[UNK]", "good", "film", "a", "was", "not"]


def tokenizer():
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("It was good.", "It was not good."),
        ("It was not bad, and is long.", "It was bad, and is not long."),
        ("I can't say. You cannot go.", "I can say. You can go."),
        ("It won't end; they WOULD stay.", "It will end; they WOULD not stay."),
        ("Can’t complain, didn’t sleep.", "Can complain, did sleep."),
        ("A waste of an island; wasps; canned.", None),
        ("Good.", None),
        ("", None),
    ],
)
def test_not_is_put_in_and_taken_out_after_auxiliary_verbs(text, negated):
    assert negate(text) == negated


@given(st.lists(st.sampled_from(["the", "film", "was", "is", "can", "good", "dull."]), min_size=1, max_size=12))
def test_negating_twice_restores_a_text(text_words):
    text = " ".join(text_words)
    negated = negate(text)
    assert (negated is None) == (not {"was", "is", "can"} & set(text_words))
    if negated is not None:
        assert negated.count(" not") == sum(word in {"was", "is", "can"} for word in text_words)
        assert negate(negated) == text


@given(st.lists(st.sampled_from(["a", "b.", "c"]), max_size=8))
def test_reversing_twice_restores_the_words(text_words):
    text = " ".join(text_words)
    assert reverse_words(text).split() == text_words[::-1]
    assert reverse_words(reverse_words(text)) == text


def test_logits_are_those_of_the_network_for_both_kinds():
    torch.manual_seed(0)
    small = make_reviewer(SentimentConfig("cnn", vocabulary=len(WORDS), width=4, state=4))
    model = Classifier("x", "X", small, tokenizer(), 8, ("negative", "positive"))
    tokens = model.encode("a good film")
    assert torch.equal(sentiment_logits(model, tokens), small(torch.tensor([[4, 2, 3]]))[0])
    config = BERTConfig(vocabulary=len(WORDS), context=8, width=8, layers=1, heads=2, hidden=8)
    body = TasksBERT(config)
    tuned = Encoder("y", "Y", body, tokenizer(), 8)
    assert torch.equal(sentiment_logits(tuned, tokens), body(torch.tensor([[4, 2, 3]]))[1][0])


def test_unknown_words_are_those_without_a_token():
    model = Classifier(
        "x", "X", make_reviewer(SentimentConfig("rnn", vocabulary=len(WORDS))), tokenizer(), 8, ("negative", "positive")
    )
    text_words = words_of(model, "a splendid film, a splendid end")
    assert text_words == ["a", "splendid", "film", ",", "a", "splendid", "end"]
    assert unknown_words(model, text_words) == ["splendid", ",", "splendid", "end"]


def test_all_networks_have_the_same_two_classes_in_the_same_order():
    for name in specialists.CONTESTANTS:
        model = specialists.load_contestant(name)
        assert model.classes in ((), specialists.CLASSES)
        praise, blame = (
            sentiment_logits(model, model.encode(text)) for text in ("A wonderful film.", "A terrible, boring film.")
        )
        assert praise[1] > praise[0]
        assert blame[0] > blame[1]


def test_a_table_that_lacks_a_network_is_refused(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(f"{','.join(COLUMNS)}\nreviews,english-rnn,1,4,0.5,0.5,0.1,10,,\n")
    with pytest.raises(ModelError, match="english-cnn"):
        measured_classifiers("reviews", file)
