"""Train the classifiers of the page Sentiment: what does a film review, or a Spanish tweet, think of its subject?

Three small networks for each language (core/models/sentiment.py), and the recurrent one once more with its attention
frozen uniform.

Data: a folder with `imdb/train.tsv.gz` and `test.tsv.gz` (label, stars, text; Maas et al. 2011, ai.stanford.edu/~amaas)
and `tweets_es/{train,val,test}.tsv.gz` (label, text; InterTASS 2017 as balanced by Barbieri et al. 2022,
github.com/cardiffnlp/xlm-t).

    python -m training.sentiment --data PATH
"""

import argparse
import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers
from torch import Tensor

from core.models.sentiment import Reviewer, SentimentConfig, make_reviewer
from training.loop import Plan, train
from training.masking import number_of

PADDING, UNKNOWN = "[PAD]", "[UNK]"
WORD = r"\w+(?:['’]\w+)*|[^\w\s]"  # a word, with what follows an apostrophe in it; else one sign
VALIDATION = 2500  # reviews of the training part on which epochs were chosen
LEARNT, READ = 512, 1024  # words: what is longer is cut, in training sooner


@dataclass(frozen=True)
class Texts:
    """Texts with what they think: 0 is the worst."""

    texts: list[str]
    labels: np.ndarray

    def part(self, which: np.ndarray) -> "Texts":
        """Some of them, by number."""
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
    """How one network is trained; what was chosen, was chosen on the validation part."""

    config: dict
    epochs: int
    learning_rate: float
    batch: int = 32
    forgotten: float = 0.1  # the share of words that are read as unknown ones


RECIPES: dict[str, dict[str, Recipe]] = {
    "english": {
        "rnn": Recipe({"architecture": "rnn"}, epochs=5, learning_rate=3e-3),
        "rnn-uniform": Recipe({"architecture": "rnn", "pooling": "mean"}, epochs=5, learning_rate=3e-3),
        "cnn": Recipe({"architecture": "cnn", "width": 128}, epochs=5, learning_rate=1e-3),
        "encoder": Recipe({"architecture": "encoder"}, epochs=6, learning_rate=2e-3),
    },
    "spanish": {
        "rnn": Recipe({"architecture": "rnn"}, epochs=12, learning_rate=3e-3),
        "rnn-uniform": Recipe({"architecture": "rnn", "pooling": "mean"}, epochs=12, learning_rate=3e-3),
        "cnn": Recipe({"architecture": "cnn", "width": 128}, epochs=12, learning_rate=1e-3),
        "encoder": Recipe({"architecture": "encoder"}, epochs=12, learning_rate=2e-3),
    },
}


def main() -> None:
    """Train every network that has no weights yet in the folder of the run."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    for name in arguments.languages:
        language = READERS[name](arguments.data)
        tokenizer = word_tokenizer(language.learnt.texts, language.vocabulary)
        for network in arguments.networks or RECIPES[name]:
            recipe = RECIPES[name][network]
            story = learn(language, tokenizer, recipe, arguments.run / f"{name}-{network}", arguments.seed)
            print(
                name, network, json.dumps({key: story[key] for key in ("parameters", "valid", "seconds")}), flush=True
            )


def learn(language: Language, tokenizer: Tokenizer, recipe: Recipe, run: Path, seed: int) -> dict:
    """Train one network, and say how well it judges the part on which its epochs were chosen."""
    torch.manual_seed(seed)
    settings = {"vocabulary": tokenizer.get_vocab_size(), "classes": len(language.classes)} | recipe.config
    network = make_reviewer(SentimentConfig(**settings))
    batches = Batches(language.learnt, tokenizer, recipe.batch, seed)
    steps = recipe.epochs * batches.per_epoch
    plan = Plan(steps, recipe.learning_rate, warm_up=100, decay=0.7, seed=seed, log_every=200, save_every=400)

    def loss_at(step: int) -> Tensor:
        tokens, padding, labels = batches.batch(step)
        forgotten = torch.rand(tokens.shape) < recipe.forgotten
        tokens = tokens.masked_fill(forgotten & ~padding, batches.unknown)
        return F.cross_entropy(network(tokens, padding), labels)

    seconds = train(network, loss_at, plan, run)
    network.eval()
    valid = judge(network, tokenizer, language.chosen_on.texts).argmax(dim=-1).numpy()
    story = {
        "settings": settings,
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
        "recipe": asdict(recipe),
        "plan": asdict(plan),
        "seconds": round(seconds, 1),
        "valid": round(float((valid == language.chosen_on.labels).mean()), 4),
    }
    (run / "run.json").write_text(json.dumps(story))
    return story


class Batches:
    """Texts of like length together, in another order in each epoch; a batch depends on the seed and its step alone."""

    def __init__(self, texts: Texts, tokenizer: Tokenizer, size: int, seed: int):
        self.labels, self.size, self.seed = torch.from_numpy(texts.labels), size, seed
        self.rows = as_numbers(tokenizer, texts.texts, LEARNT)
        self.unknown = number_of(tokenizer, UNKNOWN)
        self.per_epoch = -(-len(self.rows) // size)
        self._epoch, self._order = -1, list[np.ndarray]()

    def batch(self, step: int) -> tuple[Int[Tensor, "batch token"], Bool[Tensor, "batch token"], Int[Tensor, " batch"]]:
        """Tokens, where there are none, and labels."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._cut(epoch)
        chosen = self._order[place]
        tokens, padding = side_by_side([self.rows[number] for number in chosen])
        return tokens, padding, self.labels[chosen]

    def _cut(self, epoch: int) -> list[np.ndarray]:
        dice = np.random.default_rng((self.seed, epoch))
        # Lengths are compared with some noise, so that the same texts do not meet each time.
        lengths = np.array([len(row) for row in self.rows]) * dice.uniform(0.8, 1.25, len(self.rows))
        batches = np.array_split(np.argsort(lengths), self.per_epoch)
        return [batches[number] for number in dice.permutation(self.per_epoch)]


def word_tokenizer(texts: Sequence[str], vocabulary: int) -> Tokenizer:
    """The most frequent words of texts, without capitals; the rest is unknown."""
    tokenizer = Tokenizer(models.WordLevel(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(WORD), behavior="removed", invert=True)
    trainer = trainers.WordLevelTrainer(
        vocab_size=vocabulary, special_tokens=[PADDING, UNKNOWN], min_frequency=2, show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def as_numbers(tokenizer: Tokenizer, texts: Sequence[str], most: int) -> list[Int[Tensor, " token"]]:
    """Each text as token numbers, at most so many, at least one."""
    unknown = [number_of(tokenizer, UNKNOWN)]
    return [torch.tensor(each.ids[:most] or unknown) for each in tokenizer.encode_batch(list(texts))]


def side_by_side(
    rows: Sequence[Int[Tensor, " token"]],
) -> tuple[Int[Tensor, "batch token"], Bool[Tensor, "batch token"]]:
    """Rows of different lengths as one array, and where in it there is nothing."""
    tokens = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return tokens, torch.arange(tokens.shape[1]) >= lengths[:, None]


@torch.inference_mode()
def judge(network: Reviewer, tokenizer: Tokenizer, texts: Sequence[str]) -> Float[Tensor, "text class"]:
    """How probable each class is for each text."""
    rows = as_numbers(tokenizer, texts, READ)
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    found = torch.empty(len(rows), network.config.classes)
    for begin in range(0, len(order), 64):
        chosen = order[begin : begin + 64]
        found[chosen] = network(*side_by_side([rows[number] for number in chosen])).softmax(dim=-1)
    return found


def read_english(data: Path) -> Language:
    """Film reviews: negative or positive. Some of the 25,000 to learn from are kept aside to choose epochs."""
    learnt, test = (read_lines(data / "imdb" / f"{part}.tsv.gz") for part in ("train", "test"))
    order = np.random.default_rng(0).permutation(len(learnt.texts))
    chosen_on, rest = learnt.part(order[:VALIDATION]), learnt.part(order[VALIDATION:])
    return Language("english", ("negative", "positive"), rest, chosen_on, test, vocabulary=10_000)


def read_spanish(data: Path) -> Language:
    """Tweets: negative, neutral or positive."""
    learnt, chosen_on, test = (read_lines(data / "tweets_es" / f"{part}.tsv.gz") for part in ("train", "val", "test"))
    return Language("spanish", ("negative", "neutral", "positive"), learnt, chosen_on, test, vocabulary=10_000)


def read_lines(file: Path) -> Texts:
    """Label first, text last, one pair a line; a text that is there twice is read once."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    once = {row[-1]: int(row[0]) for row in rows}
    return Texts(list(once), np.array(list(once.values())))


READERS: dict[str, Callable[[Path], Language]] = {"english": read_english, "spanish": read_spanish}


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/sentiment"), help="checkpoints; resumed if present")
    parser.add_argument("--languages", nargs="+", choices=RECIPES, default=list(RECIPES))
    parser.add_argument("--networks", nargs="+", help="train these only")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    return parser.parse_args()


if __name__ == "__main__":
    main()
