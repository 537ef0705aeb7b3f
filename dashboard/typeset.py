"""Tokens and visitors' texts as tables, sentences and Markdown show them."""

from collections.abc import Iterable

import streamlit as st

from core.text import BYTE, Tokens, byte_sign, spelt


def plain(text: str) -> str:
    """Text from a visitor or a model as Markdown that shows exactly these characters."""
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in text)


_MARKDOWN = set("\\`*_{}[]()<>#+-.!|~$:&=^\"'")


def readable(label: str) -> str:
    """A token for a table or an axis: without its leading space, and what cannot be seen made visible."""
    if shown := label.strip():
        return "".join(_PICTURES.get(letter, letter if _is_visible(letter) else "·") for letter in shown)
    return "".join(_PICTURES.get(letter, "␣") for letter in label) or "∅"


def in_word(tokens: Tokens, place: int) -> str:
    """A token for a table or a sentence; one that is a piece of a word stands in brackets within it: "carr[ots]".

    Of a word that is spelt in bytes a byte is named with the word: "‹B1› of ⁨مرحبا⁩", its own direction kept inside.
    """
    labels, word = tokens.labels, tokens.words[place]
    piece = readable(labels[place])
    if word is None:
        return piece
    first = last = place
    while first and tokens.words[first - 1] == word:
        first -= 1
    while last + 1 < len(tokens) and tokens.words[last + 1] == word:
        last += 1
    if BYTE.search(piece) and (whole := spelt("".join(labels[first : last + 1]).strip())) and last > first:
        return f"{piece} of \u2068{whole}\u2069"
    beside = ("".join(part).strip() for part in (labels[first:place], labels[place + 1 : last + 1]))
    before, after = (spelt(part) or part for part in beside)
    return f"{before and readable(before)}[{piece}]{after and readable(after)}" if before or after else piece


def _is_visible(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS


_JOINERS = "\u200c\u200d"  # seen in what they join: letters of Persian, people of an emoji
# Control characters are shown as bytes: their pictures in Unicode are boxes in most fonts.
_PICTURES = {chr(code): byte_sign(code) for code in (*range(0x20), 0x7F)} | {"\n": "↵", "\t": "⇥"}


def explain_bytes(labels: Iterable[str]) -> None:
    """Say below a figure or a table what the sign of a byte means, if there is one in its labels."""
    if found := next(filter(None, map(BYTE.search, labels)), None):
        st.caption(f"{found[0]} is one byte, no letter by itself: rare letters are spelt in two to four of them.")


def say_what_was_cut(tokens: Tokens) -> None:
    """Where the text ends for the model, if its context holds no more."""
    if cut := tokens.cut:
        own = (label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special)
        last = plain("".join(own).strip()[-40:])
        st.info(
            f"This text is longer than the model can read at once: it reads the first {cut.kept:,} of {cut.total:,} "
            f"tokens ({cut.character:,} characters), up to “… {last}”. The rest is left out.",
            icon=":material/content_cut:",
        )
