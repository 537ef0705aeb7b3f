"""Which of the statements of a sentence hold in a scene, word by word: for pictures that a sentence was drawn as."""

from collections.abc import Iterator
from itertools import product

from .sentences import Sentence, Word
from .things import Scene, Thing
from .truth import holds, is_true

Chosen = tuple[Thing | None, Thing | None]  # for the first group of a sentence, and for the second


def statements(sentence: Sentence, scene: Scene) -> tuple[bool | None, ...]:
    """For each word whether what it says holds; None for words that state nothing. All hold where the sentence is true.

    Things are chosen for the groups of the sentence, a thing for one of them only, so that as many words as possible
    hold: in a scene with a red circle and a blue star one word of "a red star" holds, not both. A number holds if as
    many things as it says are all that its group says. "largest", "no" and "nothing" hold if the sentence is true.
    """
    whole = is_true(sentence, scene)
    if sentence.denied:
        return tuple(whole if word.kind == "negation" else None for word in sentence.words)
    ways = (
        tuple(_holds(sentence, word, scene, things, whole) for word in sentence.words) for things in _choices(scene)
    )
    return max(ways, key=lambda way: sum(map(bool, way)))


def _choices(scene: Scene) -> Iterator[Chosen]:
    offered = (*scene.things, None)
    return ((one, other) for one, other in product(offered, offered) if one is None or one is not other)


def _holds(sentence: Sentence, word: Word, scene: Scene, things: Chosen, whole: bool) -> bool | None:
    if not word.kind:
        return None
    if word.kind == "superlative":
        return whole
    if word.kind == "relation":
        return _relation_holds(sentence, scene, things, whole)
    group, thing = (sentence.other, things[1]) if word.of == 1 else (sentence.group, things[0])
    assert group is not None
    if word.kind == "number":
        return group.counts(group.of(scene))
    return thing is not None and getattr(group, word.kind) == getattr(thing, word.kind)


def _relation_holds(sentence: Sentence, scene: Scene, things: Chosen, whole: bool) -> bool:
    """As the sentence says, where both groups are there; else between the things that were chosen for them."""
    assert sentence.other is not None
    if all(group.counts(group.of(scene)) for group in (sentence.group, sentence.other)):
        return whole
    one, other = things
    return one is not None and other is not None and holds(sentence.relation, one, other)
