"""Fine-tune `bert-books` on film reviews, in two steps: first on masked words, then on sentiment.

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
from core.models.sentiment import ReviewBERT, extend_context
from core.zoo.embedded import load_embedded_text
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB
from training.common.loop import Plan, train
from training.common.masking import Masking
from training.sentiment.train import conclude, encode_texts, pad, read_english

CONTEXT = 512
NAME = "english-bert"
SHARE = 0.03  # of the words are forgotten in the second step


def main() -> None:
    """Run both steps; each resumes from its checkpoint."""
    arguments = command_line().read()
    language, start = read_english(arguments.data), load_embedded_text("bert-books")
    pretrained = start.network
    assert isinstance(pretrained, PretrainingBERT)
    rows, device = encode_texts(start.tokenizer, language.learnt.texts, CONTEXT), arguments.device
    adapted = extend_context(pretrained, CONTEXT).to(device)
    plan = Plan(arguments.adapt, arguments.adapt_rate, decay=0.5, seed=arguments.seed, log_every=200, save_every=500)
    seconds = adapt(adapted, rows, start.tokenizer, plan, arguments.run / "adapted", arguments.tokens)
    network = add_sentiment_head(adapted).to(device)
    labels = torch.from_numpy(language.learnt.labels)
    per_epoch = len(LengthBatches(rows, arguments.tokens, arguments.seed).cut(0))
    steps = arguments.epochs * per_epoch
    tuning = Plan(steps, arguments.rate, warm_up=200, decay=0.8, seed=arguments.seed, log_every=200, save_every=500)
    run = arguments.run / NAME
    tuning_seconds = fine_tune(network, rows, labels, start.tokenizer, tuning, run, arguments.tokens)
    record = {
        "settings": asdict(network.config),
        "recipe": {"adapt": asdict(plan), "tune": asdict(tuning), "tokens": arguments.tokens, "forgotten": SHARE},
        "epochs": arguments.epochs,
        "adapted_seconds": round(seconds, 1),
        "seconds": round(tuning_seconds, 1),
    }
    results = conclude(network, start.tokenizer, language, record, run, CONTEXT)
    print(NAME, results["valid"], results["test"], flush=True)


def adapt(
    network: PretrainingBERT, rows: list[Tensor], tokenizer: Tokenizer, plan: Plan, run: Path, tokens: int
) -> float:
    """Train on masked words of the reviews; returns the seconds it took."""
    batches, masking = LengthBatches(rows, tokens, plan.seed), Masking(tokenizer)
    device = next(network.parameters()).device

    def loss_at(step: int) -> Tensor:
        ids, padding = pad([rows[number] for number in batches.batch(step)])
        hidden = masking.mask_words(ids, torch.Generator().manual_seed(plan.seed * 1_000_003 + step))
        is_target, goal = (hidden.is_target & ~padding).to(device), ids.to(device)
        with torch.autocast(device.type, torch.bfloat16):
            features = network.bert(hidden.tokens.to(device), padding=padding.to(device))
            return F.cross_entropy(network.words(features[is_target]).float(), goal[is_target])

    return train(network, loss_at, plan, run)


def fine_tune(
    network: ReviewBERT,
    rows: list[Tensor],
    labels: Int[Tensor, " text"],
    tokenizer: Tokenizer,
    plan: Plan,
    run: Path,
    tokens: int,
) -> float:
    """Train on the sentiment of the reviews; returns the seconds it took."""
    batches, mask = LengthBatches(rows, tokens, plan.seed), Masking(tokenizer)
    device = next(network.parameters()).device

    def loss_at(step: int) -> Tensor:
        chosen = batches.batch(step)
        ids, padding = pad([rows[number] for number in chosen])
        forgotten = (torch.rand(ids.shape) < SHARE) & ~mask.special[ids]
        ids = ids.masked_fill(forgotten, mask.mask)
        with torch.autocast(device.type, torch.bfloat16):
            logits = network(ids.to(device), padding.to(device))
        return F.cross_entropy(logits.float(), labels[chosen].to(device), label_smoothing=0.05)

    return train(network, loss_at, plan, run)


def add_sentiment_head(adapted: PretrainingBERT) -> ReviewBERT:
    """The adapted body and its pooler of [CLS], with a new head for sentiment."""
    network = ReviewBERT(adapted.config)
    network.bert.load_state_dict(adapted.bert.state_dict())
    network.pooler.load_state_dict(adapted.next_sentence.pooler.state_dict())
    return network


class LengthBatches:
    """Batches of about `tokens` tokens, of texts of like length, in another order in each epoch."""

    def __init__(self, rows: Sequence[Tensor], tokens: int, seed: int):
        self.lengths, self.tokens, self.seed = np.array([len(row) for row in rows]), tokens, seed
        self._epochs = dict[int, list[np.ndarray]]()
        self._starts = [0]

    def batch(self, step: int) -> np.ndarray:
        """The numbers of the texts of a step."""
        while step >= self._starts[-1]:
            epoch = len(self._starts) - 1
            self._epochs = {epoch: self.cut(epoch)} | {epoch - 1: self._epochs.get(epoch - 1, [])}
            self._starts.append(self._starts[-1] + len(self._epochs[epoch]))
        epoch = int(np.searchsorted(self._starts, step, side="right")) - 1
        return (self._epochs.get(epoch) or self.cut(epoch))[step - self._starts[epoch]]

    def cut(self, epoch: int) -> list[np.ndarray]:
        """The batches of an epoch."""
        rng = np.random.default_rng((self.seed, epoch))
        order = np.argsort(self.lengths * rng.uniform(0.9, 1.1, len(self.lengths)))
        batches, begin = [], 0
        while begin < len(order):
            end = begin + 1
            while end < len(order) and (end + 1 - begin) * self.lengths[order[begin : end + 1]].max() <= self.tokens:
                end += 1
            batches.append(order[begin:end])
            begin = end
        return [batches[number] for number in rng.permutation(len(batches))]


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
