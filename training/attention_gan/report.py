"""Install the attention GANs, and measure them as stored, beside DALL-E and true scenes.

Measured are the statements that hold in pictures of sentences, by the network of `training.scene_reader.train`, the
diversity of pictures of one sentence, and their Fréchet distance from true scenes. Earlier results of networks that are
not in the folder of runs are kept. Without `--data` the accuracy of CLIP on emoji is not measured.

    python -m training.attention_gan.report [--data PATH]
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from core.generation.quality import diversity, frechet_distance
from core.models.scene_reader import SceneReader
from core.results.attention_gan_results import DALLE, TRUE
from core.results.dalle_results import CHANCE, COUNTS, OF, SPLITS, WHOLE_SENTENCE
from core.scenes.draw import draw
from core.zoo.attention_gans import AS_LEARNED, ATTENTION_GANS, WORD_ATTENTION, StagePainter, load_attention_gan
from core.zoo.clips import load_clip
from core.zoo.dalles import load_dalle, load_scene_reader
from core.zoo.embedded import WEIGHTS
from training.attention_gan.train import EMA
from training.common.card import install, save_card, table
from training.common.command_line import CommandLine
from training.common.drawn_statements import (
    BATCH_SIZE,
    CANDIDATES,
    NAMED,
    SENTENCES,
    cell,
    measure_statements,
    own_name,
    reference_shares,
    scenes_with_sentences,
    seconds_of,
)
from training.common.pictures import as_pixels
from training.dalle.drawings import drawings_of, held_out

CROWD = 500  # pictures, of as many sentences
ALIKE_SENTENCES, TRIED = 60, 4  # sentences of which several pictures are compared, and how many

Pictures = Float[Tensor, "batch channel row column"]


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


def paintings_of(
    painter: StagePainter, texts: Sequence[str], candidates: int, *, word_attention: str = AS_LEARNED
) -> Iterator[Pictures]:
    """The candidate pictures of each text, each with noise of its own."""
    for number, text in enumerate(texts):
        noise = painter.noise(number, range(candidates))
        yield painter.paint([painter.encode(text)] * candidates, noise, word_attention=word_attention).pictures[-1]


def crowds(painter: StagePainter, reader: SceneReader, count: int) -> dict[str, dict[str, float]]:
    """Fréchet distance from true scenes, and diversity of pictures of one sentence, for each generator.

    TRUE compares true scenes with as many others (a lower bound); its diversity is that of different sentences.
    """
    examples = scenes_with_sentences("test", 2 * count)
    true_scenes = as_pixels([draw(scene) for scene, _ in examples])
    texts = [sentence.text for _, sentence in examples[:count]]
    against = features(reader, true_scenes[count:])
    diversity_texts = texts[:ALIKE_SENTENCES]
    drawer = load_dalle("scenes")
    ways: dict[str, Callable[[Sequence[str], int], Iterable[Pictures]]] = {
        words: lambda texts, candidates, words=words: paintings_of(painter, texts, candidates, word_attention=words)  # type: ignore[misc]
        for words in WORD_ATTENTION
    }
    ways[DALLE] = lambda texts, candidates: drawings_of(drawer, texts, candidates)
    results: dict[str, dict[str, float]] = {}
    for name, make in ways.items():
        crowd_pictures = torch.cat(list(make(texts, 1)))
        differ = [diversity(pictures) for pictures in make(diversity_texts, TRIED)]
        results[name] = crowd(reader, crowd_pictures, against, sum(differ) / len(differ))
    results[TRUE] = crowd(reader, true_scenes[:count], against, diversity(true_scenes[:count]))
    return results


def crowd(
    reader: SceneReader, pictures: Pictures, against: Float[Tensor, "draw feature"], differ: float
) -> dict[str, float]:
    """The results of many pictures; `against` are the features of true scenes, `differ` is their diversity."""
    distance = frechet_distance(features(reader, pictures), against)
    return {"pictures": len(pictures), "frechet": round(distance, 4), "diversity": round(differ, 4)}


@torch.no_grad()
def features(reader: SceneReader, pictures: Pictures) -> Float[Tensor, "batch feature"]:
    """Features of pictures for the Fréchet distance: activations of the reader of scenes, averaged over places."""
    parts = [reader.features(part).relu().mean(dim=(2, 3)) for part in pictures.split(BATCH_SIZE)]
    return torch.cat(parts)


# The card.


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """The tables of the card."""
    painters = [
        [
            ATTENTION_GANS[name],
            f"{painter['parameters']:,}",
            *(f"{painter['seconds'][count]:.2f}" for count in COUNTS),
            f"{painter['own_name']:.0%}" if "own_name" in painter else "",
        ]
        for name, painter in results["painters"].items()
    ]
    held_rows = [
        [split, way if not way.isdecimal() else f"best of {way}", *(cell(shares, kind) for kind in OF)]
        for split, ways in results.get("held", {}).items()
        for way, shares in ways.items()
    ]
    looks_rows = [[name, *(cell(shares, kind) for kind in OF)] for name, shares in results.get("looks", {}).items()]
    crowd_rows = [
        [name, painter["pictures"], f"{painter['frechet']:.3f}", f"{painter['diversity']:.3f}"]
        for name, painter in results.get("crowds", {}).items()
    ]
    runs = [
        [
            name,
            run["matching"]["steps"],
            f"{run['seconds']['matching'] / 60:.0f}",
            run["steps"],
            run["batch"],
            f"{run['seconds']['painting'] / 60:.0f}",
            run["hardware"],
        ]
        for name, run in results["runs"].items()
    ]
    unread = "Not measured: the reader was not there."
    seconds = [f"s for {painter}" for painter in COUNTS]
    return {
        "painters_table": table(["", "parameters", *seconds, "own name"], painters),
        "held_table": table(["split", "picture", *OF], held_rows) if held_rows else unread,
        "looks_table": table(["words", *OF], looks_rows) if looks_rows else unread,
        "crowds_table": table(["", "pictures", "Fréchet distance", "diversity"], crowd_rows) if crowd_rows else unread,
        "runs_table": table(["", "matching steps", "minutes", "painter's steps", "batch", "minutes", "on"], runs),
    }


CARD = f"""# attention-gan

Pictures of 16, 32 and 64 pixels painted of a sentence in three stages, with a look at its words before each of the last
two: AttnGAN (Xu et al. 2018), `core/models/attention_gan.py`, small. With conditioning augmentation, a judge for each
stage, and DAMSM, the networks that match words with regions. Weights are the running mean of the painter's (decay
{EMA}; the norms take the statistics of these weights anew), stored in 8 bits, and were measured as they are stored.

## Data and licence
Scenes of the drawn world (`core/scenes/`), drawn for each step, with a true sentence each. Emoji, where they are here:
pictures of googlefonts/noto-emoji (Apache-2.0), names of github/gemoji (MIT). The weights are released under the
project's licence.

## Painters
Seconds for 1, 4 and 16 pictures at once, on one thread. "Own name": of pictures of {NAMED} held-out emoji how many
CLIP finds nearer to their own name than to another; chance is 50%.

{{painters_table}}

## What holds in pictures
{{sentences}} sentences of each split, which nobody learned from, told as in weights/dalle/CARD.md. Best of k: of k
pictures the one that our CLIP likes best. "{CHANCE}": what holds by chance in the true scene of another sentence.

{{held_table}}

The same of new scenes ("test"), one picture, by what places of the later stages take of words: as was learned; of all
words alike; nothing (word attention cut, so that the sentence is heard as a whole and in the first stage only).

{{looks_table}}

## Crowds
Pictures of as many sentences each. The Fréchet distance of Gaussians (Heusel et al. 2017) on features of our own reader
of scenes (weights/scene-reader, the mean over all places before its last layer) from other true scenes; that of true
scenes is the floor. Diversity: the root of the mean squared difference of pixels (0 to 1) between {TRIED} pictures of
one sentence; of true scenes, between those of different sentences.

{{crowds_table}}

## Training
{{runs_table}}

One seed, and no run was thrown away: what is here is not the best of several. After the first 1,000 steps on scenes a
mean with decay 0.999 showed nothing but tinted grounds, while the painter itself already drew things: the mean reached
back too far, and had norms with the statistics of other weights. Both were changed, and the run went on from there.

    python -m training.attention_gan.train --data PATH
    python -m training.attention_gan.report --data PATH

Seed 0, {{hardware}}; torch {{torch}}.
"""


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
