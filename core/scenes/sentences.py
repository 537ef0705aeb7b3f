"""Sentences about scenes: a small grammar, its writer and its parser.

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
    """A description of one or more things: "" for a property that is not named. `number` "a" means at least one."""

    number: str
    size: str = ""
    texture: str = ""
    colour: str = ""
    shape: str = ""  # "": things of any shape

    def fits(self, thing: Thing) -> bool:
        """Whether a thing has all properties that are named."""
        pairs = ((self.size, thing.size), (self.texture, thing.texture), (self.colour, thing.colour))
        return all(not word or word == value for word, value in (*pairs, (self.shape, thing.shape)))

    def of(self, scene: Scene) -> frozenset[int]:
        """The numbers of the things that fit."""
        return frozenset(number for number, thing in enumerate(scene.things) if self.fits(thing))

    def counts(self, things: frozenset[int]) -> bool:
        """Whether the number of things that fit is the one that is named."""
        return len(things) >= 1 if self.number in ("a", "no") else len(things) == NUMBERS[self.number]


@dataclass(frozen=True)
class Sentence:
    """A statement about a `group`, about two groups in a `relation`, that there is no such group (`denied`), or about
    the largest or smallest thing (`superlative`), which then has the colour or shape of the group.
    """

    group: Group
    relation: str = ""
    other: Group | None = None
    denied: bool = False
    superlative: str = ""

    @property
    def words(self) -> tuple["Word", ...]:
        """The words in order, each with its kind ("" for function words) and the group it belongs to."""
        return tuple(_words(self))

    @property
    def text(self) -> str:
        """The words joined by spaces."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True)
class Word:
    """A word of a sentence; `of`: 0 if it describes the first group, 1 the second, None both or neither."""

    text: str
    kind: str = ""
    of: int | None = field(default=None, compare=False)


# The writer.


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
        yield from _noun_phrase(group, 0, plural=False)
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
    yield from _noun_phrase(group, of, plural=group.number != "a")


def _noun_phrase(group: Group, of: int, *, plural: bool) -> Iterator[Word]:
    for kind, word in (("size", group.size), ("texture", group.texture), ("colour", group.colour)):
        if word:
            yield Word(word, kind, of)
    noun = group.shape or NOUN
    yield Word(_plural(noun) if plural else noun, "shape" if group.shape else "", of)


def alternative_words(word: Word) -> tuple[str, ...]:
    """The other words of the same kind that could replace a word, plural if it is; () for a function word."""
    plural = word.text not in (*SHAPES, NOUN)
    words = {
        "number": [number for number in NUMBERS if number != "a"],
        "size": list(SIZES),
        "texture": list(TEXTURES),
        "colour": list(COLOURS),
        "shape": [_plural(shape) if plural else shape for shape in SHAPES],
        "relation": [relation.split()[0] for relation in RELATIONS],
        "superlative": [LARGEST, SMALLEST],
    }.get(word.kind, [])
    return tuple(alternative for alternative in words if alternative != word.text)


def _plural(noun: str) -> str:
    return noun + ("es" if noun == "cross" else "s")


def vocabulary() -> tuple[str, ...]:
    """All words of the grammar, in alphabetical order."""
    plurals = {_plural(noun) for noun in (*SHAPES, NOUN)}
    small = {"a", "the", "is", "there", "no", "nothing", "of", LARGEST, SMALLEST, NOUN}
    relations = {relation.split()[0] for relation in RELATIONS}
    return tuple(sorted({*NUMBERS, *SIZES, *TEXTURES, *COLOURS, *SHAPES, *plurals, *small, *relations}))


# The parser.


def parse(text: str) -> Sentence:
    """Parse a sentence; upper case, "an" for "a" and a full stop are accepted.

    InputError for a word or an order of words that is not in the grammar.
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
        relation = next((candidate for candidate in RELATIONS if candidate.split()[0] == word), "")
        if relation:
            first = _read_group(words[:place])
            second = _read_group(words[place + len(relation.split()) :])
            return Sentence(first, relation, second) if first and second else None
    group = _read_group(words)
    return Sentence(group) if group else None


def _read_group(words: Sequence[str]) -> Group | None:
    if len(words) < 2 or words[0] not in (*NUMBERS, "no"):
        return None
    words_by_kind = {"size": "", "texture": "", "colour": ""}
    for word in words[1:-1]:
        kind = "size" if word in SIZES else "texture" if word in TEXTURES else "colour" if word in COLOURS else ""
        if not kind or words_by_kind[kind]:
            return None
        words_by_kind[kind] = word
    noun = words[-1]
    shape = next((name for name in (*SHAPES, NOUN) if noun in (name, name + "s", name + "es")), "")
    return Group(words[0], **words_by_kind, shape="" if shape == NOUN else shape) if shape else None
