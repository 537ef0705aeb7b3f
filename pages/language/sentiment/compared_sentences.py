"""What the section Compared says of results and published rows: numbers in, sentences out."""

from collections.abc import Mapping

from core.published import SentimentResult
from core.results.sentiment_results import BASELINES, LOGISTIC, MACHINE, Results
from core.sentiment.behavioural_tests import wilson
from core.zoo.sentiment_classifiers import NETWORKS
from dashboard.number_format import CLEAR, compare, points, share_error

TITLES = NETWORKS | BASELINES
# What each is called inside a sentence.
NAMES = {
    "rnn": "the recurrent network with attention",
    "rnn-uniform": "the one with uniform weights",
    "cnn": "the convolutional network",
    "encoder": "the encoder",
    "bert": "BERT",
    "tfidf-logistic": "logistic regression on TF-IDF",
    "tfidf-svm": "a support vector machine on TF-IDF",
}
SMALL = ("rnn", "rnn-uniform", "cnn", "encoder")
Published = Mapping[str, SentimentResult]  # by the names of ours


def interval(results: Results, name: str) -> tuple[float, float]:
    """The 95% interval of a model's accuracy on so many test texts."""
    return wilson(round(results.models[name].accuracy * results.test), results.test)


def about_baseline(results: Results) -> str:
    """Which of the small networks beats counted words, which not, and whether the intervals let one say so."""
    own = results.models[LOGISTIC].accuracy
    small = [name for name in SMALL if name in results.models]
    sides: dict[str, list[str]] = {"better": [], "as good, within the intervals": [], "worse": []}
    for name in small:
        sides[_side(results, name)].append(f"{_title(name)} ({results.models[name].accuracy:.1%})")
    comparison = "; ".join(f"{side}: {', '.join(names)}" for side, names in sides.items() if names)
    beaten = f"**{len(sides['better'])} of {len(small)}** small networks" if sides["better"] else "**No** small network"
    text = (
        f"{_title(LOGISTIC)} is right on {own:.1%} of {results.test:,} test texts. "
        f"{beaten} clearly beat{'' if len(sides['better']) > 1 else 's'} it. {comparison[:1].upper()}{comparison[1:]}."
    )
    text = text[:1].upper() + text[1:]
    if "bert" in results.models:
        text += f" {_title('bert')} ({results.models['bert'].accuracy:.1%}) is {_side(results, 'bert')}."
    return text


def _side(results: Results, name: str) -> str:
    (low, high), (other_low, other_high) = interval(results, name), interval(results, LOGISTIC)
    return "better" if low > other_high else "worse" if high < other_low else "as good, within the intervals"


def about_published(results: Results, published: Published) -> str:
    """How far each network is from the row that was published for its kind."""
    parts = []
    for name, row in published.items():
        own_result = results.models[name]
        parts.append(
            f"{_title(name)}: {own_result.accuracy:.1%} here, {row.accuracy:.1%} published "
            f"({points(own_result.accuracy - row.accuracy)})"
        )
    return "Beside the published rows: " + "; ".join(parts) + "."


def about_sizes(all_results: Mapping[str, Results], published: Published) -> str:
    """Why the Spanish networks are not as good: how much they had to read, and whether a method without a network
    loses as much.
    """
    spanish, english = all_results["spanish"], all_results["english"]
    lost = {name: row.accuracy - spanish.models[name].accuracy for name, row in published.items()}
    errors = {name: CLEAR * share_error(spanish.models[name].accuracy, spanish.test) for name in lost}
    if not any(compare(gap, 0.0, margin=errors[name]) == "more" for name, gap in lost.items()):
        return "The Spanish networks are as good as the published ones, within two standard errors of these tweets."
    ratio = english.learnt / spanish.learnt
    text = (
        f"Why not as good? The Spanish networks learned from {spanish.learnt:,} tweets, the English ones from "
        f"{english.learnt:,} reviews, **{ratio:.1f} times** as many, and have three classes to tell apart, not two. "
    )
    if MACHINE not in lost:
        return text.strip()
    base = lost[MACHINE]
    networks = "; ".join(
        f"{_title(name)} {points(base - gap)}"
        f"{' (within two standard errors)' if compare(gap, base, margin=2**0.5 * errors[name]) == 'as much' else ''}"
        for name, gap in lost.items()
        if name != MACHINE
    )
    was, now = published[MACHINE], spanish.models[MACHINE].accuracy
    own = f"{_title(MACHINE)} has {now:.1%} on these tweets, where {was.accuracy:.0%} was published on {was.dataset}"
    return (
        f"{text}Is it the networks? Without any, {own}: **{points(-base)}**. Such a loss needs no network to explain "
        "it: the tweets are different ones, and their smaller number may be the reason. The networks beside it: "
        f"{networks}."
    )


def about_each_other(results: Results) -> str:
    """Whether the test part is large enough to tell the best small network from the worst."""
    small = [name for name in SMALL if name in results.models]
    best, worst = (pick(small, key=lambda name: results.models[name].accuracy) for pick in (max, min))
    gap = results.models[best].accuracy - results.models[worst].accuracy
    if round(gap * results.test) == 0:
        return "All small networks are right on as many texts."
    apart = interval(results, best)[0] > interval(results, worst)[1]
    return (
        f"Among the small networks {_title(best)} is best and {_title(worst)} last, "
        f"{round(gap * results.test):,} texts apart. "
        + (
            "Their intervals do not overlap."
            if apart
            else "Their intervals overlap: on other texts it may be the other way."
        )
    )


def _title(name: str) -> str:
    """What a model is called inside a sentence."""
    return NAMES.get(name, name)
