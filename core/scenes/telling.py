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


def is_held_out(sentence: Sentence) -> bool:
    """Whether a sentence contains one of HELD_RELATIONS."""
    other = sentence.other
    return other is not None and (sentence.relation, sentence.group.shape, other.shape) in HELD_RELATIONS


def sentence_about(scene: Scene, rng: Random, *, held_out: bool | None = False, form: str = "") -> Sentence | None:
    """A random true sentence about a scene; None if the sentence that was drawn does not qualify.

    `held_out`: True for one of HELD_RELATIONS, False for none of them, None for either; `form`: one of FORMS, or any.
    """
    form = form or ("relation" if held_out else rng.choice(FORMS))
    make = {"group": _about_group, "relation": _about_two, "nothing": _about_none, "superlative": _about_extreme}[form]
    sentence = make(scene, rng)
    fits = sentence is not None and is_true(sentence, scene) and (held_out is None or is_held_out(sentence) == held_out)
    return sentence if fits else None


def _about_group(scene: Scene, rng: Random) -> Sentence:
    return Sentence(_group_of(scene, rng, rng.choice(scene.things)))


def _about_two(scene: Scene, rng: Random) -> Sentence | None:
    if len(scene.things) < 2:
        return None
    first, second = rng.sample(scene.things, 2)
    fitting = [relation for relation in RELATIONS if holds(relation, first, second)]
    if not fitting:
        return None
    return Sentence(_group_of(scene, rng, first), rng.choice(fitting), _group_of(scene, rng, second))


def _about_none(_scene: Scene, rng: Random) -> Sentence:
    if rng.random() < 0.5:
        return Sentence(Group("", colour=rng.choice(list(COLOURS))), denied=True)
    colour = rng.choice(list(COLOURS)) if rng.random() < 0.5 else ""
    return Sentence(Group("no", colour=colour, shape=rng.choice(SHAPES)), denied=True)


def _about_extreme(scene: Scene, rng: Random) -> Sentence | None:
    superlative = rng.choice((LARGEST, SMALLEST))
    extreme = extreme_of(superlative, scene)
    if extreme is None:
        return None
    thing = scene.things[extreme]
    group = Group("", colour=thing.colour) if rng.random() < 0.5 else Group("", shape=thing.shape)
    return Sentence(group, superlative=superlative)


def _group_of(scene: Scene, rng: Random, thing: Thing) -> Group:
    """A random description that a thing fits, with the number of things that fit it."""
    size = thing.size if rng.random() < 0.35 else ""
    texture = thing.texture if rng.random() < 0.25 else ""
    shape = thing.shape if rng.random() < 0.85 else ""
    colour = thing.colour if rng.random() < 0.75 or not shape else ""
    count = len(Group("a", size, texture, colour, shape).of(scene))
    number = next(word for word, value in NUMBERS.items() if value == count)
    return Group(number, size, texture, colour, shape)


def exchange_word(sentence: Sentence, kind: str, rng: Random) -> Sentence | None:
    """Replace one word of a kind by another of that kind; None if the sentence has no such word.

    `kind`: one of KINDS except "superlative" and "negation", or "order": the groups of a relation are swapped.
    """
    if kind == "order":
        return replace(sentence, group=sentence.other, other=sentence.group) if sentence.other else None
    if kind == "relation":
        alternatives = [relation for relation in RELATIONS if relation != sentence.relation]
        return replace(sentence, relation=rng.choice(alternatives)) if sentence.relation else None
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
    place = rng.choice(list(groups))
    word = rng.choice([word for word in words if word != getattr(groups[place], kind)])
    return replace(sentence, **{place: replace(groups[place], **{kind: word})})  # type: ignore[arg-type]


# Scenes for a sentence.

SCENES_TRIED = 500


def scene_for(sentence: Sentence, rng: Random) -> Scene:
    """A random scene of which a sentence is true; InputError if none was found in SCENES_TRIED tries."""
    for _ in range(SCENES_TRIED):
        named = [
            _thing_for(group, rng) for group in _required_groups(sentence) for _ in range(NUMBERS.get(group.number, 1))
        ]
        more = rng.randint(1 if sentence.superlative else 0, max(1, MOST - len(named))) if len(named) < MOST else 0
        drawn = named + [_thing_for(Group("a"), rng) for _ in range(more)]
        placed = place_things(rng, drawn) if len(drawn) <= MOST else None
        if placed and is_true(sentence, scene := Scene(tuple(placed), *(2 * [rng.randrange(NIGHT)]))):
            return scene
    raise InputError(
        f"No scene was found for “{sentence.text}” in {SCENES_TRIED} tries: at most {MOST} things stand in one, and "
        "they do not touch. Say less of them."
    )


def _required_groups(sentence: Sentence) -> list[Group]:
    if sentence.denied:
        return [Group("a")]
    return [sentence.group, *([sentence.other] if sentence.other else [])]


def _thing_for(group: Group, rng: Random) -> Thing:
    return Thing(
        group.shape or rng.choice(SHAPES),
        group.colour or rng.choice(list(COLOURS)),
        group.size or rng.choice(list(SIZES)),
        group.texture or rng.choice(TEXTURES),
        0,
        0,
    )
