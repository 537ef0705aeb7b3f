"""Scenes and their things, and random scenes: a split and a number give the same scene on every machine."""

from dataclasses import dataclass
from itertools import product
from random import Random

SHAPES = ("circle", "square", "triangle", "star", "cross", "diamond", "ring", "heart")
COLOURS = {
    "red": (214, 39, 40),
    "orange": (245, 133, 24),
    "yellow": (240, 208, 40),
    "green": (44, 150, 60),
    "blue": (40, 90, 200),
    "purple": (130, 60, 170),
    "pink": (240, 130, 190),
    "brown": (125, 80, 45),
}
SIZES = {"small": 5, "medium": 8, "large": 12}  # half of the width, of a picture of SIDE
TEXTURES = ("plain", "striped")
GROUNDS = ((250, 248, 243), (222, 224, 228), (196, 204, 214), (60, 64, 72))  # paper, light grey, grey, night
NIGHT = 3  # the dark one, which is never graded
SIDE = 64
MOST = 4  # things
GAP = 1  # pixels between two things, at least
TRIES = 200  # to find a place for all things before new ones are drawn

SPLITS = ("train", "test", "pairs", "relations", "four")
HELD_OUT = SPLITS[1:]
# A colour and a shape that are never one thing in training: every colour and every shape is in one of them.
HELD_PAIRS = frozenset((colour, SHAPES[(3 * place + 1) % 8]) for place, colour in enumerate(COLOURS))


@dataclass(frozen=True)
class Thing:
    """A thing of a scene; `row` and `column` of its middle are in pixels of a picture of SIDE x SIDE pixels."""

    shape: str
    colour: str
    size: str
    texture: str
    row: int
    column: int

    def __post_init__(self):
        if self.shape not in SHAPES or self.colour not in COLOURS or self.size not in SIZES:
            raise ValueError(f"There is no {self.size} {self.colour} {self.shape} in this world.")
        if self.texture not in TEXTURES:
            raise ValueError(f"Things are {' or '.join(TEXTURES)}, not {self.texture}.")

    @property
    def radius(self) -> int:
        """Half of its width."""
        return SIZES[self.size]


@dataclass(frozen=True)
class Scene:
    """Things that do not touch, on a ground that goes from `top` to `bottom` (numbers of GROUNDS)."""

    things: tuple[Thing, ...]
    top: int = 0
    bottom: int = 0


def scene_at(split: str, number: int) -> Scene:
    """One scene of a split.

    "train" and "test" have one to three things and no pair of HELD_PAIRS; "pairs" has at least one of these; "four" has
    four things; "relations" are like "test": what is held out there is in the sentences.
    """
    if split not in SPLITS:
        raise ValueError(f"The splits are {', '.join(SPLITS)}, not {split}.")
    return random_scene(Random(f"{split} {number}"), split)


def random_scene(rng: Random, split: str = "test") -> Scene:
    """A scene of a split, drawn with `rng`."""
    while True:
        count = MOST if split == "four" else rng.randint(2 if split == "relations" else 1, MOST - 1)
        things = [_random_thing(rng, held_out=split == "pairs" and place == 0) for place in range(count)]
        if placed := place_things(rng, things):
            top = rng.randrange(len(GROUNDS))
            graded = top < NIGHT and rng.random() < 0.5
            return Scene(tuple(placed), top, rng.randrange(NIGHT) if graded else top)


def _random_thing(rng: Random, *, held_out: bool) -> Thing:
    pairs = [pair for pair in product(COLOURS, SHAPES) if (pair in HELD_PAIRS) == held_out]
    colour, shape = rng.choice(pairs)
    return Thing(shape, colour, rng.choice(list(SIZES)), rng.choice(TEXTURES), 0, 0)


def place_things(rng: Random, things: list[Thing]) -> list[Thing] | None:
    """The same things at random places where they do not touch; None if no such places were found in TRIES tries."""
    for _ in range(TRIES):
        placed: list[Thing] = []
        for thing in things:
            row, column = (rng.randint(thing.radius + 1, SIDE - thing.radius - 1) for _ in range(2))
            moved = Thing(thing.shape, thing.colour, thing.size, thing.texture, row, column)
            if any(touch(moved, other) for other in placed):
                break
            placed.append(moved)
        if len(placed) == len(things):
            return placed
    return None


def touch(first: Thing, second: Thing) -> bool:
    """Whether the bounding squares of two things are less than GAP pixels apart."""
    room = first.radius + second.radius + GAP
    return abs(first.row - second.row) < room and abs(first.column - second.column) < room
