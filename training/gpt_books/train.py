"""Train `gpt-books`, a small GPT on 39 public-domain books, then teach it to look up what stands twice.

Books alone give so small a model no induction heads (Olsson et al. 2022): it goes on with windows of which half repeat
something. One book is held out; it and WikiText-2 are only to measure.

    python -m training.gpt_books.train --data PATH
"""

import copy
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.gpt import GPT, GPTConfig
from training.common.command_line import CommandLine
from training.common.data_sets import BOOKS, WIKITEXT
from training.common.loop import Plan, mixed_precision, train
from training.gpt_books.data import RepeatedPieces, Windows, encode_books, make_tokenizer, read_books
from training.gpt_books.report import read_held_out, report

BATCH = 16
# Of the second part. AdamW: its matrices change less than with Muon, and the books are not forgotten.
REPEATING = Plan(steps=400, learning_rate=6e-4, warm_up=50, decay=0.6, log_every=10, save_every=20, optimiser="adamw")


def main() -> None:
    """Train, measure, write the weights."""
    arguments = command_line().read()
    run = arguments.run
    run.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(arguments.data, run / "tokenizer.json")
    tokens = encode_books(arguments.data, tokenizer, run / "tokens.npy")
    torch.manual_seed(arguments.seed)
    model = GPT(GPTConfig(vocabulary=tokenizer.get_vocab_size()))
    windows = Windows(tokens, model.config.context, BATCH, arguments.seed)
    print(f"{len(tokens):,} tokens, {sum(p.numel() for p in model.parameters()):,} parameters", flush=True)
    plan = Plan(steps=arguments.steps, learning_rate=3e-3, decay=0.37, seed=arguments.seed)
    # Written-out attention: at this length the fused kernel's bfloat16 backward pass is the slower one on a CPU.
    record = learn(model, windows, plan, run, SDPBackend.MATH)
    books_alone = copy.deepcopy(model)
    record["repeating"] = learn_repeats(model, tokens, run / "repeating")
    (held_out,) = read_books(arguments.data, held_out=True)
    report(model, books_alone, tokenizer, tokens, read_held_out(arguments.data, held_out), record)


def learn(model: nn.Module, windows: Windows, plan: Plan, run: Path, kernel: SDPBackend) -> dict[str, Any]:
    """Train `model` on the books; returns the record of the training, which is also written into `run`."""

    def loss_at(step: int) -> torch.Tensor:
        batch = windows.batch(step)
        with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(kernel):
            logits = model(batch[:, :-1])
            return F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())

    seconds = train(model, loss_at, plan, run)
    record = {"plan": asdict(plan), "batch": windows.size, "tokens": len(windows.tokens), "seconds": seconds}
    (run / "run.json").write_text(json.dumps(record))
    return record


def learn_repeats(model: GPT, tokens: np.ndarray, run: Path) -> dict[str, Any]:
    """Train `model` on windows that repeat something, in place; returns the record of this training."""
    config = model.config
    pieces = RepeatedPieces(tokens, config.context, BATCH, config.vocabulary, REPEATING.seed)

    def loss_at(step: int) -> torch.Tensor:
        batch, counted = pieces.batch(step)
        with mixed_precision(), sdpa_kernel(SDPBackend.MATH):
            logits = model(batch[:, :-1])
            return F.cross_entropy(logits[counted], batch[:, 1:][counted])

    seconds = train(model, loss_at, REPEATING, run)
    return {"plan": asdict(REPEATING), "seconds": seconds}


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(
        __doc__, data=[BOOKS, WIKITEXT], run=Path("runs/gpt-books"), steps=2400, seed=True, threads="all"
    )


if __name__ == "__main__":
    main()
