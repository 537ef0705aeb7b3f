"""Train `gpt-books`, a small GPT on 39 public-domain books.

Data: a folder with `standardebooks/*.txt.gz` and `books.json` (plain text of books from standardebooks.org,
CC0; any public-domain texts will do) and `wikitext2_test.txt.gz` (the test split of WikiText-2, Merity et al. 2016,
only to measure).

    python -m training.gpt_books --data PATH
"""

import argparse
import gzip
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.gpt import GPT, GPTConfig
from training.gpt_books_report import read_held_out, report
from training.loop import Plan, train

HELD_OUT = "h-g-wells_the-time-machine"
END = "<|endoftext|>"
BATCH = 16


def main() -> None:
    """Train, measure, write the weights."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
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
    story = learn(model, windows, plan, run, SDPBackend.MATH)
    (held_out,) = read_books(arguments.data, held_out=True)
    report(model, tokenizer, tokens, read_held_out(arguments.data, held_out), story)


class Windows:
    """The books cut into windows of `context` + 1 tokens, `size` a batch, each epoch in a new order at a new offset."""

    def __init__(self, tokens: np.ndarray, context: int, size: int, seed: int):
        self.tokens, self.context, self.size, self.seed = torch.from_numpy(tokens.astype(np.int64)), context, size, seed
        self.per_epoch = (len(tokens) - 2 * context) // context // size

    def batch(self, step: int) -> torch.Tensor:
        """(batch, context + 1) token numbers."""
        epoch, step = divmod(step, self.per_epoch)
        generator = torch.Generator().manual_seed(self.seed * 1009 + epoch)
        offset = int(torch.randint(self.context, (), generator=generator))
        order = torch.randperm(self.per_epoch * self.size, generator=generator)
        starts = offset + self.context * order[step * self.size : (step + 1) * self.size]
        return torch.stack([self.tokens[start : start + self.context + 1] for start in starts.tolist()])


def learn(model: nn.Module, windows: Windows, plan: Plan, run: Path, kernel: SDPBackend) -> dict[str, Any]:
    """Train `model` to continue the books; what its card says of that, which is kept in `run` as well."""

    def loss_at(step: int) -> torch.Tensor:
        batch = windows.batch(step)
        with torch.autocast("cpu", torch.bfloat16), sdpa_kernel(kernel):
            logits = model(batch[:, :-1])
            return F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())

    seconds = train(model, loss_at, plan, run)
    story = {"plan": asdict(plan), "batch": windows.size, "tokens": len(windows.tokens), "seconds": seconds}
    (run / "run.json").write_text(json.dumps(story))
    return story


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
    """All training books as one row of token numbers, each book closed by the end token."""
    if path.exists():
        return np.load(path)
    end = tokenizer.token_to_id(END)
    books = [[*tokenizer.encode(text).ids, end] for text in read_books(data, held_out=False)]
    tokens = np.concatenate([np.array(book, dtype=np.uint16) for book in books])
    np.save(path, tokens)
    return tokens


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/gpt-books"), help="checkpoints; resumed if present")
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    return parser.parse_args()


if __name__ == "__main__":
    main()
