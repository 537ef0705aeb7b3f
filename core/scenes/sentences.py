"""Sentences about scenes: a small grammar, how they are written, and how they are read.

    sentence  ->  group | group relation group | nothing | superlative
    group     ->  ("a" | "two" | "three" | "four") size? texture? colour? noun
    nothing   ->  "nothing is" colour | "there is no" size? texture? colour? noun
    superlative -> "the largest thing is" (colour | "a" shape) | "the smallest thing is" (colour | "a" shape)

"a star" is true if there is at least one; "two stars" if there are exactly two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import InputError
from .things import COLOURS, SHAPES, SIZES, TEXTURES, Scene, Thing

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
    yield Word(_plural(noun) if plural else noun, "shape" if group.shape else "", of)


def words_instead(word: Word) -> tuple[str, ...]:
    """The other words that could stand in its place: of the same kind, and plural where it is; () without content."""
    plural = word.text not in (*SHAPES, NOUN)
    offered = {
        "number": [each for each in NUMBERS if each != "a"],
        "size": list(SIZES),
        "texture": list(TEXTURES),
        "colour": list(COLOURS),
        "shape": [_plural(shape) if plural else shape for shape in SHAPES],
        "relation": [relation.split()[0] for relation in RELATIONS],
        "superlative": [LARGEST, SMALLEST],
    }.get(word.kind, [])
    return tuple(each for each in offered if each != word.text)


def _plural(noun: str) -> str:
    return noun + ("es" if noun == "cross" else "s")


def vocabulary() -> tuple[str, ...]:
    """All words of the grammar, in alphabetical order."""
    plurals = {_plural(noun) for noun in (*SHAPES, NOUN)}
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
            f"“{unknown[0]}” is not a word of this drawn world. It knows {', '.join(COLOURS)}; {', '.join(SHAPES)}; "
            f"{', '.join(SIZES)}; {', '.join(TEXTURES)}; {', '.join(RELATIONS)}; two, three, four, no, nothing, "
            "largest and smallest."
        )
    sentence = _read(words)
    if sentence is None or [word.text for word in sentence.words] != words:
        raise InputError(
            "That is not a sentence of this drawn world. Write for instance “a red star above two small blue circles”, "
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
