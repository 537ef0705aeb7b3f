"""Do they match?: the probability that sentence and picture belong together, word by word."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import pandas as pd
import streamlit as st

from core.errors import InputError
from core.scenes.sentences import RELATIONS, alternative_words, parse
from dashboard import theme, typeset
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import PictureInput, truth_of
from dashboard.number_format import compare
from dashboard.output import charts
from pages.words_and_pictures.joint import compute, inputs
from pages.words_and_pictures.joint.prose import PAGE

SECTION = PAGE.section("Do they match?")
WIDE = 230  # pixels of the picture
NOTICEABLE = 0.05  # of probability: a smaller difference between sentences counts as none


@dataclass(frozen=True)
class Tried:
    """What stands in a place, how probable it makes it that sentence and scene belong together, and the truth."""

    label: str
    chance: float
    true: bool


def show() -> None:
    """The probability, and what it becomes with each other word in a place."""
    name, chosen, text = inputs.plain_bar()
    with layout.waiting_place():
        chance = compute.match_of(name, chosen, text)
    truth = truth_of(chosen, text)
    left, right = st.columns([1, 2], gap="large")
    with left:
        wide = theme.look().high(WIDE)
        st.image(compute.prepare(name, chosen).photograph, width=wide, alt="The picture that the sentence is read with")
        label = {True: "true", False: "not true", None: "no sentence of the drawn world"}[truth]
        st.metric("Probability that they match", f"{chance:.1%}", help="As the model gives it")
        st.caption(f"By the grammar the sentence is {label}.")
    with right:
        candidates = _exchanged(name, chosen, text)
        layout.place_notice()
    layout.notes(SECTION, notice=noticed(chance, truth, candidates), numbers={"probability": chance})


def _exchanged(name: str, chosen: PictureInput, text: str) -> list[Tried]:
    """The sentences that stand for choice, each with its bar."""
    offered = others(text)
    if not offered:
        st.markdown("No word of this sentence can be exchanged. Write a sentence of the drawn world.")
        return []
    candidates = tried(name, chosen, offered[controls.choice("Exchange", list(offered), key="match_word")])
    look = theme.look()
    labels, values = [candidate.label for candidate in candidates], [candidate.chance for candidate in candidates]
    hues = [look.palette.map if candidate.true else look.palette.negative for candidate in candidates]
    charts.chart(
        partial(prediction_bars, labels, values, look=look, hues=hues),
        name="match-words",
        alt="; ".join(f"{candidate.label} {candidate.chance:.0%}" for candidate in candidates),
        table=pd.DataFrame([asdict(candidate) for candidate in candidates]),
    )
    st.caption(SECTION.text("Colours of the bars"))
    return candidates


def others(text: str) -> dict[str, dict[str, str]]:
    """What can be exchanged in a sentence, by its name: what would stand there, the sentence with it.

    Each word of content, the relation as a whole, and the order of both groups.
    """
    try:
        sentence = parse(text)
    except InputError:
        return {}
    parts = [word.text for word in sentence.words]
    exchanges = {
        f"{place + 1}. {word.text}": {
            other: " ".join([*parts[:place], other, *parts[place + 1 :]])
            for other in (word.text, *alternative_words(word))
        }
        for place, word in enumerate(sentence.words)
        if word.kind != "relation" and alternative_words(word)
    }
    if sentence.other is not None:
        exchanges["the relation"] = {relation: replace(sentence, relation=relation).text for relation in RELATIONS}
        turned = replace(sentence, group=sentence.other, other=sentence.group)
        exchanges["the order"] = {version.text: version.text for version in (sentence, turned)}
    return exchanges


def tried(name: str, chosen: PictureInput, offered: Mapping[str, str]) -> list[Tried]:
    """Each sentence: the probability that it belongs to the scene, and whether it is true; the most probable first."""
    candidates = [
        Tried(label, compute.match_of(name, chosen, changed), bool(truth_of(chosen, changed)))
        for label, changed in offered.items()
    ]
    return sorted(candidates, key=lambda candidate: -candidate.chance)


def noticed(chance: float, truth: bool | None, candidates: Sequence[Tried]) -> tuple[str, ...]:
    """What the network says, beside what it says of the other sentences, and whether it prefers what is true.

    A yes is a probability above a half; differences of up to NOTICEABLE count as none.
    """
    sentences = [_tell_answer(chance, truth, candidates)]
    if len(candidates) > 1:
        sentences += [_tell_best(candidates), *_tell_apart(candidates)]
    return tuple(sentences)


def _tell_answer(chance: float, truth: bool | None, candidates: Sequence[Tried]) -> str:
    """The network's answer; whether it is right counts for nothing where it gives every sentence the same."""
    answer = compare(chance, 0.5)
    if answer in ("as much", "unknown"):
        return "The model says neither yes nor no: it gives this sentence 50%."
    says = "yes" if answer == "more" else "no"
    sure = f"The model says {says} with {max(chance, 1 - chance):.0%}"
    of = {True: "the sentence is true", False: "the sentence is not true", None: "whether that is so is not known"}
    yes, true = sum(candidate.chance > 0.5 for candidate in candidates), sum(candidate.true for candidate in candidates)
    if len(candidates) < 2:
        return f"{sure}; {of[truth]}. No other sentence stands beside it, so it may say so of every one."
    if yes in (0, len(candidates)):
        return (
            f"{sure}, but it says {says} to **all {len(candidates)}** sentences here, of which {true} "
            f"{'is' if true == 1 else 'are'} true: its {says} says nothing about this one."
        )
    right = sum((candidate.chance > 0.5) == candidate.true for candidate in candidates)
    counted = f"Of the {len(candidates)} sentences here it is right about **{right}**, saying yes to {yes}; {true} "
    return f"{sure}; {of[truth]}. {counted}{'is' if true == 1 else 'are'} true."


def _tell_best(candidates: Sequence[Tried]) -> str:
    """Which sentences match best; those within NOTICEABLE of the best one are named together."""
    best = [
        candidate
        for candidate in candidates
        if compare(candidate.chance, candidates[0].chance, margin=NOTICEABLE) == "as much"
    ]
    if len(best) == len(candidates):
        return (
            f"It hardly tells the {len(candidates)} apart: they get {candidates[-1].chance:.0%} to "
            f"{candidates[0].chance:.0%}, no more than {100 * NOTICEABLE:.0f} points apart."
        )
    if len(best) == 1:
        truth = "true" if best[0].true else "not true"
        return (
            f"Of {len(candidates)} versions **“{typeset.plain(best[0].label)}”** matches best, {best[0].chance:.0%}; "
            f"with it the sentence is {truth}."
        )
    true = sum(candidate.true for candidate in best)
    return (
        f"{len(best)} of {len(candidates)} versions match about equally well ({best[-1].chance:.0%} to "
        f"{best[0].chance:.0%}); {true or 'none'} of them {'is' if true == 1 else 'are'} true."
    )


def _tell_apart(candidates: Sequence[Tried]) -> Iterator[str]:
    """How probable true sentences are on average, beside false ones."""
    trues = [candidate.chance for candidate in candidates if candidate.true]
    falses = [candidate.chance for candidate in candidates if not candidate.true]
    if not trues or not falses:
        return
    true, false = sum(trues) / len(trues), sum(falses) / len(falses)
    says = {
        "more": "it prefers what is true",
        "less": "it prefers what is false",
        "as much": "it does not tell them apart",
        "unknown": "which it prefers is not known",
    }[compare(true, false, margin=NOTICEABLE)]
    yield f"True sentences get {true:.0%} on average, false ones {false:.0%}: {says}."
