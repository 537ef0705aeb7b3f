"""Another word, and the noise is the same: what moves in a painted picture."""

from dataclasses import replace

import numpy as np
import streamlit as st

from core.errors import InputError
from core.scenes.sentences import alternative_words
from core.zoo.attention_gans import AS_LEARNED
from dashboard import theme, typeset
from dashboard.cache.models import attention_gan
from dashboard.frame import layout
from dashboard.inputs import controls
from pages.words_and_pictures.generation import compute_painted, stages, write
from pages.words_and_pictures.generation.compute_painted import Painted, PaintRequest
from pages.words_and_pictures.generation.pictures import apart, difference, enlarged
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Painted in stages: another word")
CLEAR = 0.1  # of the way from black to white: a pixel that moved farther has changed
MOST_SIDE_BY_SIDE = 8  # words; more of them are a list to search
USUAL = "blue"  # which stands first in such a list
SHARP = 4  # one in so many places: those that took most of a word


def show(request: PaintRequest, number: int) -> None:
    """A word and the other one, both pictures and what moved, the notes."""
    place, other = _another(request)
    changed = replace(request, text=exchanged(request, place, other))
    attention_gan(request.world).encode(changed.text)
    with layout.waiting_place():
        before, after = compute_painted.paint(request), compute_painted.paint(changed)
    one, two = before.pictures[number], after.pictures[number]
    titled = {
        "As it was": (enlarged(one, 5), write.below(before, number)),
        f"With the other word: “{other}”": (enlarged(two, 5), write.below(after, number)),
        "What moved": (enlarged(difference(one, two), 5), ""),
    }
    wide = theme.look().high(260)
    with st.container(horizontal=True, gap="medium"):
        for title, (picture, caption) in titled.items():
            with st.container(width=wide, gap="small"):
                st.markdown(f"**{typeset.plain(title)}**")
                st.image(picture, width=wide, alt=title)
                if caption:
                    st.markdown(caption)
    layout.place_notice()
    layout.prose(SECTION.text("Another word"))
    layout.notes(
        SECTION,
        notice=noticed(before, after, number, place + 1),
        formula=lambda: stages.formula(request),
    )


def available(request: PaintRequest) -> dict[int, tuple[str, ...]]:
    """By place of a word the words that could stand there: of its kind in the drawn world, any of those known else."""
    painter = attention_gan(request.world)
    labels = [label.strip() for label in painter.encode(request.text).labels[1:-1]]
    sentence = compute_painted.paint(request).sentence
    if sentence is None:
        return {place: tuple(word for word in painter.words if word != label) for place, label in enumerate(labels)}
    alternatives = {place: alternative_words(word) for place, word in enumerate(sentence.words)}
    return {place: others for place, others in alternatives.items() if others}


def _another(request: PaintRequest) -> tuple[int, str]:
    """A word of the sentence, by its place, and the one that stands there instead."""
    alternatives = available(request)
    labels = [label.strip() for label in attention_gan(request.world).encode(request.text).labels[1:-1]]
    fits = {
        place: [word for word in others if _is_known(request, exchanged(request, place, word))]
        if request.world == "scenes"
        else list(others)
        for place, others in alternatives.items()
    }
    fits = {place: others for place, others in fits.items() if others}
    if not fits:
        raise InputError(
            "No word of this sentence can be exchanged for another of its kind. Write one that names a colour or a "
            "shape."
        )
    with layout.control_bar():
        named = {
            f"{labels[place]} ({place + 1})" if labels.count(labels[place]) > 1 else labels[place]: place
            for place in fits
        }
        place = named[controls.choice("Word", named, key="painted_word")]
        others = fits[place]
        if len(others) <= MOST_SIDE_BY_SIDE:
            other = controls.choice("Instead", others, key="painted_other")
        else:
            usual = others.index(USUAL) if USUAL in others else 0
            other = st.selectbox("Instead", others, index=usual, key="painted_other_of_many", bind="query-params")
    return place, other


def _is_known(request: PaintRequest, text: str) -> bool:
    try:
        attention_gan(request.world).encode(text)
    except InputError:
        return False
    return True


def exchanged(request: PaintRequest, place: int, other: str) -> str:
    """The sentence with another word at a place."""
    labels = [label.strip() for label in attention_gan(request.world).encode(request.text).labels[1:-1]]
    return " ".join([*labels[:place], other, *labels[place + 1 :]])


def noticed(before: Painted, after: Painted, number: int, place: int) -> tuple[str, ...]:
    """How much moved, whether it moved where the word was taken, and what holds now; `place`: of the token."""
    moved = apart(before.pictures[number], after.pictures[number])
    share = float((moved > CLEAR).mean())
    sentences = [f"**{share:.0%}** of the pixels moved by more than a tenth of the way from black to white."]
    look = before.attention[-1][number][:, place].numpy()
    if before.word_attention == AS_LEARNED and moved.sum():  # else no place took more of it than another
        side = round(len(look) ** 0.5)
        places = moved.reshape(side, len(moved) // side, side, -1).mean(axis=(1, 3)).ravel()
        most = np.argsort(-look, kind="stable")[: len(look) // SHARP]
        label = typeset.plain(before.words.labels[place].strip())
        sentences.append(
            f"{float(places[most].sum() / places.sum()):.0%} of all that moved lies in the quarter of the places that "
            f"had taken most of “{label}”; by chance it would be 25%."
        )
    held = before.holds(number), after.holds(number)
    if None not in held:
        before_says = {True: "showed everything you asked for", False: "missed something"}[bool(held[0])]
        now_says = {True: "shows everything", False: "misses something"}[bool(held[1])]
        sentences.append(f"Before, the picture {before_says}; now it {now_says} of the new sentence.")
    return tuple(sentences)
