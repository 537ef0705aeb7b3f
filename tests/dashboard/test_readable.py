"""Labels of tokens on axes and in tables: nothing in them stays unseen, and nothing that is seen is changed."""

import pytest

from dashboard.layout import readable


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        (" cat", "cat"),
        ("", "∅"),
        ("  ", "␠␠"),
        ("\n\n", "↵↵"),
        ("\x00", "\u2400"),
        ("a\x7f", "a\u2421"),
        ("\x0c", "\u240c"),
        ("\u202eabc", "·abc"),
        ("\u200b", "·"),
        ("é", "é"),
        ("שלום", "שלום"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("<b>", "<b>"),
    ],
)
def test_what_cannot_be_seen_has_a_picture(label, shown):
    assert readable(label) == shown
