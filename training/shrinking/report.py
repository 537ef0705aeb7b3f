"""Measure students with fewer layers beside their teachers; write their weights, table and card.

The runs of training/shrinking/train.py are read.

    python -m training.shrinking.report --data PATH [--only-timing]
"""

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.models.stored_weights import load_weights, save_weights
from core.shrinking.students import FOLDER, LAYERS, TABLE, make_student
from core.zoo.embedded import load_embedded_text
from training.bert_books.data import Sentences, read_sentences
from training.bert_books.report import SEED, questions
from training.common.card import hardware, save_card, table
from training.common.command_line import CommandLine
from training.common.data_sets import BOOKS, TINY_IMAGENET
from training.gpt_books.data import read_books
from training.shrinking.tables import milliseconds
from training.shrinking.train import NAMES, TEMPERATURE, teacher_of
from training.tiny_imagenet.data import normalise, read_pictures

TEACHERS = {"bert": "bert-books", "vit": "vit-tiny-imagenet"}
MEASURES = {"bert": "masked words", "vit": "accuracy"}
SEEDS = {"seed_of_training": 0, "seed_of_hidden_words": SEED}
ROUNDS = 40  # in which each network reads once, one after the other


def main() -> None:
    """Measure the teachers and all students; write weights, table and card."""
    arguments = command_line().read()
    if arguments.only_timing:
        time_again(arguments.run)
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    for kind, teacher in TEACHERS.items():
        networks = networks_of(kind, arguments.run)
        measures = measure(kind, networks, arguments.data, arguments.run)
        speeds = milliseconds(reading(kind), networks, ROUNDS)
        for name, network in networks.items():
            rows.append(row_of(kind, teacher, name, network, measures[name], speeds[name]))
            print(rows[-1], flush=True)
    qualities = {row["variant"]: row["quality"] for row in rows if row["variant"] != "whole"}
    write(rows, arguments.run, store(arguments.data, arguments.run, qualities))


def store(data: Path, run: Path, qualities: Mapping[str, object]) -> dict[str, dict]:
    """Write the students that had a teacher in 8 bits; returns their quality so, and that in half precision.

    `qualities`: those of all students in half precision, by name.
    """
    results: dict[str, dict] = {}
    for kind in TEACHERS:
        networks = {"whole": teacher_of(kind)}
        for name in (name for name in NAMES if name.startswith(kind) and not name.endswith("-alone")):
            save_weights(student_of(kind, run / f"{name}.safetensors"), FOLDER / f"{name}.safetensors", eight_bits=True)
            networks[name] = student_of(kind, FOLDER / f"{name}.safetensors")
        for name, columns in measure(kind, networks, data, run).items():
            if name != "whole":
                results[name] = {key: columns[key] for key in ("quality", "error", "as_teacher")}
                results[name]["half_precision"] = qualities[name]
    return results


def time_again(run: Path) -> None:
    """Replace the times in the table by new measurements."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows: list[dict] = list(csv.DictReader(lines))
    for kind, teacher in TEACHERS.items():
        speeds = milliseconds(reading(kind), networks_of(kind, run), ROUNDS)
        for row in (row for row in rows if row["model"] == teacher):
            row["milliseconds"] = round(speeds[row["variant"]], 3)
            print(row["variant"], row["milliseconds"], flush=True)
    numbers = ("parameters", "quality", "error", "as_teacher", "same_mistakes")
    stored = json.loads((FOLDER / "results.json").read_text())["stored"]
    write([row | {name: json.loads(row[name]) for name in numbers} for row in rows], run, stored)


def write(rows: list[dict], run: Path, stored: dict[str, dict]) -> None:
    """Write the table, the record of how it was made, and the card."""
    with TABLE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    command = "python -m training.shrinking.report --data PATH"
    details = {"command": command, "hardware": hardware(), "torch": torch.__version__, "rounds": ROUNDS} | SEEDS
    TABLE.with_suffix(".json").write_text(json.dumps(details, indent=1) + "\n")
    runs = {name: json.loads((run / f"{name}.json").read_text()) for name in NAMES}
    save_card(FOLDER, CARD, {"runs": runs, "weights_stored_in": "8 bits", "stored": stored}, tables_of(rows, stored))


def networks_of(kind: str, run: Path) -> dict[str, nn.Module]:
    """The teacher, under the name "whole", and all its students."""
    names = [name for name in NAMES if name.startswith(kind)]
    return {"whole": teacher_of(kind)} | {name: student_of(kind, run / f"{name}.safetensors") for name in names}


def student_of(kind: str, file: Path) -> nn.Module:
    """Load a trained student; the name of the file tells its number of layers."""
    size = file.stem.split("-")[1]
    return load_weights(lambda: make_student(teacher_of(kind), LAYERS[size]), file)


@dataclass(frozen=True)
class Answers:
    """Predictions of all networks for the same questions; questions of one group come from one text or picture."""

    predictions: dict[str, Int[Tensor, " question"]]
    true: Int[Tensor, " question"]
    groups: Int[Tensor, " question"]


@torch.inference_mode()
def measure(kind: str, networks: dict[str, nn.Module], data: Path, run: Path) -> dict[str, dict[str, object]]:
    """The measured columns of the table for each network; "" where there is no network to compare with."""
    answers = (masked_words if kind == "bert" else pictures)(networks, data, run)
    teacher, true = answers.predictions["whole"], answers.true
    wrong = teacher != true
    columns: dict[str, dict[str, object]] = {}
    for name, predictions in answers.predictions.items():
        right = (predictions == true).float()
        alone = answers.predictions.get(f"{name}-alone")
        columns[name] = {
            "quality": round(float(right.mean()), 4),
            "as_teacher": round(float((predictions == teacher).float().mean()), 4),
            "same_mistakes": round(float((predictions == teacher)[wrong].float().mean()), 4),
            "questions": len(true),
            "error": round(standard_error(right, answers.groups), 5),
        }
        columns[name] |= paired_difference("lead", right, None if name == "whole" else teacher, answers)
        columns[name] |= paired_difference("gain", right, alone, answers)
    return columns


def paired_difference(column: str, right: Float[Tensor, " question"], other: Tensor | None, answers: Answers) -> dict:
    """The difference in accuracy of two networks on the same questions, and its standard error."""
    if other is None:
        return {column: "", f"{column}_error": ""}
    more = right - (other == answers.true).float()
    return {
        column: round(float(more.mean()), 4),
        f"{column}_error": round(standard_error(more, answers.groups), 5),
    }


def standard_error(values: Float[Tensor, " question"], groups: Int[Tensor, " question"]) -> float:
    """The cluster-robust standard error of a mean: questions of one group are not independent.

    The root of the sum of the squared sums of each group's deviations, over n.
    """
    sums = torch.zeros(int(groups.max()) + 1, dtype=torch.double)
    sums.index_add_(0, groups, (values - values.mean()).double())
    return float(sums.square().sum().sqrt()) / len(values)


def masked_words(networks: dict[str, nn.Module], data: Path, _run: Path) -> Answers:
    """The first guess for each masked token of the held-out book; a window of the text is a group."""
    tokenizer = load_embedded_text("bert-books").tokenizer
    held_out: Sentences = read_sentences(read_books(data / "lm_text", held_out=True), tokenizer)
    tokens, hidden = questions(tokenizer, held_out)
    predictions = {
        name: torch.cat([network(part).argmax(dim=-1) for part in hidden.tokens.split(16)])[hidden.is_target]
        for name, network in networks.items()
    }
    return Answers(predictions, tokens[hidden.is_target], hidden.is_target.nonzero()[:, 0])


def pictures(networks: dict[str, nn.Module], data: Path, run: Path) -> Answers:
    """The first guess for each validation picture, which is a group of its own."""
    images, labels = read_pictures(data / "tiny_imagenet", "val", run / "tiny-imagenet")
    parts = [normalise(part.float() / 255) for part in images.split(192)]
    predictions = {
        name: torch.cat([network(part).argmax(dim=-1) for part in parts]) for name, network in networks.items()
    }
    return Answers(predictions, labels, torch.arange(len(labels)))


def reading(kind: str) -> Callable[[nn.Module], Tensor]:
    """A function that runs a network on one input: a text of 64 tokens, or a picture."""
    rng = torch.Generator().manual_seed(0)
    reads_text = kind == "bert"
    single_input = (
        torch.randint(4000, (1, 64), generator=rng) if reads_text else torch.randn(1, 3, 64, 64, generator=rng)
    )
    return lambda network: network(single_input)


def row_of(
    kind: str, teacher: str, name: str, network: nn.Module, columns: dict[str, object], speed: float
) -> dict[str, object]:
    """A row of the table."""
    parameters = sum(weight.numel() for weight in network.parameters())
    layers = 6 if name == "whole" else LAYERS[name.split("-")[1]]
    other_columns = dict(columns)
    return {
        "model": teacher,
        "variant": name,
        "parameters": parameters,
        "bytes": 4 * parameters,  # as computed with: float32
        "milliseconds": round(speed, 3),
        "quality": other_columns.pop("quality"),
        "measure": MEASURES[kind],
        "layers": layers,
        "taught": {"whole": ""}.get(name, "no" if name.endswith("-alone") else "yes"),
    } | other_columns


def tables_of(rows: list[dict], stored: dict[str, dict]) -> dict[str, str]:
    """The tables and numbers of the card."""
    stored_rows = [
        [name, f"{row['half_precision']:.1%}", f"{row['quality']:.1%} ± {100 * row['error']:.1f}"]
        for name, row in stored.items()
    ]
    stored_table = table(["", "right, in half precision", "right, in 8 bits"], stored_rows)
    return {"table": table_of(rows), "stored_table": stored_table, "temperature": f"{TEMPERATURE:g}"}


def table_of(rows: list[dict]) -> str:
    """The table of the card."""
    cells = [
        [row["model"], row["variant"], row["layers"], f"{row['parameters']:,}",
         f"{row['quality']:.1%} ± {100 * row['error']:.1f}", f"{row['as_teacher']:.1%}",
         f"{row['same_mistakes']:.1%}", f"{row['milliseconds']:.1f}"]
        for row in rows
    ]  # fmt: skip
    header = ["teacher", "", "layers", "parameters", "right", "the teacher's answer", "its mistakes", "ms"]
    return table(header, cells)


CARD = """# shrinking

Students of `bert-books` (`bert-*`) and of `vit-tiny-imagenet` (`vit-*`), both of 6 layers: with 3 of them (`half`) and
with 2 (`third`; a quarter of 6, rounded up). Each begins with every second, or third, block of its teacher and with all
of the rest, and learned from what its teacher says besides the data (Hinton et al. 2015; Sanh et al. 2019).

## Data and licence
As for their teachers: books of Standard Ebooks (CC0), and half of the classes of Tiny ImageNet (for research; no
picture is part of the project). The weights are released under the project's licence.

## Held-out results
BERT: hidden tokens of a book that neither has read, first guess. Vision transformer: the 5,000 pictures of the
validation part, first guess. Those called `-alone` had the same beginning, batches and steps, and no teacher; their
weights are not kept. After ± stands the standard error over the questions (texts read at once, or pictures); each
network was trained once, so what another seed would change is not in it. "Its mistakes": of the questions to which the
teacher's answer is wrong, how many get the same wrong one. Students saw more data than their teacher had: they went on
from its weights. Milliseconds: one text of 64 tokens, or one picture, in turns on this machine.

{table}

The students of this table were measured in half precision. They are stored in 8 bits; the same questions then give:

{stored_table}

## How it was made
`python -m training.shrinking.train --data ... --device cuda`, then
`python -m training.shrinking.report --data ...`, seed 0. Soft targets at temperature {temperature}, half of the loss;
BERT besides: the direction of the vectors of its last layer. Muon and AdamW; steps, rates, seconds and hardware of each
run are in results.json.
"""


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        data=[BOOKS.below("lm_text"), TINY_IMAGENET.below("tiny_imagenet")],
        run=Path("runs/shrinking"),
        threads="one",
        helps={"run": "where the students are"},
    )
    parser.add_argument("--only-timing", action="store_true", help="take the milliseconds of the table anew")
    return parser


if __name__ == "__main__":
    main()
