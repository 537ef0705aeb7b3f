"""What networks that picture a sentence have in common: how they read it, and what they say of strange words."""

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

NEAR = 3  # words that are offered for one that is not known


@dataclass(frozen=True, eq=False)
class SentenceReader(ABC):
    """`name` is that of its world: sentences of "scenes" follow a grammar, those of others are any known words."""

    name: str
    title: str
    tokenizer: Tokenizer

    @property
    @abstractmethod
    def context(self) -> int:
        """Places of a sentence, its marks among them."""

    @property
    def words(self) -> tuple[str, ...]:
        """Those it knows, in alphabetical order, without what stands around them."""
        return tuple(sorted(self._spelled))

    @property
    def _spelled(self) -> dict[str, str]:
        """As what each word that can be written is known: names of emoji came with their signs ("man:", "type)")."""
        known = (word for word, number in self.tokenizer.get_vocab().items() if number >= SPECIAL)
        plain_last = sorted(known, key=lambda word: bare(word) == word)  # so that it wins
        return {bare(word): word for word in plain_last if bare(word)}

    def encode(self, text: str) -> Tokens:
        """The tokens of a sentence; InputError for a word, or an order of words, that it does not know."""
        words = [word for each in plain_words(text).split() if (word := bare(each))]
        if not words:
            raise InputError("There is no sentence here yet. Write what is to be drawn.")
        most = self.context - 2
        if len(words) > most:
            raise InputError(
                f"This sentence has {len(words)} words; this network reads at most {most}. Leave some out."
            )
        if self.name == "scenes":
            words = ["a" if word == "an" else word for word in words]
        spelled = self._spelled
        if unknown := [word for word in words if word not in spelled]:
            raise InputError(self._strange(unknown[0]))
        if self.name == "scenes":
            parse(" ".join(words))
        return encode(self.tokenizer, " ".join(spelled[word] for word in words), context=self.context)

    def _strange(self, word: str) -> str:
        """What is said of a word that it does not know."""
        near = nearest(word, self.words)
        told = f" Nearest to it: {', '.join(f'“{each}”' for each in near)}." if near else ""
        if self.name == "scenes":
            try:
                parse(word)
            except InputError as error:
                return f"{error}{told}"
        return f"“{word[:40]}” is none of the {len(self.words):,} words that {self.title} knows.{told}"

    def filled(self, words: Tokens) -> Int[Tensor, " token"]:
        """The numbers of a sentence, filled up to the context."""
        return torch.tensor([*words.ids, *[PAD] * (self.context - len(words))])


def bare(word: str) -> str:
    """A word without signs around it, with the apostrophe of printers."""
    return word.strip(".,;:!?\"'()[]{}“”").replace("'", "’")


def nearest(word: str, known: tuple[str, ...]) -> list[str]:
    """The known words that are written most like a word."""
    return difflib.get_close_matches(word.casefold()[:40], known, n=NEAR, cutoff=0.5)


def read_tokenizer(file: Path) -> Tokenizer:
    """A stored tokenizer that neither fills up nor cuts."""
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
