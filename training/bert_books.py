"""Train `bert-books`, a small BERT on the books of `gpt-books`: hidden words, and whether a sentence follows another.

Data: a folder with `standardebooks/*.txt.gz` and `books.json` (plain text of books from standardebooks.org,
CC0; any public-domain texts will do). Its tokens are those of `gpt-books`, so that the two can be compared.

    python -m training.bert_books --data PATH
"""

import argparse
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.bert import BERTConfig, PretrainingBERT
from core.zoo.embedded import WEIGHTS
from training.bert_books_report import report
from training.gpt_books import read_books
from training.loop import Plan, train
from training.masking import Masking, add_special_tokens, number_of

# Tokens of a row, special ones included, and how often a batch has rows of so many: what visitors type is short.
LENGTHS, OFTEN = (16, 32, 64, 128), (0.1, 0.15, 0.25, 0.5)
PAIRS = 0.75  # of the batches are two texts each, half of them one after the other in their book; the rest one text
SENTENCE = re.compile(r"(?<=[.!?][\"'”’])\s+|(?<=[.!?])\s+(?=[\"'A-Z“‘])|\n\n+")


def main() -> None:
    """Train, measure, write the weights."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    arguments.run.mkdir(parents=True, exist_ok=True)
    tokenizer = add_special_tokens(Tokenizer.from_file(str(WEIGHTS / "gpt-books" / "tokenizer.json")))
    books = read_sentences(read_books(arguments.data, held_out=False), tokenizer, arguments.run / "sentences.npz")
    torch.manual_seed(arguments.seed)
    model = PretrainingBERT(BERTConfig(vocabulary=tokenizer.get_vocab_size()))
    batches = Batches(books, tokenizer, tokens=arguments.tokens, seed=arguments.seed)
    print(f"{len(books.tokens):,} tokens, {len(books.starts):,} sentences", flush=True)
    plan = Plan(steps=arguments.steps, learning_rate=2e-3, warm_up=300, decay=0.4, seed=arguments.seed)
    story = learn(model, batches, plan, arguments.run)
    held_out = read_sentences(read_books(arguments.data, held_out=True), tokenizer)
    report("bert-books", model, tokenizer, books, held_out, story)


@dataclass(frozen=True)
class Sentences:
    """Texts as one row of tokens; `starts` are the places where sentences begin, `texts` the text of each of them."""

    tokens: np.ndarray
    starts: np.ndarray
    texts: np.ndarray

    def after(self, sentence: int, most: int) -> np.ndarray:
        """At most so many tokens from the beginning of a sentence on, not beyond the end of its text."""
        start = self.starts[sentence]
        end = self.starts[min(np.searchsorted(self.texts, self.texts[sentence] + 1), len(self.starts) - 1)]
        end = end if end > start else len(self.tokens)
        return self.tokens[start : min(start + most, end)]


def read_sentences(texts: list[str], tokenizer: Tokenizer, file: Path | None = None) -> Sentences:
    """Cut texts into sentences and these into tokens; kept in `file`."""
    if file is not None and file.exists():
        kept = np.load(file)
        return Sentences(kept["tokens"], kept["starts"], kept["texts"])
    pieces, numbers = list[list[int]](), list[int]()
    for number, text in enumerate(texts):
        # Each sentence but the first keeps the space before it: so the same word has the same token everywhere.
        sentences = [" " + sentence.replace("\n", " ").strip() for sentence in SENTENCE.split(text) if sentence.strip()]
        encoded = tokenizer.encode_batch(sentences, add_special_tokens=False)
        pieces += [encoding.ids for encoding in encoded]
        numbers += [number] * len(encoded)
    starts = np.cumsum([0, *map(len, pieces)])[:-1]
    found = Sentences(np.concatenate(pieces).astype(np.uint16), starts, np.array(numbers))
    if file is not None:
        np.savez(file, tokens=found.tokens, starts=found.starts, texts=found.texts)
    return found


@dataclass(frozen=True)
class Batch:
    """What a model reads in a step, and what it should say: which tokens were hidden, and whether the second text is
    another one than that which follows (1); `another` is None where there is no second text."""

    read: Int[Tensor, "batch token"]
    segments: Int[Tensor, "batch token"]
    hidden: Int[Tensor, "batch token"]  # the token where one is asked for, else -100
    another: Int[Tensor, " batch"] | None


class Batches:
    """Batches of about `tokens` tokens; each depends on the seed and its step alone."""

    def __init__(self, books: Sentences, tokenizer: Tokenizer, *, tokens: int, seed: int):
        self.books, self.tokens, self.seed, self.masking = books, tokens, seed, Masking(tokenizer)
        self.begin, self.separator = number_of(tokenizer, "[CLS]"), number_of(tokenizer, "[SEP]")

    def batch(self, step: int, *, pairs: bool | None = None, always_masked: bool = False) -> Batch:
        """The batch of a step; `pairs`: whether there are two texts in a row, by chance if not said."""
        dice = np.random.default_rng((self.seed, step))
        length = int(dice.choice(LENGTHS, p=OFTEN))
        two = bool(dice.random() < PAIRS) if pairs is None else pairs
        rows, another = list[np.ndarray](), list[bool]()
        while len(rows) < max(2, self.tokens // length):
            other = bool(dice.random() < 0.5)
            row = self._pair(dice, length, other) if two else self._single(dice, length)
            if row is not None:
                rows.append(row)
                another.append(other)
        tokens = torch.from_numpy(np.stack(rows).astype(np.int64))
        segments = torch.zeros_like(tokens)
        if two:
            ends = tokens.eq(self.separator).long()
            segments = (ends.cumsum(dim=1) - ends).clamp(max=1)
        hidden = self.masking.hide(
            tokens, torch.Generator().manual_seed(self.seed * 1_000_003 + step), always_masked=always_masked
        )
        asked = torch.where(hidden.asked, tokens, -100)
        return Batch(hidden.tokens, segments, asked, torch.tensor(another).long() if two else None)

    def _single(self, dice: np.random.Generator, length: int) -> np.ndarray | None:
        text = self.books.after(int(dice.integers(len(self.books.starts))), length - 2)
        return None if len(text) < length - 2 else np.concatenate([[self.begin], text, [self.separator]])

    def _pair(self, dice: np.random.Generator, length: int, other: bool) -> np.ndarray | None:
        """Some sentences, then those that follow or (`other`) some from anywhere; None where that does not fill."""
        books, room = self.books, length - 3
        first = second = int(dice.integers(len(books.starts)))
        most = int(dice.integers(room // 4, 3 * room // 4 + 1))
        while second < len(books.starts) and books.starts[second] - books.starts[first] < most:
            second += 1
        if second >= len(books.starts) or books.texts[second] != books.texts[first]:
            return None
        one = books.tokens[books.starts[first] : books.starts[second]]
        one = one[len(one) - min(len(one), room - room // 8) :]
        if other:
            second = int(dice.integers(len(books.starts)))
        two = books.after(second, room - len(one))
        if len(one) + len(two) < room:
            return None
        return np.concatenate([[self.begin], one, [self.separator], two, [self.separator]])


def learn(model: PretrainingBERT, batches: Batches, plan: Plan, run: Path) -> dict[str, Any]:
    """Train on both tasks at once; what the card says of that, which is kept in `run` as well."""

    def loss_at(step: int) -> Tensor:
        return loss_of(model, batches.batch(step))

    seconds = train(model, loss_at, plan, run)
    story = {"plan": asdict(plan), "batch": batches.tokens, "tokens": len(batches.books.tokens), "seconds": seconds}
    (run / "run.json").write_text(json.dumps(story))
    return story


def loss_of(model: PretrainingBERT, batch: Batch) -> Tensor:
    """The sum of both losses, as in the paper (section A.2). Only hidden places are compared with the vocabulary."""
    # Written-out attention: at this length the fused kernel's bfloat16 backward pass is the slower one on a CPU.
    with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
        seen = model.bert(batch.read, batch.segments)
        asked = batch.hidden >= 0
        loss = F.cross_entropy(model.words(seen[asked]).float(), batch.hidden[asked])
        if batch.another is not None:
            loss = loss + F.cross_entropy(model.next_sentence(seen).float(), batch.another)
    return loss


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/bert-books"), help="checkpoints; resumed if present")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--tokens", type=int, default=4096, help="of a batch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    return parser.parse_args()


if __name__ == "__main__":
    main()
