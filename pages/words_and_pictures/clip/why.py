"""Why?: what each word adds, which patches it rests on, and what covering patches does."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from torch import Tensor

from core.attribution.word_maps import OCCLUSION, RELEVANCE, WAYS
from core.images import EXAMPLES as EXAMPLE_PICTURES
from core.view.codec import whole_number
from core.zoo.clips import PictureText
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.cache.memo import cached
from dashboard.cache.models import clip
from dashboard.components.patch_picker import patch_picker
from dashboard.components.word_maps import MappedWord, WordMap, WordScene, word_maps
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, picture_input
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput, masks_of, sentence_for
from dashboard.inputs.scene_builder import FIRST_SCENE
from dashboard.number_format import compare, signed
from dashboard.output import charts, pointing_game
from pages.words_and_pictures.clip import compute, inputs
from pages.words_and_pictures.clip.figures import word_bars
from pages.words_and_pictures.clip.prose import PAGE

SECTION = PAGE.section("Why?")
LEFT_OUT, BY_RELEVANCE = "leaving it out", "relevance"
ANY = "a photograph"  # of a picture of one's own
EXAMPLES = {world: example_texts.examples(f"words-{name}") for world, name in inputs.WORLDS.items()}
HARDLY = 0.005  # of a cosine: less is nothing in its two digits
COVERED = "covered"  # in the address: patches by their numbers


def show() -> None:
    """The picture and the sentence, the maps of its words, what each word adds, patches to cover."""
    bar = layout.control_bar()
    messages = st.container(gap=None)
    with bar:
        chosen = picture_input.choose((PHOTOGRAPHS, SCENES, EMOJI))
        own = inputs.WORLDS[chosen.world]
        first, field = first_sentence(clip(own), chosen), f"why_{own}"
        _begin_anew(first, field)
        text = st.text_input("Your sentence", first, key=field, bind="query-params", max_chars=300)
        controls.examples(EXAMPLES[chosen.world], field=field)
        name = inputs.settings_of_network(chosen.world, messages)
    with layout.waiting_place():
        cosine, without = compute.without_words(name, chosen, text)
        scene = scene_of(name, chosen, text)
    word_maps(scene, key="why-maps", name="clip-why")
    layout.place_notice()
    inputs.say_unknown(clip(name), [text])
    layout.prose(SECTION.text("Score of a word"))
    labels = compute.words_of(name, text)
    added = [cosine - value for value in without]
    most = int(np.argmax(np.abs(added)))
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(f"What each word adds to the cosine of {signed(cosine)}", anchor=False)
        _words(name, chosen, text, labels, added)
    with right:
        st.subheader("Cover patches", anchor=False)
        now = _cover(name, chosen, text)
    layout.notes(
        SECTION,
        notice=(
            *noticed(labels, added, cosine, now, compute.maps(name, chosen, text)),
            *inputs.tell_learned((chosen,)),
        ),
        numbers={
            "word": typeset.plain(labels[most]),
            "cosine": cosine,
            "without": without[most],
            "difference": added[most],
        },
    )


def first_sentence(model: PictureText, chosen: PictureInput) -> str:
    """A sentence that is true of a picture: of an example or a scene, or the name of an emoji."""
    if chosen.world == EMOJI:
        return compute.known_name(model, chosen) or ANY
    if (scene := chosen.scene) is not None:
        return example_texts.opening("joint") if chosen.picture == FIRST_SCENE else sentence_for(scene)
    return EXAMPLE_PICTURES[chosen.picture].sentence if isinstance(chosen.picture, str) else ANY


def _begin_anew(first: str, field: str) -> None:
    """Another picture has another sentence, unless somebody has written."""
    key = f"{field}_offered"
    before = st.session_state.get(key)
    if before is not None and before != first and st.session_state.get(field) == before:
        st.session_state[field] = first
    st.session_state[key] = first


def _words(name: str, chosen: PictureInput, text: str, labels: Sequence[str], added: Sequence[float]) -> None:
    """A bar for each word: by leaving it out, or by relevance through the encoder of texts."""
    by = controls.choice("By", (LEFT_OUT, BY_RELEVANCE), key="why_words")
    if by == LEFT_OUT:
        names, values, x = list(labels), list(added), "cosine with it, less without it"
    else:
        relevance = compute.read_by_relevance(name, chosen, text)
        names, values = [label for label, _ in relevance], [value for _, value in relevance]
        x = "relevance: gradient times attention, positive parts"
    figure = partial(word_bars, names, values, look=theme.look(), x=x)
    alt = "; ".join(f"{word} {value:+.2g}" for word, value in zip(names, values, strict=True))
    table = pd.DataFrame({"word": names, x: values})
    charts.chart(figure, name="clip-words", alt=f"What each word adds: {alt}", table=table)


@cached()
def scene_of(name: str, chosen: PictureInput, text: str) -> WordScene:
    """The words of a sentence with a map by each way."""
    labels = compute.words_of(name, text)
    maps_by_way = compute.maps(name, chosen, text)
    known = masks_of(chosen, labels)
    maps = [
        WordMap(pointing_game.METHODS[way], maps_by_way[way].numpy(), says=SAYS[way])
        for way in (RELEVANCE, *(way for way in WAYS if way != RELEVANCE))
        if way in maps_by_way
    ]
    mapped_words = tuple(MappedWord(label, mask=mask) for label, mask in zip(labels, known, strict=True))
    start = next((place for place, mask in enumerate(known) if mask is not None), 0)
    prepared = compute.prepare(name, chosen)
    photo = "ink" if chosen.world == PHOTOGRAPHS else "colour"
    return WordScene(prepared.photograph, clip(name).grid, mapped_words, tuple(maps), text, start, photo=photo)


SAYS = {
    "attention": "Whatever the word (here “{word}”), the picture's encoder gives {share} of its last attention",
    "rollout": "Whatever the word (here “{word}”), rollout gives {share}",
    "gradient": "Of what “{word}” adds, gradient × attention gives {share}",
    "relevance": "Of what “{word}” adds, relevance gives {share}",
    "occlusion": "Of what covering places takes from “{word}”, {share} is due",
}


def _cover(name: str, chosen: PictureInput, text: str) -> float:
    """Patches to be covered by a click; the cosine as it is now."""
    rows, columns = clip(name).grid

    def parse(text: str) -> tuple[int, ...]:
        parts = (whole_number(part, rows * columns) for part in text.split("-"))
        return tuple(sorted({number for number in parts if number is not None}))

    patches = parameter(COVERED, parse)

    def switch(row: int, column: int) -> None:
        changed = set(patches) ^ {row * columns + column}
        st.query_params[COVERED] = "-".join(map(str, sorted(changed)))
        if not changed:
            del st.query_params[COVERED]

    now = compute.with_covered(name, chosen, text, patches) if patches else compute.without_words(name, chosen, text)[0]
    patch_picker(
        compute.prepare(name, chosen).photograph,
        rows=rows,
        columns=columns,
        key="clip-cover",
        chosen=[divmod(patch, columns) for patch in patches],
        look="cover",
        mark="covered",
        hint="Click patches to cover them, and again to uncover them.",
        on_click=switch,
        alt=f"The picture with {len(patches)} of {rows * columns} patches covered",
        name="clip-cover",
        height=280,
    )
    covered = "one patch covered" if len(patches) == 1 else f"{len(patches)} patches covered"
    st.markdown(f"Cosine with {covered}: **{signed(now)}**" if patches else f"Cosine: **{signed(now)}**")
    return now


def noticed(labels: Sequence[str], added: Sequence[float], cosine: float, now: float, maps: dict) -> tuple[str, ...]:
    """Which word counts most, what the sum comes to, what covering did, and how far two ways agree."""
    sentences = []
    if len(labels) > 1:
        sentences.append(_tell_words(labels, added))
        sentences.append(
            f"The words' contributions sum to {signed(sum(added))}, the cosine is {signed(cosine)}"
            + (": words do not simply add up." if signed(sum(added)) != signed(cosine) else ".")
        )
    else:
        sentences.append("A sentence of one word cannot be taken apart.")
    if now != cosine:
        moves = {"less": "falls", "more": "rises"}.get(compare(now, cosine, margin=HARDLY))
        by = f"{moves} by {abs(cosine - now):.2f}" if moves else f"changes by less than {HARDLY:.2f}"
        sentences.append(f"With patches covered the cosine {by}.")
    if RELEVANCE in maps and OCCLUSION in maps and len(labels) > 1:
        best = int(np.argmax(added))
        sentences.append(_tell_maps(labels[best], maps[RELEVANCE][best], maps[OCCLUSION][best]))
    return tuple(sentences)


def _tell_words(labels: Sequence[str], added: Sequence[float]) -> str:
    """The words that add most and least, by the sign of what they add; less than HARDLY counts as nothing."""
    best, worst = int(np.argmax(added)), int(np.argmin(added))
    high, low = (f"“{typeset.plain(labels[place])}”" for place in (best, worst))
    if max(abs(value) for value in added) < HARDLY:
        return f"No word matters alone: leaving one out changes the cosine by less than {HARDLY:.2f}."
    if added[best] < HARDLY:
        return f"No word adds to the cosine; **{low}** takes most away, {signed(added[worst])}."
    if added[worst] <= -HARDLY:
        return f"**{high}** adds most, {signed(added[best])}; {low} takes most away, {signed(added[worst])}."
    if signed(added[best]) == signed(added[worst]):
        return f"All words add as much, {signed(added[best])} each."
    return f"**{high}** adds most, {signed(added[best])}; {low} adds least, {signed(added[worst])}."


def _tell_maps(label: str, relevance: Tensor, occlusion: Tensor) -> str:
    """Whether two maps of a word are largest at the same patch; a map that is 0 everywhere is so at none."""
    word = f"“{typeset.plain(label)}”"
    if not float(relevance.max()) > 0 or not float(occlusion.max()) > 0:
        return f"For {word}, relevance or occlusion finds no patch that matters."
    same = int(relevance.argmax()) == int(occlusion.argmax())
    return f"For {word}, relevance and occlusion {'agree' if same else 'do not agree'} on the most important patch."
