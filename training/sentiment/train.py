"""Train the classifiers of the page Sentiment, for English film reviews and Spanish tweets.

Three small networks for each language (core/models/sentiment.py), the recurrent one once more with its attention
frozen uniform; and for English `minilm`, fine-tuned (training/sentiment/bert.py).

    python -m training.sentiment.train --data PATH [--device cuda]
    python -m training.sentiment.report --data PATH
"""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
from torch import Tensor, nn

from core.models.sentiment import SentimentConfig, make_reviewer
from core.zoo.sentiment_classifiers import READ
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB, TWEETS
from training.common.loop import Plan, train
from training.common.masking import number_of

PADDING, UNKNOWN = "[PAD]", "[UNK]"
WORD = r"\w+(?:['’]\w+)*|[^\w\s]"  # a word, with what follows an apostrophe in it; else one sign
VALIDATION = 2500  # reviews of the training part on which epochs were chosen
LEARNT = 512  # words that are read of a text in training; READ of one that is judged


@dataclass(frozen=True)
class Texts:
    """Texts with their sentiments: 0 is the most negative."""

    texts: list[str]
    labels: np.ndarray

    def part(self, which: np.ndarray) -> "Texts":
        """The texts of these numbers."""
        return Texts([self.texts[number] for number in which], self.labels[which])


@dataclass(frozen=True)
class Language:
    """The data of a language, in three parts, and the names of its classes."""

    name: str
    classes: tuple[str, ...]
    learnt: Texts
    chosen_on: Texts
    test: Texts
    vocabulary: int


@dataclass(frozen=True)
class Recipe:
    """The settings of one network's training, chosen on the validation part."""

    config: dict
    epochs: int
    learning_rate: float
    batch: int = 32
    forgotten: float = 0.1  # the share of words that are read as unknown ones


RNN = {"architecture": "rnn"}
CNN = {"architecture": "cnn", "width": 128}
ENCODER = {"architecture": "encoder"}
RECIPES: dict[str, dict[str, Recipe]] = {
    "english": {
        "rnn": Recipe(RNN, epochs=12, learning_rate=3e-3, forgotten=0.4),
        "rnn-uniform": Recipe(RNN | {"pooling": "mean"}, epochs=12, learning_rate=3e-3, forgotten=0.4),
        "cnn": Recipe(CNN | {"dropout": 0.3}, epochs=15, learning_rate=1e-3, batch=64, forgotten=0.3),
        "encoder": Recipe(ENCODER, epochs=15, learning_rate=2e-3, forgotten=0.5),
    },
    "spanish": {
        "rnn": Recipe(RNN, epochs=20, learning_rate=3e-3, batch=16, forgotten=0.3),
        "rnn-uniform": Recipe(RNN | {"pooling": "mean"}, epochs=20, learning_rate=3e-3, batch=16, forgotten=0.3),
        "cnn": Recipe(CNN, epochs=60, learning_rate=3e-3, batch=64, forgotten=0.5),
        "encoder": Recipe(ENCODER | {"dropout": 0.3}, epochs=20, learning_rate=2e-3, batch=8, forgotten=0.1),
    },
}


def main() -> None:
    """Train the networks of `--networks`, or all; each resumes from its checkpoint."""
    arguments = command_line().read()
    for name in arguments.languages:
        language = READERS[name](arguments.data)
        tokenizer = word_tokenizer(language.learnt.texts, language.vocabulary)
        for network in arguments.networks or RECIPES[name]:
            record = learn(
                language,
                tokenizer,
                RECIPES[name][network],
                arguments.run / f"{name}-{network}",
                arguments.seed,
                arguments.device,
            )
            print(name, network, json.dumps({key: record[key] for key in ("parameters", "valid", "test")}), flush=True)


def learn(
    language: Language, tokenizer: Tokenizer, recipe: Recipe, run: Path, seed: int, device: str = "cpu"
) -> dict[str, Any]:
    """Train one network, and measure it on the validation and the test part; returns the record of the training."""
    torch.manual_seed(seed)
    settings = {"vocabulary": tokenizer.get_vocab_size(), "classes": len(language.classes)} | recipe.config
    network = make_reviewer(SentimentConfig(**settings)).to(device)
    batches = Batches(language.learnt, tokenizer, recipe.batch, seed)
    steps = recipe.epochs * batches.per_epoch
    plan = Plan(steps, recipe.learning_rate, warm_up=100, decay=0.7, seed=seed, log_every=200, save_every=400)

    def loss_at(step: int) -> Tensor:
        tokens, padding, labels = (part.to(device) for part in batches.batch(step))
        forgotten = torch.rand(tokens.shape, device=device) < recipe.forgotten
        tokens = tokens.masked_fill(forgotten & ~padding, batches.unknown)
        return F.cross_entropy(network(tokens, padding), labels)

    seconds = train(network, loss_at, plan, run)
    record = {"settings": settings, "recipe": asdict(recipe), "plan": asdict(plan), "seconds": round(seconds, 1)}
    return conclude(network, tokenizer, language, record | {"epochs": recipe.epochs}, run)


def conclude(
    network: nn.Module, tokenizer: Tokenizer, language: Language, record: dict[str, Any], run: Path, read: int = READ
) -> dict[str, Any]:
    """Predict the validation and the test part; write probabilities and the record, with accuracies, into `run`."""
    network.eval()
    shares = {}
    for part, texts in (("valid", language.chosen_on), ("test", language.test)):
        probabilities = predict(network, tokenizer, texts.texts, read).numpy()
        shares[part] = round(float((probabilities.argmax(axis=-1) == texts.labels).mean()), 4)
        np.save(run / f"{part}.npy", probabilities.astype(np.float32))
    record = record | shares | {"parameters": sum(weight.numel() for weight in network.parameters())}
    record["hardware"] = torch.cuda.get_device_name() if next(network.parameters()).is_cuda else hardware()
    (run / "run.json").write_text(json.dumps(record, indent=1) + "\n")
    return record


class Batches:
    """Texts of like length together, in another order in each epoch; a batch depends on the seed and its step alone."""

    def __init__(self, texts: Texts, tokenizer: Tokenizer, size: int, seed: int):
        self.labels, self.size, self.seed = torch.from_numpy(texts.labels), size, seed
        self.rows = encode_texts(tokenizer, texts.texts, LEARNT)
        self.unknown = number_of(tokenizer, UNKNOWN)
        self.per_epoch = -(-len(self.rows) // size)
        self._epoch, self._order = -1, list[np.ndarray]()

    def batch(self, step: int) -> tuple[Int[Tensor, "batch token"], Bool[Tensor, "batch token"], Int[Tensor, " batch"]]:
        """Tokens, True for padding, and labels of a step."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._cut(epoch)
        chosen = self._order[place]
        tokens, padding = pad([self.rows[number] for number in chosen])
        return tokens, padding, self.labels[chosen]

    def _cut(self, epoch: int) -> list[np.ndarray]:
        rng = np.random.default_rng((self.seed, epoch))
        # Lengths are compared with some noise, so that the same texts do not meet each time.
        lengths = np.array([len(row) for row in self.rows]) * rng.uniform(0.8, 1.25, len(self.rows))
        batches = np.array_split(np.argsort(lengths), self.per_epoch)
        return [batches[number] for number in rng.permutation(self.per_epoch)]


def word_tokenizer(texts: Sequence[str], vocabulary: int) -> Tokenizer:
    """A tokenizer of the most frequent words of texts, in lower case; all other words are [UNK]."""
    tokenizer = Tokenizer(models.WordLevel(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORD), behavior="removed", invert=True)
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocabulary, special_tokens=[PADDING, UNKNOWN], min_frequency=2, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encode_texts(tokenizer: Tokenizer, texts: Sequence[str], most: int) -> list[Int[Tensor, " token"]]:
    """The token ids of each text with special tokens, truncated to `most`; [UNK] for an empty text."""
    unknown = tokenizer.token_to_id(UNKNOWN)
    room = most - tokenizer.num_special_tokens_to_add(is_pair=False)
    rows = []
    for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False):
        encoding.truncate(room)
        rows.append(torch.tensor(tokenizer.post_process(encoding).ids or [unknown]))
    return rows


def pad(
    rows: Sequence[Int[Tensor, " token"]],
) -> tuple[Int[Tensor, "batch token"], Bool[Tensor, "batch token"]]:
    """Rows padded to one length, and True for padding."""
    tokens = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return tokens, torch.arange(tokens.shape[1]) >= lengths[:, None]


@torch.inference_mode()
def predict(
    network: nn.Module, tokenizer: Tokenizer, texts: Sequence[str], read: int = READ
) -> Float[Tensor, "text class"]:
    """The probabilities of the classes for each text, truncated to `read` tokens."""
    rows, device = encode_texts(tokenizer, texts, read), next(network.parameters()).device
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    parts = []
    for begin in range(0, len(order), 64):
        tokens, padding = pad([rows[number] for number in order[begin : begin + 64]])
        parts.append(network(tokens.to(device), padding.to(device)).float().softmax(dim=-1).cpu())
    return torch.cat(parts)[torch.tensor(order).argsort()]


def read_english(data: Path) -> Language:
    """Film reviews, negative or positive; VALIDATION of the 25,000 training reviews are held out for validation."""
    learnt, test = (read_lines(data / "imdb" / f"{part}.tsv.gz") for part in ("train", "test"))
    order = np.random.default_rng(0).permutation(len(learnt.texts))
    chosen_on, training_texts = learnt.part(order[:VALIDATION]), learnt.part(order[VALIDATION:])
    return Language("english", ("negative", "positive"), training_texts, chosen_on, test, vocabulary=10_000)


def read_spanish(data: Path) -> Language:
    """Tweets: negative, neutral or positive."""
    learnt, chosen_on, test = (read_lines(data / "tweets_es" / f"{part}.tsv.gz") for part in ("train", "val", "test"))
    return Language("spanish", ("negative", "neutral", "positive"), learnt, chosen_on, test, vocabulary=10_000)


def read_lines(file: Path) -> Texts:
    """Read lines of label and text, separated by tabs; duplicates are dropped."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    labels = {row[-1]: int(row[0]) for row in rows}
    return Texts(list(labels), np.array(list(labels.values())))


READERS: dict[str, Callable[[Path], Language]] = {"english": read_english, "spanish": read_spanish}


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__, data=[IMDB, TWEETS], run=Path("runs/sentiment"), seed=True, device=True, threads="all"
    )
    parser.add_argument("--languages", nargs="+", choices=RECIPES, default=list(RECIPES))
    parser.add_argument("--networks", nargs="+", help="train these only")
    return parser


if __name__ == "__main__":
    main()
