"""What is true of two sentences in one input: whether the second follows, what tells them apart, what looks across."""

from collections.abc import Collection, Mapping

import numpy as np

from core.probing.masked_words.sentence_pairs import Crossing
from core.results.next_sentence_results import CHANCE, NextSentence
from dashboard.number_format import CLEAR, POINT, compare
from pages.language.missing_word.compute_two_sentences import SegmentLengths

FEWEST = 5  # unrelated sentences: with fewer, the probability of the second one has no yardstick


def about_inputs(answers: Mapping[str, float]) -> str:
    """Which of the other inputs, those after the first, changes the probability most."""
    (_, own), *others = answers.items()
    if not others:
        return ""
    name, most = max(others, key=lambda item: abs(item[1] - own))
    if compare(most, own, margin=POINT) == "as much":
        return "Swapping the sentences or repeating the first changes this by at most a point."
    return f"Of the other inputs, “{name}” changes it most: from {own:.1%} to {most:.1%}."


def about_following(own: float, unrelated: Collection[float]) -> str:
    """How the probability that the second sentence follows stands against that of sentences that follow nothing."""
    others = [*unrelated]
    if len(others) < FEWEST:
        return (
            f"The model gives **{own:.1%}** that the second sentence follows; there is no room to compare that with "
            f"{FEWEST} unrelated sentences."
        )
    # A difference within POINT is none.
    sides = [compare(own, other, margin=POINT) for other in others]
    ahead, count, span = sides.count("more"), len(others), f"{min(others):.1%} to {max(others):.1%}"
    if ahead == count:
        return (
            f"**The second sentence fits best**: the model gives {own:.1%} that it follows, more than of any of "
            f"{count} unrelated sentences in its place ({span})."
        )
    if sides.count("less") == count:
        return (
            f"**Any unrelated sentence fits better**: the model gives {own:.1%} that the second one follows, less than "
            f"of each of {count} unrelated ones in its place ({span})."
        )
    rivals = count - ahead
    return (
        f"**The prediction says little**: the model gives {own:.1%} that the second sentence follows, but **{rivals} "
        f"of {count}** unrelated sentences {'gets' if rivals == 1 else 'get'} as much or more in its place ({span}; a "
        "point or less is no difference)."
    )


def about_measured(measured: NextSentence | None) -> str:
    """How much an answer of this head is worth: its held-out accuracy beside chance."""
    if measured is None:
        return "The accuracy of this head has not been measured here, so it is not known how far to trust it."
    against = compare(measured.accuracy, CHANCE, margin=CLEAR * measured.error)
    what = {
        "more": "a little better than a coin" if measured.accuracy < 0.6 else "better than a coin",
        "less": "worse than a coin",
    }.get(against, "no better than a coin")
    return (
        f"The head that predicts this is **{what}**: it is right for {measured.accuracy:.1%} of {measured.pairs:,} "
        f"held-out pairs (standard error {100 * measured.error:.1f} points), where chance is {CHANCE:.0%}."
    )


def about_segments(lengths: SegmentLengths | None) -> str:
    """How large the difference is that tells one sentence from the other."""
    if lengths is None:
        return "This model has no segment vectors: only the separators tell it where the second sentence begins."
    apart = f"The two segment vectors are {lengths.apart:.2f} apart"
    if not lengths.tokens:
        return f"{apart}; the tokens' own vectors are 0, so there is nothing to compare that with."
    return (
        f"{apart}; a token's own vector is {lengths.tokens:.2f} long on average. So changing sentence moves a token by "
        f"**{lengths.apart / lengths.tokens:.0%}** of its length."
    )


def about_crossing(crossing: Crossing) -> str:
    """Which head looks across most, how many more than even attention would, and in which layers."""
    values = crossing.other.numpy()
    heads = np.isfinite(values)
    if not heads.any():
        return "No head of this model connects the words of both sentences."
    layer, head = np.unravel_index(int(np.nanargmax(values)), values.shape)
    most = float(values[layer, head])
    more = sum(compare(float(value), crossing.even, margin=POINT) == "more" for value in values[heads])
    first = {
        "more": f"**Layer {layer}, head {head}** attends to the other sentence most: a word gives {most:.0%} of its "
        "attention "
        f"to it, where uniform attention would give {crossing.even:.0%}. **{more} of {int(heads.sum())}** heads "
        f"{'gives' if more == 1 else 'give'} over a point more than that.",
        "as much": f"No head attends to the other sentence more than uniform attention would ({crossing.even:.0%}); "
        "the "
        f"most is {most:.0%}.",
        "less": f"Every head keeps to its own sentence: the most that any gives to the other one is {most:.0%}, where "
        f"uniform attention would give {crossing.even:.0%}.",
    }[compare(most, crossing.even, margin=POINT)]
    separators = f"Separators get {float(crossing.separators.nanmean()):.0%} on average over all heads."
    has_heads = heads.any(axis=1)
    return " ".join(filter(None, (first, separators, _by_layer(values[has_heads], np.flatnonzero(has_heads)))))


def _by_layer(values: np.ndarray, numbers: np.ndarray) -> str:
    """In which layers most and least attention crosses; "" for a single layer."""
    if len(values) < 2:
        return ""
    means = np.nanmean(values, axis=1)
    most, least = int(means.argmax()), int(means.argmin())
    if compare(float(means[most]), float(means[least]), margin=POINT) == "as much":
        return f"All layers give about as much to the other sentence ({means[most]:.0%})."
    return (
        f"On average, most attention goes to the other sentence in layer {numbers[most]} ({means[most]:.0%}), least in "
        f"layer {numbers[least]} ({means[least]:.0%})."
    )
