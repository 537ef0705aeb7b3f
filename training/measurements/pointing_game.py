"""Measure the maps of all networks of words and pictures against the pixels that a word refers to.

Over held-out scenes of the drawn world, each with a true sentence: for each word of content, by every way of
core/attribution/word_maps.py, the pointing game and the share of the map inside the mask. No data needed.

    python -m training.measurements.pointing_game [--scenes 1000] [--only captioning/scenes-lstm ...]
"""

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from jaxtyping import Bool
from PIL import Image

from core.attribution.pointing_game import centre, over_pixels, points_inside, share_inside
from core.attribution.word_maps import WordMaps, captioner_maps, clip_maps, joint_maps
from core.scenes.draw import draw, masks
from core.scenes.sentences import Sentence, Word, alternative_words
from core.scenes.things import SIDE, Scene
from core.scenes.truth import meanings
from core.zoo.captioners import load_captioner
from core.zoo.clips import load_clip
from core.zoo.joint import load_joint
from training.common.command_line import CommandLine
from training.common.scenes import scene_with_sentence

OUT = Path(__file__).parents[2] / "core" / "results" / "grounding.csv"
COLUMNS = ("model", "way", "kind", "words", "pointing", "pointing_error", "inside", "inside_error")
ALL = "all"
GRID = (8, 8)

Maps = Callable[[Image.Image, Sentence, Sequence[int]], WordMaps]  # of the words at these places


def of_captioner(name: str) -> Maps:
    """Maps of a captioner that is forced to write the sentence."""
    model = load_captioner(name)

    def maps(picture: Image.Image, sentence: Sentence, places: Sequence[int]) -> WordMaps:
        maps_by_way = captioner_maps(model, model.prepare(picture).pixels, model.encode(sentence.text))
        return {way: rows[list(places)] for way, rows in maps_by_way.items()}

    return maps


def of_clip(name: str) -> Maps:
    """Maps of a CLIP: each word against its alternatives."""
    model = load_clip(name)

    def maps(picture: Image.Image, sentence: Sentence, places: Sequence[int]) -> WordMaps:
        words = [word.text for word in sentence.words]
        alternatives = [
            [
                " ".join([*words[:place], other, *words[place + 1 :]])
                for other in alternative_words(sentence.words[place])
            ]
            for place in places
        ]
        return clip_maps(model, model.prepare(picture).pixels, sentence.text, alternatives)

    return maps


def of_joint(name: str) -> Maps:
    """Maps of a network of two streams or one: each word masked in turn."""
    model = load_joint(name)

    def maps(picture: Image.Image, sentence: Sentence, places: Sequence[int]) -> WordMaps:
        tokens = model.encode(sentence.text)
        return joint_maps(model, model.prepare(picture).pixels, tokens, [1 + place for place in places])

    return maps


MODELS: dict[str, Callable[[], Maps]] = {
    "captioning/scenes-lstm": lambda: of_captioner("scenes-lstm"),
    "captioning/scenes-transformer": lambda: of_captioner("scenes-transformer"),
    "clip/scenes": lambda: of_clip("scenes"),
    "vilbert/two-streams": lambda: of_joint("two-streams"),
    "vilbert/one-stream": lambda: of_joint("one-stream"),
}


@dataclass
class Scores:
    """Sums over words of one way and one kind: of the measures, of their squares, and the number of words."""

    count: int = 0
    sums: np.ndarray = field(default_factory=lambda: np.zeros(2))
    squares: np.ndarray = field(default_factory=lambda: np.zeros(2))

    def add(self, pointing: float, inside: float) -> None:
        """Add the measures of a word."""
        values = np.array([pointing, inside])
        self.count += 1
        self.sums += values
        self.squares += values**2

    def row(self) -> tuple[float, ...]:
        """The number of words; mean and standard error of pointing; mean and standard error of inside."""
        mean = self.sums / self.count
        error = np.sqrt(np.maximum(self.squares / self.count - mean**2, 0) / self.count)
        return (self.count, *(round(float(value), 4) for value in (mean[0], error[0], mean[1], error[1])))


def main() -> None:
    """Measure the networks of `--only`, or all, and write the table; rows of other networks are kept."""
    arguments = command_line().read()
    table = read_rows(arguments.out)
    for name in arguments.only or MODELS:
        rows = measure(MODELS[name](), name, arguments.scenes)
        table = [row for row in table if row[0] != name] + rows
        write_rows(arguments.out, table)
        print(name, json.dumps([row for row in rows if row[2] == ALL]), flush=True)
    table = [row for row in table if row[0] != "baseline"] + baselines(arguments.scenes)
    write_rows(arguments.out, table)


def measure(maps: Maps, name: str, scenes: int) -> list[tuple]:
    """The rows of one network."""
    scores: dict[tuple[str, str], Scores] = {}
    for number in range(scenes):
        scene, sentence, masks_by_place = question(number)
        if not masks_by_place:
            continue
        maps_by_way = maps(Image.fromarray(draw(scene)), sentence, list(masks_by_place))
        for way, rows in maps_by_way.items():
            for row, (place, mask) in zip(rows, masks_by_place.items(), strict=True):
                pixels = over_pixels(row.double().numpy().reshape(GRID), SIDE)
                inside = share_inside(pixels, mask)
                measures = points_inside(pixels, mask), 0.0 if math.isnan(inside) else inside  # nothing: nothing inside
                for kind in (sentence.words[place].kind, ALL):
                    scores.setdefault((way, kind), Scores()).add(*measures)
        if number % 100 == 99:
            print(name, number + 1, flush=True)
    return [(name, way, kind, *sums.row()) for (way, kind), sums in sorted(scores.items())]


def baselines(scenes: int) -> list[tuple]:
    """The rows of the baselines: a map with its maximum in the middle, and the expected values of a random map."""
    scores: dict[tuple[str, str], Scores] = {}
    middle = centre(SIDE)
    for number in range(scenes):
        _, sentence, masks_by_place = question(number)
        for place, mask in masks_by_place.items():
            area = float(mask.mean())
            for kind in (sentence.words[place].kind, ALL):
                scores.setdefault(("centre", kind), Scores()).add(
                    points_inside(middle, mask), share_inside(middle, mask)
                )
                scores.setdefault(("random", kind), Scores()).add(area, area)
    return [("baseline", way, kind, *sums.row()) for (way, kind), sums in sorted(scores.items())]


def question(number: int) -> tuple[Scene, Sentence, dict[int, Bool[np.ndarray, "row column"]]]:
    """A held-out scene, a true sentence, and the mask of each word that refers to things, by its place."""
    scene, sentence = scene_with_sentence("test", number)
    thing_masks, things_by_word = masks(scene), meanings(sentence, scene)
    masks_by_place = {
        place: np.asarray(thing_masks[sorted(things)].any(axis=0))
        for place, things in enumerate(things_by_word)
        if things and is_asked(sentence.words[place])
    }
    return scene, sentence, masks_by_place


def is_asked(word: Word) -> bool:
    """Whether a word has alternatives."""
    return bool(alternative_words(word))


def read_rows(file: Path) -> list[tuple]:
    """The rows of a table without its header; none if there is no file."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return [tuple(row) for row in list(csv.reader(lines))[1:]]


def write_rows(file: Path, rows: list[tuple]) -> None:
    """Write a table with its header."""
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)


def command_line() -> CommandLine:
    """The options of the command line."""
    parser = CommandLine(__doc__, only=MODELS, out=OUT, threads="all")
    parser.add_argument("--scenes", type=int, default=1000)
    return parser


if __name__ == "__main__":
    main()
