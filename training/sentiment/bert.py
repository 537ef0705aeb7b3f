"""Fine-tune `minilm` on the sentiment of film reviews (IMDB) and of phrases of them (SST-2).

Phrases teach what a single word such as "not" changes; reviews, what a whole text adds up to. The token embeddings stay
as they are: they are half of the network, and are stored once, in weights/minilm/.

    python -m training.sentiment.bert --data PATH [--device cuda]
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Int
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from core.models.bert import BERT
from core.models.sentiment import ReviewBERT
from core.zoo.embedded import SENTENCES, load_embedded_text
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB, SST2
from training.common.loop import Plan, train
from training.common.sst2 import read_phrases
from training.sentiment.train import conclude, encode_texts, pad, read_english

LONGEST = 256  # tokens of a review that are read in training; of one that is judged, the context of the network
NAME = "english-bert"
SHORT = 160  # tokens: below, the fused kernel's backward pass is slower on a CPU than attention written out


def main() -> None:
    """Train, and predict the held-out reviews; resumes from its checkpoint."""
    arguments = command_line().read()
    language, start = read_english(arguments.data), load_embedded_text(SENTENCES)
    assert isinstance(start.network, BERT)
    phrases, sentiments = read_phrases(arguments.data / "sst2" / "glue_train.tsv.gz")
    rows = encode_texts(start.tokenizer, [*language.learnt.texts, *phrases], LONGEST)
    labels = torch.cat([torch.from_numpy(language.learnt.labels), torch.tensor(sentiments)])
    batches = LengthBatches(rows, arguments.tokens, arguments.seed)
    steps = arguments.epochs * len(batches.cut(0))
    plan = Plan(
        steps, arguments.rate, weight_decay=0.01, decay=0.9, seed=arguments.seed, optimiser="adamw", save_every=50
    )
    network, run = add_sentiment_head(start.network).to(arguments.device), arguments.run / NAME
    seconds = fine_tune(network, batches, labels, plan, run)
    record = {
        "settings": asdict(network.config),
        "recipe": asdict(plan) | {"tokens": arguments.tokens, "longest": LONGEST, "phrases": len(phrases)},
        "epochs": arguments.epochs,
        "seconds": round(seconds, 1),
    }
    results = conclude(network, start.tokenizer, language, record, run, start.context)
    print(NAME, results["valid"], results["test"], flush=True)


def add_sentiment_head(body: BERT) -> ReviewBERT:
    """A pretrained body with frozen token embeddings, and a new head for sentiment."""
    network = ReviewBERT(body.config)
    network.bert.load_state_dict(body.state_dict())
    network.bert.token_embedding.requires_grad_(False)
    return network


def fine_tune(
    network: ReviewBERT, batches: "LengthBatches", labels: Int[Tensor, " text"], plan: Plan, run: Path
) -> float:
    """Train on the sentiment of texts; returns the seconds it took."""
    device = next(network.parameters()).device

    def loss_at(step: int) -> Tensor:
        numbers = batches.batch(step)
        ids, padding = pad([batches.rows[number] for number in numbers])
        kernel = SDPBackend.MATH if ids.shape[1] < SHORT else SDPBackend.FLASH_ATTENTION
        with torch.autocast(device.type, torch.bfloat16), sdpa_kernel(kernel):
            logits = network(ids.to(device), padding.to(device))
        return F.cross_entropy(logits.float(), labels[numbers].to(device), label_smoothing=0.05)

    return train(network, loss_at, plan, run)


class LengthBatches:
    """Batches of about `tokens` tokens, of texts of like length, in another order in each epoch."""

    def __init__(self, rows: Sequence[Tensor], tokens: int, seed: int):
        self.rows, self.tokens, self.seed = rows, tokens, seed
        self.lengths = np.array([len(row) for row in rows])
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
    parser = CommandLine(__doc__, data=[IMDB, SST2], run=Path("runs/sentiment"), seed=True, device=True, threads="all")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--tokens", type=int, default=8192, help="of a batch, about")
    return parser


if __name__ == "__main__":
    main()
