"""Files as training writes them to weights/translation/, with numbers made up for the tests."""

import csv
import itertools
import json
from pathlib import Path

TEXTS = ("hansards_enfr_dev37", "hansards_enfr_test447", "alibi_enfr_stories")
LAYERS, HEADS = 3, 4
BEST = (2, 1)


def agreement(rate: float, pairs: int = 400) -> dict:
    """Counts whose error rate is as asked for: of 1,000 links found, as many right as are sure."""
    right = round(1000 * (1 - rate))
    return {
        text: {
            "precision": right / 1000,
            "recall": right / 1000,
            "aer": round(1 - 2 * right / 2000, 4),
            "pairs": pairs,
            "counts": [1000, 1000, right, right],
        }
        for text in TEXTS
    }


def head_rate(layer: int, head: int) -> float:
    """One head aligns, the others do worse than the diagonal."""
    return 0.31 if (layer, head) == BEST else round(0.7 + 0.02 * layer + 0.01 * head, 4)


def write_results(folder: Path) -> None:
    """results.json and length.csv."""
    models = {}
    for name, bleu, speed in (("seq2seq", 21.5, 300.0), ("bahdanau", 38.25, 150.0), ("transformer", 44.0, 450.0)):
        models[name] = {
            "parameters": 7_500_000,
            "bleu": bleu,
            "bleu_greedy": bleu - 1,
            "chrf": bleu + 20,
            "validation_bleu": bleu,
            "loss": 2.0,
            "seconds": 3600,
            "train_flops": {"seq2seq": 2e15, "bahdanau": 3e15, "transformer": 5e15}[name],
            "steps": 2000,
            "epochs": 3.5,
            "pairs_per_second": speed,
        }
    results = {
        "models": models,
        "baselines": {"copy the source": {"bleu": 1.25, "chrf": 14.5}},
        "signature": {"bleu": "nrefs:var|case:mixed|eff:no|tok:13a", "chrf": "nrefs:var|nc:6"},
        "sentences": 2000,
        "references": 2836,
        "hardware": "2 cores",
    }
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    with (folder / "length.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["model", "low", "high", "words", "sentences", "bleu", "chrf"])
        for (low, high, words), name in itertools.product(((1, 5, 4.1), (6, 10, 7.4), (41, 60, 50.2)), models):
            lost = words * {"seq2seq": 0.4, "bahdanau": 0.1, "transformer": 0.05}[name]
            bleu = round(models[name]["bleu"] - lost, 2)
            rows.writerow([name, low, high, words, 120, bleu, bleu + 20])


def write_alignment(folder: Path) -> None:
    """alignment.json and alignment.csv."""
    taken = {"shift": 1, "direction": "target"}
    alignment = {
        "chosen_on": TEXTS[0],
        "sets": {text: {"pairs": 400, "left_out": 3} for text in TEXTS},
        "seq2seq": {"layer": 0, "head": 0, **taken, "agreement": agreement(0.85, pairs=40)},
        "bahdanau": {"layer": 0, "head": 0, **taken, "agreement": agreement(0.45)},
        "transformer": {
            "layer": BEST[0],
            "head": BEST[1],
            **taken,
            "agreement": agreement(head_rate(*BEST)),
            "mean": {"layer": "mean", "head": "mean", **taken, "agreement": agreement(0.4)},
        },
        "baselines": {
            "diagonal": {"agreement": agreement(0.54)},
            "IBM model 1": {"agreement": agreement(0.37)},
            "learned_from": 161_227,
            "rounds": 5,
        },
    }
    (folder / "alignment.json").write_text(json.dumps(alignment), encoding="utf-8")
    with (folder / "alignment.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        names = ["model", "set", "layer", "head", "shift", "direction", "precision", "recall", "aer", "pairs"]
        rows.writerow(names)
        for text, shift, direction in itertools.product(TEXTS, (0, 1), ("target", "source", "both", "either")):
            worse = 0.0 if (shift, direction) == (1, "target") else 0.1
            where = [(layer, head) for layer in range(LAYERS) for head in (*range(HEADS), "mean")] + [("mean", "mean")]
            for layer, head in where:
                rate = 0.5 if head == "mean" else head_rate(layer, head)
                rows.writerow(["transformer", text, layer, head, shift, direction, 0.5, 0.5, rate + worse, 400])
            for name, rate in (("seq2seq", 0.85), ("bahdanau", 0.45)):
                rows.writerow([name, text, 0, 0, shift, direction, 0.5, 0.5, rate, 400])


def write_all(folder: Path) -> Path:
    """All four."""
    write_results(folder)
    write_alignment(folder)
    return folder
