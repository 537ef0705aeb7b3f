"""Sentences about scenes: a small grammar, whether a sentence is true, and which things each of its words means.

    sentence  ->  group | group relation group | nothing | superlative
    group     ->  ("a" | "two" | "three" | "four") size? texture? colour? noun
    nothing   ->  "nothing is" colour | "there is no" size? texture? colour? noun
    superlative -> "the largest thing is" (colour | "a" shape) | "the smallest thing is" (colour | "a" shape)

"a star" is true if there is at least one; "two stars" if there are exactly two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random

from core.errors import InputError
from core.scenes.things import COLOURS, MOST, NIGHT, SHAPES, SIZES, TEXTURES, Scene, Thing, place_things

KINDS = ("number", "size", "texture", "colour", "shape", "relation", "superlative", "negation")
NUMBERS = {"a": 1, "two": 2, "three": 3, "four": 4}
RELATIONS = ("above", "below", "left of", "right of")
NOUN = "thing"  # any shape
LARGEST, SMALLEST = "largest", "smallest"


@dataclass(frozen=True)
class Group:
    """Things that are alike in what is said of them; "" where nothing is. `number`: "a" means at least one."""

    number: str
    size: str = ""
    texture: str = ""
    colour: str = ""
    shape: str = ""  # "": things of any shape

    def fits(self, thing: Thing) -> bool:
        """Whether a thing is one of these."""
        said = ((self.size, thing.size), (self.texture, thing.texture), (self.colour, thing.colour))
        return all(not word or word == value for word, value in (*said, (self.shape, thing.shape)))

    def of(self, scene: Scene) -> frozenset[int]:
        """The numbers of the things that fit."""
        return frozenset(number for number, thing in enumerate(scene.things) if self.fits(thing))

    def counts(self, found: frozenset[int]) -> bool:
        """Whether there are as many as said."""
        return len(found) >= 1 if self.number in ("a", "no") else len(found) == NUMBERS[self.number]


@dataclass(frozen=True)
class Sentence:
    """What is said: of a `group`, or of two in a `relation`; `denied` that there is one; or of a `superlative`.

    A superlative ("largest" or "smallest") says of one thing what the group says of it: a colour, or a shape.
    """

    group: Group
    relation: str = ""
    other: Group | None = None
    denied: bool = False
    superlative: str = ""

    @property
    def words(self) -> tuple["Word", ...]:
        """Its words in order, each with its kind ("" where it has no content) and the group it belongs to."""
        return tuple(_words(self))

    @property
    def text(self) -> str:
        """As it is written."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True)
class Word:
    """A word of a sentence; `of`: 0 if it is said of the first group, 1 of the second, None of both or of neither."""

    text: str
    kind: str = ""
    of: int | None = field(default=None, compare=False)


def is_true(sentence: Sentence, scene: Scene) -> bool:
    """Whether a scene is as the sentence says."""
    if sentence.denied:
        return not sentence.group.of(scene)
    if sentence.superlative:
        extreme = _extreme(sentence.superlative, scene)
        return extreme is not None and sentence.group.fits(scene.things[extreme])
    first, second = _meant(sentence, scene)
    return bool(first) and (sentence.other is None or bool(second))


def meanings(sentence: Sentence, scene: Scene) -> tuple[frozenset[int], ...]:
    """For each word the things that it means, if the sentence is true; no thing for words without content.

    A relation means both of its groups; a negation, and what is said not to be there, nothing.
    """
    if not is_true(sentence, scene) or sentence.denied:
        return tuple(frozenset[int]() for _ in sentence.words)
    if sentence.superlative:
        extreme = _extreme(sentence.superlative, scene)
        assert extreme is not None
        return tuple(frozenset([extreme]) if word.kind else frozenset[int]() for word in sentence.words)
    groups = _meant(sentence, scene)
    both = groups[0] | groups[1]
    return tuple(
        frozenset[int]() if not word.kind else both if word.of is None else groups[word.of] for word in sentence.words
    )


def holds(relation: str, one: Thing, other: Thing) -> bool:
    """Whether one thing is above another and so on, by their middles, and more so than it is beside it."""
    down, right = other.row - one.row, other.column - one.column
    toward = {"above": down, "below": -down, "left of": right, "right of": -right}[relation]
    aside = right if relation in ("above", "below") else down
    return toward > abs(aside)


def _meant(sentence: Sentence, scene: Scene) -> tuple[frozenset[int], frozenset[int]]:
    """The things of both groups that make a sentence true; empty where it is not."""
    nothing = frozenset[int](), frozenset[int]()
    first = sentence.group.of(scene)
    if not sentence.group.counts(first):
        return nothing
    if sentence.other is None:
        return first, frozenset()
    second = sentence.other.of(scene)
    if not sentence.other.counts(second):
        return nothing
    things = scene.things
    if sentence.group.number == "a" and sentence.other.number == "a":
        pairs = [
            (one, other)
            for one, other in product(first, second)
            if one != other and holds(sentence.relation, things[one], things[other])
        ]
        return frozenset(one for one, _ in pairs), frozenset(other for _, other in pairs)
    if sentence.group.number == "a":
        first = frozenset(
            one
            for one in first
            if all(one != other and holds(sentence.relation, things[one], things[other]) for other in second)
        )
    elif sentence.other.number == "a":
        second = frozenset(
            other
            for other in second
            if all(one != other and holds(sentence.relation, things[one], things[other]) for one in first)
        )
    elif not all(
        one != other and holds(sentence.relation, things[one], things[other]) for one, other in product(first, second)
    ):
        return nothing
    return (first, second) if first and second else nothing


def _extreme(superlative: str, scene: Scene) -> int | None:
    """The only largest or smallest thing; None where two are as large, or there is only one thing."""
    if len(scene.things) < 2:
        return None
    radii = [thing.radius for thing in scene.things]
    most = max(radii) if superlative == LARGEST else min(radii)
    return radii.index(most) if radii.count(most) == 1 else None


# How it is written.


def _words(sentence: Sentence) -> Iterator[Word]:
    group = sentence.group
    if sentence.superlative:
        yield from (Word("the"), Word(sentence.superlative, "superlative", 0), Word("thing"), Word("is"))
        if group.colour:
            yield Word(group.colour, "colour", 0)
        else:
            yield from (Word("a"), Word(group.shape, "shape", 0))
    elif sentence.denied and group.number == "no":
        yield from (Word("there"), Word("is"), Word("no", "negation"))
        yield from _described(group, 0, plural=False)
    elif sentence.denied:
        yield from (Word("nothing", "negation"), Word("is"), Word(group.colour, "colour", 0))
    else:
        yield from _group(group, 0)
        if sentence.other is not None:
            for part in sentence.relation.split():
                yield Word(part, "relation" if part != "of" else "")
            yield from _group(sentence.other, 1)


def _group(group: Group, of: int) -> Iterator[Word]:
    yield Word(group.number) if group.number == "a" else Word(group.number, "number", of)
    yield from _described(group, of, plural=group.number != "a")


def _described(group: Group, of: int, *, plural: bool) -> Iterator[Word]:
    for kind, word in (("size", group.size), ("texture", group.texture), ("colour", group.colour)):
        if word:
            yield Word(word, kind, of)
    noun = group.shape or NOUN
    yield Word(
        noun + ("es" if plural and noun == "cross" else "s" if plural else ""), "shape" if group.shape else "", of
    )


def vocabulary() -> tuple[str, ...]:
    """All words of the grammar, in alphabetical order."""
    plurals = {shape + ("es" if shape == "cross" else "s") for shape in (*SHAPES, NOUN)}
    small = {"a", "the", "is", "there", "no", "nothing", "of", LARGEST, SMALLEST, NOUN}
    relations = {relation.split()[0] for relation in RELATIONS}
    return tuple(sorted({*NUMBERS, *SIZES, *TEXTURES, *COLOURS, *SHAPES, *plurals, *small, *relations}))


# How it is read.


def parse(text: str) -> Sentence:
    """A sentence from its text, in any case, with "an" for "a" and a full stop or not.

    InputError, with what is known here, for a word or an order of words that the grammar has not.
    """
    words = ["a" if word == "an" else word for word in text.casefold().strip().rstrip(".").split()]
    unknown = [word for word in words if word not in vocabulary()]
    if unknown:
        raise InputError(
            f"“{unknown[0]}” is no word of this drawn world. It knows {', '.join(COLOURS)}; {', '.join(SHAPES)}; "
            f"{', '.join(SIZES)}; {', '.join(TEXTURES)}; {', '.join(RELATIONS)}; two, three, four, no, nothing, "
            "largest and smallest."
        )
    sentence = _read(words)
    if sentence is None or [word.text for word in sentence.words] != words:
        raise InputError(
            "That is no sentence of this drawn world. Write for instance “a red star above two small blue circles”, "
            "“nothing is green”, “there is no ring” or “the largest thing is a square”."
        )
    return sentence


def _read(words: Sequence[str]) -> Sentence | None:
    if words[:2] == ["nothing", "is"] and len(words) == 3:
        return Sentence(Group("", colour=words[2]), denied=True)
    if words[:3] == ["there", "is", "no"]:
        group = _read_group(["no", *words[3:]])
        return Sentence(group, denied=True) if group else None
    if words[:1] == ["the"] and len(words) > 4 and words[1] in (LARGEST, SMALLEST):
        group = Group("", shape=words[5]) if words[4] == "a" and len(words) == 6 else Group("", colour=words[4])
        return Sentence(group, superlative=words[1])
    for place, word in enumerate(words):
        relation = next((each for each in RELATIONS if each.split()[0] == word), "")
        if relation:
            first = _read_group(words[:place])
            second = _read_group(words[place + len(relation.split()) :])
            return Sentence(first, relation, second) if first and second else None
    group = _read_group(words)
    return Sentence(group) if group else None


def _read_group(words: Sequence[str]) -> Group | None:
    if len(words) < 2 or words[0] not in (*NUMBERS, "no"):
        return None
    found = {"size": "", "texture": "", "colour": ""}
    for word in words[1:-1]:
        kind = "size" if word in SIZES else "texture" if word in TEXTURES else "colour" if word in COLOURS else ""
        if not kind or found[kind]:
            return None
        found[kind] = word
    noun = words[-1]
    shape = next((each for each in (*SHAPES, NOUN) if noun in (each, each + "s", each + "es")), "")
    return Group(words[0], **found, shape="" if shape == NOUN else shape) if shape else None


# Sentences drawn at random.

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


def sentences_about(scene: Scene, dice: Random, count: int, *, held: bool | None = False) -> tuple[Sentence, ...]:
    """So many true sentences about a scene, none of them twice unless it has too few."""
    found: list[Sentence] = []
    for tried in range(50 * count):
        if len(found) == count:
            break
        sentence = sentence_about(scene, dice, held=held)
        if sentence is not None and (sentence not in found or tried > 25 * count):
            found.append(sentence)
    return tuple(found)


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
    extreme = _extreme(superlative, scene)
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
