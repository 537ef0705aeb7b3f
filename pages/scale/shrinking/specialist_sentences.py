"""Sentences of A small specialist, each true of what was measured or of what the networks say of the review."""

from collections.abc import Mapping, Sequence

from core.results.specialist_results import MeasuredClassifier
from core.sentiment.specialists import CLASSES, FINE_TUNED, REVIEWS, SENTENCES, SPECIALISTS, TRAINED_ON
from dashboard import typeset
from dashboard.number_format import CLEAR, amount, compare, compare_shares, compare_times, points
from pages.scale.shrinking.compute_specialist import TITLES, Outputs, Reading

Rows = Sequence[MeasuredClassifier]
TEXTS_OF = {REVIEWS: "held-out reviews", SENTENCES: "held-out sentences"}
SAME_LOGITS = 1e-4  # logits that differ by less are equal but for the order in which a processor adds
SAME_POINTS = 0.001  # of a probability: smaller moves would be printed as 0.0 points
MOST_NAMED = 8  # unknown words that a sentence lists


def smallest(rows: Rows) -> MeasuredClassifier:
    """The small network with the fewest parameters."""
    return min((row for row in rows if row.name in SPECIALISTS), key=lambda row: row.parameters)


def tuned(rows: Rows, texts: str) -> MeasuredClassifier:
    """The BERT that was fine-tuned on the training part of a set of texts."""
    return next(row for row in rows if row.name == FINE_TUNED[texts])


def about_sizes(rows: Rows, texts: str) -> str:
    """Accuracy and size of the smallest network beside the fine-tuned BERT, and whether they differ clearly."""
    small, large = smallest(rows), tuned(rows, texts)
    assert small.lead is not None
    gain, margin = -small.lead.value, 100 * CLEAR * small.lead.error
    ratio = large.parameters / small.parameters
    size = f"**{ratio:.0f} times** as many parameters" if ratio >= 1.5 else "About as many parameters"
    begin = (
        f"The {TITLES[small.name].lower()} is right for **{small.accuracy:.1%}** of the {TEXTS_OF[texts]} "
        f"with {amount(small.parameters)} parameters, {TITLES[large.name]} for **{large.accuracy:.1%}** with "
        f"{amount(large.parameters)}. "
    )
    if not small.lead.is_clear:
        return (
            f"{begin}{size} show no clear gain: the difference, {_with_margin(gain, small.lead.error)}, is within "
            "two standard errors."
        )
    verb = "add" if gain > 0 else "cost"
    data = "" if texts in TRAINED_ON[small.name] else " The small one learned from other texts: IMDB's reviews."
    return f"{begin}{size} {verb} **{100 * abs(gain):.1f}** ± {margin:.1f} points (two standard errors).{data}"


def about_others(rows: Rows, texts: str) -> str:
    """Which of the small networks differ clearly from the BERT that was tuned on these texts, and which do not."""
    groups: dict[str, list[str]] = {"below": [], "within": [], "above": []}
    for row in rows:
        if row.name in SPECIALISTS and row.lead is not None:
            where = "within" if not row.lead.is_clear else "above" if row.lead.value > 0 else "below"
            groups[where].append(
                f"the {TITLES[row.name].lower()} ({points(row.lead.value)} ± {100 * CLEAR * row.lead.error:.1f})"
            )
    title = TITLES[FINE_TUNED[texts]]
    phrases = {
        "below": f"Clearly below {title}",
        "within": f"Within two standard errors of {title}",
        "above": f"Clearly above {title}",
    }
    return " ".join(f"{phrases[where]}: {', '.join(names)}." for where, names in groups.items() if names)


def _with_margin(share: float, error: float) -> str:
    """A difference of two shares, with two standard errors: −2.4 ± 1.5 points."""
    return f"{points(share).removesuffix(' points')} ± {100 * CLEAR * error:.1f} points"


def about_training(rows: Rows, texts: str, context: int) -> str:
    """How the BERT that others are not compared with does beside the smallest network; it reads `context` tokens."""
    small = smallest(rows)
    other = next(row for row in rows if row.name in FINE_TUNED.values() and row.name != FINE_TUNED[texts])
    comparison = compare_shares(
        round(other.accuracy * other.questions),
        other.questions,
        round(small.accuracy * small.questions),
        small.questions,
    )
    more = {
        "more": f"more often than the {TITLES[small.name].lower()} ({small.accuracy:.1%})",
        "less": f"less often than the {TITLES[small.name].lower()} ({small.accuracy:.1%})",
    }.get(comparison, f"within two standard errors of the {TITLES[small.name].lower()} ({small.accuracy:.1%})")
    begin = f"{TITLES[other.name]} is right for **{other.accuracy:.1%}** of the {TEXTS_OF[texts]}, {more}."
    if texts in TRAINED_ON[other.name]:
        return f"{begin} It learned from the training part of this set, and from reviews."
    also = f"{begin} It learned from other texts than these, and reads the first {context:,} tokens."
    return f"{also} Its size does not make up for that." if comparison == "less" else also


def about_yours(readings: Mapping[str, Reading]) -> str:
    """Which networks agree on the visitor's text."""
    names_by_label = {
        label: [name for name, reading in readings.items() if reading.label == label] for label in CLASSES
    }
    label, names = max(names_by_label.items(), key=lambda item: len(item[1]))
    if len(names) == len(readings):
        return f"On your review all {len(readings)} networks predict **{label}**."
    others = ", ".join(TITLES[name] for name in readings if name not in names)
    return f"On your review **{len(names)} of {len(readings)}** networks predict **{label}**; not so: {others}."


def about_times(milliseconds: Mapping[str, float], texts: str, *, own: bool) -> str:
    """How much longer the fine-tuned BERT takes than the fastest small network."""
    fast = min(SPECIALISTS, key=milliseconds.__getitem__)
    large = FINE_TUNED[texts]
    begin = (
        f"{'Your review' if own else 'One text'} takes the {TITLES[fast].lower()} "
        f"{milliseconds[fast]:.1f} ms and {TITLES[large]} {milliseconds[large]:.1f} ms"
    )
    comparison = compare_times(milliseconds[large], milliseconds[fast])
    if comparison == "more":
        ratio = milliseconds[large] / milliseconds[fast]
        return f"{begin}: **{ratio:.{0 if ratio >= 10 else 1}f} times** as long."
    if comparison == "less":
        return f"{begin}: BERT is faster here."
    return f"{begin}: about as long."


# What small networks cannot do.


def about_unknown(text_words: Sequence[str], unknown: Mapping[str, Sequence[str]], vocabulary: int) -> str:
    """The share of a text's words that the small networks and the BERTs do not know."""
    small, large = unknown[SPECIALISTS[0]], unknown[FINE_TUNED[REVIEWS]]
    size = f"The small networks know {vocabulary:,} words and signs"
    if not small:
        return f"{size}: all {len(text_words):,} of your review are among them. Any other would be the unknown token."
    different = list(dict.fromkeys(small))
    listed = ", ".join(f"“{typeset.plain(typeset.readable(word))}”" for word in different[:MOST_NAMED])
    rest = f" and {len(different) - MOST_NAMED} more" if len(different) > MOST_NAMED else ""
    bert = (
        "BERT reads all of them, in pieces."
        if not large
        else f"For BERT, which reads words in pieces, **{len(large) / len(text_words):.0%}** have an unknown piece."
    )
    return (
        f"{size}. **{len(small) / len(text_words):.0%}** of your review ({len(small):,} of {len(text_words):,}) they "
        f"do not know: {listed}{rest}. To them all unknown words are the same. {bert}"
    )


def about_order(before: Mapping[str, Reading], after: Mapping[str, Reading]) -> str:
    """How far the predictions move when the words stand in reverse order."""
    blind = [name for name in before if float((before[name].logits - after[name].logits).abs().max()) < SAME_LOGITS]
    same = sum(before[name].label == after[name].label for name in before)
    moves = {name: abs(after[name].positive - before[name].positive) for name in before}
    farthest = max(moves, key=moves.__getitem__)
    text = f"With the words in reverse order **{same} of {len(before)}** networks keep their prediction"
    text += (
        f"; the probability moves most for {TITLES[farthest]}, by {100 * moves[farthest]:.1f} points."
        if compare(moves[farthest], 0.0, margin=SAME_POINTS) == "more"
        else ", and none of their probabilities moves by more than 0.1 points."
    )
    if blind:
        text += f" The logits stay equal for {', '.join(TITLES[name] for name in blind)}: no order is read there."
    return text


def about_negation(before: Mapping[str, Reading], after: Mapping[str, Reading]) -> str:
    """How many networks change their prediction when "not" is put in or taken out."""
    changed = [name for name in before if before[name].label != after[name].label]
    begin = (
        f"With “not” put in or taken out after each auxiliary verb **{len(changed)} of {len(before)}** networks change"
    )
    if not changed:
        return f"{begin} their prediction."
    return f"{begin} their prediction: {', '.join(TITLES[name] for name in changed)}."


def about_outputs(outputs: Outputs) -> str:
    """What BERT before its fine-tuning, its students and a GPT answer, and what a small network has no output for."""
    (teacher, *students) = outputs.masked
    best, true = outputs.masked[teacher], outputs.true
    right = best.number == true.number
    count = outputs.classes[SPECIALISTS[0]]
    answer = (
        f"fills the mask right with “{_plain(best.label)}” ({best.probability:.1%})"
        if right
        else f"fills the mask with “{_plain(best.label)}” ({best.probability:.1%}; the true “{_plain(true.label)}” has "
        f"{true.probability:.1%})"
    )
    agree = sum(outputs.masked[name].number == best.number for name in students)
    same = FINE_TUNED[REVIEWS]
    also = f", as {TITLES[same]} has" if outputs.classes[same] == count else ""
    return (
        f"A small network has **{count}** outputs, one for each class{also}: it can fill no mask and write no next "
        f"word. BERT before its fine-tuning has {outputs.vocabulary:,}, one for each token, and {answer}; {agree} of "
        f"{len(students)} students agree."
    )


def _plain(label: str) -> str:
    return typeset.plain(typeset.readable(label))
