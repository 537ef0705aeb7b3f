"""Inference without a network: the most frequent relation, and logistic regression on shared words and negations."""

import re
from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from core.models.bert_inference import RELATIONS
from core.probing.fine_tuning.inference import COMBINATIONS, Language
from training.bert_inference.data import SentencePair

NEGATIONS: dict[Language, frozenset[str]] = {
    "English": frozenset({"no", "not", "n't", "nobody", "none", "nothing", "never", "without"}),
    "French": frozenset({"ne", "n'", "pas", "aucun", "aucune", "personne", "rien", "jamais", "sans"}),
}
WORD = re.compile(r"n't\b|\w+?(?=n't\b)|\w+'|\w+")


def majority(learned: Sequence[SentencePair], pairs: Sequence[SentencePair]) -> float:
    """The share of pairs whose relation is the most frequent one of those learned from."""
    relations = [pair.relation for pair in learned]
    most = max(range(len(RELATIONS)), key=relations.count)
    return round(sum(pair.relation == most for pair in pairs) / len(pairs), 4)


def logistic(learned: Sequence[SentencePair], pairs: Sequence[SentencePair]) -> dict[str, float]:
    """Accuracy in each combination of languages of a logistic regression fitted on English pairs."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(features(learned, "en-en"), [pair.relation for pair in learned])
    relations = [pair.relation for pair in pairs]
    return {name: round(float(model.score(features(pairs, name), relations)), 4) for name in COMBINATIONS}


def features(pairs: Sequence[SentencePair], combination: str) -> np.ndarray:
    """For each pair: shares of words that the other sentence has too, words of each, and negations of each."""
    rows = []
    for pair in pairs:
        sentences = [WORD.findall(text.lower()) for text in pair.texts(combination)]
        first, second = map(set, sentences)
        shared = len(first & second)
        negated = [
            any(word in NEGATIONS[language] for word in words)
            for words, language in zip(sentences, COMBINATIONS[combination], strict=True)
        ]
        rows.append(
            [
                shared / max(1, len(first)),
                shared / max(1, len(second)),
                shared / max(1, len(first | second)),
                *map(len, sentences),
                *negated,
                negated[0] != negated[1],
            ]
        )
    return np.array(rows, dtype=float)
