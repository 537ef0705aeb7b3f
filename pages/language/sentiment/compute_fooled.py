"""What is computed for Fooled: the checklist, read by any classifier, and a pair of the visitor's own."""

import torch
from jaxtyping import Float
from torch import Tensor

from core.progress import Progress, no_progress
from core.results import behavioural_test_results
from core.sentiment.behavioural_tests import (
    KINDS,
    BehaviouralTestResult,
    Pair,
    count_failures,
    pairs_of,
    probabilities_of_text,
    read_pairs,
    unread_words,
)
from dashboard.cache.memo import cached
from pages.language.sentiment import compute


@cached(computes=False)
def measured(language: str) -> dict[str, tuple[BehaviouralTestResult, ...]]:
    """What was counted of each of our classifiers, by its name; ModelError where the table is missing."""
    return behavioural_test_results.failures_by_model()[language]


def of_kind(language: str, kind: str) -> tuple[Pair, ...]:
    """The pairs of one kind."""
    return tuple(pair for pair in pairs_of(language) if pair.kind == kind)


@cached("Reading the pairs …", unit="sentences")
def reading(name: str, language: str, kind: str, progress: Progress = no_progress) -> Float[Tensor, "point side class"]:
    """What a classifier makes of both sentences of each pair of a kind."""
    return read_pairs(compute.model(name), of_kind(language, kind), progress)


@cached("Reading the checklist …", unit="kinds of pairs")
def checklist(name: str, language: str, progress: Progress = no_progress) -> tuple[BehaviouralTestResult, ...]:
    """What the script counted of ours, counted live; what is read stays kept kind by kind if it is stopped."""
    model, results = compute.model(name), list[BehaviouralTestResult]()
    for done, kind in enumerate(KINDS):
        pairs = of_kind(language, kind)

        def report(_read: int, _of: int, done: int = done) -> None:
            progress(done, len(KINDS))

        report(0, 1)
        read = reading(name, language, kind, progress=report)
        unread = [unread_words(model, pair) for pair in pairs]
        results += count_failures(pairs, read, model.classes, unread)
    return tuple(results)


@cached("Reading your pair …")
def pair_probabilities(name: str, before: str, after: str) -> Float[Tensor, "side class"]:
    """How probable each class is for a text and for the changed one; InputError where one is empty."""
    model = compute.model(name)
    return torch.stack([probabilities_of_text(model, text) for text in (before, after)])
