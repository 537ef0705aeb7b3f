"""Count the failures of each classifier of reviews in the checklist of core/sentiment/behavioural_tests.py.

Every network of weights/sentiment/ and, fitted here as in training/sentiment/report.py with the strength that was
chosen there, the baseline of TF-IDF and logistic regression. The checklist is the same on every machine, and nothing
is drawn; all of it takes about a minute on one thread.

The data are for the baseline alone. Writes core/results/sentiment_fooled.csv and .json.

    python -m training.sentiment.behavioural_tests --data PATH
"""

import csv
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import sklearn
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from core.results.behavioural_test_results import COLUMNS, COMMAND, FILE
from core.results.sentiment_results import LOGISTIC
from core.sentiment.behavioural_tests import (
    BehaviouralTestResult,
    Pair,
    count_failures,
    pairs_of,
    read_pairs,
    unread_words,
)
from core.zoo.sentiment_classifiers import FOLDER, REVIEWERS, load_reviewer
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB, TWEETS
from training.sentiment.train import READERS, Language


def main() -> None:
    """Count for every classifier, and write the table and how it was made."""
    arguments = command_line().read()
    start = time.perf_counter()
    rows = [
        [language, model, *vars_of(result), COMMAND]
        for language in READERS
        for model, results in count_all(READERS[language](arguments.data))
        for result in results
    ]
    save(arguments.out, rows, time.perf_counter() - start)


def count_all(language: Language) -> Iterator[tuple[str, tuple[BehaviouralTestResult, ...]]]:
    """The name of each network of a language and of the baseline, with its results."""
    pairs = pairs_of(language.name)
    for name in REVIEWERS[language.name]:
        model = load_reviewer(name)
        unread = [unread_words(model, pair) for pair in pairs]
        yield name, count_failures(pairs, read_pairs(model, pairs), model.classes, unread)
    yield f"{language.name}-{LOGISTIC}", count_baseline(language, pairs, strength_of(language.name))


def strength_of(language: str) -> float:
    """The regularisation of the baseline: C, as chosen on the validation part."""
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    return float(results[language][LOGISTIC]["C"])


def count_baseline(language: Language, pairs: Sequence[Pair], strength: float) -> tuple[BehaviouralTestResult, ...]:
    """Results of logistic regression on TF-IDF of words and pairs of words, with C = `strength`."""
    tfidf = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    classifier = LogisticRegression(C=strength, max_iter=3000)
    classifier.fit(tfidf.fit_transform(language.learnt.texts), language.learnt.labels)
    sides = [classifier.predict_proba(tfidf.transform([getattr(pair, side) for pair in pairs])) for side in SIDES]
    probabilities = torch.stack([torch.from_numpy(side) for side in sides], dim=1).float()
    return count_failures(pairs, probabilities, language.classes, [share_unread(tfidf, pair) for pair in pairs])


SIDES = ("before", "after")


def share_unread(tfidf: TfidfVectorizer, pair: Pair) -> float:
    """The share of the words of both sentences that are not in the vocabulary."""
    analyse = TfidfVectorizer().build_analyzer()
    words = [word for side in SIDES for word in analyse(getattr(pair, side))]
    return sum(word not in tfidf.vocabulary_ for word in words) / len(words)


def vars_of(result: BehaviouralTestResult) -> list[object]:
    """The cells of a row of the table."""
    return [result.kind, result.test, result.should, result.pairs, result.failed, result.right, round(result.unread, 4)]


def save(folder: Path, rows: Sequence[Sequence[object]], seconds: float) -> None:
    """Write the table, and beside it the machine and the versions that made it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE.name).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    record = {
        "command": COMMAND,
        "hardware": hardware(),
        "seconds": round(seconds, 1),
        "seed": "nothing is drawn",
        "strength": {language: strength_of(language) for language in READERS},
        "torch": torch.__version__.split("+")[0],
        "scikit-learn": sklearn.__version__,
    }
    (folder / f"{FILE.stem}.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, data=[IMDB, TWEETS], out=FILE.parent, threads="one")


if __name__ == "__main__":
    main()
