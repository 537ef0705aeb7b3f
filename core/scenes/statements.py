"""Which words of a sentence hold in a scene: to judge pictures that networks made of the sentence."""

from collections.abc import Iterator
from itertools import product

from .sentences import Sentence, Word
from .things import Scene, Thing
from .truth import holds, is_true

ThingPair = tuple[Thing | None, Thing | None]  # a thing for the first group of a sentence, and one for the second


def statements(sentence: Sentence, scene: Scene) -> tuple[bool | None, ...]:
    """For each word whether it holds; None for function words. All words of a true sentence hold.

    Things are chosen for the groups of the sentence, a thing for one of them only, so that as many words as possible
    hold: in a scene with a red circle and a blue star one word of "a red star" holds, not both. A number holds if as
    many things as it says are all that its group says. "largest", "no" and "nothing" hold if the sentence is true.
    """
    is_sentence_true = is_true(sentence, scene)
    if sentence.denied:
        return tuple(is_sentence_true if word.kind == "negation" else None for word in sentence.words)
    candidates = (
        tuple(_holds(sentence, word, scene, things, is_sentence_true) for word in sentence.words)
        for things in _choices(scene)
    )
    return max(candidates, key=lambda words: sum(map(bool, words)))


def _choices(scene: Scene) -> Iterator[ThingPair]:
    things = (*scene.things, None)
    return ((first, second) for first, second in product(things, things) if first is None or first is not second)


def _holds(sentence: Sentence, word: Word, scene: Scene, things: ThingPair, is_sentence_true: bool) -> bool | None:
    if not word.kind:
        return None
    if word.kind == "superlative":
        return is_sentence_true
    if word.kind == "relation":
        return _relation_holds(sentence, scene, things, is_sentence_true)
    group, thing = (sentence.other, things[1]) if word.of == 1 else (sentence.group, things[0])
    assert group is not None
    if word.kind == "number":
        return group.counts(group.of(scene))
    return thing is not None and getattr(group, word.kind) == getattr(thing, word.kind)


def _relation_holds(sentence: Sentence, scene: Scene, things: ThingPair, is_sentence_true: bool) -> bool:
    """Whether the relation holds: between the groups if both exist, else between the things chosen for them."""
    assert sentence.other is not None
    if all(group.counts(group.of(scene)) for group in (sentence.group, sentence.other)):
        return is_sentence_true
    first, second = things
    return first is not None and second is not None and holds(sentence.relation, first, second)
