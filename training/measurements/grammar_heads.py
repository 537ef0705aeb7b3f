"""Measure which head of a language model follows which relation of grammar (Clark et al. 2019, section 4.2).

For each relation of Universal Dependencies and both directions: the head whose strongest link is right most often in
a sample of the training sentences, and how often it is in the test sentences; beside it the best fixed distance in
words. One row each of core/results/grammar_heads.csv; the rows of a model that is there are replaced.

    python -m training.measurements.grammar_heads --data PATH
    python -m training.measurements.grammar_heads --data PATH --model bert-books --train 3000
"""

import csv
import gzip
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core import zoo
from core.probing.grammar.relations import TO_GOVERNOR, Counts, Measured, best_heads, count
from core.probing.grammar.trees import MOST_WORDS, Tree
from core.published import clark_heads
from core.results import GRAMMAR_HEADS
from core.zoo import TextModel
from training.common.command_line import CommandLine
from training.common.data_sets import DEPENDENCIES

SEED = 0
# All that come with the atlas and read English sentences by themselves; `bert-pairs` reads them beside French ones.
MODELS = ("gpt-books", "gpt-books-long", "bert-books")
TRAIN, MOST_TEST = 3_000, 10_000  # sentences that heads are chosen in, and tried in: all there are
SOURCE = "python -m training.measurements.grammar_heads, UD_English-EWT (CC BY-SA 4.0)"


def main() -> None:
    """Measure the models of `--model`, or all that come with the atlas."""
    arguments = command_line().read()
    train = sample(read_trees(arguments.data / "train.jsonl.gz"), arguments.train)
    test = sample(read_trees(arguments.data / "test.jsonl.gz"), arguments.test)
    for name in arguments.model or MODELS:
        model = zoo.load_text(name)
        chosen, test_counts = measure(model, train, "train"), measure(model, test, "test")
        replace_rows(arguments.table, name, rows_of(name, best_heads(chosen, test_counts)))


def read_trees(file: Path) -> list[Tree]:
    """The sentences of one part of the treebank, without those of more than MOST_WORDS words."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Tree(tuple(row["words"]), tuple(governor - 1 for governor in row["head"]), tuple(row["deprel"]), row["text"])
        for row in rows
        if len(row["words"]) <= MOST_WORDS
    ]


def sample(trees: list[Tree], most: int) -> list[Tree]:
    """`most` random trees, drawn with SEED; all trees, in their order, if there are no more."""
    return random.Random(SEED).sample(trees, most) if len(trees) > most else trees


def measure(model: TextModel, trees: Sequence[Tree], part: str) -> Counts:
    """Count in all trees, and print the progress."""

    def report(done: int, total: int) -> None:
        if done % 500 == 0:
            print(f"{model.name}, {part}: {done:,} of {total:,} sentences", flush=True)

    counts = count(model, trees, report)
    print(f"{model.name}, {part}: {counts.unread} sentences too long, {counts.unlinked} links without a token")
    return counts


def rows_of(name: str, measured: Measured) -> list[dict[str, Any]]:
    """The rows of one model; shares of 0 to 1 with four digits."""
    clark = {row.relation: round(row.share_percent / 100, 4) for row in clark_heads()}
    return [
        {
            "model": name,
            "relation": best.relation,
            "direction": best.direction,
            "layer": best.head[0],
            "head": best.head[1],
            "train_share": round(best.chosen_share, 4),
            "test_share": round(best.share, 4),
            "offset": best.offset,
            "offset_share": round(best.offset_share, 4),
            "test_cases": best.cases,
            "earlier_share": round(best.earlier, 4),
            "clark_share": clark.get(best.relation, "") if best.direction == TO_GOVERNOR else "",
            "train_sentences": measured.chosen_in,
            "test_sentences": measured.tried_in,
            "attention": "causal" if measured.causal else "both ways",
            "by_head": " ".join(f"{layer}.{head}:{100 * share:.1f}" for (layer, head), share in best.by_head),
            "source": SOURCE,
        }
        for best in measured.heads
    ]


def replace_rows(file: Path, name: str, rows: Sequence[dict[str, Any]]) -> None:
    """Replace the rows of a model in a table."""
    other_rows: list[dict[str, Any]] = []
    if file.exists():
        with file.open(encoding="utf-8", newline="") as lines:
            other_rows = [row for row in csv.DictReader(lines) if row["model"] != name]
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*other_rows, *rows])


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, data=[DEPENDENCIES], threads="all")
    parser.add_argument("--model", action="append", help="may be named more than once; default: all of the atlas")
    parser.add_argument("--train", type=int, default=TRAIN, help="sentences that heads are chosen in")
    parser.add_argument("--test", type=int, default=MOST_TEST, help="sentences that they are tried in")
    parser.add_argument("--table", type=Path, default=GRAMMAR_HEADS)
    return parser


if __name__ == "__main__":
    main()
