"""Fine-tune `bert-books` on film reviews, in two steps: first to fill in their words, then to tell praise from blame.

The first step is called task-adaptive pre-training (Gururangan et al. 2020, "Don't Stop Pretraining", section 4): no
label is read, and no review of the test. Its room grows from 128 tokens to 512, so that most reviews fit.

    python -m training.sentiment.bert --data PATH [--device cuda]
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Int
from tokenizers import Tokenizer
from torch import Tensor

from core.models.bert import PretrainingBERT
from core.models.sentiment import ReviewBERT, longer
from core.zoo.embedded import load_embedded_text
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB
from training.common.loop import Plan, train
from training.common.masking import Masking
from training.sentiment.train import as_numbers, conclude, read_english, side_by_side

CONTEXT = 512
NAME = "english-bert"
SHARE = 0.03  # of the words are forgotten in the second step


def main() -> None:
    """Both steps; each goes on where it stopped."""
    arguments = command_line().read()
    language, start = read_english(arguments.data), load_embedded_text("bert-books")
    pretrained = start.network
    assert isinstance(pretrained, PretrainingBERT)
    rows, device = as_numbers(start.tokenizer, language.learnt.texts, CONTEXT), arguments.device
    adapted = longer(pretrained, CONTEXT).to(device)
    plan = Plan(arguments.adapt, arguments.adapt_rate, decay=0.5, seed=arguments.seed, log_every=200, save_every=500)
    seconds = adapt(adapted, rows, start.tokenizer, plan, arguments.run / "adapted", arguments.tokens)
    network = with_verdict(adapted).to(device)
    labels = torch.from_numpy(language.learnt.labels)
    per_epoch = len(InTurn(rows, arguments.tokens, arguments.seed).cut(0))
    steps = arguments.epochs * per_epoch
    tuning = Plan(steps, arguments.rate, warm_up=200, decay=0.8, seed=arguments.seed, log_every=200, save_every=500)
    run = arguments.run / NAME
    spent = tune(network, rows, labels, start.tokenizer, tuning, run, arguments.tokens)
    story = {
        "settings": asdict(network.config),
        "recipe": {"adapt": asdict(plan), "tune": asdict(tuning), "tokens": arguments.tokens, "forgotten": SHARE},
        "epochs": arguments.epochs,
        "adapted_seconds": round(seconds, 1),
        "seconds": round(spent, 1),
    }
    found = conclude(network, start.tokenizer, language, story, run, CONTEXT)
    print(NAME, found["valid"], found["test"], flush=True)


def adapt(
    network: PretrainingBERT, rows: list[Tensor], tokenizer: Tokenizer, plan: Plan, run: Path, tokens: int
) -> float:
    """Fill in hidden words of the reviews; the seconds it took."""
    batches, masking = InTurn(rows, tokens, plan.seed), Masking(tokenizer)
    device = next(network.parameters()).device

    def loss_at(step: int) -> Tensor:
        read, padding = side_by_side([rows[number] for number in batches.batch(step)])
        hidden = masking.hide(read, torch.Generator().manual_seed(plan.seed * 1_000_003 + step))
        asked, goal = (hidden.asked & ~padding).to(device), read.to(device)
        with torch.autocast(device.type, torch.bfloat16):
            seen = network.bert(hidden.tokens.to(device), padding=padding.to(device))
            return F.cross_entropy(network.words(seen[asked]).float(), goal[asked])

    return train(network, loss_at, plan, run)


def tune(
    network: ReviewBERT,
    rows: list[Tensor],
    labels: Int[Tensor, " text"],
    tokenizer: Tokenizer,
    plan: Plan,
    run: Path,
    tokens: int,
) -> float:
    """Tell praise from blame; the seconds it took."""
    batches, mask = InTurn(rows, tokens, plan.seed), Masking(tokenizer)
    device = next(network.parameters()).device

    def loss_at(step: int) -> Tensor:
        chosen = batches.batch(step)
        read, padding = side_by_side([rows[number] for number in chosen])
        forgotten = (torch.rand(read.shape) < SHARE) & ~mask.special[read]
        read = read.masked_fill(forgotten, mask.mask)
        with torch.autocast(device.type, torch.bfloat16):
            logits = network(read.to(device), padding.to(device))
        return F.cross_entropy(logits.float(), labels[chosen].to(device), label_smoothing=0.05)

    return train(network, loss_at, plan, run)


def with_verdict(adapted: PretrainingBERT) -> ReviewBERT:
    """The adapted body with a new head; its pooler, which already reads [CLS], is taken over."""
    network = ReviewBERT(adapted.config)
    network.bert.load_state_dict(adapted.bert.state_dict())
    network.pooler.load_state_dict(adapted.next_sentence.pooler.state_dict())
    return network


class InTurn:
    """Batches of about `tokens` tokens, of texts of like length, in another order in each epoch."""

    def __init__(self, rows: Sequence[Tensor], tokens: int, seed: int):
        self.lengths, self.tokens, self.seed = np.array([len(row) for row in rows]), tokens, seed
        self._epochs = dict[int, list[np.ndarray]]()
        self._starts = [0]

    def batch(self, step: int) -> np.ndarray:
        """Which texts are read in a step."""
        while step >= self._starts[-1]:
            epoch = len(self._starts) - 1
            self._epochs = {epoch: self.cut(epoch)} | {epoch - 1: self._epochs.get(epoch - 1, [])}
            self._starts.append(self._starts[-1] + len(self._epochs[epoch]))
        epoch = int(np.searchsorted(self._starts, step, side="right")) - 1
        return (self._epochs.get(epoch) or self.cut(epoch))[step - self._starts[epoch]]

    def cut(self, epoch: int) -> list[np.ndarray]:
        """The batches of an epoch."""
        dice = np.random.default_rng((self.seed, epoch))
        order = np.argsort(self.lengths * dice.uniform(0.9, 1.1, len(self.lengths)))
        batches, begin = [], 0
        while begin < len(order):
            end = begin + 1
            while end < len(order) and (end + 1 - begin) * self.lengths[order[begin : end + 1]].max() <= self.tokens:
                end += 1
            batches.append(order[begin:end])
            begin = end
        return [batches[number] for number in dice.permutation(len(batches))]


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[IMDB], run=Path("runs/sentiment"), seed=True, device=True, threads="all")
    parser.add_argument("--adapt", type=int, default=4500, help="steps of the first part")
    parser.add_argument("--adapt-rate", type=float, default=1.5e-3)
    parser.add_argument("--epochs", type=int, default=3, help="of the second")
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--tokens", type=int, default=16384, help="of a batch, about")
    return parser


if __name__ == "__main__":
    main()
