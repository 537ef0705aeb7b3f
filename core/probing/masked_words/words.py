"""The words of a text as a model sees them: which tokens belong to each."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...text import BYTE, Tokens


@dataclass(frozen=True)
class Word:
    """A word or a punctuation mark: its number in the text, its label, and the places of its tokens.

    The number is the same for every model that reads the same text, since it is counted in the text itself.
    """

    number: int
    label: str
    places: tuple[int, ...]

    @property
    def has_letters(self) -> bool:
        """Whether the label contains a letter or a digit."""
        return any(letter.isalnum() for letter in self.label)


def words_of(tokens: Tokens) -> tuple[Word, ...]:
    """All words in reading order; special tokens belong to none, and a line break stands before the next word."""
    words: list[Word] = []
    before = ""
    for place, (label, word, special) in enumerate(zip(tokens.labels, tokens.words, tokens.special, strict=True)):
        if special:
            continue
        if word is None:
            before += label
        elif words and words[-1].number == word and not before:
            words[-1] = Word(word, joined(words[-1].label + label), (*words[-1].places, place))
        else:
            words.append(Word(word, before + label, (place,)))
            before = ""
    return tuple(words)


_BYTES = re.compile("(?:‹[89A-F][0-9A-F]›){2,}")


def joined(label: str) -> str:
    """A label in which the bytes of a character that was split over several tokens are joined to that character."""

    def read(match: re.Match[str]) -> str:
        try:
            return bytes.fromhex("".join(BYTE.findall(match[0]))).decode()
        except UnicodeDecodeError:  # more of it is to come
            return match[0]

    return _BYTES.sub(read, label)


def places_of(words: Iterable[Word], numbers: Collection[int]) -> tuple[int, ...]:
    """The places of all tokens of the words with these numbers."""
    return tuple(place for word in words if word.number in numbers for place in word.places)


def first_to_mask(words: Sequence[Word], unknown: Collection[int] = ()) -> int | None:
    """The place of the word that is masked at first: of the words with letters, the longest one of the second half.

    `unknown` are places of words that the model cannot read. None where no word with letters is left.
    """
    known = [place for place, word in enumerate(words) if word.has_letters and place not in unknown]
    return max(known[len(known) // 2 :], key=lambda place: len(words[place].label.strip()), default=None)
