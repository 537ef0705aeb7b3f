"""True sentences about a scene, sentences with one word exchanged, and scenes for a sentence: drawn at random."""

from dataclasses import replace
from itertools import product
from random import Random

from ..errors import InputError
from .sentences import LARGEST, NUMBERS, RELATIONS, SMALLEST, Group, Sentence
from .things import COLOURS, MOST, NIGHT, SHAPES, SIZES, TEXTURES, Scene, Thing, place_things
from .truth import extreme_of, holds, is_true

# A relation between two shapes that no sentence of training says; all of their words are said there in others.
HELD_RELATIONS = frozenset(
    (relation, one, other)
    for (number, relation), (first, one), (second, other) in product(
        enumerate(RELATIONS), enumerate(SHAPES), enumerate(SHAPES)
    )
    if (first + 2 * second + 3 * number) % 7 == 0
)
FORMS = ("group", "group", "relation", "relation", "relation", "nothing", "superlative")


def is_held(sentence: Sentence) -> bool:
    """Whether a sentence says one of HELD_RELATIONS."""
    other = sentence.other
    return other is not None and (sentence.relation, sentence.group.shape, other.shape) in HELD_RELATIONS


def sentence_about(scene: Scene, dice: Random, *, held: bool | None = False, form: str = "") -> Sentence | None:
    """A true sentence about a scene; None if the scene has none of what was drawn.

    `held`: True for one of HELD_RELATIONS, False for none of them, None for either; `form`: one of FORMS, or any.
    """
    form = form or ("relation" if held else dice.choice(FORMS))
    made = {"group": _about_group, "relation": _about_two, "nothing": _about_none, "superlative": _about_extreme}[form]
    sentence = made(scene, dice)
    fits = sentence is not None and is_true(sentence, scene) and (held is None or is_held(sentence) == held)
    return sentence if fits else None


def _about_group(scene: Scene, dice: Random) -> Sentence:
    return Sentence(_group_of(scene, dice, dice.choice(scene.things)))


def _about_two(scene: Scene, dice: Random) -> Sentence | None:
    if len(scene.things) < 2:
        return None
    one, other = dice.sample(scene.things, 2)
    fitting = [relation for relation in RELATIONS if holds(relation, one, other)]
    if not fitting:
        return None
    return Sentence(_group_of(scene, dice, one), dice.choice(fitting), _group_of(scene, dice, other))


def _about_none(_scene: Scene, dice: Random) -> Sentence:
    if dice.random() < 0.5:
        return Sentence(Group("", colour=dice.choice(list(COLOURS))), denied=True)
    colour = dice.choice(list(COLOURS)) if dice.random() < 0.5 else ""
    return Sentence(Group("no", colour=colour, shape=dice.choice(SHAPES)), denied=True)


def _about_extreme(scene: Scene, dice: Random) -> Sentence | None:
    superlative = dice.choice((LARGEST, SMALLEST))
    extreme = extreme_of(superlative, scene)
    if extreme is None:
        return None
    thing = scene.things[extreme]
    group = Group("", colour=thing.colour) if dice.random() < 0.5 else Group("", shape=thing.shape)
    return Sentence(group, superlative=superlative)


def _group_of(scene: Scene, dice: Random, thing: Thing) -> Group:
    """A description that a thing fits, with the number of those that fit it too."""
    size = thing.size if dice.random() < 0.35 else ""
    texture = thing.texture if dice.random() < 0.25 else ""
    shape = thing.shape if dice.random() < 0.85 else ""
    colour = thing.colour if dice.random() < 0.75 or not shape else ""
    count = len(Group("a", size, texture, colour, shape).of(scene))
    number = next(word for word, value in NUMBERS.items() if value == count)
    return Group(number, size, texture, colour, shape)


def with_another(sentence: Sentence, kind: str, dice: Random) -> Sentence | None:
    """The same sentence with one word of a kind exchanged for another of that kind; None if it has none.

    `kind`: one of KINDS but "superlative" and "negation", or "order": both groups of a relation change places.
    """
    if kind == "order":
        return replace(sentence, group=sentence.other, other=sentence.group) if sentence.other else None
    if kind == "relation":
        others = [each for each in RELATIONS if each != sentence.relation]
        return replace(sentence, relation=dice.choice(others)) if sentence.relation else None
    words = {
        "number": [word for word in NUMBERS if word != "a"],
        "size": list(SIZES),
        "texture": list(TEXTURES),
        "colour": list(COLOURS),
        "shape": list(SHAPES),
    }[kind]
    groups = {
        place: group
        for place, group in (("group", sentence.group), ("other", sentence.other))
        if group is not None and getattr(group, kind) in words
    }
    if not groups:
        return None
    place = dice.choice(list(groups))
    word = dice.choice([word for word in words if word != getattr(groups[place], kind)])
    return replace(sentence, **{place: replace(groups[place], **{kind: word})})  # type: ignore[arg-type]


# Scenes for a sentence.

SCENES_TRIED = 500


def scene_for(sentence: Sentence, dice: Random) -> Scene:
    """A scene of which a sentence is true, drawn at random; InputError if none was found."""
    for _ in range(SCENES_TRIED):
        wanted = [_thing_for(group, dice) for group in _needed(sentence) for _ in range(NUMBERS.get(group.number, 1))]
        more = dice.randint(1 if sentence.superlative else 0, max(1, MOST - len(wanted))) if len(wanted) < MOST else 0
        drawn = wanted + [_thing_for(Group("a"), dice) for _ in range(more)]
        placed = place_things(dice, drawn) if len(drawn) <= MOST else None
        if placed and is_true(sentence, scene := Scene(tuple(placed), *(2 * [dice.randrange(NIGHT)]))):
            return scene
    raise InputError(
        f"No scene was found for “{sentence.text}” in {SCENES_TRIED} tries: at most {MOST} things stand in one, and "
        "they do not touch. Say less of them."
    )


def _needed(sentence: Sentence) -> list[Group]:
    if sentence.denied:
        return [Group("a")]
    return [sentence.group, *([sentence.other] if sentence.other else [])]


def _thing_for(group: Group, dice: Random) -> Thing:
    return Thing(
        group.shape or dice.choice(SHAPES),
        group.colour or dice.choice(list(COLOURS)),
        group.size or dice.choice(list(SIZES)),
        group.texture or dice.choice(TEXTURES),
        0,
        0,
    )
