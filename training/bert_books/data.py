"""The data of `bert-books`: books as sentences of tokens, and batches of texts and of pairs of texts."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor

from training.common.masking import Masking, number_of

# Tokens of a row, special ones included, and how often a batch has rows of so many: what visitors type is short.
LENGTHS, OFTEN = (16, 32, 64, 128), (0.1, 0.15, 0.25, 0.5)
PAIRS = 0.75  # of the batches are two texts each, half of them one after the other in their book; the rest one text
SENTENCE = re.compile(r"(?<=[.!?][\"'”’])\s+|(?<=[.!?])\s+(?=[\"'A-Z“‘])|\n\n+")


@dataclass(frozen=True)
class Sentences:
    """Texts as one row of tokens, with the place where each sentence begins and the number of its text."""

    tokens: np.ndarray
    starts: np.ndarray
    texts: np.ndarray

    def after(self, sentence: int, most: int) -> np.ndarray:
        """At most `most` tokens from the beginning of a sentence on, not beyond the end of its text."""
        start = self.starts[sentence]
        end = self.starts[min(np.searchsorted(self.texts, self.texts[sentence] + 1), len(self.starts) - 1)]
        end = end if end > start else len(self.tokens)
        return self.tokens[start : min(start + most, end)]


def read_sentences(texts: list[str], tokenizer: Tokenizer, file: Path | None = None) -> Sentences:
    """Cut texts into sentences and these into tokens; cached in `file`."""
    if file is not None and file.exists():
        stored = np.load(file)
        return Sentences(stored["tokens"], stored["starts"], stored["texts"])
    pieces, numbers = list[list[int]](), list[int]()
    for number, text in enumerate(texts):
        # Each sentence but the first keeps the space before it: so the same word has the same token everywhere.
        sentences = [" " + sentence.replace("\n", " ").strip() for sentence in SENTENCE.split(text) if sentence.strip()]
        encoded = tokenizer.encode_batch(sentences, add_special_tokens=False)
        pieces += [encoding.ids for encoding in encoded]
        numbers += [number] * len(encoded)
    starts = np.cumsum([0, *map(len, pieces)])[:-1]
    result = Sentences(np.concatenate(pieces).astype(np.uint16), starts, np.array(numbers))
    if file is not None:
        np.savez(file, tokens=result.tokens, starts=result.starts, texts=result.texts)
    return result


@dataclass(frozen=True)
class Batch:
    """The inputs of a step and its targets: the masked tokens, and whether the second text is another one than that
    which follows (1); `next_sentence_labels` is None where there is no second text."""

    read: Int[Tensor, "batch token"]
    segments: Int[Tensor, "batch token"]
    targets: Int[Tensor, "batch token"]  # the masked token, -100 elsewhere
    next_sentence_labels: Int[Tensor, " batch"] | None


class Batches:
    """Batches of about `tokens` tokens; each depends on the seed and its step alone."""

    def __init__(self, books: Sentences, tokenizer: Tokenizer, *, tokens: int, seed: int):
        self.books, self.tokens, self.seed, self.masking = books, tokens, seed, Masking(tokenizer)
        self.begin, self.separator = number_of(tokenizer, "[CLS]"), number_of(tokenizer, "[SEP]")

    def batch(self, step: int, *, pairs: bool | None = None, always_masked: bool = False) -> Batch:
        """The batch of a step; `pairs`: whether there are two texts in a row, None: at random."""
        rng = np.random.default_rng((self.seed, step))
        length = int(rng.choice(LENGTHS, p=OFTEN))
        two = bool(rng.random() < PAIRS) if pairs is None else pairs
        rows, next_sentence_labels = list[np.ndarray](), list[bool]()
        while len(rows) < max(2, self.tokens // length):
            other = bool(rng.random() < 0.5)
            row = self._pair(rng, length, other) if two else self._single(rng, length)
            if row is not None:
                rows.append(row)
                next_sentence_labels.append(other)
        tokens = torch.from_numpy(np.stack(rows).astype(np.int64))
        segments = torch.zeros_like(tokens)
        if two:
            ends = tokens.eq(self.separator).long()
            segments = (ends.cumsum(dim=1) - ends).clamp(max=1)
        hidden = self.masking.mask_words(
            tokens, torch.Generator().manual_seed(self.seed * 1_000_003 + step), always_masked=always_masked
        )
        targets = torch.where(hidden.is_target, tokens, -100)
        return Batch(hidden.tokens, segments, targets, torch.tensor(next_sentence_labels).long() if two else None)

    def _single(self, rng: np.random.Generator, length: int) -> np.ndarray | None:
        text = self.books.after(int(rng.integers(len(self.books.starts))), length - 2)
        return None if len(text) < length - 2 else np.concatenate([[self.begin], text, [self.separator]])

    def _pair(self, rng: np.random.Generator, length: int, other: bool) -> np.ndarray | None:
        """Some sentences, then those that follow or (`other`) random ones; None if they do not fill the length."""
        books, room = self.books, length - 3
        first = second = int(rng.integers(len(books.starts)))
        most = int(rng.integers(room // 4, 3 * room // 4 + 1))
        while second < len(books.starts) and books.starts[second] - books.starts[first] < most:
            second += 1
        if second >= len(books.starts) or books.texts[second] != books.texts[first]:
            return None
        first_text = books.tokens[books.starts[first] : books.starts[second]]
        first_text = first_text[len(first_text) - min(len(first_text), room - room // 8) :]
        if other:
            second = int(rng.integers(len(books.starts)))
        second_text = books.after(second, room - len(first_text))
        if len(first_text) + len(second_text) < room:
            return None
        return np.concatenate([[self.begin], first_text, [self.separator], second_text, [self.separator]])
