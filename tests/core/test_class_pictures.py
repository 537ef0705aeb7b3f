import pytest

from core.zoo.class_pictures import HOMONYMS, OTHER_NAMES, drawing_of, example_of, places_matching
from core.zoo.emoji import emoji

DESCRIPTIONS = {entry.character: entry.description for entry in emoji()}


@pytest.mark.parametrize("name", ["koala, koala bear, kangaroo bear", "umbrella", "Lion", "orange", "bee", "pizza"])
def test_a_drawing_has_the_name_of_the_class_or_of_a_synonym(name):
    description = DESCRIPTIONS[drawing_of(name)]
    assert description in [part.strip().lower() for part in name.split(",")] + [OTHER_NAMES.get(name)]


@pytest.mark.parametrize("name", ["goldfish", "mouse, computer mouse", "lesser panda, red panda, panda", "kite", ""])
def test_classes_without_a_drawing_of_their_own_and_homonyms_have_none(name):
    assert drawing_of(name) is None


def test_every_exception_is_needed():
    descriptions = set(DESCRIPTIONS.values())
    assert set(OTHER_NAMES.values()) <= descriptions
    assert not set(OTHER_NAMES) & descriptions
    with_synonyms = {"lesser panda": "panda", "porcupine": "hedgehog"}
    assert {with_synonyms.get(name, name) for name in HOMONYMS} <= descriptions


def test_an_example_photograph_stands_for_the_classes_that_are_right_for_it():
    assert example_of("tabby, tabby cat") == example_of("Egyptian cat") == "cat"
    assert example_of("moped") == "motorcycle"
    assert example_of("goldfish") is None


def test_a_search_finds_all_its_words_in_any_case_and_order():
    classes = ("Egyptian cat", "tabby, tabby cat", "Dog", "<b>")
    assert places_matching(classes, "CAT") == (0, 1)
    assert places_matching(classes, "cat egypt") == (0,)
    assert places_matching(classes, "  ") == (0, 1, 2, 3)
    assert places_matching(classes, "unicorn") == ()
    assert places_matching(classes, "<B") == (3,)
