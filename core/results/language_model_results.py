"""Results of the language models of books on held-out texts: next tokens of the GPT, masked words of the BERT."""

from dataclasses import dataclass
from pathlib import Path

from ..published.table import PositiveFloat, PositiveInt, Proportion
from ..zoo.embedded import WEIGHTS
from .result_files import error_of, naming, object_of, objects_of, read_json

GPT, BERT = WEIGHTS / "gpt-books", WEIGHTS / "bert-books"
GPT_TRAINED, BERT_TRAINED = "make train-gpt-books DATA=PATH", "make train-bert-books DATA=PATH"
MODEL = "the model"  # among the baselines of results.json


@dataclass(frozen=True)
class NextTokens:
    """Predictions of the next token of a held-out text, beside those of a trigram of the same books."""

    bits_per_byte: PositiveFloat
    trigram_bits_per_byte: PositiveFloat
    perplexity_per_token: PositiveFloat
    bytes: PositiveInt


def next_tokens(folder: Path = GPT) -> dict[str, NextTokens]:
    """The results by the names of the held-out texts, from results.json; ModelError where it is missing or wrong."""
    held_out = object_of({"held_out": objects_of(NextTokens)})
    return read_json(folder / "results.json", held_out, made_by=GPT_TRAINED)["held_out"]


@dataclass(frozen=True)
class Masked:
    """Predictions of masked tokens of the held-out book: the share that is right, and the perplexity."""

    tokens: PositiveInt
    accuracy: Proportion
    perplexity: PositiveFloat

    @property
    def error(self) -> float:
        """The standard error of the accuracy."""
        return error_of(self.accuracy, self.tokens)


@dataclass(frozen=True)
class MaskedWords:
    """Masked tokens of the held-out book of which both neighbours are visible, and masked words.

    `baselines`: other predictions of the same tokens, by name. `words`: how many words were masked, each as a whole;
    `words_accuracy`: the share of them of which all tokens are right.
    """

    model: Masked
    baselines: dict[str, Masked]
    words: int
    words_accuracy: float


@dataclass(frozen=True)
class _Words:
    words: PositiveInt
    words_accuracy: Proportion


_BERT_RESULTS = object_of({"hidden_words": _Words, "baselines": objects_of(Masked)})


def masked_words(folder: Path = BERT) -> MaskedWords:
    """results.json; ModelError where it is missing or makes no sense."""
    file = folder / "results.json"
    measured = read_json(file, _BERT_RESULTS, made_by=BERT_TRAINED)
    baselines, words = dict(measured["baselines"]), measured["hidden_words"]
    with naming(file, BERT_TRAINED):
        if MODEL not in baselines:
            raise ValueError(f"the baselines lack '{MODEL}'")
    return MaskedWords(baselines.pop(MODEL), baselines, words.words, words.words_accuracy)
