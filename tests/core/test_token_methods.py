"""Scores of words: each way of telling them compared with the same thing written out, for our networks and others'."""

from dataclasses import replace

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch.testing import assert_close
from transformers import (
    AlbertConfig,
    AlbertForSequenceClassification,
    BertConfig,
    BertForSequenceClassification,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    GPT2Config,
    GPT2ForSequenceClassification,
    XLNetConfig,
    XLNetForSequenceClassification,
)

from core.attribution import token_methods
from core.attribution.token_methods import METHODS, by_word, explain, log_odds, methods_of, words_of
from core.capture import record_attention
from core.errors import ModelError
from core.models.bert import BERTConfig
from core.models.sentiment import NETWORKS, ReviewBERT, SentimentConfig, make_reviewer
from core.text import Tokens
from core.zoo.text_models import Classifier

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *["a", "good", "bad", "film", "not", "very", "dull", "scene"]]
TEXT = "a very good film not a dull scene"


def tokenizer(*, marked: bool) -> Tokenizer:
    made = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if marked:
        made.add_special_tokens(["[CLS]", "[SEP]"])
        made.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    return made


def classifier(kind: str, classes: int = 2) -> Classifier:
    torch.manual_seed(0)
    sizes = {"vocab_size": len(WORDS), "num_labels": classes, "pad_token_id": 0}
    if kind in NETWORKS:
        network = make_reviewer(SentimentConfig(kind, vocabulary=len(WORDS), classes=classes))
    elif kind == "bert":
        network = ReviewBERT(BERTConfig(len(WORDS), 16, 12, 2, 2, 24), classes)
    elif kind == "their bert":
        small = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
        network = BertForSequenceClassification(BertConfig(**small, **sizes, max_position_embeddings=16))
    elif kind == "their distilbert":
        small = {"dim": 12, "n_layers": 2, "n_heads": 2, "hidden_dim": 24}
        network = DistilBertForSequenceClassification(DistilBertConfig(**small, **sizes, max_position_embeddings=16))
    elif kind == "their albert":  # whose two layers are one
        small = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
        small |= {"embedding_size": 8, "max_position_embeddings": 16}
        network = AlbertForSequenceClassification(AlbertConfig(**small, **sizes))
    elif kind == "their xlnet":  # which looks its tokens up in columns
        network = XLNetForSequenceClassification(XLNetConfig(d_model=12, n_layer=2, n_head=2, d_inner=24, **sizes))
    else:
        padding = {"pad_token_id": None} if "without padding" in kind else {}
        small = {"n_embd": 12, "n_layer": 2, "n_head": 2, "n_positions": 16}
        network = GPT2ForSequenceClassification(GPT2Config(**small | sizes | padding))
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(0.3 * torch.randn_like(weight))  # far enough from the start that words matter
    names = tuple(map(str, range(classes)))
    return Classifier(
        kind, kind, network, tokenizer(marked=not kind.startswith("their gpt2") and kind not in NETWORKS), 16, names
    )


THEIRS = ["their bert", "their distilbert", "their albert", "their gpt2", "their gpt2 without padding"]
KINDS = [*NETWORKS, "bert", *THEIRS]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [2, 3])
def test_integrated_gradients_add_up_to_what_the_words_change(monkeypatch, kind, classes):
    if kind in NETWORKS:  # a maximum and ReLU have kinks, which few steps jump over
        monkeypatch.setattr(token_methods, "STEPS", 1000)
    model = classifier(kind, classes)
    tokens = model.encode(TEXT)
    scores = explain(model, tokens, "integrated", 1)
    ends = torch.cat([torch.tensor([tokens.ids]), token_methods.baseline_tokens(model, tokens)])
    full_odds, nothing = log_odds(token_methods.logits_for(model, ends), 1)
    assert_close(scores.sum(), full_odds - nothing, rtol=0.01, atol=0.02)
    assert_close(token_methods.baseline_log_odds(model, tokens, 1), nothing.item(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_gradient_times_input_is_the_slope_of_stretching_a_words_vector(kind):
    model = classifier(kind)
    tokens = model.encode(TEXT)
    rows, step = torch.tensor([tokens.ids]), 1e-3
    vectors = token_methods.embeddings_of(model, rows)
    slopes = []
    for place in range(len(tokens)):
        moved = torch.zeros(1, len(tokens), 1)
        moved[0, place] = step
        ends = [token_methods.logits_from(model, rows, vectors * (1 + sign * moved)) for sign in (1, -1)]
        slopes.append((log_odds(ends[0], 0) - log_odds(ends[1], 0)) / (2 * step))
    assert_close(explain(model, tokens, "gradient", 0), torch.cat(slopes).detach(), rtol=0.05, atol=2e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_occlusion_is_the_loss_of_one_word_at_a_time(kind):
    model = classifier(kind)
    tokens = model.encode(TEXT)
    scores = explain(model, tokens, "occlusion", 1)
    full_odds = model.run(tokens).logits.double().softmax(dim=-1)[1].logit().float()
    for span in words_of(tokens):
        ids = list(tokens.ids)
        ids[span.start] = WORDS.index("[UNK]")
        without = model.run(replace(tokens, ids=tuple(ids))).logits.double().softmax(dim=-1)[1].logit().float()
        assert_close(scores[span.start], full_odds - without, rtol=0.01, atol=0.01)
    assert not scores[[place for place, own in enumerate(tokens.special) if own]].any()


@pytest.mark.parametrize(
    ("kind", "rows"),
    [("rnn", [0]), ("encoder", range(8)), ("bert", [0]), *((kind, [7] if "gpt2" in kind else [0]) for kind in THEIRS)],
)
def test_attention_is_read_where_the_verdict_is_read(kind, rows):
    model = classifier(kind)
    tokens = model.encode(TEXT)
    with record_attention(model.network) as record:
        model.run(tokens)
    last = record.calls[-1]
    maps = torch.stack([last.weights(head) for head in range(last.heads)]).mean(dim=0)
    assert_close(explain(model, tokens, "attention", 0), maps[list(rows)].mean(dim=0))


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_has_the_explanations_that_it_can_have(kind):
    model = classifier(kind)
    expected = {"rnn": {"rollout"}, "cnn": {"attention", "rollout"}}.get(kind, set())
    assert set(methods_of(model)) == set(METHODS) - expected
    tokens = model.encode(TEXT)
    before = model.run(tokens).logits
    for method in methods_of(model):
        scores = explain(model, tokens, method, 0)
        assert scores.shape == (len(tokens),)
        assert not scores.requires_grad
    assert_close(model.run(tokens).logits, before, rtol=0, atol=0)


def test_a_network_with_another_order_of_tokens_has_occlusion_alone_and_says_so_of_the_rest():
    model = classifier("their xlnet")
    assert methods_of(model) == ("occlusion",)
    for method in METHODS:
        if method != "occlusion":
            with pytest.raises(ModelError, match="in the order of the text"):
                explain(model, model.encode(TEXT), method, 0)


def test_what_a_strangers_network_raises_is_one_sentence_with_its_name():
    class Strange(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(len(WORDS), 4)

        def forward(self, tokens):  # noqa: ARG002
            raise RuntimeError("mat1 and mat2 do not fit\n at /somewhere")

    model = Classifier("theirs/strange", "Strange", Strange(), tokenizer(marked=False), 16, ("0", "1"), foreign=True)
    for method in METHODS:
        with pytest.raises(ModelError, match=r"^'theirs/strange' cannot be explained\. mat1 and mat2 do not fit\.$"):
            explain(model, model.encode(TEXT), method, 0)


def test_a_word_of_several_pieces_is_hidden_as_a_whole_and_its_pieces_share_the_score():
    model = classifier("encoder")
    ids = torch.tensor([[5, 6, 7], [1, 1, 7], [5, 6, 1]])
    full_odds, first, second = log_odds(token_methods.logits_for(model, ids), 1)
    tokens = replace(model.encode("good bad film"), words=(0, 0, 1))
    assert tokens.ids == (5, 6, 7)
    expected = torch.stack([(full_odds - first) / 2, (full_odds - first) / 2, full_odds - second])
    assert_close(explain(model, tokens, "occlusion", 1), expected)


def test_rollout_goes_through_the_layers():
    model = classifier("bert")
    tokens = model.encode(TEXT)
    with record_attention(model.network) as record:
        model.run(tokens)
    first, second = (torch.stack([call.weights(head) for head in range(2)]).mean(dim=0) for call in record.calls)
    one = torch.eye(len(tokens))
    assert_close(explain(model, tokens, "rollout", 0), ((second + one) / 2 @ ((first + one) / 2))[0])


def test_the_log_odds_are_those_of_the_probability():
    logits = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
    assert_close(log_odds(logits, 2), logits.softmax(dim=-1)[:, 2].logit())
    classes = torch.tensor([0, 1, 2, 3, 0])
    assert_close(log_odds(logits, classes), logits.softmax(dim=-1).gather(1, classes[:, None])[:, 0].logit())


def test_a_words_score_is_the_sum_over_its_pieces():
    special = (True, False, False, False, True)
    tokens = Tokens((2, 5, 6, 7, 3), ("[CLS]", "a", "b", " c", "[SEP]"), special, (None, 0, 0, 1, None))
    assert by_word(torch.tensor([9.0, 1.0, 2.0, 4.0, 9.0]), tokens).tolist() == [3.0, 4.0]
