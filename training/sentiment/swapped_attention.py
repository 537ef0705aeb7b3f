"""Make core/results/sentiment_swapped.csv: the recurrent networks with other attention weights, on held-out texts.

For each text: the weights of the pooling as they are, permuted (the median of many), uniform, and as different as the
verdict allows (core/sentiment/swapped_attention.py); beside it the network that was trained with uniform weights.

    python -m training.sentiment.swapped_attention --data PATH
"""

import csv
import json
from pathlib import Path

import numpy as np
import torch

from core.attribution.token_methods import probabilities_of
from core.heads.measures import jensen_shannon
from core.sentiment.swapped_attention import most_different, permute_weights, pooling_of, total_variation, uniform
from core.zoo.sentiment_classifiers import load_reviewer
from core.zoo.text_models import batch_of
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB, TWEETS
from training.sentiment.train import READERS, Texts

FILE = Path("core/results/sentiment_swapped.csv")
KINDS = ("own", "permuted", "uniform", "different", "trained")
TEXTS, DRAWS, ALLOWED, SEED = 500, 100, 0.01, 0
BINS = ("all", "lowest", "middle", "highest")  # thirds of the texts by their largest weight of attention


def main() -> None:
    """Measure both languages; write the table and how it was made."""
    arguments = command_line().read()
    rows = []
    for language, read in READERS.items():
        test = read(arguments.data).test
        numbers = np.random.default_rng(SEED).permutation(len(test.texts))[: arguments.texts]
        rows += measure(language, test.part(numbers))
    with FILE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    record = {"draws": DRAWS, "allowed": ALLOWED, "seed": SEED, "hardware": hardware(), "torch": torch.__version__}
    record["command"] = "python -m training.sentiment.swapped_attention --data PATH"
    FILE.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n")


def measure(language: str, texts: Texts) -> list[dict]:
    """One row for each kind of weights and each third of the texts."""
    model, trained = load_reviewer(f"{language}-rnn"), load_reviewer(f"{language}-rnn-uniform")
    measures: dict[str, list[tuple[float, ...]]] = {kind: [] for kind in KINDS}
    largest = []
    for number, (text, label) in enumerate(zip(texts.texts, texts.labels.tolist(), strict=True)):
        tokens = model.encode(text)
        pooled = pooling_of(model, tokens)
        attention, probabilities = pooled.weights, pooled.probabilities(pooled.weights)
        largest.append(float(attention.max()))
        swapped = {
            "own": attention[None],
            "permuted": permute_weights(attention, DRAWS, seed=SEED + number),
            "uniform": uniform(attention)[None],
            "different": most_different(pooled, ALLOWED, seed=SEED + number)[None],
        }
        for kind, weights in swapped.items():
            measures[kind].append(
                _measures_of_text(
                    pooled.probabilities(weights), probabilities, label, jensen_shannon(weights, attention)
                )
            )
        uniformly = probabilities_of(trained, batch_of(trained.encode(text)))
        measures["trained"].append(
            _measures_of_text(uniformly, probabilities, label, jensen_shannon(uniform(attention)[None], attention))
        )
    order = np.argsort(largest)
    thirds = dict(zip(BINS, (order, *np.array_split(order, 3)), strict=True))
    return [
        _row(language, kind, name, np.array(measures[kind])[part]) for kind in KINDS for name, part in thirds.items()
    ]


def _measures_of_text(
    probabilities: torch.Tensor, own_probabilities: torch.Tensor, label: int, divergences: torch.Tensor
) -> tuple[float, ...]:
    """Measures of one text: shares of draws that are right and that flip the prediction, median change, divergence."""
    right = (probabilities.argmax(dim=-1) == label).float().mean()
    flips = (probabilities.argmax(dim=-1) != own_probabilities.argmax()).float().mean()
    return tuple(
        float(value)
        for value in (right, flips, total_variation(probabilities, own_probabilities).median(), divergences.median())
    )


def _row(language: str, kind: str, part: str, measures: np.ndarray) -> dict:
    right, flips, change, divergences = measures.T
    return {
        "language": language,
        "weights": kind,
        "attention": part,
        "texts": len(measures),
        "accuracy": round(float(right.mean()), 4),
        "flips": round(float(flips.mean()), 4),
        "median_change": round(float(np.median(change)), 5),
        "ninth_decile_change": round(float(np.quantile(change, 0.9)), 5),
        "median_divergence": round(float(np.median(divergences)), 4),
    }


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[IMDB, TWEETS], threads="one")
    parser.add_argument("--texts", type=int, default=TEXTS)
    return parser


if __name__ == "__main__":
    main()
