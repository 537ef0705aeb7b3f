"""What the BERT fine-tuned for inference predicts for two sentences, each in English or in French.

    model = load_embedded_text("bert-inference")
    pair = encode(model, ("A man is sleeping.", "Un homme dort."), ("English", "French"))
    predict(model, pair)                           # the probabilities of RELATIONS
    word_maps(model, pair)                         # the attention of every head between words; bert-pairs' too

SICK's sentences end without a full stop, so that of a sentence is dropped before it is read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from tokenizers import Tokenizer
from torch import Tensor

from ...capture import record_attention
from ...models.bert import PretrainingBERT
from ...models.bert_inference import InferenceBERT
from ...text import Tokens, encode_pair
from ...tokens.words import join_words, word_spans
from ...translation.spelling import normalise_english, normalise_french
from ...zoo import TextModel

NAME, TRAINED = "bert-inference", "make train-bert-inference DATA=..."

Language = Literal["English", "French"]
Languages = tuple[Language, Language]  # of the first and of the second sentence
# By their names in results.json; the first is that of the training.
COMBINATIONS: dict[str, Languages] = {
    "en-en": ("English", "English"),
    "fr-fr": ("French", "French"),
    "en-fr": ("English", "French"),
    "fr-en": ("French", "English"),
}
NORMALISE = {"English": normalise_english, "French": normalise_french}


def as_read(text: str, language: Language) -> str:
    """A sentence as the model reads it: plain spaces and quotes, and no full stop at its end."""
    text = NORMALISE[language](text)
    return text if text.endswith("..") else text.removesuffix(".").rstrip()


def both_as_read(texts: tuple[str, str], languages: Languages) -> tuple[str, str]:
    """`as_read` of both sentences."""
    return as_read(texts[0], languages[0]), as_read(texts[1], languages[1])


def encode(model: TextModel, texts: tuple[str, str], languages: Languages) -> Tokens:
    """The tokens of [CLS] first [SEP] second [SEP]; InputError where one is empty or both are too long together."""
    return encode_pair(model.tokenizer, *both_as_read(texts, languages), context=model.context)


@torch.inference_mode()
def predict(model: TextModel, pair: Tokens) -> Float[Tensor, " relation"]:
    """The probabilities of RELATIONS between the two sentences of `encode`."""
    assert isinstance(model.network, InferenceBERT)
    return model.network(torch.tensor([pair.ids]), torch.tensor([pair.segments]))[0].softmax(dim=-1)


@torch.inference_mode()
def word_maps(model: TextModel, pair: Tokens) -> Float[Tensor, "layer head _ _"]:
    """The attention of every head between the words of `word_spans`, special tokens included; rows sum to 1.

    For a model before fine-tuning (`bert-pairs`) or after it.
    """
    assert isinstance(model.network, InferenceBERT | PretrainingBERT)
    with record_attention(model.network) as record:
        model.network.bert(torch.tensor([pair.ids]), torch.tensor([pair.segments]))
    spans = word_spans(pair)
    return torch.stack([join_words(torch.cat(list(call.weights_by_heads())), spans, spans) for call in record.calls])


def sides(pair: Tokens) -> tuple[list[int], list[int]]:
    """The rows of `word_maps` that are words of the first and of the second sentence."""
    starts = [span.start for span in word_spans(pair)]
    first, second = (
        [row for row, place in enumerate(starts) if pair.segments[place] == side and not pair.special[place]]
        for side in (0, 1)
    )
    return first, second


def across(maps: Float[Tensor, "*leading query key"], pair: Tokens) -> Float[Tensor, "*leading"]:
    """The share of a word's attention that goes to words of the other sentence, on average over all words."""
    first, second = sides(pair)
    forward, backward = (maps[..., rows, :][..., columns].sum(dim=-1) for rows, columns in _directions(first, second))
    return torch.cat([forward, backward], dim=-1).mean(dim=-1)


def _directions(first: list[int], second: list[int]) -> tuple[tuple[list[int], list[int]], ...]:
    return (first, second), (second, first)


# Many pairs at once.


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Pairs of sentences as one input: tokens, their segments (0 and 1), and True where padding is."""

    tokens: Int[Tensor, "batch token"]
    segments: Int[Tensor, "batch token"]
    padding: Bool[Tensor, "batch token"]


def pair_ids(tokenizer: Tokenizer, texts: tuple[str, str], languages: Languages) -> tuple[list[int], list[int]]:
    """Token ids and segments of `encode`, without labels for people."""
    encoding = tokenizer.encode(*both_as_read(texts, languages))
    return encoding.ids, encoding.type_ids


def pad_pairs(pairs: Sequence[tuple[list[int], list[int]]]) -> PairBatch:
    """Pairs of `pair_ids`, padded at the end to the longest."""
    shape = len(pairs), max(len(ids) for ids, _ in pairs)
    # Padding is of the second segment: the positions of a second sentence are counted from the end of the first.
    tokens, segments = torch.zeros(shape, dtype=torch.long), torch.ones(shape, dtype=torch.long)
    padding = torch.ones(shape, dtype=torch.bool)
    for row, (ids, types) in enumerate(pairs):
        tokens[row, : len(ids)], segments[row, : len(ids)] = torch.tensor(ids), torch.tensor(types)
        padding[row, : len(ids)] = False
    return PairBatch(tokens, segments, padding)
