"""Labels of tokens on axes and in tables: nothing in them stays unseen, and nothing that is seen is changed."""

import pytest
from streamlit.testing.v1 import AppTest

from core.text import Tokens
from dashboard.typeset import in_word, readable


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (" cat", "cat"),
        ("", "∅"),
        ("  ", "␣␣"),
        ("\n\n", "↵↵"),
        ("\x00", "‹00›"),
        ("a\x7f", "a‹7F›"),
        ("\x0c", "‹0C›"),
        ("\u202eabc", "·abc"),
        ("\u200b", "·"),
        ("é", "é"),
        ("‹DC›", "‹DC›"),
        ("שלום", "שלום"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("<b>", "<b>"),
    ],
)
def test_what_cannot_be_seen_has_a_picture(label, expected):
    assert readable(label) == expected


@pytest.mark.parametrize(("labels", "captions"), [(["caf", "‹C3›", "‹A9›"], 1), (["caf", "é", "‹0C"], 0), ([], 0)])
def test_the_sign_of_a_byte_is_explained_once_where_there_is_one(labels, captions):
    def page(labels):
        from dashboard import typeset

        typeset.explain_bytes(labels)

    app = AppTest.from_function(page, args=(labels,)).run()
    assert len(app.caption) == captions
    assert all(caption.value.startswith("‹C3› is one byte") for caption in app.caption)


@pytest.mark.parametrize(
    ("labels", "words", "expected"),
    [
        ((" carr", "ots", "."), (0, 0, 1), ["[carr]ots", "carr[ots]", "."]),
        ((" a", " b"), (0, 1), ["a", "b"]),
        (("[CLS]", "un", "like", "ly"), (None, 0, 0, 0), ["[CLS]", "[un]likely", "un[like]ly", "unlike[ly]"]),
        ((" caf", "‹C3›", "‹A9›"), (4, 4, 4), ["[caf]é", "‹C3› of \u2068café\u2069", "‹A9› of \u2068café\u2069"]),
        (("‹D9›", "‹85›"), (1, 1), ["‹D9› of \u2068م\u2069", "‹85› of \u2068م\u2069"]),
        (("x", "‹D9›"), (1, 1), ["[x]‹D9›", "x[‹D9›]"]),  # cut within a letter: no text
    ],
)
def test_a_piece_of_a_word_is_named_within_its_word(labels, words, expected):
    tokens = Tokens(tuple(range(len(labels))), labels, tuple(word is None for word in words), words)
    assert [in_word(tokens, place) for place in range(len(labels))] == expected
