"""Who is fooled? Pairs of sentences that differ in one place, and whether a classifier changes its mind as it should.

The three types of tests of CheckList (Ribeiro et al. 2020, "Beyond Accuracy", section 2.2), each on a pair of our own:

minimum functionality   the verdict should "change": "The acting is (not) wonderful."
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
from .template_tests import BAD, GOOD, KINDS, Mood, Should, Test
from .templates import TESTS, WORDS

__all__ = ["KINDS", "Fooled", "Pair", "Rate", "fails", "fooled", "leaning", "pairs_of", "read_pairs", "segments"]

MOST = 15  # pairs that one template gives
TOLERANCE = 0.05  # how far the share of praise may move the wrong way in a directional test
CONFIDENCE = 1.959964  # standard deviations of a normal distribution that leave 2.5% outside on each side
_PLACE = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
_SLOT = re.compile(r"\{(\w+)([~-]?)\}")


@dataclass(frozen=True)
class Pair:
    """A sentence and the same one changed in one place, what both think, and what should happen to the verdict."""

    kind: str
    test: str
    should: Should
    moods: tuple[Mood, Mood]
    before: str
    after: str


@cache
def pairs_of(language: str) -> tuple[Pair, ...]:
    """The whole checklist of a language, kind by kind; the same on every machine. KeyError for another language."""
    made = [pair for test in TESTS[language] for pair in _pairs(test, WORDS[language])]
    return tuple(sorted(made, key=lambda pair: list(KINDS).index(pair.kind)))


def _pairs(test: Test, words: dict[str, tuple[str, ...]]) -> Iterator[Pair]:
    for template in test.templates:
        for chosen in _fillings(template, words):
            before, after = (_filled(_PLACE.sub(rf"\{side}", template), chosen) for side in (1, 2))
            yield Pair(test.kind, test.name, test.should, test.moods, before, after)


def _fillings(template: str, words: dict[str, tuple[str, ...]]) -> Iterator[dict[str, str]]:
    """At most MOST of all ways to fill a template, spread over them by steps of the golden ratio; none comes twice."""
    slots = list(dict.fromkeys(name for name, _ in _SLOT.findall(template)))
    total = prod(len(words[slot]) for slot in slots)
    step = next(step for step in range(max(1, round(0.618 * total)), 2 * total + 1) if gcd(step, total) == 1)
    for turn in range(min(MOST, total)):
        number, chosen = turn * step % total, {}
        for slot in slots:
            number, place = divmod(number, len(words[slot]))
            chosen[slot] = words[slot][place]
        yield chosen


def _filled(text: str, chosen: dict[str, str]) -> str:
    spell: dict[str, Callable[[str], str]] = {"": str, "~": exchanged, "-": shortened}
    return _SLOT.sub(lambda slot: spell[slot[2]](chosen[slot[1]]), text)


def exchanged(word: str) -> str:
    """A word with two neighbouring, different letters exchanged, near its middle; the first letter stays."""
    places = sorted(range(1, len(word) - 1), key=lambda place: abs(place - len(word) // 2))
    place = next(place for place in places if word[place] != word[place + 1])
    return word[:place] + word[place + 1] + word[place] + word[place + 2 :]


def shortened(word: str) -> str:
    """A word without the letter in its middle."""
    return word[: len(word) // 2] + word[len(word) // 2 + 1 :]


def segments(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Both texts in pieces, word by word: two equal ones where nothing changed, else what stood and what stands there.

    The first pieces joined give `before`, the second ones `after`.
    """
    old, new = (re.findall(r"\s*\w+|\s*[^\w\s]|\s+$", text) for text in (before, after))
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(("".join(old[a:b]), "".join(new[c:d])) for _, a, b, c, d in found)


# What a classifier makes of them.


def read_pairs(
    model: Classifier, pairs: Sequence[Pair], progress: Progress = no_progress
) -> Float[Tensor, "point side class"]:
    """How probable each class is for the first and the second sentence of each pair; each text is read once."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.before, pair.after)))
    found = {}
    for done, text in enumerate(texts):
        progress(done, len(texts))
        found[text] = probabilities_of_text(model, text)
    return torch.stack([torch.stack([found[pair.before], found[pair.after]]) for pair in pairs])


@torch.no_grad()
def probabilities_of_text(model: Classifier, text: str) -> Float[Tensor, " class"]:
    """How probable each class is; InputError where there is no text, ModelError where the model fails on it."""
    logits = model.run(model.encode(read_text(text))).logits
    if logits is None:
        raise ModelError(f"{model.title} gives a text no class.")
    return logits.float().softmax(dim=-1)


def sides_of(classes: Sequence[str]) -> tuple[int, int] | None:
    """The numbers of the classes that mean blame and praise, by their names; None where no names say so."""
    found = [
        [number for number, name in enumerate(classes) if name.strip().lower().startswith(mood[:3])]
        for mood in (BAD, GOOD)
    ]
    return (found[0][0], found[1][0]) if all(len(numbers) == 1 for numbers in found) else None


def leaning(probabilities: Float[Tensor, "... class"], classes: Sequence[str]) -> Float[Tensor, "..."] | None:
    """How positive a verdict is, from 0 (blame is certain) to 1 (praise is); what is neither counts half.

    None where the names of the classes do not say which of them means praise.
    """
    if (sides := sides_of(classes)) is None:
        return None
    blame, praise = sides
    return (1 + probabilities[..., praise] - probabilities[..., blame]) / 2


def fails(pair: Pair, read: Float[Tensor, "side class"], classes: Sequence[str]) -> bool | None:
    """Whether a classifier does not do on a pair what it should; None where its classes do not tell."""
    same = bool(read[0].argmax() == read[1].argmax())
    if pair.should in ("change", "stay"):
        return same == (pair.should == "change")
    if (praise := leaning(read, classes)) is None:
        return None
    moved = float(praise[1] - praise[0])
    wanted = moved if (pair.moods[0] == GOOD) == (pair.should == "stronger") else -moved
    return wanted < -TOLERANCE


def right(pair: Pair, read: Float[Tensor, "side class"], classes: Sequence[str]) -> tuple[bool, bool] | None:
    """Whether the verdicts on both sentences are what these think; None where the classes do not tell."""
    if (sides := sides_of(classes)) is None:
        return None
    number = dict(zip((BAD, GOOD), sides, strict=True))
    first, second = (int(said) == number[mood] for said, mood in zip(read.argmax(dim=-1), pair.moods, strict=True))
    return first, second


# Counted.


@dataclass(frozen=True)
class Rate:
    """So many of so many pairs on which a classifier fails."""

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
class Fooled:
    """How a classifier does on the pairs of one test; `right`: of both sentences together, None where unknown.

    `unread`: the share of their words that the classifier does not know and reads as one and the same unknown word.
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


def fooled(
    pairs: Sequence[Pair],
    read: Float[Tensor, "point side class"],
    classes: Sequence[str],
    unread: Sequence[float] = (),
) -> tuple[Fooled, ...]:
    """The failures counted test by test; tests that the classes cannot answer are left out.

    `unread`: for each pair the share of words that the classifier does not know.
    """
    found = []
    together = zip(pairs, read, unread or [0.0] * len(pairs), strict=True)
    for (kind, test), group in groupby(together, key=lambda each: (each[0].kind, each[0].test)):
        rows = list(group)
        outcomes = [fails(pair, each, classes) for pair, each, _ in rows]
        if None in outcomes:
            continue
        verdicts = [right(pair, each, classes) for pair, each, _ in rows]
        found.append(
            Fooled(
                kind,
                test,
                rows[0][0].should,
                len(rows),
                sum(map(bool, outcomes)),
                None if None in verdicts else sum(sum(each) for each in verdicts if each),
                sum(share for *_, share in rows) / len(rows),
            )
        )
    return tuple(found)


def unread_words(model: Classifier, pair: Pair) -> float:
    """The share of tokens of both sentences that a tokenizer reads as unknown; 0 where it knows no unknown one."""
    unknown = {model.tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>")} - {None}
    ids = [number for text in (pair.before, pair.after) for number in model.encode(text).ids]
    return sum(number in unknown for number in ids) / len(ids)
