"""IBM model 1 against a written-out loop, the textbook's little corpus, and what must hold for any text."""

import random
from collections import defaultdict

import numpy as np
import pytest

from core.translation.ibm1 import IBM1, learn

# Koehn 2010, "Statistical Machine Translation", section 4.2.3, German to English.
TOY = [
    (["the", "house"], ["das", "Haus"]),
    (["the", "book"], ["das", "Buch"]),
    (["a", "book"], ["ein", "Buch"]),
]


def some_text(seed: int) -> list[tuple[list[str], list[str]]]:
    rng = random.Random(seed)
    words = [f"w{number}" for number in range(12)]
    return [(rng.choices(words, k=rng.randint(0, 6)), rng.choices(words, k=rng.randint(1, 6))) for _ in range(40)]


def by_hand(pairs, rounds: int) -> dict[tuple[str, str | None], float]:
    """Expectation maximisation as it is printed, one pair of words after the other."""
    targets = {word for _, target in pairs for word in target}
    t: dict = defaultdict(lambda: 1 / len(targets))
    for _ in range(rounds):
        counts, totals = defaultdict(float), defaultdict(float)
        for source, target in pairs:
            for word in target:
                total = sum(t[word, other] for other in (None, *source))
                for other in (None, *source):
                    counts[word, other] += t[word, other] / total
                    totals[other] += t[word, other] / total
        t = defaultdict(float, {key: count / totals[key[1]] for key, count in counts.items()})
    return t


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rounds", [1, 4])
def test_probabilities_are_those_of_the_loop(seed, rounds):
    pairs = some_text(seed)
    model, expected = learn(pairs, rounds=rounds), by_hand(pairs, rounds)
    for (target, source), value in expected.items():
        assert model.probability(target, source) == pytest.approx(value)


def test_the_textbook_corpus_goes_to_its_known_limits():
    model = learn(TOY, rounds=2000)
    for target, source in (("das", "the"), ("buch", "book"), ("haus", "house"), ("ein", "a")):
        assert model.probability(target, source) > 0.99
    assert model.links(["the", "book"], ["das", "Buch"]) == {(0, 0), (1, 1)}


def test_the_first_round_is_the_one_that_can_be_done_on_paper():
    model = learn([(["a", "b"], ["x", "y"]), (["a"], ["x"])], rounds=1)
    # t is uniform: in the first pair each word comes from NULL, a and b with 1/3, in the second from NULL and a with
    # 1/2. So a has 1/3 + 1/2 of x and 1/3 of y.
    assert model.probability("x", "a") == pytest.approx((5 / 6) / (7 / 6))
    assert model.probability("y", "b") == pytest.approx(1 / 2)
    assert model.probability("x", None) == pytest.approx((5 / 6) / (7 / 6))


@pytest.mark.parametrize("seed", range(3))
def test_what_a_source_word_may_become_sums_to_one(seed):
    model = learn(some_text(seed))
    sums = np.bincount(model.keys // len(model.targets), weights=model.probabilities)
    sources = [0, *(number for word, number in model.sources.items())]
    assert sums[sources] == pytest.approx(np.ones(len(sources)))


@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_never_falls(seed):
    likelihoods = learn(some_text(seed), rounds=20).log_likelihoods
    assert len(likelihoods) == 21
    assert (np.diff(likelihoods) >= -1e-9).all()
    assert likelihoods[-1] > likelihoods[0]


@pytest.mark.parametrize("seed", range(3))
def test_each_target_word_is_linked_to_its_most_probable_source_unless_that_is_null(seed):
    pairs = some_text(seed)
    model = learn(pairs)
    for source, target in pairs:
        expected = set()
        for column, word in enumerate(target):
            probabilities = [model.probability(word, other) for other in (None, *source)]
            if (best := probabilities.index(max(probabilities))) and probabilities[best] > 0:
                expected.add((best - 1, column))
        assert model.links(source, target) == expected


def test_capitals_do_not_count_and_words_never_seen_stay_unlinked():
    model = learn(TOY)
    assert model.probability("DAS", "The") == model.probability("das", "the") > 0
    assert model.probability("das", "zebra") == model.probability("Zebra", "the") == 0
    assert model.links(["the", "zebra"], ["Zebra", "das"]) == {(0, 1)}
    assert model.links([], ["das"]) == set()


def test_a_word_that_stands_everywhere_comes_from_null():
    names = [f"n{number}" for number in range(40)]
    model = learn([([name], [name.upper() + "o", "do"]) for name in names], rounds=30)
    assert model.links(["n3"], ["N3o", "do"]) == {(0, 0)}


def test_without_a_target_word_there_is_nothing_to_learn():
    with pytest.raises(ValueError, match="no target word"):
        learn([(["a"], [])])


def test_the_loop_of_the_test_can_disagree():
    model = IBM1({"a": 1}, {"x": 0}, np.array([0, 1]), np.array([1.0, 0.5]))
    assert model.probability("x", "a") != by_hand([(["a"], ["x"])], 1)["x", "a"]
