"""What is computed for Across languages: two sentences read at once, gaps guessed twice, and what looks across."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from core import zoo
from core.errors import ModelError
from core.probing.masked_words.across_languages import (
    GuessPair,
    attention_across_languages,
    guess_with_and_without,
    sides_of,
)
from core.probing.masked_words.words import Word
from core.results import translator_results
from core.results.translator_results import FOLDER, PAIRS, PAIRS_FOLDER, Alignment, Guesses
from core.text import Tokens, read_text
from core.translation.decoding import UNKNOWN
from core.translation.spelling import normalise_english, normalise_french
from core.zoo.masked_language_models import MaskedLanguageModel
from dashboard.cache.memo import cached
from pages.language.missing_word.inputs import masked_model
from pages.language.missing_word.prose import PAGE

Hidden = tuple[int, ...]  # words of one sentence, counted from 0, in order


@dataclass(frozen=True, eq=False)
class Pair:
    """An English sentence and its translation as the model reads them."""

    english: str
    french: str
    tokens: Tokens  # English first
    sides: tuple[tuple[Word, ...], tuple[Word, ...]]

    @property
    def unknown_english(self) -> frozenset[int]:
        """The English words that hold a token which stands for whatever the model cannot read."""
        ids = self.tokens.ids
        words = enumerate(self.sides[0])
        return frozenset(number for number, word in words if any(ids[place] == UNKNOWN for place in word.places))


@dataclass(frozen=True, eq=False)
class Guessed:
    """The gaps of each language, guessed with the other one and alone."""

    english: tuple[GuessPair, ...]
    french: tuple[GuessPair, ...]


def model() -> MaskedLanguageModel:
    """`bert-pairs`; ModelError where it is not there."""
    if PAIRS not in zoo.TEXT:
        raise ModelError(PAGE.section("Across languages").text("Missing weights"))
    return masked_model(PAIRS)


@cached("Reading both sentences …")
def read(english: str, french: str) -> Pair:
    """Both sentences, spelled as the model has learned; InputError where one is empty or both are too long."""
    first, second = normalise_english(read_text(english)), normalise_french(read_text(french))
    tokens = model().encode_pair(first, second)
    return Pair(first, second, tokens, sides_of(tokens))


@cached("Guessing with and without the other language …")
def guess(english: str, french: str, hidden_english: Hidden, hidden_french: Hidden) -> Guessed:
    """Every gap of both sentences, guessed twice."""
    pair = read(english, french)
    return Guessed(
        guess_with_and_without(model(), pair.english, pair.french, hidden_english, hidden_french),
        guess_with_and_without(model(), pair.french, pair.english, hidden_french, hidden_english),
    )


@cached("Reading both sentences …")
def maps(
    english: str, french: str, hidden_english: Hidden = (), hidden_french: Hidden = ()
) -> Float[np.ndarray, "layer head target source"]:
    """What each French word gives to each English one, in every head; with words hidden, or whole."""
    pair = read(english, french)
    sides = zip(pair.sides, (hidden_english, hidden_french), strict=True)
    places = [place for side, hidden in sides for number in hidden for place in side[number].places]
    return attention_across_languages(model(), model().mask_places(pair.tokens, places)).numpy()


def alignment() -> Alignment:
    """How well each model aligns, with `bert-pairs` among them if it was measured."""
    return translator_results.alignment(FOLDER, PAIRS_FOLDER)


def measured() -> dict[str, Guesses] | None:
    """How well gaps of held-out sentences are guessed; None where nobody has measured."""
    return translator_results.guesses(PAIRS_FOLDER) if (PAIRS_FOLDER / "results.json").is_file() else None
