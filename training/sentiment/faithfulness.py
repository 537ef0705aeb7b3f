"""Measure how faithful the explanations of the English classifiers of reviews are, and how far they agree.

Deletion and insertion by words over held-out reviews, comprehensiveness and sufficiency, each beside random orders
(the mean of several draws for each review); rank agreement of each pair of explanations. What is explained is the
model's own verdict. Means over reviews with bootstrap intervals, all drawn with one seed.

Writes core/results/sentiment_faithful.csv, sentiment_agreement.csv and sentiment_faithful.json; rows of models that are
not measured this time stay.

    python -m training.sentiment.faithfulness --data PATH
    python -m training.sentiment.faithfulness --data PATH --models english-bert --reviews 24 --mixed-precision
"""

import csv
import json
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.attribution.agreement import agreement
from core.attribution.deletion_curves import order_by_score, random_mean, random_orders
from core.attribution.token_deletion import FaithfulWords, measure
from core.attribution.token_methods import by_word, explain, methods_of, probabilities_of, replacement_of, words_of
from core.results.faithfulness_results import AGREEMENT, AREAS, FOLDER, LIKENESS, MEASURES, RANDOM, RANKED
from core.zoo import Classifier
from core.zoo.sentiment_classifiers import REVIEWERS, load_reviewer
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB_TEST
from training.common.loop import mixed_precision
from training.sentiment.train import read_english

SEED = 0
REVIEWS, DRAWS, STEPS = 500, 5, 10
RESAMPLES, INTERVAL = 2000, 0.95  # of the bootstrap
RECORD = "sentiment_faithful.json"

# One value for each review, by what it is of.
Areas = dict[tuple[str, str], list[float]]  # explanation and measure
Agreements = dict[tuple[str, str, str, str], list[float]]  # both explanations, measure, and how they are ranked


@dataclass(frozen=True)
class ReviewResults:
    """Measurements of a model, review by review."""

    areas: Areas
    rank_agreements: Agreements
    words: list[int]
    seconds: float


def main() -> None:
    """Measure the models of `--models`, or all, and write the tables after each."""
    arguments = command_line().read()
    if arguments.device != "cpu":
        torch.backends.cudnn.enabled = False  # its recurrent kernels give no gradients outside of training
    reviews = chosen_reviews(arguments.data, arguments.reviews)
    for name in arguments.models or REVIEWERS["english"]:
        model = load_reviewer(name)
        model.network.to(arguments.device)
        file = arguments.run / f"{name}.jsonl"
        with mixed_precision() if arguments.mixed_precision else nullcontext():
            results = measure_all(model, reviews, arguments.batch_size, torch.device(arguments.device), file=file)
        options = f"--models {name} --reviews {len(reviews)} --device {arguments.device}"
        options += " --mixed-precision" * arguments.mixed_precision
        save(arguments.out, name, results, options, torch.device(arguments.device))
        print(f"{name}: {len(reviews)} reviews in {results.seconds:.0f} s", flush=True)


def chosen_reviews(data: Path, count: int) -> list[str]:
    """`count` random reviews of the test part, drawn with SEED."""
    texts = read_english(data).test.texts
    return [texts[number] for number in np.random.default_rng(SEED).choice(len(texts), count, replace=False)]


CPU = torch.device("cpu")


def measure_all(
    model: Classifier,
    reviews: Sequence[str],
    batch_size: int,
    device: torch.device = CPU,
    *,
    file: Path | None = None,
) -> ReviewResults:
    """Areas and agreement for each review; results are cached in `file`, a line for each review, and not repeated."""
    results_by_review = (
        [] if file is None or not file.exists() else [json.loads(line) for line in file.open(encoding="utf-8")]
    )
    for number, review in enumerate(reviews[len(results_by_review) :], start=len(results_by_review)):
        begin = time.perf_counter()
        scores, curves = measure_one(model, review, number, batch_size, device)
        result = {
            "areas": [
                [name, side, value] for name, curve in curves.items() for side, value in measures_of(curve).items()
            ],
            "alike": [[*key, value] for key, value in rank_agreement(scores).items()],
            "words": len(next(iter(scores.values()))),
            "seconds": time.perf_counter() - begin,
        }
        results_by_review.append(result)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(result) + "\n")
        if number % 25 == 24:
            print(f"{model.name}: {number + 1} of {len(reviews)} reviews", flush=True)
    return collect_results(results_by_review[: len(reviews)])


def collect_results(results: Sequence[dict[str, Any]]) -> ReviewResults:
    """Regroup results of reviews by explanation and measure."""
    areas: Areas = {}
    rank_agreements: Agreements = {}
    for result in results:
        for name, side, value in result["areas"]:
            areas.setdefault((name, side), []).append(value)
        for first, second, side, ranked, value in result["alike"]:
            rank_agreements.setdefault((first, second, side, ranked), []).append(value)
    return ReviewResults(
        areas, rank_agreements, [result["words"] for result in results], sum(result["seconds"] for result in results)
    )


def measure_one(
    model: Classifier, review: str, number: int, batch_size: int, device: torch.device = CPU
) -> tuple[dict[str, Float[Tensor, " word"]], dict[str, FaithfulWords]]:
    """The score of each word of a review by each explanation, and the curves; those of RANDOM are means of draws.

    `number` is the seed of the random orders, which are the same on every device.
    """
    tokens = model.encode(review)
    words, ids = words_of(tokens), torch.tensor(tokens.ids)
    with device:
        target = int(probabilities_of(model, ids[None].to(device))[0].argmax())
        token_scores = {name: explain(model, tokens, name, target).cpu() for name in methods_of(model)}
    scores = {name: by_word(explanation_scores, tokens).float() for name, explanation_scores in token_scores.items()}
    orders = {name: order_by_score(explanation_scores, seed=number) for name, explanation_scores in scores.items()}
    draws = {str(draw): order for draw, order in enumerate(random_orders(len(words), DRAWS, seed=number))}

    def classify(rows: Int[Tensor, "batch token"]) -> Float[Tensor, " batch"]:
        with device:
            return probabilities_of(model, rows.to(device))[:, target]

    replacement = replacement_of(model)
    curves = measure(classify, ids, words, orders | draws, replacement, STEPS, batch_size=batch_size)
    chance = random_mean([curves[draw] for draw in draws])
    return scores, {name: curves[name] for name in orders} | {RANDOM: chance}


def measures_of(curve: FaithfulWords) -> dict[str, float]:
    """The four measures of a pair of curves."""
    return {
        "deletion": curve.deletion_area,
        "insertion": curve.insertion_area,
        "comprehensiveness": curve.comprehensiveness,
        "sufficiency": curve.sufficiency,
    }


def rank_agreement(scores: dict[str, Float[Tensor, " word"]]) -> dict[tuple[str, str, str, str], float]:
    """Rank agreement of each pair of explanations on the words of a review; NaN where one ranks none."""
    agreements = {}
    for ranked in RANKED:
        rank_agreements = agreement(
            {
                name: explanation_scores if ranked == RANKED[0] else explanation_scores.abs()
                for name, explanation_scores in scores.items()
            }
        )
        for (first, first_name), (second, second_name) in combinations(enumerate(rank_agreements.names), 2):
            for side in LIKENESS:
                agreements[first_name, second_name, side, ranked] = float(getattr(rank_agreements, side)[first, second])
    return agreements


# The tables.


def save(folder: Path, model: str, results: ReviewResults, options: str, device: torch.device = CPU) -> None:
    """Replace the rows of a model in both tables, and its record."""
    command = f"python -m training.sentiment.faithfulness --data PATH {options}"
    folder.mkdir(parents=True, exist_ok=True)
    replace_rows(folder / AREAS.name, model, area_rows(results, model, command))
    replace_rows(folder / AGREEMENT.name, model, agreement_rows(results, model, command))
    file = folder / RECORD
    record = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"models": {}}
    record |= {"seed": SEED, "draws": DRAWS, "steps": STEPS, "resamples": RESAMPLES, "interval": INTERVAL}
    record["models"][model] = {
        "reviews": len(results.words),
        "words": round(float(np.mean(results.words)), 1),
        "seconds": round(results.seconds, 1),
        "hardware": hardware() if device.type == "cpu" else torch.cuda.get_device_name(device),
        "torch": torch.__version__.split("+")[0],
        "command": command,
    }
    file.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def area_rows(results: ReviewResults, model: str, command: str) -> list[dict[str, object]]:
    """A row for each explanation and measure."""
    rows = []
    for (name, side), values in results.areas.items():
        row: dict[str, object] = {"model": model, "method": name, "measure": side}
        row |= dict(zip(("mean", "low", "high"), bootstrap(np.array(values)), strict=True))
        row |= dict.fromkeys(("gain", "gain_low", "gain_high", "better"), "")
        if name != RANDOM:
            gain = np.array(values) - np.array(results.areas[RANDOM, side])
            gain = gain if MEASURES[side] else -gain
            row |= dict(zip(("gain", "gain_low", "gain_high"), bootstrap(gain), strict=True))
            row["better"] = round(float((gain > 0).mean()), 4)
        rows.append(row | {"reviews": len(values), "source": command})
    return rows


def agreement_rows(results: ReviewResults, model: str, command: str) -> list[dict[str, object]]:
    """A row for each pair of explanations, measure and way to rank; reviews in which one ranks no word are left out."""
    rows = []
    for (first, second, side, ranked), values in results.rank_agreements.items():
        finite = np.array(values)[np.isfinite(values)]
        if finite.size:
            row: dict[str, object] = {"model": model, "one": first, "other": second, "measure": side, "ranked": ranked}
            row |= dict(zip(("mean", "low", "high"), bootstrap(finite), strict=True))
            rows.append(row | {"reviews": finite.size, "source": command})
    return rows


def bootstrap(values: Float[np.ndarray, " point"]) -> tuple[float, float, float]:
    """The mean over reviews and its interval: means of resamples with replacement (Efron 1979), drawn with SEED."""
    drawn = np.random.default_rng(SEED).integers(len(values), size=(RESAMPLES, len(values)))
    tails = (100 * (1 - INTERVAL) / 2, 100 * (1 + INTERVAL) / 2)
    low, high = np.percentile(values[drawn].mean(axis=1), tails)
    return round(float(values.mean()), 5), round(float(low), 5), round(float(high), 5)


def replace_rows(file: Path, model: str, rows: Sequence[dict[str, object]]) -> None:
    """Replace the rows of a model in a table; they come after those of other models."""
    other_rows: list[dict[str, object]] = []
    if file.exists():
        with file.open(encoding="utf-8", newline="") as lines:
            other_rows = [dict(row) for row in csv.DictReader(lines) if row["model"] != model]
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*other_rows, *rows])


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[IMDB_TEST],
        out=FOLDER,
        run=Path("runs/sentiment-faithful"),
        device=True,
        threads="all",
        helps={"run": "review by review; resumed"},
    )
    parser.add_argument("--models", nargs="+", choices=list(REVIEWERS["english"]))
    parser.add_argument("--reviews", type=int, default=REVIEWS)
    parser.add_argument("--mixed-precision", action="store_true", help="products in bfloat16, where that is faster")
    parser.add_argument("--batch-size", type=int, default=32, help="rows that are computed at once")
    return parser


if __name__ == "__main__":
    main()
