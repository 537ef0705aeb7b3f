"""The base class of networks that draw a sentence: its encoding, and errors for unknown words."""

import difflib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor

from ..errors import InputError
from ..models.dalle import PAD
from ..scenes.sentences import parse
from ..text import Tokens, encode
from .clips import SPECIAL, plain_words

MOST_SUGGESTIONS = 3  # known words that an error names for an unknown one


@dataclass(frozen=True, eq=False)
class SentenceReader(ABC):
    """A network with its tokenizer; `name`: its world. "scenes" has a grammar, others take any known words."""

    name: str
    title: str
    tokenizer: Tokenizer

    @property
    @abstractmethod
    def context(self) -> int:
        """The number of tokens of a sentence, with those of its beginning and end."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its vocabulary, in alphabetical order, without punctuation around them."""
        return tuple(sorted(self._tokens_by_word))

    @property
    def _tokens_by_word(self) -> dict[str, str]:
        """Each word without punctuation, and its token: names of emoji have tokens such as "man:" and "type)"."""
        vocabulary = (word for word, number in self.tokenizer.get_vocab().items() if number >= SPECIAL)
        plain_last = sorted(vocabulary, key=lambda word: strip_punctuation(word) == word)  # so that it wins
        return {strip_punctuation(word): word for word in plain_last if strip_punctuation(word)}

    def encode(self, text: str) -> Tokens:
        """The tokens of a sentence; InputError for a word, or an order of words, that it does not know."""
        words = [word for part in plain_words(text).split() if (word := strip_punctuation(part))]
        if not words:
            raise InputError("There is no sentence here yet. Write what is to be drawn.")
        most = self.context - 2
        if len(words) > most:
            raise InputError(
                f"This sentence has {len(words)} words; this network reads at most {most}. Leave some out."
            )
        if self.name == "scenes":
            words = ["a" if word == "an" else word for word in words]
        tokens_by_word = self._tokens_by_word
        if unknown := [word for word in words if word not in tokens_by_word]:
            raise InputError(self._unknown_word_message(unknown[0]))
        if self.name == "scenes":
            parse(" ".join(words))
        return encode(self.tokenizer, " ".join(tokens_by_word[word] for word in words), context=self.context)

    def _unknown_word_message(self, word: str) -> str:
        """The error for a word that is not in the vocabulary, with the most similar words that are."""
        similar = nearest_words(word, self.words)
        suggestions = f" Nearest to it: {', '.join(f'“{known}”' for known in similar)}." if similar else ""
        if self.name == "scenes":
            try:
                parse(word)
            except InputError as error:
                return f"{error}{suggestions}"
        return f"“{word[:40]}” is none of the {len(self.words):,} words that {self.title} knows.{suggestions}"

    def padded_ids(self, words: Tokens) -> Int[Tensor, " token"]:
        """The token numbers of a sentence, padded to the context."""
        return torch.tensor([*words.ids, *[PAD] * (self.context - len(words))])


def strip_punctuation(word: str) -> str:
    """A word without punctuation around it; apostrophes within it become typographic ones."""
    return word.strip(".,;:!?\"'()[]{}“”").replace("'", "’")


def nearest_words(word: str, vocabulary: tuple[str, ...]) -> list[str]:
    """The words of a vocabulary that are spelled most like `word`, at most MOST_SUGGESTIONS."""
    return difflib.get_close_matches(word.casefold()[:40], vocabulary, n=MOST_SUGGESTIONS, cutoff=0.5)


def read_tokenizer(file: Path) -> Tokenizer:
    """A stored tokenizer, without padding and truncation."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
