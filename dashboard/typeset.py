"""Tokens and visitors' texts, prepared for tables, sentences and Markdown."""

from collections.abc import Iterable

import streamlit as st

from core.text import BYTE, Tokens, byte_sign, decode_labels


def plain(text: str) -> str:
    """Text from a visitor or a model as Markdown that shows exactly these characters."""
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in text)


_MARKDOWN = set("\\`*_{}[]()<>#+-.!|~$:&=^\"'")


def readable(label: str) -> str:
    """A token for a table or an axis: without its leading space, and with signs for invisible characters."""
    if visible_text := label.strip():
        return "".join(_PICTURES.get(letter, letter if _is_visible(letter) else "·") for letter in visible_text)
    return "".join(_PICTURES.get(letter, "␣") for letter in label) or "∅"


def in_word(tokens: Tokens, place: int) -> str:
    """A token for a table or a sentence; a piece of a word stands in brackets within the word: "carr[ots]".

    A byte of a word that is spelt in bytes is named with the word: "‹B1› of ⁨مرحبا⁩", isolated for its text direction.
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
    if BYTE.search(piece) and (word_text := decode_labels("".join(labels[first : last + 1]).strip())) and last > first:
        return f"{piece} of \u2068{word_text}\u2069"
    neighbours = ("".join(part).strip() for part in (labels[first:place], labels[place + 1 : last + 1]))
    before, after = (decode_labels(part) or part for part in neighbours)
    return f"{before and readable(before)}[{piece}]{after and readable(after)}" if before or after else piece


def _is_visible(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS


_JOINERS = "\u200c\u200d"  # seen in what they join: letters of Persian, people of an emoji
# Control characters are shown as bytes: their pictures in Unicode are boxes in most fonts.
_PICTURES = {chr(code): byte_sign(code) for code in (*range(0x20), 0x7F)} | {"\n": "↵", "\t": "⇥"}


def explain_bytes(labels: Iterable[str]) -> None:
    """Write below a figure or a table what the sign of a byte means, if there is one in its labels."""
    if match := next(filter(None, map(BYTE.search, labels)), None):
        st.caption(f"{match[0]} is one byte, no letter by itself: rare letters are spelt in two to four of them.")


def show_cut_notice(tokens: Tokens) -> None:
    """Write where the text ends for the model, if its context is too short for the entire text."""
    if cut := tokens.cut:
        labels = (label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special)
        last = plain("".join(labels).strip()[-40:])
        st.info(
            f"This text is longer than the model can read at once: it reads the first {cut.length:,} of {cut.total:,} "
            f"tokens ({cut.character:,} characters), up to “… {last}”. The rest is left out.",
            icon=":material/content_cut:",
        )
