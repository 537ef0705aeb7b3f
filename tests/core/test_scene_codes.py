"""A scene as a text: it comes back as it was, and what is no scene gets a sentence."""

import pytest

from core.errors import InputError
from core.scenes.codes import EXAMPLE, code_of, read_code
from core.scenes.sentences import alternative_words, parse
from core.scenes.things import SPLITS, scene_at


@pytest.mark.parametrize("split", SPLITS)
def test_a_scene_comes_back_from_its_text(split):
    for number in range(50):
        scene = scene_at(split, number)
        assert read_code(code_of(scene)) == scene


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "begins with two numbers"),
        ("9-0~star.red.large.plain.20.20", "two numbers from 0 to 3"),
        ("0009-0~star.red.large.plain.20.20", "two numbers from 0 to 3"),
        ("²-0~star.red.large.plain.20.20", "two numbers from 0 to 3"),
        ("0-0-0~star.red.large.plain.20.20", "two numbers from 0 to 3"),
        ("3-0~star.red.large.plain.20.20", "never graded"),
        ("0-0", "1 to 4 things, not 0"),
        ("0-0~star.red.large.plain.20", "is not a thing"),
        ("0-0~star.red.large.plain.20.<b>", "is not a thing"),
        ("0-0~star.red.large.plain.20.20.20", "is not a thing"),
        ("0-0~moon.red.large.plain.20.20", "no large red moon"),
        ("0-0~star.red.large.dotted.20.20", "plain or striped, not dotted"),
        ("0-0~star.red.large.plain.5.20", "lies 13 to 51 pixels"),
        ("0-0~star.red.large.plain.20.20~ring.blue.large.plain.30.30", "touch"),
        ("0-0" + "~ring.blue.small.plain.9.9" * 5, "1 to 4 things, not 5"),
    ],
)
def test_what_is_no_scene_gets_a_sentence_with_the_rule(text, sentence):
    with pytest.raises(InputError, match=sentence):
        read_code(text)


def test_the_example_is_a_scene():
    assert code_of(read_code(EXAMPLE)) == EXAMPLE


def test_the_words_that_could_stand_instead_make_sentences_too():
    sentence = parse("two small red stars above a blue circle")
    texts = [word.text for word in sentence.words]
    for place, word in enumerate(sentence.words):
        others = alternative_words(word)
        assert bool(others) == bool(word.kind)
        assert word.text not in others
        for other in others:
            changed = [*texts[:place], other, *texts[place + 1 :]]
            if word.kind != "relation":  # "left" would need an "of"
                assert parse(" ".join(changed)).text == " ".join(changed)
