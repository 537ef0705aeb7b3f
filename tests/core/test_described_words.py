import pytest

from core.images import EXAMPLES
from core.images.described_words import FUNCTION_WORDS, content_words, matched_words


def test_content_words_are_those_that_no_closed_class_has():
    assert content_words("A man in a black shirt, and a MAN with the dog.") == ("man", "black", "shirt", "dog")
    assert content_words("") == content_words("the of 12 _") == ()


@pytest.mark.parametrize(
    ("caption", "description", "matched"),
    [
        ("two dogs in the snow", "a dog runs", ("dogs",)),
        ("a lady with boxes", "ladies and a box", ("lady", "boxes")),
        ("a man with a camera", "a photographer with his camera", ("camera",)),
        ("a man", "a woman", ()),
        ("glass", "glas", ()),
        ("bus", "bu", ()),
        ("of the", "of the", ()),
    ],
)
def test_a_word_matches_the_same_noun_in_either_number_and_no_other(caption, description, matched):
    assert matched_words(caption, [description]) == matched


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_known_sentence_of_an_example_matches_itself_in_full(name):
    example = EXAMPLES[name]
    words = content_words(example.sentence)
    assert words
    assert example.matched_words(example.sentence) == words
    assert example.matched_words(" ".join(FUNCTION_WORDS)) == ()
