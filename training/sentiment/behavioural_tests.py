"""Count how often each classifier of reviews is fooled by the checklist of core/sentiment/behavioural_tests.py.

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

from core.results.sentiment_fooled import COLUMNS, COMMAND, FILE
from core.results.sentiment_results import LOGISTIC
from core.sentiment.behavioural_tests import Fooled, Pair, fooled, pairs_of, read_pairs, unread_words
from core.zoo.sentiment_classifiers import FOLDER, REVIEWERS, load_reviewer
from training.common.card import hardware
from training.common.command_line import CommandLine
from training.common.data_sets import IMDB, TWEETS
from training.sentiment.train import READERS, Language


def main() -> None:
    """Count for every classifier, and write the table and how it was made."""
    arguments = command_line().read()
    begun = time.perf_counter()
    rows = [
        [language, model, *vars_of(one), COMMAND]
        for language in READERS
        for model, counted in count_all(READERS[language](arguments.data))
        for one in counted
    ]
    save(arguments.out, rows, time.perf_counter() - begun)


def count_all(language: Language) -> Iterator[tuple[str, tuple[Fooled, ...]]]:
    """Each network of a language and the baseline, by name, with what was counted."""
    pairs = pairs_of(language.name)
    for name in REVIEWERS[language.name]:
        model = load_reviewer(name)
        unread = [unread_words(model, pair) for pair in pairs]
        yield name, fooled(pairs, read_pairs(model, pairs), model.classes, unread)
    yield f"{language.name}-{LOGISTIC}", count_baseline(language, pairs, strength_of(language.name))


def strength_of(language: str) -> float:
    """How strongly the baseline is held back: C as it was chosen on the validation part."""
    results = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    return float(results[language][LOGISTIC]["C"])


def count_baseline(language: Language, pairs: Sequence[Pair], strength: float) -> tuple[Fooled, ...]:
    """Words and pairs of words, weighted by how rare they are, and logistic regression."""
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    line = LogisticRegression(C=strength, max_iter=3000)
    line.fit(words.fit_transform(language.learnt.texts), language.learnt.labels)
    sides = [line.predict_proba(words.transform([getattr(pair, side) for pair in pairs])) for side in SIDES]
    read = torch.stack([torch.from_numpy(side) for side in sides], dim=1).float()
    return fooled(pairs, read, language.classes, [share_unread(words, pair) for pair in pairs])


SIDES = ("before", "after")


def share_unread(words: TfidfVectorizer, pair: Pair) -> float:
    """The share of the words of both sentences that stood in fewer than two of the texts."""
    cut = TfidfVectorizer().build_analyzer()
    found = [word for side in SIDES for word in cut(getattr(pair, side))]
    return sum(word not in words.vocabulary_ for word in found) / len(found)


def vars_of(one: Fooled) -> list[object]:
    """The cells of a row."""
    return [one.kind, one.test, one.should, one.pairs, one.failed, one.right, round(one.unread, 4)]


def save(folder: Path, rows: Sequence[Sequence[object]], seconds: float) -> None:
    """Write the table, and beside it the machine and the versions that made it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / FILE.name).open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    story = {
        "command": COMMAND,
        "hardware": hardware(),
        "seconds": round(seconds, 1),
        "seed": "nothing is drawn",
        "strength": {language: strength_of(language) for language in READERS},
        "torch": torch.__version__.split("+")[0],
        "scikit-learn": sklearn.__version__,
    }
    (folder / f"{FILE.stem}.json").write_text(json.dumps(story, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, data=[IMDB, TWEETS], out=FILE.parent, threads="one")


if __name__ == "__main__":
    main()
