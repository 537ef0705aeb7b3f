"""Behavioural tests of sentiment classifiers: pairs of sentences that differ in one place.

The three types of tests of CheckList (Ribeiro et al. 2020, "Beyond Accuracy", section 2.2), each on a pair of our own:

minimum functionality   the predicted class should "change": "The acting is (not) wonderful."
invariance              it should "stay": "Maria (Fatima) is wonderful in this film."
directional             how positive the text is should not move the wrong way where the words become "stronger" or
                        "weaker": "The film is (really) good."
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from math import gcd, prod, sqrt

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import ModelError
from ..progress import Progress, no_progress
from ..text import read_text
from ..zoo.text_models import Classifier
from .template_tests import BAD, GOOD, KINDS, Sentiment, Should, Test
from .templates import TESTS, WORDS

__all__ = [
    "KINDS",
    "BehaviouralTestResult",
    "Pair",
    "Rate",
    "count_failures",
    "fails",
    "pairs_of",
    "positivity",
    "read_pairs",
    "segments",
]

MAX_PAIRS = 15  # pairs of one template
TOLERANCE = 0.05  # the change of positivity in the wrong direction that a directional test allows
CONFIDENCE = 1.959964  # standard deviations of a normal distribution that leave 2.5% outside on each side
_PLACE = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
_SLOT = re.compile(r"\{(\w+)([~-]?)\}")


@dataclass(frozen=True)
class Pair:
    """A sentence and its changed version, the sentiment of both, and the expected effect on the prediction."""

    kind: str
    test: str
    should: Should
    sentiments: tuple[Sentiment, Sentiment]
    before: str
    after: str


@cache
def pairs_of(language: str) -> tuple[Pair, ...]:
    """All pairs of a language, by kind; deterministic. Raises KeyError for another language."""
    pairs = [pair for test in TESTS[language] for pair in _pairs(test, WORDS[language])]
    return tuple(sorted(pairs, key=lambda pair: list(KINDS).index(pair.kind)))


def _pairs(test: Test, words: dict[str, tuple[str, ...]]) -> Iterator[Pair]:
    for template in test.templates:
        for chosen in _fillings(template, words):
            before, after = (_fill_template(_PLACE.sub(rf"\{side}", template), chosen) for side in (1, 2))
            yield Pair(test.kind, test.name, test.should, test.sentiments, before, after)


def _fillings(template: str, words: dict[str, tuple[str, ...]]) -> Iterator[dict[str, str]]:
    """At most MAX_PAIRS ways to fill a template, spread over all by steps of the golden ratio, without repetition."""
    slots = list(dict.fromkeys(name for name, _ in _SLOT.findall(template)))
    total = prod(len(words[slot]) for slot in slots)
    step = next(step for step in range(max(1, round(0.618 * total)), 2 * total + 1) if gcd(step, total) == 1)
    for turn in range(min(MAX_PAIRS, total)):
        number, chosen = turn * step % total, {}
        for slot in slots:
            number, place = divmod(number, len(words[slot]))
            chosen[slot] = words[slot][place]
        yield chosen


def _fill_template(text: str, chosen: dict[str, str]) -> str:
    spell: dict[str, Callable[[str], str]] = {"": str, "~": swap_letters, "-": drop_letter}
    return _SLOT.sub(lambda slot: spell[slot[2]](chosen[slot[1]]), text)


def swap_letters(word: str) -> str:
    """Swap two neighbouring, different letters near the middle of a word; the first letter stays."""
    places = sorted(range(1, len(word) - 1), key=lambda place: abs(place - len(word) // 2))
    place = next(place for place in places if word[place] != word[place + 1])
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def drop_letter(word: str) -> str:
    """Remove the letter in the middle of a word."""
    return word[: len(word) // 2] + word[len(word) // 2 + 1 :]


def segments(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Align both texts word by word: pairs of equal pieces where nothing changed, else the old and the new piece.

    The first pieces joined are `before`, the second ones `after`.
    """
    old, new = (re.findall(r"\s*\w+|\s*[^\w\s]|\s+$", text) for text in (before, after))
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(("".join(old[a:b]), "".join(new[c:d])) for _, a, b, c, d in opcodes)


# Predictions of a classifier.


def read_pairs(
    model: Classifier, pairs: Sequence[Pair], progress: Progress = no_progress
) -> Float[Tensor, "point side class"]:
    """The class probabilities of both sentences of each pair; each text is run once."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.before, pair.after)))
    probabilities = {}
    for done, text in enumerate(texts):
        progress(done, len(texts))
        probabilities[text] = probabilities_of_text(model, text)
    return torch.stack([torch.stack([probabilities[pair.before], probabilities[pair.after]]) for pair in pairs])


@torch.no_grad()
def probabilities_of_text(model: Classifier, text: str) -> Float[Tensor, " class"]:
    """The class probabilities of a text. Raises InputError for an empty text, ModelError where the model fails."""
    logits = model.run(model.encode(read_text(text))).logits
    if logits is None:
        raise ModelError(f"{model.title} gives a text no class.")
    return logits.float().softmax(dim=-1)


def polar_classes(classes: Sequence[str]) -> tuple[int, int] | None:
    """The numbers of the negative and the positive class, by their names; None where the names do not say."""
    numbers_by_sentiment = [
        [number for number, name in enumerate(classes) if name.strip().lower().startswith(sentiment[:3])]
        for sentiment in (BAD, GOOD)
    ]
    return (
        (numbers_by_sentiment[0][0], numbers_by_sentiment[1][0])
        if all(len(numbers) == 1 for numbers in numbers_by_sentiment)
        else None
    )


def positivity(probabilities: Float[Tensor, "... class"], classes: Sequence[str]) -> Float[Tensor, "..."] | None:
    """How positive a prediction is, from 0 (certainly negative) to 1 (certainly positive); other classes count half.

    None where the names of the classes do not say which is positive.
    """
    if (polar := polar_classes(classes)) is None:
        return None
    negative, positive = polar
    return (1 + probabilities[..., positive] - probabilities[..., negative]) / 2


def fails(pair: Pair, probabilities: Float[Tensor, "side class"], classes: Sequence[str]) -> bool | None:
    """Whether a classifier fails on a pair; None where the names of its classes do not say."""
    is_invariant = bool(probabilities[0].argmax() == probabilities[1].argmax())
    if pair.should in ("change", "stay"):
        return is_invariant == (pair.should == "change")
    if (scores := positivity(probabilities, classes)) is None:
        return None
    change = float(scores[1] - scores[0])
    expected_change = change if (pair.sentiments[0] == GOOD) == (pair.should == "stronger") else -change
    return expected_change < -TOLERANCE


def are_correct(
    pair: Pair, probabilities: Float[Tensor, "side class"], classes: Sequence[str]
) -> tuple[bool, bool] | None:
    """Whether the predictions for both sentences are correct; None where the names of the classes do not say."""
    if (polar := polar_classes(classes)) is None:
        return None
    number = dict(zip((BAD, GOOD), polar, strict=True))
    first, second = (
        int(prediction) == number[sentiment]
        for prediction, sentiment in zip(probabilities.argmax(dim=-1), pair.sentiments, strict=True)
    )
    return first, second


# Rates of failure.


@dataclass(frozen=True)
class Rate:
    """The number of pairs on which a classifier fails, of all pairs."""

    failed: int
    pairs: int

    @property
    def share(self) -> float:
        """The share that fails."""
        return self.failed / self.pairs

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of Wilson 1927 for a share of independent draws."""
        return wilson(self.failed, self.pairs)


def wilson(hits: int, draws: int) -> tuple[float, float]:
    """Wilson's score interval (1927, "Probable inference", equation 5): from low to high, 95%, within 0 and 1."""
    if not 0 <= hits <= draws or not draws:
        raise ValueError(f"{hits} of {draws} is not a share.")
    share, square = hits / draws, CONFIDENCE**2
    middle = (share + square / (2 * draws)) / (1 + square / draws)
    reach = CONFIDENCE * sqrt(share * (1 - share) / draws + square / (4 * draws**2)) / (1 + square / draws)
    return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True)
class BehaviouralTestResult:
    """The result of a classifier on the pairs of one test; `right`: correct predictions for single sentences, or None.

    `unread`: the share of their tokens that the tokenizer replaces by the unknown token.
    """

    kind: str
    test: str
    should: Should
    pairs: int
    failed: int
    right: int | None
    unread: float

    @property
    def rate(self) -> Rate:
        """The share of pairs on which it fails."""
        return Rate(self.failed, self.pairs)


def count_failures(
    pairs: Sequence[Pair],
    probabilities: Float[Tensor, "point side class"],
    classes: Sequence[str],
    unread: Sequence[float] = (),
) -> tuple[BehaviouralTestResult, ...]:
    """Count the failures of each test; tests that need class names are left out where these do not say.

    `unread`: for each pair the share of unknown tokens.
    """
    results = []
    all_rows = zip(pairs, probabilities, unread or [0.0] * len(pairs), strict=True)
    for (kind, test), group in groupby(all_rows, key=lambda row: (row[0].kind, row[0].test)):
        rows = list(group)
        outcomes = [fails(pair, pair_probabilities, classes) for pair, pair_probabilities, _ in rows]
        if None in outcomes:
            continue
        correct = [are_correct(pair, pair_probabilities, classes) for pair, pair_probabilities, _ in rows]
        results.append(
            BehaviouralTestResult(
                kind,
                test,
                rows[0][0].should,
                len(rows),
                sum(map(bool, outcomes)),
                None if None in correct else sum(sum(sides) for sides in correct if sides),
                sum(share for *_, share in rows) / len(rows),
            )
        )
    return tuple(results)


def unread_words(model: Classifier, pair: Pair) -> float:
    """The share of unknown tokens in both sentences; 0 for a tokenizer without an unknown token."""
    unknown = {model.tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")} - {None}
    ids = [number for text in (pair.before, pair.after) for number in model.encode(text).ids]
    return sum(number in unknown for number in ids) / len(ids)
