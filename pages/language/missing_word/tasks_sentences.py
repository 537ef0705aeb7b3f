"""What is worth noticing in Tasks: numbers in, sentences out."""

from collections.abc import Sequence
from math import floor, log

import numpy as np
from jaxtyping import Float
from torch import Tensor

from core.models.bert_tasks import SENTIMENTS, TAGS
from core.probing.fine_tuning.attention_shift import Shares
from core.probing.fine_tuning.frequent_tags import TagCount
from core.probing.fine_tuning.task_predictions import TaskPredictions
from core.results.bert_tasks_results import FROZEN, SCRATCH, TUNED, Results
from dashboard import typeset
from dashboard.number_format import CLEAR, POINT, compare, share_error

TAG_NAMES = {
    "NOUN": "noun",
    "PROPN": "name",
    "VERB": "verb",
    "ADJ": "adjective",
    "ADV": "adverb",
    "INTJ": "interjection",
    "PRON": "pronoun",
    "DET": "determiner",
    "AUX": "auxiliary",
    "ADP": "preposition",
    "CCONJ": "and, or, but",
    "SCONJ": "that, if, while",
    "PART": "particle (to, not, 's)",
    "NUM": "number",
    "PUNCT": "punctuation",
    "SYM": "symbol",
    "X": "other",
}
NAMED = 3  # words that are named
SURE = 0.995  # a probability that would be printed as 100 %
LAST = 2  # layers that Kovaleva et al. 2019 found to change most


def tags_of(predictions: TaskPredictions) -> list[tuple[str, float]]:
    """The most probable tag of each word, and its probability."""
    values, numbers = predictions.tags.max(dim=-1)
    return [(TAGS[int(number)], float(value)) for value, number in zip(values, numbers, strict=True)]


def differs(tag: str, usual: TagCount | None) -> bool:
    """Whether a word has another tag here than most often."""
    return usual is not None and usual.tag != tag


def about_tags(predictions: TaskPredictions, usual: Sequence[TagCount | None]) -> str:
    """How many words have another tag than most often, and which; of which word the model is least sure."""
    tags = tags_of(predictions)
    if not tags:
        return "There is no word in this text to tag."
    count = len(tags)
    other = [place for place, (tag, _) in enumerate(tags) if differs(tag, usual[place])]
    known = sum(tag_count is not None for tag_count in usual)
    least = min(range(count), key=lambda place: tags[place][1])
    sentence = (
        f"**{len(other)} of {_words(count)}** {'has' if len(other) == 1 else 'have'} another tag here than most often "
        f"in the treebank, which has {known} of them"
    )
    named = []
    for place in other[:NAMED]:
        tag_count = usual[place]
        assert tag_count is not None
        named.append(
            f"{_name(predictions, place)} is {tags[place][0]} here and {tag_count.tag} in {tag_count.times:,} of "
            f"{tag_count.of:,} cases there"
        )
    more = f", and {len(other) - NAMED} more" if len(other) > NAMED else ""
    sentence += f": {'; '.join(named)}{more}." if named else "."
    tag, sure = tags[least]
    if sure >= SURE:
        return f"{sentence} The model is sure of every word: no tag has less than {floor(1000 * sure) / 10:.1f}%."
    return f"{sentence} The model is least sure of {_name(predictions, least)}: {tag} with {sure:.0%}."


def about_verdict(predictions: TaskPredictions) -> str:
    """The verdict, its probability, and how far the logits are apart."""
    positive = float(predictions.sentiment[1])
    verdict, sure = SENTIMENTS[positive >= 0.5], max(positive, 1 - positive)
    doubt = " That is close to undecided." if sure < 0.6 else ""
    return f"The predicted sentiment is **{verdict}**, with a probability of {sure:.1%}.{doubt}"


def about_moved(moved: Float[Tensor, "layer head"]) -> str:
    """Which head moved most and least, and whether the last two layers moved more than the others."""
    values = moved.numpy()
    most, least = (np.unravel_index(int(place), values.shape) for place in (values.argmax(), values.argmin()))
    if compare(float(values[most]), float(values[least]), margin=POINT) == "as much":
        return f"All heads moved about as much: {values[most]:.0%} of their attention goes elsewhere after fine-tuning."
    sentence = (
        f"**Layer {most[0]}, head {most[1]}** moved most: {values[most]:.0%} of its attention goes elsewhere after "
        f"fine-tuning, on average over the rows; least moved layer {least[0]}, head {least[1]} ({values[least]:.0%})."
    )
    if len(values) <= LAST:
        return sentence
    last, others = float(values[-LAST:].mean()), float(values[:-LAST].mean())
    compared = {"more": "more than", "less": "less than", "as much": "about as much as"}[
        compare(last, others, margin=POINT)
    ]
    return (
        f"{sentence} The last two layers moved {last:.0%}, **{compared}** the others ({others:.0%}); in BERT-base the "
        "last two change most (Kovaleva et al. 2019)."
    )


def about_shares(name: str, head: tuple[int, int], before: Shares, after: Shares, moved: float) -> str:
    """What one row of one head gave to itself, [CLS], [SEP] and the rest, and what it gives now."""
    parts = [("itself", before.itself, after.itself)]
    parts += [] if name == "[CLS]" else [("[CLS]", before.first, after.first)]
    parts += [("[SEP]", before.separator, after.separator), ("the rest", before.others, after.others)]
    listed = ", ".join(f"{what} {was:.0%} → {now:.0%}" for what, was, now in parts)
    return (
        f"Layer {head[0]}, head {head[1]}, the row of {typeset.plain(name)}: {listed}. **{moved:.0%}** of this row's "
        "attention moved."
    )


def about_all_heads(name: str, before: Sequence[Shares], after: Sequence[Shares]) -> str:
    """The same row over all heads: what [SEP] and the word itself got before and get now, on average."""
    was, now = (float(np.mean([shares.separator for shares in part])) for part in (before, after))
    own_was, own_now = (float(np.mean([shares.itself for shares in part])) for part in (before, after))
    return (
        f"Over all {len(before)} heads, what {typeset.plain(name)} gives to [SEP] {_change(was, now)} on average; what "
        f"it keeps for itself {_change(own_was, own_now)}."
    )


def _change(was: float, now: float) -> str:
    """What became of a share, in words; up to a point is no change."""
    verb = {"more": "rises", "less": "falls"}.get(compare(now, was, margin=POINT))
    return f"{verb} from {was:.0%} to {now:.0%}" if verb else f"stays at about {now:.0%}"


def about_measured(results: Results) -> str:
    """What fine-tuning and pre-training are worth, against the baselines, and how far chance reaches."""
    tuned = results.variants[TUNED]
    sentence = (
        f"Held out, **{tuned.tags:.1%}** of the tags and **{tuned.verdicts:.1%}** of the sentiments are right; always "
        f"the word's most frequent tag gives {results.most_frequent_tag:.1%}, counted words and pairs (naive Bayes) "
        f"{results.naive_bayes:.1%}."
    )
    for name, what in ((FROZEN, "the same heads on the unchanged encoder"), (SCRATCH, "the same network from scratch")):
        if of := results.variants.get(name):
            sentence += f" With {what}: {of.tags:.1%} and {of.verdicts:.1%}."
    errors = (
        CLEAR * 2**0.5 * 100 * share_error(share, count)
        for share, count in ((tuned.tags, results.words), (tuned.verdicts, results.sentences))
    )
    least = " and ".join(
        f"{error:.1f} points of {what}" for error, what in zip(errors, ("tags", "sentiments"), strict=True)
    )
    return f"{sentence} Differences of less than {least} are within two standard errors."


def log_odds(predictions: TaskPredictions) -> float:
    """How far the logit of "positive" is above that of "negative"."""
    negative, positive = (max(float(value), 1e-30) for value in predictions.sentiment)
    return log(positive) - log(negative)


def _name(predictions: TaskPredictions, place: int) -> str:
    return f"“{typeset.plain(typeset.readable(predictions.words[place].label))}”"


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"
