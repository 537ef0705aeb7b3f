"""The books of `gpt-books`: read, cut into tokens, and into windows, some of which say something twice."""

import gzip
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Int
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor

from core.models.gpt import GPTConfig

HELD_OUT = "h-g-wells_the-time-machine"
END = "<|endoftext|>"
SHORTEST, LONGEST = 8, 96  # tokens of a piece that is repeated


class Windows:
    """The books cut into windows of `context` + 1 tokens, `size` a batch, each epoch in a new order at a new offset."""

    def __init__(self, tokens: np.ndarray, context: int, size: int, seed: int):
        self.tokens, self.context, self.size, self.seed = torch.from_numpy(tokens.astype(np.int64)), context, size, seed
        self.per_epoch = (len(tokens) - 2 * context) // context // size

    def batch(self, step: int) -> torch.Tensor:
        """Token ids, (batch, context + 1)."""
        epoch, step = divmod(step, self.per_epoch)
        generator = torch.Generator().manual_seed(self.seed * 1009 + epoch)
        offset = int(torch.randint(self.context, (), generator=generator))
        order = torch.randperm(self.per_epoch * self.size, generator=generator)
        starts = offset + self.context * order[step * self.size : (step + 1) * self.size]
        return torch.stack([self.tokens[start : start + self.context + 1] for start in starts.tolist()])


class RepeatedPieces:
    """Batches whose windows of `context` + 1 tokens repeat something, so that a model learns to look it up.

    A quarter of a batch is random tokens said again and again: nothing but what was said before tells the next one. In
    another quarter a piece of a book stands twice within other text. The rest is the books as they are.
    """

    def __init__(self, tokens: np.ndarray, context: int, size: int, vocabulary: int, seed: int):
        self.books = Windows(tokens, context, size, seed)
        self.context, self.size, self.vocabulary, self.seed = context, size, vocabulary, seed

    def batch(self, step: int) -> tuple[Int[Tensor, "batch position"], Bool[Tensor, "batch target"]]:
        """Token ids, and which of them, after the first, can be told from what stands before: all but new random ones.

        Shapes (batch, context + 1) and (batch, context).
        """
        tokens = self.books.batch(step)
        counted = torch.ones(self.size, self.context, dtype=torch.bool)
        generator = torch.Generator().manual_seed(self.seed * 1013 + step)
        quarter = self.size // 4
        for row in range(quarter):
            length = self._draw(SHORTEST, LONGEST, generator)
            piece = torch.randint(1, self.vocabulary, (length,), generator=generator)
            tokens[row] = piece.repeat(self.context // length + 2)[: self.context + 1]
            counted[row, : length - 1] = False
        for row in range(quarter, 2 * quarter):
            length = self._draw(SHORTEST, LONGEST, generator)
            first = self._draw(0, self.context + 1 - 2 * length, generator)
            second = self._draw(first + length, self.context + 1 - length, generator)
            tokens[row, second : second + length] = tokens[row, first : first + length].clone()
        return tokens, counted

    @staticmethod
    def _draw(low: int, high: int, generator: torch.Generator) -> int:
        """A number from `low` to `high`, both included."""
        return int(torch.randint(low, high + 1, (), generator=generator))


def read_books(data: Path, *, held_out: bool) -> list[str]:
    """The texts of the training books, or of the one that is held out."""
    files = sorted((data / "standardebooks").glob("*.txt.gz"))
    chosen = [file for file in files if file.name.startswith(HELD_OUT) == held_out]
    return [gzip.decompress(file.read_bytes()).decode() for file in chosen]


def make_tokenizer(data: Path, path: Path) -> Tokenizer:
    """Byte-level byte-pair encoding (Sennrich et al. 2016; Radford et al. 2019, section 2.2) of the training books."""
    if path.exists():
        return Tokenizer.from_file(str(path))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=GPTConfig.vocabulary,
        special_tokens=[END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(read_books(data, held_out=False), trainer)
    tokenizer.save(str(path))
    return tokenizer


def encode_books(data: Path, tokenizer: Tokenizer, path: Path) -> np.ndarray:
    """All training books as one row of token ids, each followed by the end token; cached in `path`."""
    if path.exists():
        return np.load(path)
    end = tokenizer.token_to_id(END)
    books = [[*tokenizer.encode(text).ids, end] for text in read_books(data, held_out=False)]
    tokens = np.concatenate([np.array(book, dtype=np.uint16) for book in books])
    np.save(path, tokens)
    return tokens
