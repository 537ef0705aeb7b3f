"""The words that a visitor hides: kept in the address, checked against the text."""

from collections.abc import Collection, Sequence

import streamlit as st

from core.probing.masked_words.words import Word, first_to_mask
from core.view.codec import whole_number
from dashboard.address import parameter
from pages.language.missing_word.inputs import HIDDEN_ADDRESS as ADDRESS

NONE = "none"  # in the address: the visitor has shown all words again
LONGEST = 1000  # letters of the address that are read


def encode(hidden: Collection[int]) -> str:
    """As they stand in the address: "3.7" are the words 3 and 7, counted from 0."""
    return ".".join(map(str, sorted(hidden))) or NONE


def decode(text: str, count: int) -> tuple[frozenset[int], int]:
    """The words of an address among `count` of them, and how many parts of it are no such words."""
    parts = [part for part in text[:LONGEST].split(".") if part and part != NONE]
    numbers = [whole_number(part, count) for part in parts]
    return frozenset(number for number in numbers if number is not None), numbers.count(None)


def first_hidden(words: Sequence[Word], unknown: Collection[int] = ()) -> frozenset[int]:
    """What is hidden before anybody has clicked: of the words with letters, the longest one of the second half.

    `unknown` are those that the model cannot read, so that nothing could be guessed.
    """
    place = first_to_mask(words, unknown)
    return frozenset() if place is None else frozenset([place])


def from_address(
    words: Sequence[Word], *, address: str = ADDRESS, usual: frozenset[int] | None = None, what: str = "this text"
) -> frozenset[int]:
    """The hidden words; what does not fit this text is dropped, and that is said.

    `usual` are those before anybody has clicked, by default `first_hidden`; `what` names the text in a sentence.
    """
    usual = first_hidden(words) if usual is None else usual
    hidden, wrong = parameter(address, lambda text: decode(text, len(words)), (usual, 0))
    if wrong:
        st.info(
            f"{wrong} of the masked words in the address {'is' if wrong == 1 else 'are'} not among the {len(words):,} "
            f"words of {what}, and {'is' if wrong == 1 else 'are'} ignored.",
            icon=":material/link_off:",
        )
        to_address(hidden, address=address)
    return hidden


def to_address(hidden: Collection[int], *, address: str = ADDRESS) -> None:
    """Write the hidden words into the address."""
    st.query_params[address] = encode(hidden)
