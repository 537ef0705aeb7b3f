"""What is computed for Faithful?: explanations by words, their curves beside random orders, and how far they agree."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.attribution import agreement as ranks
from core.attribution.agreement import Agreement
from core.attribution.deletion_curves import order_by_score, random_mean, random_orders
from core.attribution.token_deletion import BATCH_SIZE, FaithfulWords, counts_for, measure, without_words
from core.attribution.token_methods import by_word, probabilities_of, replacement_of, words_of
from core.progress import Progress, no_progress
from core.results import faithfulness_results
from core.results.faithfulness_results import MEASURES, Faithful, RankAgreement
from core.text import Tokens
from core.zoo import Classifier
from dashboard.cache.memo import cached
from dashboard.recordings.watched import Text
from pages.language.sentiment import compute
from pages.language.sentiment.compute import Verdict

STEPS = 10  # equal steps of a curve, besides ERASER's shares
DRAWS = 20  # random orders: to be better than all of them has a chance of 1 in 21
AREA = {"deletion": "deletion_area", "insertion": "insertion_area"}


@dataclass(frozen=True, eq=False)
class Explained:
    """A text as one model reads it: its verdict, and what each explanation gives to each word."""

    verdict: Verdict
    words: tuple[range, ...]  # the tokens of each
    labels: tuple[str, ...]  # the words, with what stands before them
    scores: dict[str, Float[Tensor, " word"]]
    seconds: float  # that the model takes to read BATCH_SIZE such texts
    identity: Hashable = field(kw_only=True)

    @property
    def model(self) -> Classifier:
        """Who reads."""
        return self.verdict.model

    @property
    def tokens(self) -> Tokens:
        """What it reads."""
        return self.verdict.tokens

    @property
    def target(self) -> int:
        """The class that is explained: the model's verdict."""
        return self.verdict.target

    @property
    def probability(self) -> float:
        """How probable the model finds it for the whole text."""
        return float(self.verdict.probabilities[self.target])

    @property
    def ids(self) -> Int[Tensor, " token"]:
        """The tokens by their numbers."""
        return torch.tensor(self.tokens.ids)

    @property
    def waiting(self) -> float:
        """About how many seconds the curves take."""
        inner = len(counts_for(len(self.words), STEPS)) - 2
        rows = 2 + 2 * inner * (len(self.scores) + DRAWS)
        return self.seconds * rows / BATCH_SIZE

    def order(self, method: str) -> Int[Tensor, " word"]:
        """The words, what speaks most for the verdict first."""
        return order_by_score(self.scores[method])


@dataclass(frozen=True, eq=False)
class Curves:
    """Deletion and insertion by the order of each explanation, and by orders drawn at random."""

    explanations: dict[str, FaithfulWords]
    draws: tuple[FaithfulWords, ...]

    @property
    def random(self) -> FaithfulWords:
        """The mean of the draws."""
        return random_mean(self.draws)

    def band(self, side: str) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest of the draws at each share; `side` is "deletion" or "insertion"."""
        drawn = np.stack([getattr(draw, side).numpy() for draw in self.draws])
        return drawn.min(axis=0), drawn.max(axis=0)

    def gain(self, method: str, side: str) -> float:
        """By how much an explanation is better than the mean of the draws, by one of MEASURES."""
        apart = value_of(self.explanations[method], side) - value_of(self.random, side)
        return apart if MEASURES[side] else -apart

    def as_good(self, method: str, side: str) -> int:
        """How many of the draws do as well as an explanation, or better."""
        own, sign = value_of(self.explanations[method], side), 1 if MEASURES[side] else -1
        return sum(sign * value_of(draw, side) >= sign * own for draw in self.draws)


def value_of(curve: FaithfulWords, side: str) -> float:
    """One of MEASURES of a pair of curves."""
    return getattr(curve, AREA.get(side, side))


@cached("Explaining the verdict …", unit="explanations")
def explained(name: str, text: Text, progress: Progress = no_progress) -> Explained:
    """Read a text and explain the verdict in every way that the model allows; InputError where there is no text."""
    verdict = compute.verdict(name, text)
    words, methods, scores = words_of(verdict.tokens), compute.methods(name), {}
    for done, method in enumerate(methods):
        progress(done, len(methods))
        scores[method] = by_word(compute.explanation(text, name, method, verdict.target), verdict.tokens).float()
    labels = tuple("".join(verdict.tokens.labels[place] for place in word) for word in words)
    begin = time.perf_counter()
    probabilities_of(verdict.model, torch.tensor([verdict.tokens.ids]).expand(BATCH_SIZE, -1))
    seconds = time.perf_counter() - begin
    return Explained(verdict, words, labels, scores, seconds, identity=(name, text))


@cached("Taking words away and putting them back …", unit="texts")
def curves(explained_text: Explained, progress: Progress = no_progress) -> Curves:
    """The curves of one text for its verdict."""
    orders = {name: explained_text.order(name) for name in explained_text.scores}
    drawn = {str(draw): order for draw, order in enumerate(random_orders(len(explained_text.words), DRAWS))}

    def classify(rows: Int[Tensor, "batch token"]) -> Float[Tensor, " batch"]:
        return probabilities_of(explained_text.model, rows)[:, explained_text.target]

    nothing = replacement_of(explained_text.model)
    by_order = measure(
        classify, explained_text.ids, explained_text.words, orders | drawn, nothing, STEPS, progress=progress
    )
    return Curves({name: by_order[name] for name in orders}, tuple(by_order[name] for name in drawn))


@cached("Comparing the explanations …")
def agreement(explained_text: Explained, *, strength: bool) -> Agreement:
    """How far the explanations agree: by what speaks for the verdict, or by `strength`, whatever the sign."""
    return ranks.agreement(
        {name: scores.abs() if strength else scores for name, scores in explained_text.scores.items()}
    )


@cached("The model reads again …")
def taken(explained_text: Explained, method: str, count: int, *, keep: bool) -> Float[Tensor, " class"]:
    """How probable each class is without the first `count` words of an explanation, or (`keep`) with nothing else."""
    order, nothing = explained_text.order(method).tolist(), replacement_of(explained_text.model)
    gone = order[count:] if keep else order[:count]
    return probabilities_of(
        explained_text.model, without_words(explained_text.ids, explained_text.words, gone, nothing)[None]
    )[0]


@cached(computes=False)
def measured() -> dict[str, Faithful]:
    """What was measured over held-out reviews; ModelError where the file is missing or wrong."""
    return faithfulness_results.faithfulness()


@cached(computes=False)
def agreements() -> dict[str, tuple[RankAgreement, ...]]:
    """How far explanations agree over held-out reviews; ModelError where the file is missing or wrong."""
    return faithfulness_results.agreements()
