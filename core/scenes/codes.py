"""A scene as a short text, for a URL: `1-2~star.red.large.plain.20.31~ring.blue.small.striped.48.12`.

The numbers of the top and the bottom of the ground, then each thing: shape, colour, size, texture, row and column of
its middle.
"""

from ..errors import InputError
from ..view.codec import whole_number
from .things import GAP, GROUNDS, MOST, NIGHT, SIDE, Scene, Thing, touch

EXAMPLE = "0-0~star.red.large.plain.20.20~circle.blue.small.plain.46.44"
LONGEST = 400  # characters


def code_of(scene: Scene) -> str:
    """Write a scene as a text that `read_code` reads."""
    things = (
        ".".join(map(str, (thing.shape, thing.colour, thing.size, thing.texture, thing.row, thing.column)))
        for thing in scene.things
    )
    return "~".join([f"{scene.top}-{scene.bottom}", *things])


def read_code(text: str) -> Scene:
    """Parse a scene from the text that `code_of` writes; InputError where it is not a valid scene."""
    ground, *things = text.strip()[:LONGEST].split("~")
    ends = _numbers(ground.split("-"), len(GROUNDS))
    if len(ends) != 2:
        raise InputError(
            f"This is not a scene: it begins with two numbers from 0 to {len(GROUNDS) - 1}, as in {EXAMPLE}."
        )
    top, bottom = ends
    if NIGHT in (top, bottom) and top != bottom:
        raise InputError(f"The dark ground is never graded: both ends are {NIGHT}, or none is.")
    scene = Scene(tuple(map(_read_thing, things)), top, bottom)
    check_scene(scene)
    return scene


def check_scene(scene: Scene) -> None:
    """InputError if a scene has too many things, or two of them touch, or one reaches beyond the edge."""
    if not 1 <= len(scene.things) <= MOST:
        raise InputError(f"A scene holds 1 to {MOST} things, not {len(scene.things)}.")
    for thing in scene.things:
        if not all(thing.radius < place < SIDE - thing.radius for place in (thing.row, thing.column)):
            raise InputError(
                f"The {thing.colour} {thing.shape} reaches beyond the edge: the middle of a {thing.size} thing lies "
                f"{thing.radius + 1} to {SIDE - thing.radius - 1} pixels from the top and from the left."
            )
    for number, thing in enumerate(scene.things):
        for other in scene.things[:number]:
            if touch(thing, other):
                raise InputError(
                    f"The {thing.colour} {thing.shape} and the {other.colour} {other.shape} touch; things stand at "
                    f"least {GAP} pixel apart."
                )


def _read_thing(text: str) -> Thing:
    parts = text.split(".")
    place = _numbers(parts[4:], 10 * SIDE)
    if len(parts) != 6 or len(place) != 2:
        raise InputError(f"“{text[:40]}” is not a thing: write shape.colour.size.texture.row.column, as in {EXAMPLE}.")
    try:
        shape, colour, size, texture = parts[:4]
        return Thing(shape, colour, size, texture, *place)
    except ValueError as error:
        raise InputError(str(error)) from error


def _numbers(parts: list[str], below: int) -> list[int]:
    """The parts as whole numbers; an empty list if one of them is not a whole number below `below`."""
    numbers = [number for part in parts if (number := whole_number(part, below)) is not None]
    return numbers if len(numbers) == len(parts) else []
