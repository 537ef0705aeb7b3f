"""Install the attention GANs, and measure them as they are stored, beside DALL-E and true scenes.

What holds in pictures of sentences, read by `training.scene_reader.train`'s network; how much pictures of one sentence
differ; how near a crowd of them comes to true scenes. What was installed and measured before and is not in the folder
of runs stays. Without `--data` it is not measured how often emoji are recognised.

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
from core.results.dalle_results import CHANCE, COUNTS, OF, SPLITS, WHOLE
from core.scenes.draw import draw
from core.zoo.attention_gans import AS_LEARNED, ATTENTION_GANS, LOOKS, StagePainter, load_attention_gan
from core.zoo.clips import load_clip
from core.zoo.dalles import load_dalle, load_scene_reader
from core.zoo.embedded import WEIGHTS
from training.attention_gan.train import EMA
from training.common.card import install, save_card, table
from training.common.command_line import CommandLine
from training.common.drawn_statements import (
    CANDIDATES,
    NAMED,
    SENTENCES,
    TOGETHER,
    bounds_of,
    cell,
    held_in,
    own_name,
    said,
    seconds_of,
)
from training.common.pictures import as_pixels
from training.dalle.drawings import drawings_of, held_out

CROWD = 500  # pictures, of as many sentences
ALIKE_SENTENCES, TRIED = 60, 4  # sentences of which several pictures are compared, and how many

Pictures = Float[Tensor, "batch channel row column"]


def main() -> None:
    """Install what the runs hold, measure it, and write results.json and CARD.md."""
    arguments = command_line().read()
    runs = install_all(arguments.run, arguments.out)
    results = before(arguments.out)
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


def before(out: Path) -> dict[str, Any]:
    """The results that are there already."""
    file = out / "results.json"
    stored = json.loads(file.read_text()) if file.exists() else {}
    return {"runs": {}, "painters": {}, "sentences": 0} | stored


def install_all(runs: Path, out: Path) -> dict[str, Any]:
    """Copy the networks that were trained to where the project keeps them; how each of them was trained."""
    found: dict[str, Any] = {}
    file = out / "config.json"
    sizes = json.loads(file.read_text()) if file.exists() else {}
    for name in ATTENTION_GANS:
        folder = runs / name
        if not (folder / "run.json").exists():
            continue
        found[name] = json.loads((folder / "run.json").read_text())
        sizes[name] = found[name]["sizes"]
        install(folder / "generator.safetensors", out / f"{name}.safetensors")
        install(folder / "matching.safetensors", out / f"{name}-matching.safetensors")
        install(folder / "tokenizer.json", out / f"{name}-tokenizer.json")
    out.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(sizes, indent=1) + "\n")
    return found


def measure_painter(painter: StagePainter, data: Path | None) -> dict[str, Any]:
    """Its size, how long pictures take, and of emoji how often CLIP knows which name a picture was made of."""
    texts = held_out(painter.name, data)[1] if painter.name == "emoji" else ["a red star above a blue circle"]

    def paints(pictures: int) -> Callable[[], object]:
        words, noise = painter.encode(texts[0]), painter.noise(0, range(pictures))
        return lambda: painter.paint([words] * pictures, noise)

    found: dict[str, Any] = {
        "parameters": painter.parameters,
        "seconds": {each: round(seconds_of(paints(int(each))), 3) for each in COUNTS},
    }
    if painter.name == "emoji":
        asked = texts[:NAMED]
        found["own_name"] = own_name(load_clip("emoji"), torch.cat(list(paintings_of(painter, asked, 1))), asked)
    return found


def measure_scenes(painter: StagePainter, reader: SceneReader, sentences: int) -> dict[str, Any]:
    """What holds: of each split by how many pictures CLIP chooses from; of new scenes by what places take of words."""
    clip = load_clip("scenes")
    held: dict[str, Any] = {}
    for split in SPLITS:
        told = said(split, sentences)
        texts = [sentence.text for _, sentence in told]
        held[split] = held_in(paintings_of(painter, texts, CANDIDATES[split]), reader, clip, told) | bounds_of(
            told, reader
        )
        print(split, {way: shares.get(WHOLE) for way, shares in held[split].items()}, flush=True)
    told = said("test", sentences)
    texts = [sentence.text for _, sentence in told]
    looks = {each: held_in(paintings_of(painter, texts, TRIED, looks=each), reader, clip, told)["1"] for each in LOOKS}
    return {"held": held, "looks": looks}


def paintings_of(
    painter: StagePainter, texts: Sequence[str], candidates: int, *, looks: str = AS_LEARNED
) -> Iterator[Pictures]:
    """For each text its candidates, each with noise of its own."""
    for number, text in enumerate(texts):
        noise = painter.noise(number, range(candidates))
        yield painter.paint([painter.encode(text)] * candidates, noise, looks=looks).pictures[-1]


def crowds(painter: StagePainter, reader: SceneReader, count: int) -> dict[str, dict[str, float]]:
    """Of each way to a picture: the Fréchet distance from true scenes, and how much pictures of one sentence differ.

    True scenes are those that sentences were told of, against as many others: the floor; their diversity is that of
    scenes of different sentences.
    """
    told = said("test", 2 * count)
    true = as_pixels([draw(scene) for scene, _ in told])
    texts = [sentence.text for _, sentence in told[:count]]
    against = features(reader, true[count:])
    some = texts[:ALIKE_SENTENCES]
    drawer = load_dalle("scenes")
    ways: dict[str, Callable[[Sequence[str], int], Iterable[Pictures]]] = {
        each: lambda texts, tried, each=each: paintings_of(painter, texts, tried, looks=each)  # type: ignore[misc]
        for each in LOOKS
    }
    ways[DALLE] = lambda texts, tried: drawings_of(drawer, texts, tried)
    found: dict[str, dict[str, float]] = {}
    for name, make in ways.items():
        made = torch.cat(list(make(texts, 1)))
        differ = [diversity(pictures) for pictures in make(some, TRIED)]
        found[name] = crowd(reader, made, against, sum(differ) / len(differ))
    found[TRUE] = crowd(reader, true[:count], against, diversity(true[:count]))
    return found


def crowd(
    reader: SceneReader, pictures: Pictures, against: Float[Tensor, "draw feature"], differ: float
) -> dict[str, float]:
    """What is kept of a crowd of pictures."""
    distance = frechet_distance(features(reader, pictures), against)
    return {"pictures": len(pictures), "frechet": round(distance, 4), "diversity": round(differ, 4)}


@torch.no_grad()
def features(reader: SceneReader, pictures: Pictures) -> Float[Tensor, "batch feature"]:
    """Of each picture the mean over places of what the reader of scenes has there before it is asked."""
    parts = [reader.features(part).relu().mean(dim=(2, 3)) for part in pictures.split(TOGETHER)]
    return torch.cat(parts)


# The card.


def tables_of(results: dict[str, Any]) -> dict[str, str]:
    """What the card shows of the results."""
    painters = [
        [
            ATTENTION_GANS[name],
            f"{each['parameters']:,}",
            *(f"{each['seconds'][count]:.2f}" for count in COUNTS),
            f"{each['own_name']:.0%}" if "own_name" in each else "",
        ]
        for name, each in results["painters"].items()
    ]
    held = [
        [split, way if not way.isdecimal() else f"best of {way}", *(cell(shares, kind) for kind in OF)]
        for split, ways in results.get("held", {}).items()
        for way, shares in ways.items()
    ]
    looks = [[name, *(cell(shares, kind) for kind in OF)] for name, shares in results.get("looks", {}).items()]
    made = [
        [name, each["pictures"], f"{each['frechet']:.3f}", f"{each['diversity']:.3f}"]
        for name, each in results.get("crowds", {}).items()
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
    seconds = [f"s for {each}" for each in COUNTS]
    return {
        "painters_table": table(["", "parameters", *seconds, "own name"], painters),
        "held_table": table(["split", "picture", *OF], held) if held else unread,
        "looks_table": table(["words", *OF], looks) if looks else unread,
        "crowds_table": table(["", "pictures", "Fréchet distance", "diversity"], made) if made else unread,
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
