"""Openings: what stands on a page before anybody has chosen succeeds by the page's own measure."""

from dataclasses import replace
from random import Random

import pytest

from core.images import EXAMPLES, open_example
from core.scenes.codes import code_of, read_code
from core.scenes.things import random_scene
from core.vision.patch_masks import RANDOM, hide_patches
from core.zoo.embedded import load_embedded_image
from dashboard.cache.models import autoencoder
from dashboard.inputs import controls, example_texts, photograph
from dashboard.inputs.picture_input import SCENES, PictureInput, sentence_for, truth_of
from dashboard.inputs.scene_builder import FIRST_SCENE
from pages.language.missing_word.across import Example as Translated
from pages.language.missing_word.inference import Example as Related
from pages.vision.reconstruction import compute_autoencoder
from pages.vision.reconstruction.hidden import FIRST as SHARE_HIDDEN
from pages.vision.reconstruction.hidden import Hidden
from pages.words_and_pictures.captioning import compute as captioning
from pages.words_and_pictures.captioning.inputs import KINDS
from tests.pages.conftest import prose
from tests.pages.opening_measures import CAT, KINDS_OF, MEASURES, SCENE, agree

HYBRID = "hybrid-vit"
CANNOT_KNOW = f"It cannot know this.** The picture shows {EXAMPLES['galaxies'].shows}, and none of its 1,000"
# By group what fails: mostly what opened the page before.
FAILURES: dict[str, list] = {
    "home": ["The old man looked at their house, and the old man looked at their", "a", "b"],
    "next-word": ["The cat that the dogs chased sat down because it was tired. The cat that the dogs"],
    "translation": ["It is raining cats and dogs."],
    "three-kinds": ["The door was locked, so the old man took a key out of his pocket and opened the"],
    "steps": ["The man saw it."],
    "order": ["The dog bit the man."],
    "characters": ["O Romeo, Romeo! wherefore art thou Rom"],
    "languages": ["Con mèo nhỏ ngủ trên ghế vì nó mệt.", "The cat sleeps."],
    "missing-word": ["The old man sat down by the fire, lit his pipe, and told the children a long story."],
    "two-sentences": [
        "The old man sat down by the fire and lit his pipe.",
        "Then he began to tell the children a long story.",
        "The ship had lost her mast in the storm, and the captain was dead.",
    ],
    "tasks": ["I read a book and a book."],
    "across": [Translated("It cost me an arm and a leg.", "Ça m'a coûté les yeux de la tête.", frozenset({4}))],
    "inference": [Related({"English": "A dog is chasing a cat"}, {"English": "A cat is chasing a dog"})],
    "reviews-english": ["The first half is stiff and far too long. The second half is one of the best things."],
    "reviews-spanish": ["El concierto fue genial, pero el sonido era horrible y no se oía nada."],
    "fooled-english": [("I did not like this film.", "I liked this film.")],
    "fooled-spanish": [("Qué día", "¡Qué día!")],
    "shrinking": ["The old man sat down by the fire and lit his"],
    "shrinking-mask": ["The old man sat down by the [MASK], lit his pipe, and told the children a long story."],
    "agreement-photographs": ["a cup on a table\na cat\na rocket in the sky\na motorcycle"],
    "agreement-emoji": ["a red heart\nsmiling face\nstrawberry\ndog"],
    "words-photographs": ["a woman is smiling"],
    "words-scenes": ["two green squares"],
    "words-emoji": ["dog"],
    "search-emoji": ["dog"],
    "search-scenes": ["a red star above a blue circle"],
    "search-photographs": ["a woman is smiling"],
    "captions-scenes": ["a green star above a blue circle", "a red star above a blue circle"],
    "captions-photographs": ["a brown dog runs through the grass", "a cat looks at the camera"],
    "joint": ["a green star above a blue circle"],
    "drawing-scenes": ["a red star above a blue circle"],
    "drawing-emoji": ["grinning cat"],
}


@pytest.mark.parametrize("group", example_texts.GROUPS)
def test_the_opening_of_each_group_succeeds_by_the_measure_of_its_page(group):
    kind = KINDS_OF.get(group)
    examples = example_texts.examples_of(group, kind) if kind else example_texts.examples(group)
    assert MEASURES[group](list(examples.values()))


@pytest.mark.parametrize("group", FAILURES)
def test_that_test_can_fail(group):
    assert not MEASURES[group](FAILURES[group])


def test_a_group_without_a_measure_fails():
    assert set(MEASURES) == set(example_texts.GROUPS)
    assert set(MEASURES) - set(FAILURES) == {"scene"}  # a scene is drawn so that its sentence is true


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_photograph_is_named_right_or_the_page_says_why_not(name):
    failure = sentence_of(name)
    assert bool(failure) == bool(EXAMPLES[name].reason)
    assert failure.endswith(EXAMPLES[name].reason)
    if failure:
        cannot_know = failure.startswith("**It cannot know this.**")
        assert cannot_know == (not EXAMPLES[name].known)


def test_that_test_can_fail_for_photographs(monkeypatch):
    monkeypatch.setitem(EXAMPLES, "cat", replace(EXAMPLES["cat"], known=("tripod",)))
    assert sentence_of("cat").startswith("**It is wrong.** The picture shows the face of a cat; “tripod” is one")


def test_a_photograph_without_names_and_without_a_reason_is_refused():
    with pytest.raises(ValueError, match="or the reason why there are none"):
        replace(EXAMPLES["galaxies"], reason="")


def test_the_page_image_says_that_a_model_cannot_know_a_photograph(visit):
    assert CANNOT_KNOW in prose(visit("explore/image", picture="galaxies"))
    assert "cannot know" not in prose(visit("explore/image"))


@pytest.mark.slow(seconds=20, guard="test_the_page_image_says_that_a_model_cannot_know_a_photograph")
def test_explanations_say_that_a_model_cannot_know_a_photograph(visit):
    assert CANNOT_KNOW in prose(visit("vision/vision_transformer", show="Explanations", picture="galaxies"))


@pytest.mark.parametrize(("name", "side"), [(HYBRID, None), ("vit-tiny-imagenet", 96), ("swin-tiny-imagenet", 128)])
def test_every_classifier_names_the_first_photograph_right(name, side):
    assert not sentence_of(controls.FIRST_PICTURE, name, side)


def test_the_first_photograph_is_captioned_as_a_cat():
    assert "cat" in captioning.write("photographs-transformer", CAT, 3).text.split()


def test_both_captions_of_the_first_scene_are_true():
    for kind in KINDS:
        assert truth_of(SCENE, captioning.write(f"scenes-{kind}", SCENE, 3).text) is True


def test_each_scene_agrees_most_with_its_sentence():
    codes = [FIRST_SCENE, *(code_of(random_scene(Random(f"clip 0 {number}"))) for number in range(3))]
    pictures = [PictureInput(SCENES, code) for code in codes]
    assert agree([sentence_for(read_code(code)) for code in codes], pictures=pictures)


def test_the_autoencoder_fills_the_first_photograph_better_than_any_filling():
    grid = autoencoder("mae").grid
    mask = hide_patches(RANDOM, grid, grid, SHARE_HIDDEN / 100, seed=0)
    filled = compute_autoencoder.fill(
        Hidden("mae", controls.FIRST_PICTURE, tuple(mask.nonzero()[:, 0].tolist()), autoencoder("mae").targets[0])
    )
    plain = [error for name, error in filled.errors.items() if name in filled.fillings]
    assert filled.errors[autoencoder("mae").targets[0]] < min(plain)


def sentence_of(example: str, name: str = HYBRID, side: int | None = None) -> str:
    """What pages say of a classifier's wrong first answer to an example photograph."""
    model = load_embedded_image(name)
    best, *_ = model.predictions(model.run(model.prepare(open_example(example), resolution=side)))
    return photograph.failure_sentence(model, example, best.label)
