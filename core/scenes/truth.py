"""Whether a sentence is true of a scene, and which things each of its words refers to."""

from itertools import product

from .sentences import LARGEST, Sentence
from .things import Scene, Thing


def is_true(sentence: Sentence, scene: Scene) -> bool:
    """Whether a sentence is true of a scene."""
    if sentence.denied:
        return not sentence.group.of(scene)
    if sentence.superlative:
        extreme = extreme_of(sentence.superlative, scene)
        return extreme is not None and sentence.group.fits(scene.things[extreme])
    group_things, other_things = _things_meant(sentence, scene)
    return bool(group_things) and (sentence.other is None or bool(other_things))


def meanings(sentence: Sentence, scene: Scene) -> tuple[frozenset[int], ...]:
    """The numbers of the things that each word refers to; none for function words, and none if the sentence is false.

    A relation refers to the things of both groups; a negated sentence to nothing.
    """
    if not is_true(sentence, scene) or sentence.denied:
        return tuple(frozenset[int]() for _ in sentence.words)
    if sentence.superlative:
        extreme = extreme_of(sentence.superlative, scene)
        assert extreme is not None
        return tuple(frozenset([extreme]) if word.kind else frozenset[int]() for word in sentence.words)
    groups = _things_meant(sentence, scene)
    both = groups[0] | groups[1]
    return tuple(
        frozenset[int]() if not word.kind else both if word.of is None else groups[word.of] for word in sentence.words
    )


def holds(relation: str, first: Thing, second: Thing) -> bool:
    """Whether a relation (one of RELATIONS) holds by the middles of two things: along its axis they are farther apart
    than across it.
    """
    down, right = second.row - first.row, second.column - first.column
    toward = {"above": down, "below": -down, "left of": right, "right of": -right}[relation]
    aside = right if relation in ("above", "below") else down
    return toward > abs(aside)


def _things_meant(sentence: Sentence, scene: Scene) -> tuple[frozenset[int], frozenset[int]]:
    """The numbers of the things of both groups that make a sentence true; empty if it is false."""
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
        pairs = [(i, j) for i, j in product(first, second) if i != j and holds(sentence.relation, things[i], things[j])]
        return frozenset(i for i, _ in pairs), frozenset(j for _, j in pairs)
    if sentence.group.number == "a":
        first = frozenset(
            i for i in first if all(i != j and holds(sentence.relation, things[i], things[j]) for j in second)
        )
    elif sentence.other.number == "a":
        second = frozenset(
            j for j in second if all(i != j and holds(sentence.relation, things[i], things[j]) for i in first)
        )
    elif not all(i != j and holds(sentence.relation, things[i], things[j]) for i, j in product(first, second)):
        return nothing
    return (first, second) if first and second else nothing


def extreme_of(superlative: str, scene: Scene) -> int | None:
    """The number of the largest or smallest thing; None if it is not unique, or there is only one thing."""
    if len(scene.things) < 2:
        return None
    radii = [thing.radius for thing in scene.things]
    most = max(radii) if superlative == LARGEST else min(radii)
    return radii.index(most) if radii.count(most) == 1 else None
