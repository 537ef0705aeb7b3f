"""Measure how well the translation models align words, against annotated links: weights/translation/alignment.*.

IBM model 1 is trained on the sentence pairs of Tatoeba. Layer, head, shift and direction are chosen on 37 pairs of the
Hansards, and reported on other texts.

    make bench-alignment DATA=PATH
    python -m training.translation.alignment --data PATH --most 30 --output FOLDER      # a quick try
"""

import hashlib
import itertools
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import NamedTuple, get_args

import pandas as pd
from torch import Tensor

from core import zoo
from core.results.translator_results import MEAN
from core.translation import ibm1
from core.translation.alignment import NO_LINKS, Agreement, Direction, Link, agreement, diagonal
from core.translation.given_words import (
    Pieces,
    Shift,
    alignment_maps,
    links_between_words,
    maps_between_words,
    tokenize_words,
)
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.embedded import WEIGHTS
from training.common import pairs
from training.common.command_line import CommandLine
from training.common.data_sets import TATOEBA, WORD_ALIGNMENTS
from training.translation.report import write_translation_card

CHOSEN_ON = "hansards_enfr_dev37"
REPORTED_ON = ("hansards_enfr_test447", "alibi_enfr_stories")
SETS = (CHOSEN_ON, *REPORTED_ON)
ROUNDS = 5  # of expectation maximisation
INFLUENCES = 40  # pairs of a set for which influences are computed: each needs a pass for every target piece


@dataclass(frozen=True)
class Gold:
    """A pair of sentences with annotated links."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    sure: frozenset[Link]
    possible: frozenset[Link]


class Way(NamedTuple):
    """How links are read from a model: the map (layer and head), the row for a word (shift), and the direction."""

    layer: int | str
    head: int | str
    shift: Shift
    direction: Direction


Agreements = dict[Way, Agreement]


def main() -> None:
    """Measure, choose, write."""
    options = command_line().read()
    started = time.perf_counter()
    gold = {name: read_gold(options.data / "word_alignments" / f"{name}.jsonl", options.most) for name in SETS}
    results, rows = measure_models(gold, options.weights)
    learnt = pairs.read(options.data / "tatoeba", seed=0).learnt
    results["baselines"] = measure_baselines(gold, learnt[:: 1 if options.most is None else 50])
    options.output.mkdir(parents=True, exist_ok=True)
    write(options.output, results, rows)
    print(f"{results['baselines']}\n{time.perf_counter() - started:.0f} seconds", flush=True)


def write(folder: Path, results: dict, rows: Sequence[dict]) -> None:
    """alignment.json and alignment.csv."""
    text = json.dumps(results, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / "alignment.json").write_text(text + "\n", encoding="utf-8")
    pd.DataFrame(rows).to_csv(folder / "alignment.csv", index=False)
    write_translation_card(folder)


def read_gold(file: Path, most: int | None = None) -> list[Gold]:
    """The pairs of a file, or the first `most`; ValueError with file and line where a link has no word."""
    gold_pairs = []
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(itertools.islice(lines, most), start=1):
            row = json.loads(line)
            sure, possible = (frozenset((i, j) for i, j in row[name]) for name in ("sure", "possible"))
            gold = Gold(tuple(row["src"]), tuple(row["tgt"]), sure, possible | sure)
            if any(not (0 <= i < len(gold.source) and 0 <= j < len(gold.target)) for i, j in gold.possible):
                raise ValueError(f"{file.name}, line {number}: a link leads to a word that is not there.")
            gold_pairs.append(gold)
    return gold_pairs


def measure_models(gold: dict[str, list[Gold]], weights: Path) -> tuple[dict, list[dict]]:
    """The best way for each model with its agreement; and a row for every map, shift, direction and text."""
    results: dict = {"chosen_on": CHOSEN_ON, "sets": {}}
    rows: list[dict] = []
    for name in zoo.TRANSLATION:
        model = zoo.load_translator(name, weights=weights)
        by_text = {}
        for text, all_pairs in gold.items():
            cut_pairs = [(pair, cut) for pair in all_pairs if (cut := cut_pair(model, pair))]
            results["sets"][text] = {"pairs": len(all_pairs), "left_out": len(all_pairs) - len(cut_pairs)}
            measured_pairs = (
                cut_pairs if name != "seq2seq" else cut_pairs[:: max(1, len(cut_pairs) // INFLUENCES)][:INFLUENCES]
            )
            by_text[text] = compare(model, measured_pairs), len(measured_pairs)
        results[name] = summary(by_text) | {"weights": digest(weights / "translation" / f"{name}.safetensors")}
        rows += list(all_rows(name, by_text))
        print(f"{name}: {results[name]}", flush=True)
    return results, rows


def cut_pair(model: zoo.Translator, pair: Gold) -> tuple[Pieces, Pieces] | None:
    """The tokens of both sentences; None if one is longer than the model's context."""
    source = tokenize_words(model.tokenizer, pair.source, normalise_english, french=False)
    target = tokenize_words(model.tokenizer, pair.target, normalise_french, french=True)
    return (source, target) if max(len(source.ids), len(target.ids)) <= model.context else None


def compare(model: zoo.Translator, cut_pairs: Sequence[tuple[Gold, tuple[Pieces, Pieces]]]) -> Agreements:
    """Agreement of each map of a model with the annotated links, for every way of reading links from it."""
    agreements: Agreements = {}
    for (pair, (source, target)), maps in zip(
        cut_pairs, alignment_maps(model.network, [cut for _, cut in cut_pairs]), strict=True
    ):
        for shift in get_args(Shift):
            words = maps_between_words(maps, source, target, shift=shift)
            for (layer, head, weights), direction in itertools.product(with_means(words), get_args(Direction)):
                way = Way(layer, head, shift, direction)
                links = links_between_words(weights, source, target, direction)
                agreements[way] = agreements.get(way, NO_LINKS) + agreement(links, pair.sure, pair.possible)
    return agreements


def with_means(maps: Tensor) -> Iterator[tuple[int | str, int | str, Tensor]]:
    """Yield layer, head and weights of every head, of the mean of every layer, and of the mean of all heads."""
    for layer, heads in enumerate(maps):
        yield from ((layer, head, weights) for head, weights in enumerate(heads))
        if len(heads) > 1:
            yield layer, MEAN, heads.mean(dim=0)
    if len(maps) > 1:
        yield MEAN, MEAN, maps.flatten(0, 1).mean(dim=0)


def summary(by_text: dict[str, tuple[Agreements, int]]) -> dict:
    """The head and the mean of heads that align best on CHOSEN_ON, with their agreement on every text."""
    chosen_on = by_text[CHOSEN_ON][0]
    best = best_of({way: counts for way, counts in chosen_on.items() if way.head != MEAN})
    result = best._asdict() | {
        "agreement": {text: figures(agreements[best], pair_count) for text, (agreements, pair_count) in by_text.items()}
    }
    means = {way: counts for way, counts in chosen_on.items() if way.head == MEAN}
    if means:
        mean = best_of(means)
        result["mean"] = mean._asdict() | {
            "agreement": {
                text: figures(agreements[mean], pair_count) for text, (agreements, pair_count) in by_text.items()
            }
        }
    return result


def best_of(agreements: Agreements) -> Way:
    """The way with the smallest alignment error rate; the first of several."""
    return min(agreements, key=lambda way: agreements[way].error_rate)


def figures(counts: Agreement, pair_count: int) -> dict:
    """The figures of an agreement for alignment.json and alignment.csv."""
    return {
        "precision": round(counts.precision, 4),
        "recall": round(counts.recall, 4),
        "aer": round(counts.error_rate, 4),
        "pairs": pair_count,
        "counts": list(astuple(counts)),  # |A|, |S|, |A and S|, |A and P|
    }


def all_rows(name: str, by_text: dict[str, tuple[Agreements, int]]) -> Iterator[dict]:
    """The rows of a model in alignment.csv."""
    for text, (agreements, pair_count) in by_text.items():
        for way, counts in agreements.items():
            row = {"model": name, "set": text} | way._asdict() | figures(counts, pair_count)
            del row["counts"]
            yield row


def measure_baselines(gold: dict[str, list[Gold]], learnt: Sequence[pairs.Pair]) -> dict:
    """Agreement of the diagonal and of IBM model 1, trained on the same pairs as the models, on each text."""
    model = ibm1.learn([(english_words(english), french_words(french)) for english, french in learnt], rounds=ROUNDS)
    sums: dict[str, dict] = {"diagonal": {}, "IBM model 1": {}}
    for text, all_pairs in gold.items():
        diagonal_links = ibm_links = NO_LINKS
        for pair in all_pairs:
            source = [normalise_english(word) for word in pair.source]
            target = [normalise_french(word) for word in pair.target]
            diagonal_links += agreement(diagonal(len(source), len(target)), pair.sure, pair.possible)
            ibm_links += agreement(model.links(source, target), pair.sure, pair.possible)
        for name, part in (("diagonal", diagonal_links), ("IBM model 1", ibm_links)):
            sums[name][text] = figures(part, len(all_pairs))
    return {name: {"agreement": agreement_by_text} for name, agreement_by_text in sums.items()} | {
        "learned_from": len(learnt),
        "rounds": ROUNDS,
    }


# A number, a word, what is shortened (English 's, French l'), or one sign: as the sentences with gold links are cut.
_ENGLISH = re.compile(r"\d[\d.,]*\d|\w+|'\w+|[^\w\s]")
_FRENCH = re.compile(r"\d[\d.,]*\d|\w+'?|[^\w\s]")


def english_words(text: str) -> list[str]:
    """The words of an English sentence."""
    return _ENGLISH.findall(text)


def french_words(text: str) -> list[str]:
    """The words of a French sentence."""
    return _FRENCH.findall(text)


def digest(file: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[WORD_ALIGNMENTS, TATOEBA.below("tatoeba")], threads="one")
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--output", type=Path, default=WEIGHTS / "translation")
    parser.add_argument("--most", type=int, help="pairs of each text, to try it")
    return parser


if __name__ == "__main__":
    main()
