"""The drawn world: pictures and masks agree pixel by pixel, sentences are read as they are written, and are true."""

import hashlib
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import binary_dilation

from core.errors import InputError
from core.scenes.draw import FULL, coverage, draw, mask, masks
from core.scenes.sentences import NUMBERS, RELATIONS, Group, Sentence, parse, vocabulary
from core.scenes.telling import HELD_RELATIONS, exchange_word, is_held_out, scene_for, sentence_about
from core.scenes.things import COLOURS, HELD_PAIRS, SHAPES, SIDE, SIZES, SPLITS, Scene, Thing, scene_at, touch
from core.scenes.truth import holds, is_true, meanings

# SHA-256 of the pictures and sentences of the first 20 scenes of each split: no machine draws others.
CHECKSUMS = {
    "train": "1bb30530862746bf3d76e44a56d0fe7e7194aefd79521d932a944efdc97add2a",
    "test": "67f90e2b6da0069c2f636000f460926d6950b5b6566c57b0545b941bd79c352c",
    "pairs": "28a4b88b981abec8e85ec1466a3d9278a523e4a519050c70fec28c0912835476",
    "relations": "b4a2439c6554454c7d5d0310137120f8835d36d9f61b8f944deac36133cfc649",
    "four": "b4951767da952db3bbadd443736e8e9f148bbba4b1398236bf548605bdbc3072",
}

SCENES = st.builds(scene_at, st.sampled_from(SPLITS), st.integers(0, 5000))


def sentence_texts(split: str, number: int) -> list[str]:
    sentences = sentences_about(scene_at(split, number), Random(number), 3, held=split == "relations")
    return [sentence.text for sentence in sentences]


def sentences_about(scene: Scene, rng: Random, count: int, *, held: bool | None = False) -> tuple[Sentence, ...]:
    """So many true sentences about a scene, none of them twice unless it has too few."""
    sentences: list[Sentence] = []
    for tried in range(50 * count):
        if len(sentences) == count:
            break
        sentence = sentence_about(scene, rng, held_out=held)
        if sentence is not None and (sentence not in sentences or tried > 25 * count):
            sentences.append(sentence)
    return tuple(sentences)


@pytest.mark.parametrize("split", SPLITS)
def test_scenes_and_sentences_are_the_same_on_every_machine(split):
    digest = hashlib.sha256()
    for number in range(20):
        digest.update(draw(scene_at(split, number)).tobytes())
        digest.update("; ".join(sentence_texts(split, number)).encode())
    assert digest.hexdigest() == CHECKSUMS[split]


@given(SCENES, st.sampled_from([32, 64, 128]))
@settings(max_examples=40)
def test_a_thing_has_just_the_pixels_that_change_when_it_is_taken_away(scene, side):
    picture = draw(scene, side)
    for number in range(len(scene.things)):
        remaining = Scene(scene.things[:number] + scene.things[number + 1 :], scene.top, scene.bottom)
        changed = (draw(remaining, side) != picture).any(axis=2)
        own = mask(scene.things[number], side)
        near = binary_dilation(own, np.ones((3, 3)), 2)  # at its edge and tips pixels are covered by less than a half
        assert not (changed & ~near).any()
        assert (own & ~changed).sum() <= 0.02 * own.sum()  # but for a colour that equals the ground
    assert (masks(scene, side).sum(axis=0) <= 1).all()


@given(st.sampled_from(SHAPES), st.integers(1, 40))
def test_a_shape_is_as_large_as_its_formula_says(shape, radius):
    area = coverage(shape, radius).sum() / FULL / (2 * radius) ** 2
    expected = {
        "circle": np.pi / 4,
        "ring": np.pi / 4 * (1 - 9 / 25),
        "square": 0.81,
        "diamond": 0.5,
        "cross": 5 / 9,
        "triangle": 0.5 * 0.95**2 * 10 / 9,
        "star": 1.123 / 4,
        "heart": (0.8284**2 * 2 + np.pi * 0.8284**2 / 2) / 4,
    }[shape]
    assert area == pytest.approx(expected, abs=0.03 + 0.3 / radius)


@given(SCENES)
def test_things_stand_apart_within_the_picture(scene):
    for number, thing in enumerate(scene.things):
        assert thing.radius < thing.row <= SIDE - thing.radius
        assert not any(touch(thing, other) for other in scene.things[:number])
        assert mask(thing).sum() > 15


@given(st.integers(0, 2000))
def test_splits_hold_out_what_they_say(number):
    for split in SPLITS:
        things = scene_at(split, number).things
        held = [(thing.colour, thing.shape) in HELD_PAIRS for thing in things]
        assert any(held) == (split == "pairs")
        assert len(things) == 4 if split == "four" else 1 <= len(things) <= 3
    with pytest.raises(ValueError, match="The splits are train, test"):
        scene_at("validation", number)


def test_every_colour_and_shape_is_in_one_held_pair():
    assert {colour for colour, _ in HELD_PAIRS} == set(COLOURS)
    assert {shape for _, shape in HELD_PAIRS} == set(SHAPES)
    for relation in RELATIONS:  # every relation and shape is said in training too
        for shape in SHAPES:
            assert any((relation, shape, other) not in HELD_RELATIONS for other in SHAPES)


@given(SCENES, st.integers(0, 999))
def test_what_is_said_is_true_and_read_as_it_is_written(scene, seed):
    for held in (None, False, True):
        for sentence in sentences_about(scene, Random(seed), 3, held=held):
            assert is_true(sentence, scene)
            assert parse(sentence.text) == sentence
            assert parse(f"  {sentence.text.capitalize()}. ") == sentence
            assert held is None or is_held_out(sentence) == held
            assert {word.text for word in sentence.words} <= set(vocabulary())


@given(SCENES, st.integers(0, 999))
def test_every_word_of_content_means_things_of_which_it_is_true(scene, seed):
    for sentence in sentences_about(scene, Random(seed), 3, held=None):
        for word, things in zip(sentence.words, meanings(sentence, scene), strict=True):
            if not word.kind or sentence.denied:
                assert not things
                continue
            assert things
            for thing in (scene.things[number] for number in things):
                if word.kind == "colour":
                    assert thing.colour == word.text
                if word.kind == "shape":
                    assert word.text in (thing.shape, thing.shape + "s", thing.shape + "es")
                if word.kind in ("size", "texture"):
                    assert word.text in (thing.size, thing.texture)
            if word.kind == "number":
                assert len(things) == NUMBERS[word.text]


STAR = Thing("star", "red", "medium", "plain", 12, 32)
LOW = Thing("circle", "blue", "small", "plain", 50, 20)
LOWER = Thing("circle", "blue", "small", "striped", 56, 40)
SCENE = Scene((STAR, LOW, LOWER))


@pytest.mark.parametrize(
    ("text", "true"),
    [
        ("a red star above two small blue circles", True),
        ("two small blue circles below a red star", True),
        ("a striped blue circle below a star", True),
        ("a blue circle", True),  # at least one
        ("three things", True),
        ("two things", False),  # there are three
        ("a red circle", False),
        ("two circles above a star", False),
        ("a star left of a circle", False),  # it is more above it than beside it
        ("nothing is green", True),
        ("nothing is red", False),
        ("there is no ring", True),
        ("there is no small blue circle", False),
        ("the largest thing is a star", True),
        ("the largest thing is red", True),
        ("the largest thing is blue", False),
        ("the smallest thing is blue", False),  # two are as small
    ],
)
def test_the_checker_agrees_with_what_one_sees(text, true):
    assert is_true(parse(text), SCENE) == true


def test_words_mean_the_things_of_their_group():
    meant = meanings(parse("a red star above two small blue circles"), SCENE)
    both, star, circles = {0, 1, 2}, {0}, {1, 2}
    assert [set(group) for group in meant] == [set(), star, star, both, circles, circles, circles, circles]
    assert not any(meanings(parse("nothing is green"), SCENE))
    assert not any(meanings(parse("a green star"), SCENE))


def test_of_two_relations_only_the_stronger_one_holds():
    one, other = Thing("star", "red", "small", "plain", 10, 10), Thing("star", "red", "small", "plain", 40, 20)
    assert [relation for relation in RELATIONS if holds(relation, one, other)] == ["above"]
    assert [relation for relation in RELATIONS if holds(relation, other, one)] == ["below"]


@pytest.mark.parametrize(
    "text", ["", "a", "star red a", "two two stars", "a red", "nothing green", "a star above", "the thing"]
)
def test_what_is_no_sentence_gets_an_example(text):
    with pytest.raises(InputError, match="not a sentence of this drawn world"):
        parse(text)


def test_an_unknown_word_is_named_with_those_that_are_known():
    with pytest.raises(InputError, match=r"“turquoise” is not a word .* It knows red, orange"):
        parse("a turquoise star")


@given(SCENES, st.integers(0, 99))
@settings(max_examples=30)
def test_a_sentence_gets_a_scene_of_which_it_is_true(scene, seed):
    for sentence in sentences_about(scene, Random(seed), 2, held=None):
        assert is_true(sentence, scene_for(sentence, Random(seed)))


def test_what_cannot_be_drawn_gets_a_sentence():
    with pytest.raises(InputError, match="at most 4 things"):
        scene_for(parse("three stars above three circles"), Random(0))
    impossible = Sentence(Group("a", shape="star"), "above", Group("four", shape="ring"))
    with pytest.raises(InputError, match="Say less of them"):
        scene_for(impossible, Random(0))


def test_what_is_no_thing_is_refused():
    with pytest.raises(ValueError, match="no small grey star"):
        Thing("star", "grey", "small", "plain", 9, 9)
    with pytest.raises(ValueError, match="plain or striped"):
        Thing("star", "red", "small", "dotted", 9, 9)
    assert set(SIZES.values()) == {5, 8, 12}


EXCHANGED = ("number", "size", "texture", "colour", "shape", "relation", "order")


@given(SCENES, st.integers(0, 999), st.sampled_from(EXCHANGED))
def test_a_sentence_with_another_word_differs_in_that_word_alone(scene, seed, kind):
    for sentence in sentences_about(scene, Random(seed), 3, held=None):
        other = exchange_word(sentence, kind, Random(seed))
        if other is None:
            assert kind not in {word.kind for word in sentence.words}
            continue
        before, after = sentence.text.split(), other.text.split()
        assert parse(other.text) == other
        if kind == "order":
            assert sorted(after) == sorted(before)
        elif kind != "relation":  # "left of" has one word more than "above"
            assert sum(one != two for one, two in zip(before, after, strict=True)) == 1
        assert other != sentence or kind == "order"
