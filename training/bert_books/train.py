"""Train `bert-books`, a small BERT on the books of `gpt-books`: hidden words, and whether a sentence follows another.

Its tokens are those of `gpt-books`, so that the two can be compared.

    python -m training.bert_books.train --data PATH
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.bert import BERTConfig, PretrainingBERT
from core.zoo.embedded import WEIGHTS
from training.bert_books.data import Batch, Batches, read_sentences
from training.bert_books.report import report
from training.common.command_line import CommandLine
from training.common.data_sets import BOOKS
from training.common.loop import Plan, train
from training.common.masking import add_special_tokens
from training.gpt_books.data import read_books


def main() -> None:
    """Train, measure, write the weights."""
    arguments = command_line().read()
    arguments.run.mkdir(parents=True, exist_ok=True)
    tokenizer = add_special_tokens(Tokenizer.from_file(str(WEIGHTS / "gpt-books" / "tokenizer.json")))
    books = read_sentences(read_books(arguments.data, held_out=False), tokenizer, arguments.run / "sentences.npz")
    torch.manual_seed(arguments.seed)
    model = PretrainingBERT(BERTConfig(vocabulary=tokenizer.get_vocab_size()))
    batches = Batches(books, tokenizer, tokens=arguments.tokens, seed=arguments.seed)
    print(f"{len(books.tokens):,} tokens, {len(books.starts):,} sentences", flush=True)
    plan = Plan(steps=arguments.steps, learning_rate=2e-3, warm_up=300, decay=0.4, seed=arguments.seed)
    record = learn(model, batches, plan, arguments.run)
    held_out = read_sentences(read_books(arguments.data, held_out=True), tokenizer)
    report("bert-books", model, tokenizer, books, held_out, record)


def learn(model: PretrainingBERT, batches: Batches, plan: Plan, run: Path) -> dict[str, Any]:
    """Train on both tasks at once; returns the record of the training, which is also written into `run`."""

    def loss_at(step: int) -> Tensor:
        return loss_of(model, batches.batch(step))

    seconds = train(model, loss_at, plan, run)
    record = {"plan": asdict(plan), "batch": batches.tokens, "tokens": len(batches.books.tokens), "seconds": seconds}
    (run / "run.json").write_text(json.dumps(record))
    return record


def loss_of(model: PretrainingBERT, batch: Batch) -> Tensor:
    """The sum of both losses, as in the paper (section A.2). Only hidden places are compared with the vocabulary."""
    # Written-out attention: at this length the fused kernel's bfloat16 backward pass is the slower one on a CPU.
    with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(SDPBackend.MATH):
        features = model.bert(batch.read, batch.segments)
        is_target = batch.targets >= 0
        loss = F.cross_entropy(model.words(features[is_target]).float(), batch.targets[is_target])
        if batch.next_sentence_labels is not None:
            loss = loss + F.cross_entropy(model.next_sentence(features).float(), batch.next_sentence_labels)
    return loss


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[BOOKS], run=Path("runs/bert-books"), steps=4000, seed=True, threads="all")
    parser.add_argument("--tokens", type=int, default=4096, help="of a batch")
    return parser


if __name__ == "__main__":
    main()
