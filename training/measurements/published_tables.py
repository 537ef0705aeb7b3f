"""Cut the large published tables to what the atlas shows: python -m training.measurements.published_tables --data PATH.

PATH holds four folders, and anybody can fill them:

- `timm/`: the CSV files of https://github.com/huggingface/pytorch-image-models, folder `results/` (Apache-2.0);
- `epoch/notable_ai_models_2025-05_compact.csv`: Epoch AI's notable models of May 2025
  (https://epoch.ai/data/notable-ai-models, CC BY 4.0);
- `scaling/chinchilla_svg_extracted_data.csv` of https://github.com/epoch-research/analyzing-chinchilla, and
  `scaling/pythia_v1_zero_shot.csv`: model, step, task, acc, acc_stderr and ppl of the JSON files in
  https://github.com/EleutherAI/pythia, folder `evals/pythia-v1/*/zero-shot/` (Apache-2.0);
- `nlp_progress/machine_translation.md` of https://github.com/sebastianruder/NLP-progress, folder `english/` (MIT).

What it writes into core/published/ is committed; rows that cannot be right are left out and named.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from core.published.image_families import data_of, family_of, has_teacher
from core.published.imagenet import DEVICES, TESTS
from core.published.notable import CONFIDENCES
from core.published.runs import PYTHIA_SIZES
from core.published.table import FOLDER
from training.common.command_line import CommandLine
from training.common.data_sets import PUBLISHED

COMMIT = "aa4b5850"
RESULTS = {
    "real": "results-imagenet-real.csv",
    "v2": "results-imagenetv2-matched-frequency.csv",
    "a": "results-imagenet-a.csv",
    "r": "results-imagenet-r.csv",
    "sketch": "results-sketch.csv",
}
BENCHMARKS = {
    "rtx5090": "benchmark-infer-amp-nchw-pt291-cu130-5090.csv",
    "rtx4090": "benchmark-infer-amp-nchw-pt291-cu128-4090.csv",
    "rtx3090": "benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv",
    "cpu": "benchmark-infer-fp32-nchw-pt240-cpu-i7_12700h-dynamo.csv",
}
FIRST_STEP = 512  # before it, no Pythia model has learned anything; step 0 stays as the start
Cells = Mapping[str, object]


def main() -> None:
    """Write the tables."""
    arguments = command_line().read()
    translations = arguments.data / "nlp_progress" / "machine_translation.md"
    tables = {
        "image_models.csv": image_models(arguments.data / "timm"),
        "notable_models.csv": notable_models(arguments.data / "epoch" / "notable_ai_models_2025-05_compact.csv"),
        "chinchilla.csv": chinchilla(arguments.data / "scaling" / "chinchilla_svg_extracted_data.csv"),
        "wmt14_bleu.csv": wmt14(translations.read_text(encoding="utf-8")),
        "pythia.csv": pythia(arguments.data / "scaling" / "pythia_v1_zero_shot.csv"),
    }
    for name, rows in tables.items():
        count = write(arguments.into / name, rows)
        print(f"{name}: {count:,} rows, {(arguments.into / name).stat().st_size / 1000:,.0f} kB")


def image_models(folder: Path) -> Iterator[Cells]:
    """Every result of timm with the other test sets and the speeds, joined by model and resolution.

    Speed does not depend on what a model learned: benchmarks are joined by the name before the dot.
    """
    tests = {name: _keyed(folder / file, "img_size") for name, file in RESULTS.items()}
    speeds = {name: _keyed(folder / file, "infer_img_size", architecture=True) for name, file in BENCHMARKS.items()}
    for row in _rows(folder / "results-imagenet.csv"):
        model, key = row["model"], (row["model"], row["img_size"])
        speeds_of_model = {
            name: table.get((model.partition(".")[0], row["img_size"])) for name, table in speeds.items()
        }
        speed_cells = next((cells for cells in speeds_of_model.values() if cells), {})
        yield {
            "model": model,
            "resolution": row["img_size"],
            "family": family_of(model),
            "data": data_of(model),
            "teacher": "yes" if has_teacher(model) else "no",
            "parameters_millions": _plain(row["param_count"]),
            "gmacs": speed_cells.get("infer_gmacs", ""),
            "top1": _plain(row["top1"]),
            "top5": _plain(row["top5"]),
            **{name: _plain(tests[name].get(key, {}).get("top1", "")) for name in TESTS},
            **{name: (speeds_of_model[name] or {}).get("infer_samples_per_sec", "") for name in DEVICES},
            "source": f"huggingface/pytorch-image-models, results @ {COMMIT}",
        }


def notable_models(file: Path) -> Iterator[Cells]:
    """Epoch's notable models of which at least one size is known."""
    for row in _rows(file):
        sizes = {
            "parameters": row["Parameters"],
            "training_flops": row["Training compute (FLOP)"],
            "dataset_size": row["Training dataset size (datapoints)"],
        }
        numbers = {name: _number(text) for name, text in sizes.items()}
        wrong = [f"{name} '{text}'" for name, text in sizes.items() if text and numbers[name] is None]
        confidence = row["Confidence"] or "not stated"
        wrong += [f"confidence '{confidence[:40]}'"] if confidence not in CONFIDENCES else []
        wrong += [] if re.fullmatch(r"\d{4}-\d\d-\d\d", row["Publication date"]) else ["publication date"]
        if wrong:
            print(f"left out: {row['Model']}, whose cells have slipped ({', '.join(wrong)})")
        elif any(numbers.values()):
            yield {
                "model": row["Model"],
                "organisation": row["Organization"],
                "date": row["Publication date"],
                "domain": row["Domain"],
                **{name: f"{number:.6g}" if number else "" for name, number in numbers.items()},
                "confidence": confidence,
                "reference": row["Reference"],
                "link": row["Link"],
                "source": "Epoch AI, notable AI models, May 2025 (CC BY 4.0)",
            }


def chinchilla(file: Path) -> Iterator[Cells]:
    """The runs of figure 4 of Hoffmann et al. 2022, as Epoch AI read them off."""
    for row in _rows(file):
        yield {
            "parameters": f"{float(row['Model Size']):.6g}",
            "training_flops": f"{float(row['Training FLOP']):.6g}",
            "loss": f"{float(row['loss']):.5f}",
            "source": "Hoffmann et al. 2022, Figure 4, read off by Epoch AI (Besiroglu et al. 2024)",
        }


def pythia(file: Path) -> Iterator[Cells]:
    """Zero-shot scores of the Pythia models at their checkpoints; the 1B model was run in bfloat16, as it is used."""
    for row in _rows(file):
        model = row["model"].removesuffix("-bf16")
        step = int(row["step"])
        if 0 < step < FIRST_STEP:
            continue
        yield {
            "model": model,
            "parameters": PYTHIA_SIZES[model.split("-")[1]],
            "step": step,
            "task": row["task"],
            "accuracy": f"{float(row['acc']):.5f}",
            "stderr": f"{float(row['acc_stderr']):.5f}",
            "perplexity": f"{float(row['ppl']):.6g}" if row["ppl"] else "",
            "source": "EleutherAI/pythia, evals/pythia-v1",
        }


def wmt14(text: str) -> Iterator[Cells]:
    """The two tables of WMT 2014 in a page of NLP-progress, one row a model; "*" marks a mean over checkpoints."""
    rows: dict[str, dict[str, object]] = {}
    for language, part in (("bleu_en_de", "### WMT 2014 EN-DE"), ("bleu_en_fr", "### WMT 2014 EN-FR")):
        section = text.partition(part)[2].partition("###")[0]
        for name, score, title, link in re.findall(
            r"^\|\s*([^|]+?)\s*\|\s*([\d.]+)\*?\s*\|\s*\[([^]]+)\]\(([^)]+)\)", section, re.MULTILINE
        ):
            year = re.search(r", (\d{4})\)", name)
            row = rows.setdefault(
                name,
                {
                    "model": name,
                    "year": year[1] if year else "",
                    "family": _translator_family(name),
                    "data": "more than WMT14" if "+ BT" in name else "not stated" if not year else "WMT14",
                    "bleu_en_de": "",
                    "bleu_en_fr": "",
                    "reference": title,
                    "link": link,
                    "source": "NLP-progress, english/machine_translation.md (MIT)",
                },
            )
            row[language] = score
    yield from rows.values()


def _translator_family(name: str) -> str:
    """By the words of its name: those not named so are built on the transformer, as their papers say."""
    if re.search("Conv", name):
        return "convolutional"
    if re.search("RNMT|MoE", name):  # both are LSTM encoder-decoders
        return "recurrent"
    return "other" if name == "DeepL" else "transformer"


def write(file: Path, rows: Iterable[Cells]) -> int:
    """Write a table; returns the number of its rows."""
    table: Sequence[Cells] = list(rows)
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return len(table)


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield {name: " ".join((text or "").split()) for name, text in row.items() if name}


def _keyed(file: Path, size: str, *, architecture: bool = False) -> dict[tuple[str, str], dict[str, str]]:
    """The rows by model (or by the name before the dot) and resolution."""
    return {(row["model"].partition(".")[0] if architecture else row["model"], row[size]): row for row in _rows(file)}


def _plain(number: str) -> str:
    """A number without thousands separators and trailing zeros."""
    return f"{float(number.replace(',', '')):.10g}" if number else ""


def _number(text: str) -> float | None:
    """A number as Epoch writes it ("1.0692E+025"); None where there is none."""
    try:
        return float(text.replace(",", "")) if text else None
    except ValueError:
        return None


def command_line() -> CommandLine:
    """The options of the command line."""
    helps = {"data": "the folder with timm/, epoch/, scaling/ and nlp_progress/"}
    parser = CommandLine(__doc__, data=PUBLISHED, helps=helps)
    parser.add_argument("--into", type=Path, default=FOLDER, help="where the tables go")
    return parser


if __name__ == "__main__":
    main()
