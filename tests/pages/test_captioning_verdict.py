"""Captioning: how sure a network is, and whether its caption is right, stand above the map and are computed."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from core.images import EXAMPLES
from core.translation.decoding import END
from dashboard.inputs.picture_input import PHOTOGRAPHS, SCENES, PictureInput
from dashboard.inputs.scene_builder import FIRST_SCENE
from pages.words_and_pictures.captioning import compute
from pages.words_and_pictures.captioning.verdict import (
    FALSE,
    NO_CONTENT,
    NO_SENTENCE,
    TRUE,
    certainty,
    correctness,
    details,
    verdict,
)
from tests.pages.conftest import prose

ROOM = "words_and_pictures/captioning"
PHOTOGRAPHER = PictureInput(PHOTOGRAPHS, "photographer")


def written(labels, chances, ends=True):
    ids = tuple(range(END + 1, END + 1 + len(labels)))
    tokens = SimpleNamespace(ids=(*ids, END) if ends else ids, labels=(*labels, "") if ends else tuple(labels))
    attention = SimpleNamespace(log_probabilities=tuple(map(math.log, chances)))
    model = SimpleNamespace(name="photographs-lstm")
    return SimpleNamespace(words=tokens, attention=attention, end=END, text=" ".join(labels), model=model)


def test_certainty_is_the_geometric_mean_and_the_least_probable_word_is_named():
    caption = written(["a", "man"], [0.9, 0.1, 0.6])
    assert f"each word {np.prod([0.9, 0.1, 0.6]) ** (1 / 3):.0%} probable" in certainty(caption)
    assert "Of its 3 words, the end included, the least probable is “man”: 10%." in details(caption, PHOTOGRAPHER)
    last = written(["a", "man"], [0.9, 0.5, 0.01])
    assert details(last, PHOTOGRAPHER)[0].endswith("is the end: 1%.")
    small = written(["a", "**man**"], [0.9, 0.0001], ends=False)
    assert details(small, PHOTOGRAPHER)[0].endswith(": less than 1%.")
    empty = written([], [], ends=False)
    assert certainty(empty) == ""
    assert len(details(empty, PHOTOGRAPHER)) == 1  # what is known, and nothing of words


@pytest.mark.parametrize(
    ("caption", "count", "matched"),
    [
        ("a man in a black shirt with a camera", 4, ["man", "camera"]),
        ("two cameras", 1, ["cameras"]),
        ("a dog runs through the snow", 3, []),
    ],
)
def test_a_caption_of_an_example_photograph_is_compared_with_what_is_known_of_it(caption, count, matched):
    assert f"**{len(matched) or 'None'} of {count} content words fit" in correctness(caption, PHOTOGRAPHER)
    known = details(written(caption.split(), [0.5] * (len(caption.split()) + 1)), PHOTOGRAPHER)[-1]
    assert EXAMPLES["photographer"].shows in known
    assert re.findall("“(.+?)”", known) == matched


def test_nothing_is_claimed_of_photographs_of_which_nothing_is_known_and_of_captions_without_content():
    assert correctness("a man", PictureInput(PHOTOGRAPHS, "no example")) == ""
    assert NO_CONTENT in correctness("a of the", PHOTOGRAPHER)
    assert verdict(written(["a"], [0.5, 0.5]), PictureInput(PHOTOGRAPHS, "no example")).startswith("each word 50%")


def test_a_caption_of_a_scene_is_true_or_false_or_no_sentence_of_the_drawn_world():
    scene = PictureInput(SCENES, FIRST_SCENE)
    assert TRUE in correctness("a red star above a blue circle", scene)
    assert FALSE in correctness("a green star", scene)
    assert NO_SENTENCE in correctness("hello", scene)


def test_both_lines_stand_on_the_page_with_the_numbers_of_the_captions(visit):
    app = visit(ROOM, world=PHOTOGRAPHS, picture="photographer")
    for name in ("photographs-lstm", "photographs-transformer"):
        caption = compute.write(name, PHOTOGRAPHER, 3)
        mean = float(np.exp(np.mean(caption.attention.log_probabilities)))
        assert f"each word {mean:.0%} probable" in prose(app)
        matched = EXAMPLES["photographer"].matched_words(caption.text)
        assert all(f"“{word}”" in prose(app) for word in matched)
