"""What Read says of verdicts, of the words that explanations name, and of sentences: numbers in, a text out."""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from core.attribution.token_methods import FROM_ATTENTION, METHODS
from dashboard import typeset
from dashboard.number_format import POINT, compare
from pages.language.sentiment.compute import Sentence, Verdict

FIRST = 5  # words that are compared
NOTHING = 0.0005  # of the log-odds: what would be printed as 0
LITTLE = 0.05  # of the log-odds: a sentence that adds less is for neither side


def quoted(label: str) -> str:
    """A word of the visitor's in a sentence."""
    return f"“{typeset.plain(typeset.readable(label).strip())}”"


def shares_of(verdict: Verdict, classes: Sequence[str]) -> Float[Tensor, " class"] | None:
    """Its probabilities in the order of `classes`, whose names may be written large or small; None if it has others."""
    names = [name.casefold() for name in verdict.model.classes]
    wanted_names = [name.casefold() for name in classes]
    if sorted(names) != sorted(wanted_names) or len(set(names)) < len(names):
        return None
    return verdict.probabilities[[names.index(name) for name in wanted_names]]


def about_verdicts(verdicts: Sequence[Verdict], chosen: str, classes: Sequence[str]) -> str:
    """What the chosen network says, then who of all that know `classes` agrees, and who is most in doubt."""
    own = next(verdict for verdict in verdicts if verdict.model.name == chosen)
    begin = (
        f"**{typeset.plain(own.model.title)}** predicts **{typeset.plain(own.label)}** ({own.probabilities.max():.1%})."
    )
    peers = [verdict for verdict in verdicts if shares_of(verdict, classes) is not None]
    if own not in peers:
        begin += " Its classes differ from those of the other networks, so it is not counted with them."
    if len(peers) < 2:
        return begin  # there is nobody to agree with
    by_label: dict[str, list[Verdict]] = {}
    for verdict in peers:
        by_label.setdefault(verdict.label.casefold(), []).append(verdict)
    if len(by_label) == 1:
        by_doubt = sorted(peers, key=lambda verdict: float(verdict.probabilities.max()))
        doubt, (least, second) = by_doubt[0], (float(verdict.probabilities.max()) for verdict in by_doubt[:2])
        agreed = "Both agree" if len(peers) == 2 else f"All {len(peers)} agree"
        agreed += "" if own in peers else f" on {typeset.plain(doubt.label)}"
        if compare(least, second, margin=POINT) == "as much":
            return f"{begin} {agreed}; the least sure give it {least:.1%}."
        return f"{begin} {agreed}; the least sure is {typeset.plain(doubt.model.title)} ({least:.1%})."
    most, *others = sorted(by_label.values(), key=len, reverse=True)
    # Titles have commas of their own.
    each_side = " ".join(
        f"**{typeset.plain(who[0].label.capitalize())}**: "
        f"{'; '.join(typeset.plain(verdict.model.title) for verdict in who)}."
        for who in by_label.values()
    )
    if len(others[0]) == len(most):
        return f"{begin} The networks disagree, and no side is larger than all others. {each_side}"
    verb = "predicts" if len(most) == 1 else "predict"
    return (
        f"{begin} The networks disagree: {len(most)} of {len(peers)} {verb} {typeset.plain(most[0].label)}. {each_side}"
    )


def about_unknown(unknown: int, words: int, label: str) -> str:
    """How many of a text's words the network does not know: whatever they are, it reads the same sign."""
    if not unknown:
        return ""
    which = "It is a word" if unknown == words == 1 else f"{unknown} of {words} are words"
    return (
        f" “{typeset.plain(label)}” stands for a word that the network never learned: {which} unknown to it. It reads "
        "them all alike."
    )


def about_first(scores: Mapping[str, Float[Tensor, " word"]], labels: Sequence[str]) -> str:
    """How many of the words that each explanation puts first are put first by all."""
    if len(scores) == 1:
        return "This network has one explanation only, so there is nothing to compare."
    count = FIRST
    if len(labels) <= count:
        return f"Each explanation names all of so few words ({len(labels)}), so there is nothing to compare."
    first = [set(method_scores.topk(count).indices.tolist()) for method_scores in scores.values()]
    shared, named = sorted(set.intersection(*first)), len(set.union(*first))
    own_words = f"Each names its {_words(count)} of most weight, {named} different in all."
    expected = len(labels) * (count / len(labels)) ** len(scores)  # each order draws its first words by itself
    by_chance = (
        f"Random orders would share {expected:.1f} of {len(labels)} words on average."
        if expected >= 0.05
        else f"Random orders of {len(labels)} words would almost never share one."
    )
    if not shared:
        return f"**No word** is named by all {len(scores)} explanations. {own_words} {by_chance}"
    shared_words = ", ".join(quoted(labels[place]) for place in shared)
    words = f"words {'is' if len(shared) == 1 else 'are'}"
    return (
        f"**{len(shared)} of {count}** {words} named by all {len(scores)} explanations: {shared_words}. {own_words} "
        f"{by_chance}"
    )


def about_against(scores: Mapping[str, Float[Tensor, " word"]], labels: Sequence[str], verdict: str) -> str:
    """Which words speak against the verdict, and how much of the attention lies on them all the same."""
    integrated = scores.get("integrated")
    if integrated is None:
        return f"Attention and rollout cannot show which words count against “{typeset.plain(verdict)}”."
    against = integrated < 0
    name = METHODS["integrated"].lower()
    if not against.any():
        return f"By {name}, no word counts against “{typeset.plain(verdict)}”."
    count = int(against.sum())
    sentence = (
        f"By {name}, {count} of {_words(len(labels))} {'counts' if count == 1 else 'count'} against "
        f"“{typeset.plain(verdict)}”, {quoted(labels[int(integrated.argmin())])} most."
    )
    if "attention" not in scores:
        return f"{sentence} This network has no attention to compare with."
    attention = scores["attention"]
    if not float(attention.sum()):
        return f"{sentence} Attention gives nothing to any word."
    share, them = float(attention[against].sum() / attention.sum()), "this word" if count == 1 else "these words"
    return (
        f"{sentence} Attention cannot show this: it gives **{share:.0%}** of its weight to {them}; uniform attention "
        f"would give {count / len(labels):.0%}."
    )


def tell(label: str, score: float, method: str, verdict: str) -> str:
    """The sentence for one word under one explanation."""
    name = typeset.readable(label).strip()
    if method in FROM_ATTENTION:
        return f"“{name}” gets {score:.1%} by {METHODS[method].lower()}."
    if compare(score, 0.0, margin=NOTHING) == "as much":
        return f"“{name}” counts neither for nor against “{verdict}” by {METHODS[method].lower()}."
    side = "for" if score > 0 else "against"
    return f"“{name}” counts {side} “{verdict}” by {METHODS[method].lower()}: {score:+.3f} of the log-odds."


def about_sentences(sentences: Sequence[Sentence], shares: Sequence[float], verdict: str) -> str:
    """Which sentence adds most to the verdict, and how many would say otherwise by themselves."""
    best = max(range(len(shares)), key=lambda number: shares[number])
    others = sum(sentence.label != verdict for sentence in sentences)
    sides = [compare(share, 0.0, margin=LITTLE) for share in shares]
    apart = sum(
        side == ("less" if sentence.label == verdict else "more")
        for sentence, side in zip(sentences, sides, strict=True)
    )
    what = typeset.plain(verdict)
    most = (
        f"Sentence {best + 1} of {len(shares)} adds most to “{what}” ({shares[best]:+.2f} of the log-odds); read alone "
        f"it is {typeset.plain(sentences[best].label)}."
        if sides[best] == "more"
        else f"No sentence adds to “{what}” by more than {LITTLE} of the log-odds."
    )
    return (
        f"{most} **{others} of {len(sentences)}** sentences read alone are not {what}; for {apart}, the prediction for "
        "the sentence alone and what it adds to the whole have opposite signs."
    )


def word_scores(
    scores: Mapping[str, Float[Tensor, " word"]], labels: Sequence[str]
) -> dict[str, list[str] | list[float]]:
    """The columns of the table of words: each word, and its score by each explanation."""
    stacked = torch.stack(list(scores.values())).tolist()
    named = dict(zip((METHODS[method] for method in scores), stacked, strict=True))
    return {"word": [label.strip() for label in labels], **named}


def _words(count: int) -> str:
    return f"{count} word" if count == 1 else f"{count} words"
