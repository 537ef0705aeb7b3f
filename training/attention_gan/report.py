"""Install the attention GANs, and measure them as stored, beside DALL-E and true scenes.

Measured are the statements that hold in pictures of sentences, by the network of `training.scene_reader.train`, the
diversity of pictures of one sentence, and their Fréchet distance from true scenes. Earlier results of networks that are
not in the folder of runs are kept. Without `--data` the accuracy of CLIP on emoji is not measured.

    python -m training.attention_gan.report [--data PATH]
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from core.models.scene_reader import SceneReader
from core.results.dalle_results import COUNTS, SPLITS, WHOLE_SENTENCE
from core.zoo.attention_gans import ATTENTION_GANS, WORD_ATTENTION, StagePainter, load_attention_gan
from core.zoo.clips import load_clip
from core.zoo.dalles import load_scene_reader
from core.zoo.embedded import WEIGHTS
from training.attention_gan.crowds import CROWD, TRIED, crowds, paintings_of
from training.attention_gan.painters_card import CARD, tables_of
from training.common.card import install, save_card
from training.common.command_line import CommandLine
from training.common.drawn_statements import (
    CANDIDATES,
    NAMED,
    SENTENCES,
    measure_statements,
    own_name,
    reference_shares,
    scenes_with_sentences,
    seconds_of,
)
from training.dalle.drawings import held_out


def main() -> None:
    """Install the networks of the runs, measure them, and write results.json and CARD.md."""
    arguments = command_line().read()
    runs = install_all(arguments.run, arguments.out)
    results = stored_results(arguments.out)
    results["runs"] |= runs
    weights = arguments.out.parent
    for name in (name for name in ATTENTION_GANS if name in runs):
        painter = load_attention_gan(name, weights=weights)
        results["painters"][name] = measure_painter(painter, arguments.data)
        print(name, results["painters"][name], flush=True)
        reader = load_scene_reader(arguments.readers)
        if name == "scenes" and reader is not None:
            results["sentences"] = arguments.sentences
            results |= measure_scenes(painter, reader, arguments.sentences)
            results["crowds"] = crowds(painter, reader, arguments.crowd)
            print(json.dumps(results["crowds"], indent=1), flush=True)
    save_card(arguments.out, CARD, results, tables_of(results))


def stored_results(out: Path) -> dict[str, Any]:
    """The results of earlier measurements in `out`."""
    file = out / "results.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    return {"runs": {}, "painters": {}, "sentences": 0} | stored


def install_all(runs: Path, out: Path) -> dict[str, Any]:
    """Copy the trained networks to `out`; returns the record of each training by name."""
    runs_by_name: dict[str, Any] = {}
    file = out / "config.json"
    sizes = json.loads(file.read_text()) if file.exists() else {}
    for name in ATTENTION_GANS:
        folder = runs / name
        if not (folder / "run.json").exists():
            continue
        runs_by_name[name] = json.loads((folder / "run.json").read_text())
        sizes[name] = runs_by_name[name]["sizes"]
        install(folder / "generator.safetensors", out / f"{name}.safetensors")
        install(folder / "matching.safetensors", out / f"{name}-matching.safetensors")
        install(folder / "tokenizer.json", out / f"{name}-tokenizer.json")
    out.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(sizes, indent=1) + "\n")
    return runs_by_name


def measure_painter(painter: StagePainter, data: Path | None) -> dict[str, Any]:
    """Size, seconds for some pictures, and for emoji the accuracy of CLIP in naming the pictures."""
    texts = held_out(painter.name, data)[1] if painter.name == "emoji" else ["a red star above a blue circle"]

    def paints(pictures: int) -> Callable[[], object]:
        words, noise = painter.encode(texts[0]), painter.noise(0, range(pictures))
        return lambda: painter.paint([words] * pictures, noise)

    measured: dict[str, Any] = {
        "parameters": painter.parameters,
        "seconds": {count: round(seconds_of(paints(int(count))), 3) for count in COUNTS},
    }
    if painter.name == "emoji":
        names = texts[:NAMED]
        measured["own_name"] = own_name(load_clip("emoji"), torch.cat(list(paintings_of(painter, names, 1))), names)
    return measured


def measure_scenes(painter: StagePainter, reader: SceneReader, sentences: int) -> dict[str, Any]:
    """Shares of words that hold: for each split by the number of candidates; for "test" by each of WORD_ATTENTION."""
    clip = load_clip("scenes")
    shares_by_split: dict[str, Any] = {}
    for split in SPLITS:
        examples = scenes_with_sentences(split, sentences)
        texts = [sentence.text for _, sentence in examples]
        shares_by_split[split] = measure_statements(
            paintings_of(painter, texts, CANDIDATES[split]), reader, clip, examples
        ) | reference_shares(examples, reader)
        print(split, {way: shares.get(WHOLE_SENTENCE) for way, shares in shares_by_split[split].items()}, flush=True)
    examples = scenes_with_sentences("test", sentences)
    texts = [sentence.text for _, sentence in examples]
    by_word_attention = {
        words: measure_statements(paintings_of(painter, texts, TRIED, word_attention=words), reader, clip, examples)[
            "1"
        ]
        for words in WORD_ATTENTION
    }
    return {"held": shares_by_split, "looks": by_word_attention}


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(
        __doc__,
        emoji=True,
        run=Path("runs/attention-gan"),
        out=WEIGHTS / "attention-gan",
        threads="one",
        helps={"run": "what was trained"},
    )
    parser.add_argument("--readers", type=Path, default=WEIGHTS, help="where scene-reader/ is")
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--crowd", type=int, default=CROWD, help="pictures of each way to make them")
    return parser


if __name__ == "__main__":
    main()
