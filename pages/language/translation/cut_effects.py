"""What a cut does: which words change, what the first translation loses, where the weight goes."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from core.translation.translator_maps import Head
from core.zoo import Aligned
from dashboard import typeset
from dashboard.number_format import compare, signed
from pages.language.translation import cuts, word_maps
from pages.language.translation.compute import Translated
from pages.language.translation.cuts import CutLink
from pages.language.translation.word_maps import Words, quoted

MOST_WORDS = 6  # words at most that are named
NEAR = 0.005  # up to here two weights are printed alike
LONG = 4  # letters: shorter words tell little


@dataclass(frozen=True)
class Difference:
    """The places of the words that are gone from the first version, and of those that are new in the second."""

    gone: tuple[int, ...]
    new: tuple[int, ...]

    def __bool__(self) -> bool:
        return bool(self.gone or self.new)


@dataclass(frozen=True)
class Run:
    """Neighbouring words of the first version, and what stands there in the second: the same, others, or nothing."""

    before: range
    after: range
    same: bool


def runs(before: Sequence[str], after: Sequence[str]) -> tuple[Run, ...]:
    """Both versions side by side, the longest common runs of words matched; spaces around words do not count."""
    first, second = ([word.strip() for word in words] for words in (before, after))
    # Without "junk", which leaves out words that are frequent in long texts.
    opcodes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    return tuple(Run(range(a, b), range(c, d), kind == "equal") for kind, a, b, c, d in opcodes)


def difference(before: Sequence[str], after: Sequence[str]) -> Difference:
    """The words that stand in one version only."""
    changed = [run for run in runs(before, after) if not run.same]
    return Difference(
        tuple(place for run in changed for place in run.before), tuple(place for run in changed for place in run.after)
    )


def marked(words: Sequence[str], places: Sequence[int], *, gone: bool) -> str:
    """The sentence as Markdown, the words at these places struck through or set off."""
    return "".join(
        _marked(word, gone=gone) if place in places else typeset.plain(word) for place, word in enumerate(words)
    )


def _marked(word: str, *, gone: bool) -> str:
    bare = typeset.plain(word.strip())
    space = " " if word[:1].isspace() else ""
    if not bare:
        return typeset.plain(word)
    return f"{space}~~{bare}~~" if gone else f"{space}:orange-background[**{bare}**]"


@dataclass(frozen=True, eq=False)
class Compared:
    """One model's translation before and after the changes; `again` is the first one, written by the changed model."""

    name: str
    before: Translated
    after: Translated
    again: Aligned
    source: Words
    first: Words
    second: Words
    cut: tuple[CutLink, ...]
    silenced: tuple[Head, ...]

    @property
    def is_changed(self) -> bool:
        """Whether anything was cut or silenced."""
        return bool(self.cut or self.silenced)

    @property
    def difference(self) -> Difference:
        """The words that changed."""
        return difference(self.first.labels, self.second.labels)


def link_to_cut(aligned: Aligned, target: Words, source: Words) -> tuple[int, int, float]:
    """The strongest link between words of the mean map: target word, source word, weight.

    Signs and short words tell little: among target words of LONG letters and more, if there are any.
    """
    weights = word_maps.maps_of(aligned, target, source)[0].weights
    rows = _long(target) or target.real or range(len(target.spans))
    columns = source.real or range(len(source.spans))
    best = weights[np.ix_(rows, columns)].argmax()
    to, of = rows[int(best) // len(columns)], columns[int(best) % len(columns)]
    return to, of, float(weights[to, of])


def _long(words: Words) -> tuple[int, ...]:
    return tuple(place for place in words.real if sum(map(str.isalpha, words.labels[place])) >= LONG)


def noticed(compared: Compared) -> tuple[str, ...]:
    """Sentences that are true of what is shown."""
    if not compared.is_changed:
        return (about_strongest(compared.before.aligned, compared.first, compared.source),)
    return (about_words(compared), about_loss(compared), *about_moved_places(compared))


def about_strongest(aligned: Aligned, target: Words, source: Words) -> str:
    """The link to begin with."""
    to, of, weight = link_to_cut(aligned, target, source)
    among = f"Of the French words of {LONG} letters and more" if _long(target) else "Of the French words"
    where = "" if len(aligned.cross) == len(aligned.cross[0]) == 1 else " in the mean of all heads"
    return (
        f"{among}, {target.quoted(to)} has the strongest link{where}, to {source.quoted(of)}: **{weight:.2f}**. Cut "
        "this link first."
    )


def described(compared: Compared, cut: CutLink) -> str:
    """A cut in words: the word of the first translation at its place, and what may not be looked at from there."""
    to = compared.source.quoted(cut.source)
    if cut.first is None:
        return f"every word → {to}"
    place = compared.first.at(cut.first)
    return f"{'what may follow' if place is None else compared.first.quoted(place)} → {to}"


def about_cuts(compared: Compared) -> tuple[str, ...]:
    """For each cut, the last first, what the changed model wrote where the cut word stood."""
    return tuple(
        f"You cut {described(compared, cut)}; {_outcome(compared, cut)}."
        for cut in compared.cut[: -MOST_WORDS - 1 : -1]
    )


def _outcome(compared: Compared, cut: CutLink) -> str:
    first, second = compared.first, compared.second
    place = None if cut.first is None else first.at(cut.first)
    if place is None:
        return "words of the translation changed" if compared.difference else "the translation stays the same"
    run = next(run for run in runs(first.labels, second.labels) if place in run.before)
    if run.same:
        return "the model wrote the word all the same"
    if not run.after:
        moved = first.labels[place].strip() in [
            second.labels[new_place].strip() for new_place in compared.difference.new
        ]
        return "the model wrote the word at another place" if moved else "the model left the word out"
    replacement = " ".join(second.quoted(new_place) for new_place in run.after[:MOST_WORDS])
    return f"the model wrote {replacement}" + (
        " in its place"
        if len(run.before) == 1
        else f" in place of {' '.join(map(first.quoted, run.before[:MOST_WORDS]))}"
    )


def about_words(compared: Compared) -> str:
    """The words that went and those that came."""
    changed = compared.difference
    before, after = compared.before.log_probability, compared.after.log_probability
    numbers = f"log p {signed(before)} before, {signed(after)} now"
    if not changed:
        return (
            f"The translation stays the same, word for word ({numbers}): the model does not need what was taken away."
        )
    gone = ", ".join(compared.first.quoted(place) for place in changed.gone[:MOST_WORDS]) or "nothing"
    new = ", ".join(compared.second.quoted(place) for place in changed.new[:MOST_WORDS]) or "nothing"
    dots = [" …" if len(places) > MOST_WORDS else "" for places in (changed.gone, changed.new)]
    return f"Gone: {gone}{dots[0]}. New: {new}{dots[1]} ({numbers})."


def about_loss(compared: Compared) -> str:
    """What the first translation lost, in the eyes of the changed model."""
    words = compared.first
    was, now = (words.sums(aligned.log_probabilities) for aligned in (compared.before.aligned, compared.again))
    worst = min(range(len(was)), key=lambda place: now[place] - was[place])
    summary = (
        f"The changed model gives the first translation log p **{signed(sum(now))}** instead of {signed(sum(was))}."
    )
    if compare(now[worst], was[worst], margin=NEAR) != "less":
        return f"{summary} No word became less probable."
    how = ""
    if compared.cut:
        length = len(compared.before.target)
        own = any(set(cut.tokens(length)) & set(words.spans[worst]) for cut in compared.cut)
        how = ", one of whose own links is cut" if own else ", although none of its own links is cut"
    return (
        f"{summary} The greatest loss is at {words.quoted(worst)} ({signed(was[worst])} to {signed(now[worst])}){how}."
    )


def about_moved_places(compared: Compared) -> tuple[str, ...]:
    """The first cut at whose place another word stands now, if there is one."""
    for cut in compared.cut:
        if cut.first is None:
            continue
        was, now = compared.first.at(cut.first), compared.second.at(cut.first)
        if was is None or now is None or compared.first.labels[was].strip() == compared.second.labels[now].strip():
            continue
        return (
            f"{compared.second.quoted(now)} now stands where {compared.first.quoted(was)} stood, so the cut keeps this "
            f"word from attending to {compared.source.quoted(cut.source)}.",
        )
    return ()


def shared_out(compared: Compared) -> str:
    """The first row that is cut, before and after; empty where it was changed by something else as well."""
    length = len(compared.before.target)
    links = sorted(cuts.links(compared.cut, compared.source.spans, length))
    if not links or links[0][0] >= length:
        return ""
    row = links[0][0]
    gone = [source for target, source in links if target == row]
    before, after = compared.before.aligned.cross[0][0, row], compared.again.cross[0][0, row]
    taken, left = float(before[gone].sum()), int(after.argmax())
    had, has = float(before[left]), float(after[left])
    if left in gone or taken >= 1 or not abs(had / (1 - taken) - has) < NEAR:
        return ""
    where = "" if compared.name == "bahdanau" else " in layer 0, head 0"
    token, source_token = quoted(compared.before.target.labels[row]), quoted(compared.before.source.labels[left])
    return (
        f"For the piece {token}{where}, {taken:.2f} of the attention is cut; {source_token} had {had:.2f} and has "
        f"{had:.2f} / (1 − {taken:.2f}) = **{has:.2f}**."
    )
