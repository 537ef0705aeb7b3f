"""What students with fewer layers are worth beside their teachers: measured, packed with their card.

Data: as for training/shrinking_students.py, whose runs are read.

    python -m training.shrinking_students_report --data PATH
"""

import argparse
import csv
import json
import time
from pathlib import Path
from statistics import median

import torch
from torch import Tensor, nn

from core.models.half_precision import load_weights, save_weights
from core.shrinking.students import FOLDER, LAYERS, TABLE, make_student
from core.zoo.embedded import load_embedded_text
from training.bert_books import Sentences, read_sentences
from training.bert_books_report import questions
from training.card import hardware, save_card, table
from training.gpt_books import read_books
from training.shrinking_students import NAMES, TEMPERATURE, teacher_of
from training.tiny_imagenet import normalise, read_pictures

TEACHERS = {"bert": "bert-books", "vit": "vit-tiny-imagenet"}
MEASURES = {"bert": "masked words", "vit": "accuracy"}
ROUNDS = 40  # in which each network reads once, one after the other


def main() -> None:
    """Measure the teachers and all students; write weights, table and card."""
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows, stories = [], {}
    for kind, teacher in TEACHERS.items():
        networks = {"whole": teacher_of(kind)}
        for name in (each for each in NAMES if each.startswith(kind)):
            networks[name] = student_of(kind, arguments.run / f"{name}.safetensors")
            stories[name] = json.loads((arguments.run / f"{name}.json").read_text())
        found = measure(kind, networks, arguments.data, arguments.run)
        speeds = milliseconds(networks, example_of(kind))
        for name, network in networks.items():
            rows.append(row_of(kind, teacher, name, network, found[name], speeds[name]))
            print(rows[-1], flush=True)
    with TABLE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    command = "python -m training.shrinking_students_report --data PATH"
    told = {"command": command, "hardware": hardware(), "torch": torch.__version__, "rounds": ROUNDS}
    TABLE.with_suffix(".json").write_text(json.dumps(told, indent=1) + "\n")
    for name in (each for each in NAMES if not each.endswith("-alone")):
        save_weights(
            student_of(name.partition("-")[0], arguments.run / f"{name}.safetensors"), FOLDER / f"{name}.safetensors"
        )
    save_card(FOLDER, CARD, {"runs": stories}, {"table": table_of(rows), "temperature": f"{TEMPERATURE:g}"})


def student_of(kind: str, file: Path) -> nn.Module:
    """A trained student; how many layers it has is in its name."""
    size = file.stem.split("-")[1]
    return load_weights(lambda: make_student(teacher_of(kind), LAYERS[size]), file)


@torch.inference_mode()
def measure(kind: str, networks: dict[str, nn.Module], data: Path, run: Path) -> dict[str, tuple[float, float]]:
    """For each network: the share of right answers, and of answers that are the teacher's."""
    said, true = (masked_words if kind == "bert" else pictures)(networks, data, run)
    whole = said["whole"]
    return {
        name: (float((each == true).float().mean()), float((each == whole).float().mean()))
        for name, each in said.items()
    }


def masked_words(networks: dict[str, nn.Module], data: Path, _run: Path) -> tuple[dict[str, Tensor], Tensor]:
    """The first guess for each hidden token of the held-out book, and the truth."""
    tokenizer = load_embedded_text("bert-books").tokenizer
    held_out: Sentences = read_sentences(read_books(data / "lm_text", held_out=True), tokenizer)
    tokens, hidden = questions(tokenizer, held_out)
    said = {
        name: torch.cat([network(part).argmax(dim=-1) for part in hidden.tokens.split(16)])[hidden.asked]
        for name, network in networks.items()
    }
    return said, tokens[hidden.asked]


def pictures(networks: dict[str, nn.Module], data: Path, run: Path) -> tuple[dict[str, Tensor], Tensor]:
    """The first guess for each picture of the validation part, and its class."""
    shown, labels = read_pictures(data / "tiny_imagenet", "val", run / "tiny-imagenet")
    parts = [normalise(part.float() / 255) for part in shown.split(192)]
    said = {name: torch.cat([network(part).argmax(dim=-1) for part in parts]) for name, network in networks.items()}
    return said, labels


def example_of(kind: str) -> Tensor:
    """One input: a text of 64 tokens, or a picture."""
    dice = torch.Generator().manual_seed(0)
    return torch.randint(4000, (1, 64), generator=dice) if kind == "bert" else torch.randn(1, 3, 64, 64, generator=dice)


@torch.inference_mode()
def milliseconds(networks: dict[str, nn.Module], example: Tensor) -> dict[str, float]:
    """The median time of each network for one input, taken in turns."""
    taken: dict[str, list[float]] = {name: [] for name in networks}
    for turn in range(ROUNDS + 3):
        for name, network in networks.items():
            begin = time.perf_counter()
            network(example)
            if turn >= 3:
                taken[name].append(1000 * (time.perf_counter() - begin))
    return {name: median(each) for name, each in taken.items()}


def row_of(
    kind: str, teacher: str, name: str, network: nn.Module, found: tuple[float, float], speed: float
) -> dict[str, object]:
    """A row of the table."""
    parameters = sum(weight.numel() for weight in network.parameters())
    layers = 6 if name == "whole" else LAYERS[name.split("-")[1]]
    return {
        "model": teacher,
        "variant": name,
        "parameters": parameters,
        "bytes": 2 * parameters,  # as they lie on the disk: half precision
        "milliseconds": round(speed, 3),
        "quality": round(found[0], 4),
        "measure": MEASURES[kind],
        "layers": layers,
        "taught": {"whole": ""}.get(name, "no" if name.endswith("-alone") else "yes"),
        "as_teacher": round(found[1], 4),
    }


def table_of(rows: list[dict]) -> str:
    """The same for the card."""
    shown = [
        [row["model"], row["variant"], row["layers"], f"{row['parameters']:,}", f"{row['quality']:.1%}",
         f"{row['as_teacher']:.1%}", f"{row['milliseconds']:.1f}"]
        for row in rows
    ]  # fmt: skip
    return table(["teacher", "", "layers", "parameters", "right", "the teacher's answer", "ms"], shown)


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
weights are not kept. Milliseconds: one text of 64 tokens, or one picture, in turns on this machine.

{table}

## How it was made
`python -m training.shrinking_students --data ... --device cuda`, then `python -m training.shrinking_students_report`,
seed 0. Soft targets at temperature {temperature}, half of the loss; BERT besides: the direction of the vectors of its
last layer. Muon and AdamW; steps, rates, seconds and hardware of each run are in results.json.
"""


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/shrinking"), help="where the students are")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
