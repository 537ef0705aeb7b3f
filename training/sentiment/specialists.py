"""Measure small networks trained for sentiment alone beside fine-tuned BERTs, all of them on the same held-out texts.

Every PART-th review of IMDB's test part, and the sentences of SST-2's dev part: accuracy with its standard error, the
paired difference from the BERT that was fine-tuned on the training part of the same set, and the time for one text.
Nothing is drawn. Writes core/results/sentiment_specialists.csv and .json.

    python -m training.sentiment.specialists --data PATH
"""

import csv
import json
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from core.results.result_files import error_of
from core.results.specialist_results import COLUMNS, COMMAND, FILE
from core.sentiment.specialists import CONTESTANTS, FINE_TUNED, REVIEWS, SENTENCES, load_contestant, logits_for
from core.shrinking.number_formats import parameter_count
from core.zoo.text_models import TextModel
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB_TEST, SST2
from training.common.sst2 import read_phrases
from training.sentiment.train import encode_texts, pad, read_lines

PART = 12  # of the reviews: a BERT takes minutes for these on one thread
BATCH = 16  # texts, of similar length
TIMED, ROUNDS = 24, 5  # texts by which networks are timed, and how often each reads one of them


def main() -> None:
    """Measure all networks on both sets, and write the table and how it was made."""
    arguments = command_line().read()
    models = {name: load_contestant(name) for name in CONTESTANTS}
    rows = []
    for name, (texts, labels) in read_sets(arguments.data).items():
        right = {model: are_right(models[model], texts, labels) for model in CONTESTANTS}
        times = milliseconds(models, texts[:: max(1, len(texts) // TIMED)][:TIMED])
        rows += rows_of(name, models, right, times)
        for row in rows[-len(CONTESTANTS) :]:
            print(json.dumps(row), flush=True)
    save(arguments.out, rows)


def read_sets(data: Path) -> dict[str, tuple[list[str], list[int]]]:
    """The held-out texts of each set, and their labels: 0 negative, 1 positive."""
    reviews = read_lines(data / "imdb" / "test.tsv.gz")
    return {
        REVIEWS: (reviews.texts[::PART], reviews.labels[::PART].tolist()),
        SENTENCES: read_phrases(data / "sst2" / "glue_dev.tsv.gz"),
    }


@torch.inference_mode()
def are_right(model: TextModel, texts: Sequence[str], labels: Sequence[int]) -> Bool[Tensor, " text"]:
    """Whether the prediction for each text is right."""
    rows = encode_texts(model.tokenizer, texts, model.context)
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    parts = []
    for begin in range(0, len(order), BATCH):
        tokens, padding = pad([rows[number] for number in order[begin : begin + BATCH]])
        parts.append(logits_for(model, tokens, padding).argmax(dim=-1))
    return torch.cat(parts)[torch.tensor(order).argsort()] == torch.tensor(labels)


@torch.inference_mode()
def milliseconds(models: Mapping[str, TextModel], texts: Sequence[str]) -> dict[str, float]:
    """The mean over texts of the median time for one, measured in turns, without the tokenizer."""
    medians: dict[str, list[float]] = {name: [] for name in models}
    for text in texts:
        ids = {name: encode_texts(model.tokenizer, [text], model.context)[0][None] for name, model in models.items()}
        durations: dict[str, list[float]] = {name: [] for name in models}
        for turn in range(ROUNDS + 1):
            for name, model in models.items():
                begin = time.perf_counter()
                logits_for(model, ids[name])
                if turn:
                    durations[name].append(1000 * (time.perf_counter() - begin))
        for name, of_network in durations.items():
            medians[name].append(statistics.median(of_network))
    return {name: statistics.fmean(of_network) for name, of_network in medians.items()}


def rows_of(
    texts: str,
    models: Mapping[str, TextModel],
    right: Mapping[str, Bool[Tensor, " text"]],
    times: Mapping[str, float],
) -> list[dict[str, object]]:
    """The rows of a set of texts."""
    tuned, rows = FINE_TUNED[texts], list[dict[str, object]]()
    for name, model in models.items():
        accuracy, parameters = float(right[name].float().mean()), parameter_count(model.network)
        more = right[name].float() - right[tuned].float()
        rows.append(
            {
                "texts": texts,
                "model": name,
                "parameters": parameters,
                "bytes": 4 * parameters,  # as computed with: float32
                "milliseconds": round(times[name], 3),
                "accuracy": round(accuracy, 4),
                "error": round(error_of(accuracy, len(more)), 5),
                "questions": len(more),
                "lead": "" if name == tuned else round(float(more.mean()), 4),
                "lead_error": "" if name == tuned else round(paired_error(more), 5),
            }
        )
    return rows


def paired_error(more: Float[Tensor, " text"]) -> float:
    """The standard error of a mean of differences, each of one text."""
    return float(more.std(correction=0)) / len(more) ** 0.5


def save(folder: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write the table, and beside it the machine and the version that made it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE.name).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    record = {
        "command": COMMAND,
        "hardware": hardware(),
        "reviews": f"every {PART}th review of the test part of IMDB",
        "sentences": "SST-2, dev part of GLUE, put together again as people type",
        "timed_texts": TIMED,
        "rounds": ROUNDS,
        "seed": "nothing is drawn",
        "torch": torch.__version__.split("+")[0],
    }
    (folder / f"{FILE.stem}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, data=[IMDB_TEST, SST2], out=FILE.parent, threads="one")


if __name__ == "__main__":
    main()
