"""Train the network that reads scenes off pictures, to judge pictures of other networks. No data needed.

python -m training.scene_reader.train
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor

from core.models.scene_reader import SceneReader, loss_of
from core.models.stored_weights import save_weights
from core.scenes.draw import draw
from core.scenes.things import Scene, Thing, scene_at
from core.zoo.embedded import WEIGHTS
from training.common.card import hardware, save_card, table
from training.common.command_line import CommandLine
from training.common.loop import Plan, train
from training.common.pictures import as_pixels

PLAN = Plan(steps=800, learning_rate=2e-3, warm_up=100, decay=0.4, log_every=100, save_every=250)
BATCH = 48
SCENES = 1000  # scenes of each split that are read afterwards
# Pictures that networks make are never as clean as drawn ones: half of the training pictures are made worse.
NOISE, BLUR = 0.06, 3


def main() -> None:
    """Train, measure, write weights and card."""
    arguments = command_line().read()
    torch.manual_seed(PLAN.seed)
    network = SceneReader().to(arguments.device)
    plan = replace(PLAN, steps=arguments.steps or PLAN.steps)

    def loss_at(step: int) -> Tensor:
        scenes = [training_scene(step * BATCH + place) for place in range(BATCH)]
        pixels = degrade(as_pixels([draw(scene) for scene in scenes])).to(arguments.device)
        with torch.autocast(arguments.device, torch.bfloat16):
            prediction = network(pixels)
        return loss_of(prediction, scenes)

    seconds = train(network, loss_at, plan, arguments.run)
    network.cpu().eval()
    save_weights(network, WEIGHTS / "scene-reader" / "model.safetensors")
    run = {"plan": asdict(plan), "batch": BATCH, "seconds": round(seconds), "seed": plan.seed}
    report(network, run | {"trained_on": hardware(arguments.device)})


def training_scene(number: int) -> Scene:
    """A training scene; unlike for other networks, every fourth has a pair of colour and shape of HELD_PAIRS."""
    return scene_at(("train", "train", "four", "pairs")[number % 4], 10**7 + number)


def degrade(pixels: Tensor) -> Tensor:
    """Blur a random half of the pictures and add noise to a random half."""
    blurred = torch.nn.functional.avg_pool2d(pixels, BLUR, stride=1, padding=BLUR // 2, count_include_pad=False)
    share = torch.rand(len(pixels), 1, 1, 1) * (torch.rand(len(pixels), 1, 1, 1) < 0.5)
    pixels = (1 - share) * pixels + share * blurred
    noisy = torch.randn_like(pixels) * NOISE * (torch.rand(len(pixels), 1, 1, 1) < 0.5)
    return (pixels + noisy).clamp(0, 1)


def report(network: SceneReader, run: dict) -> None:
    """Measure on held-out scenes; write results and card."""
    shares_by_split = {
        split: measure(network, [scene_at(split, number) for number in range(SCENES)])
        for split in ("test", "pairs", "four")
    }
    rows = [[split, *(f"{100 * value:.1f}%" for value in shares.values())] for split, shares in shares_by_split.items()]
    results = run | {"asked": SCENES, "read": shares_by_split}
    save_card(WEIGHTS / "scene-reader", CARD, results, {"read_table": table(HEADER, rows)})


HEADER = ["scenes", "whole scene right", "things found", "nothing invented", "shape", "colour", "size", "texture"]


def measure(network: SceneReader, scenes: Sequence[Scene]) -> dict[str, float]:
    """Shares of scenes read without a mistake, of things found, of read things that exist, and of right properties."""
    read_scenes = [
        scene
        for start in range(0, len(scenes), 100)
        for scene in network.read(as_pixels([draw(true_scene) for true_scene in scenes[start : start + 100]]))
    ]
    kinds = ("shape", "colour", "size", "texture")
    right, pairs = dict.fromkeys(kinds, 0), 0
    whole_scenes = things = claimed = 0
    for scene, read_scene in zip(scenes, read_scenes, strict=True):
        matches = [(thing, other) for thing in scene.things if (other := nearest(thing, read_scene)) is not None]
        pairs += len(matches)
        things, claimed = things + len(scene.things), claimed + len(read_scene.things)
        agreements = [[getattr(thing, kind) == getattr(other, kind) for kind in kinds] for thing, other in matches]
        for kind, column in zip(kinds, zip(*agreements, strict=True) if agreements else [()] * 4, strict=True):
            right[kind] += sum(column)
        whole_scenes += len(matches) == len(scene.things) == len(read_scene.things) and all(map(all, agreements))
    shares = {"whole": whole_scenes / len(scenes), "found": pairs / things, "there": min(1.0, pairs / max(1, claimed))}
    return shares | {kind: count / max(1, pairs) for kind, count in right.items()}


def nearest(thing: Thing, read_scene: Scene) -> Thing | None:
    """The thing of `read_scene` whose middle is nearest to that of `thing`; None if it is not within four pixels."""
    distances = {
        other: max(abs(other.row - thing.row), abs(other.column - thing.column)) for other in read_scene.things
    }
    closest = min(distances, key=distances.__getitem__, default=None)
    return closest if closest is not None and distances[closest] <= 4 else None


CARD = """# scene-reader

Reads a drawn scene (64 x 64 pixels): which things stand where, with shape, colour, size and texture. It is the judge of
pictures that other networks make of a sentence, so its own mistakes stand here.

- Architecture: `core/models/scene_reader.py`, convolutions over a grid of 16 x 16 places.
- Data: scenes drawn by `core/scenes`, also those with four things and with held-out pairs of colour and shape, for a
  judge must know them all; half of the pictures blurred or noisy. No licence applies.
- Command: `python -m training.scene_reader.train`; seed {seed}; {seconds} s on {trained_on}.

Of {asked} scenes each that it has never read (chance: 12.5% of shapes and colours, 33% of sizes, 50% of textures):

{read_table}
"""


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, run=Path("runs/scene-reader"), steps="plan", device=True, threads="all")


if __name__ == "__main__":
    main()
