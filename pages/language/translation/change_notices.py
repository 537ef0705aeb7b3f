"""What to notice after a cut: which words changed, what the first translation lost, where the weight went."""

import streamlit as st

from dashboard import layout
from dashboard.numbers import signed
from pages.language.translation import change_tools, cuts, word_maps
from pages.language.translation import words_change as said
from pages.language.translation.compared import Compared

TOLD = 6  # words at most that are named
NEAR = 0.005  # up to here two weights are printed alike


def about(compared: Compared) -> tuple[str, ...]:
    """Sentences that are true of what is shown."""
    if not compared.is_changed:
        return (_strongest(compared),)
    return (_words(compared), _loss(compared), *_elsewhere(compared))


def _strongest(compared: Compared) -> str:
    aligned, first, source = compared.before.aligned, compared.first, compared.source
    to, of = change_tools.strongest(aligned, first, source)
    weight = float(next(iter(word_maps.named_maps(aligned, first, source).values()))[to, of])
    return f"The strongest link is that of {first.quoted(to)} to {source.quoted(of)}: **{weight:.2f}**. Cut it first."


def _words(compared: Compared) -> str:
    changed = compared.difference
    before, after = compared.before.log_probability, compared.after.log_probability
    numbers = f"log p {signed(before)} before, {signed(after)} now"
    if not changed:
        return (
            f"The translation stays the same, word for word ({numbers}): the model can write it without what was taken."
        )
    gone = ", ".join(compared.first.quoted(place) for place in changed.gone[:TOLD]) or "nothing"
    new = ", ".join(compared.second.quoted(place) for place in changed.new[:TOLD]) or "nothing"
    more = " …" if max(len(changed.gone), len(changed.new)) > TOLD else ""
    return f"Gone: {gone}{more}. New: {new}{more} ({numbers})."


def _loss(compared: Compared) -> str:
    """What the first translation lost, in the eyes of the changed model."""
    words = compared.first
    was = word_maps.log_probabilities(compared.before.aligned, words)
    now = word_maps.log_probabilities(compared.again, words)
    worst = min(range(len(was)), key=lambda place: now[place] - was[place])
    whole = (
        f"Made to write its first translation, the changed model gives it log p **{signed(sum(now))}** instead of "
        f"{signed(sum(was))}."
    )
    if now[worst] >= was[worst]:
        return f"{whole} No word became less probable."
    return (
        f"{whole} The greatest loss is at {words.quoted(worst)} ({signed(was[worst])} to {signed(now[worst])})"
        f"{_how_cut(compared, worst)}."
    )


def _how_cut(compared: Compared, place: int) -> str:
    if not compared.cut:
        return ""
    if any(place == target for target, _ in cuts.cells(compared.cut, compared.first.spans)):
        return ", a word of which a link is cut"
    return ", although none of its own links is cut"


def _elsewhere(compared: Compared) -> tuple[str, ...]:
    """A cut at whose place another word stands now."""
    for cut in compared.cut:
        if cut.first is None:
            continue
        was, now = compared.first.at(cut.first), compared.second.at(cut.first)
        if was is None or now is None or compared.first.labels[was].strip() == compared.second.labels[now].strip():
            continue
        return (
            f"At piece {cut.first + 1}, where {compared.first.quoted(was)} stood, {compared.second.quoted(now)} stands "
            f"now: it is this word that may not look at {compared.source.quoted(cut.source)}.",
        )
    return ()


def formula(compared: Compared) -> None:
    """What is left of a row is shared out again; with the numbers of the first row that is cut."""
    st.latex(
        r"\begin{aligned} a'_{ij} &= 0 \quad \text{where } j \text{ is cut} \\ "
        r"a'_{ij} &= \frac{a_{ij}}{1 - \sum_{k \text{ cut}} a_{ik}} \quad \text{elsewhere} \end{aligned}"
    )
    if numbers := _shared_out(compared):
        st.markdown(numbers)
    st.markdown(said.CHANGE_FORMULA)


def _shared_out(compared: Compared) -> str:
    """The first row that is cut, before and after; empty where it was changed by something else as well."""
    length, spans = len(compared.before.target), compared.source.spans
    links = sorted(cuts.links(compared.cut, spans, length))
    if not links or links[0][0] >= length:
        return ""
    row = links[0][0]
    gone = [source for target, source in links if target == row]
    before, after = compared.before.aligned.cross[0][0, row], compared.again.cross[0][0, row]
    taken, left = float(before[gone].sum()), int(after.argmax())
    expected = float(before[left]) / (1 - taken) if taken < 1 else float("nan")
    if left in gone or not abs(expected - float(after[left])) < NEAR:
        return ""
    where = "" if compared.name == "bahdanau" else " in layer 0, head 0"
    token = compared.before.target.labels[row].strip() or "␠"
    kept = compared.before.source.labels[left].strip() or "␠"
    had, has = float(before[left]), float(after[left])
    return (
        f"For the piece “{layout.plain(token)}”{where}, {taken:.2f} of the attention is cut; “{layout.plain(kept)}” "
        f"had {had:.2f} and has {had:.2f} / (1 − {taken:.2f}) = **{has:.2f}**."
    )
