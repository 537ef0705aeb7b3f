"""Whether a sentence is true of a scene, and which things each of its words means."""

from itertools import product

from .sentences import LARGEST, Sentence
from .things import Scene, Thing


def is_true(sentence: Sentence, scene: Scene) -> bool:
    """Whether a scene is as the sentence says."""
    if sentence.denied:
        return not sentence.group.of(scene)
    if sentence.superlative:
        extreme = extreme_of(sentence.superlative, scene)
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
        extreme = extreme_of(sentence.superlative, scene)
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


def extreme_of(superlative: str, scene: Scene) -> int | None:
    """The only largest or smallest thing; None where two are as large, or there is only one thing."""
    if len(scene.things) < 2:
        return None
    radii = [thing.radius for thing in scene.things]
    most = max(radii) if superlative == LARGEST else min(radii)
    return radii.index(most) if radii.count(most) == 1 else None
