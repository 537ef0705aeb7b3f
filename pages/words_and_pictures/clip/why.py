"""Why?: what each word adds, which patches it rests on, and what covering patches does."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.grounding.word_maps import OCCLUSION, RELEVANCE, WAYS
from dashboard import charts, controls, grounding, layout, seen
from dashboard.components.patch_picker import patch_picker
from dashboard.components.word_maps import SeenWord, WordMap, WordScene, word_maps
from dashboard.kept import keep
from dashboard.models import clip
from dashboard.numbers import signed
from dashboard.seen import EMOJI, PHOTOGRAPHS, SCENES, Seen, masks_of, sentence_for
from pages.words_and_pictures.clip import compute, inputs, words
from pages.words_and_pictures.clip.figures import word_bars

FIRST = {PHOTOGRAPHS: "a cup of coffee on a table", EMOJI: "red heart"}
EXAMPLES = {
    PHOTOGRAPHS: {"Coffee": "a cup of coffee on a table", "A cat": "a cat looks at the camera", "A dog": "a brown dog"},
    SCENES: {"A star": "a red star", "Two groups": "a red star above a blue circle", "Wrong": "a green ring"},
    EMOJI: {"A heart": "red heart", "A face": "smiling face", "A dog": "dog"},
}
COVERED = "covered"  # in the address: patches by their numbers


def show() -> None:
    """The picture and the sentence, the maps of its words, what each word adds, patches to cover."""
    with layout.control_bar():
        chosen = seen.choose((PHOTOGRAPHS, SCENES, EMOJI))
        name = inputs.network(chosen.world)
    model = clip(name)
    scene = chosen.scene
    first = FIRST.get(chosen.world) or (sentence_for(scene) if scene else "a thing")
    field = f"why_{inputs.WORLDS[chosen.world]}"
    text = st.text_input("Your sentence", first, key=field, bind="query-params", max_chars=300)
    controls.examples(EXAMPLES[chosen.world], field=field)
    inputs.say_unknown(model, [text])
    whole, without = compute.without_each(name, chosen, text)
    if not layout.is_presented():
        st.markdown(words.WHY_ABOUT, width=layout.PROSE)
    with layout.waiting_place():
        shown = scene_of(name, chosen, text)
    word_maps(shown, key="why-maps", name="clip-why")
    labels = compute.words_of(name, text)
    added = [whole - value for value in without]
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(f"What each word adds to the cosine of {signed(whole)}", anchor=False)
        _words(name, chosen, text, labels, added)
    with right:
        st.subheader("Cover patches", anchor=False)
        now = _cover(name, chosen, text)
    layout.notes(
        words.WHY_NOTES,
        notice=noticed(labels, added, whole, now, compute.maps(name, chosen, text)),
        formula=lambda: _formula(labels, added, whole),
    )


def _words(name: str, chosen: Seen, text: str, labels: Sequence[str], added: Sequence[float]) -> None:
    """A bar for each word: by leaving it out, or by relevance through the encoder of texts."""
    by = controls.choice("By", (words.LEFT_OUT, words.BY_RELEVANCE), key="why_words")
    if by == words.LEFT_OUT:
        names, values, x = list(labels), list(added), "cosine with it, less without it"
    else:
        found = compute.read_by_relevance(name, chosen, text)
        names, values = [label for label, _ in found], [value for _, value in found]
        x = "relevance: gradient times attention, positive parts"
    figure = partial(word_bars, names, values, look=layout.look(), x=x)
    alt = "; ".join(f"{word} {value:+.2g}" for word, value in zip(names, values, strict=True))
    table = pd.DataFrame({"word": names, x: values})
    charts.chart(figure, name="clip-words", alt=f"What each word adds: {alt}", table=table)


@keep()
def scene_of(name: str, chosen: Seen, text: str) -> WordScene:
    """The words of a sentence with a map by each way."""
    labels = compute.words_of(name, text)
    found = compute.maps(name, chosen, text)
    known = masks_of(chosen, labels)
    maps = [
        WordMap(grounding.WAYS[way], found[way].numpy(), says=SAYS[way])
        for way in (RELEVANCE, *(way for way in WAYS if way != RELEVANCE))
        if way in found
    ]
    shown = tuple(SeenWord(label, mask=mask) for label, mask in zip(labels, known, strict=True))
    start = next((place for place, mask in enumerate(known) if mask is not None), 0)
    prepared = compute.prepare(name, chosen)
    photo = "ink" if chosen.world == PHOTOGRAPHS else "colour"
    return WordScene(prepared.shown, clip(name).grid, shown, tuple(maps), text, start, photo=photo)


SAYS = {
    "attention": "Whatever the word (here “{word}”), the picture's encoder gives {share} of its last attention",
    "rollout": "Whatever the word (here “{word}”), rollout gives {share}",
    "gradient": "Of what “{word}” adds, gradient × attention gives {share}",
    "relevance": "Of what “{word}” adds, relevance gives {share}",
    "occlusion": "Of what covering places takes from “{word}”, {share} is due",
}


def _cover(name: str, chosen: Seen, text: str) -> float:
    """Patches to be covered by a click; the cosine as it is now."""
    rows, columns = clip(name).grid
    given = [part for part in st.query_params.get(COVERED, "").split("-") if part.isdecimal() and len(part) < 5]
    patches = tuple(sorted({int(part) for part in given if int(part) < rows * columns}))

    def switch(row: int, column: int) -> None:
        changed = set(patches) ^ {row * columns + column}
        st.query_params[COVERED] = "-".join(map(str, sorted(changed)))
        if not changed:
            del st.query_params[COVERED]

    now = compute.with_covered(name, chosen, text, patches) if patches else compute.without_each(name, chosen, text)[0]
    patch_picker(
        compute.prepare(name, chosen).shown,
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


def noticed(labels: Sequence[str], added: Sequence[float], whole: float, now: float, maps: dict) -> tuple[str, ...]:
    """Which word counts most, what the sum comes to, what covering did, and how far two ways agree."""
    told = []
    if len(labels) > 1:
        best, worst = int(np.argmax(added)), int(np.argmin(added))
        told.append(
            f"**“{layout.plain(labels[best])}”** adds most, {signed(added[best])}; “{layout.plain(labels[worst])}” "
            f"{'takes most away' if added[worst] < 0 else 'adds least'}, {signed(added[worst])}."
        )
        told.append(
            f"What the words add one by one comes to {signed(sum(added))}, the cosine is {signed(whole)}"
            + (": words do not simply add up." if signed(sum(added)) != signed(whole) else ".")
        )
    else:
        told.append("A sentence of one word cannot be taken apart.")
    if now != whole:
        told.append(f"With patches covered the cosine {'falls' if now < whole else 'rises'} by {abs(whole - now):.2f}.")
    if RELEVANCE in maps and OCCLUSION in maps and len(labels) > 1:
        best = int(np.argmax(added))
        same = int(maps[RELEVANCE][best].argmax()) == int(maps[OCCLUSION][best].argmax())
        told.append(
            f"For “{layout.plain(labels[best])}” relevance and occlusion {'agree' if same else 'do not agree'} on the "
            "most important patch."
        )
    return tuple(told)


def _formula(labels: Sequence[str], added: Sequence[float], whole: float) -> None:
    st.latex(r"\Delta_w = I \cdot T_{\text{sentence}} - I \cdot T_{\text{sentence without } w}")
    first = int(np.argmax(np.abs(added)))
    st.markdown(
        f"For “{layout.plain(labels[first])}”: ${whole:.3f} - {whole - added[first]:.3f} = {added[first]:.3f}$. The "
        "maps follow the gradient of $\\Delta_w$ through the picture's encoder (Chefer et al. 2021), or measure it "
        "with each patch covered."
    )
