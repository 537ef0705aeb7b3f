"""The card of the attention GANs: its tables, and what they mean."""

from typing import Any

from core.results.dalle_results import CHANCE, COUNTS, OF
from core.zoo.attention_gans import ATTENTION_GANS
from training.attention_gan.crowds import TRIED
from training.attention_gan.train import EMA
from training.common.card import table
from training.common.drawn_statements import NAMED, cell


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
