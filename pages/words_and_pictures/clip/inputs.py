"""What several sections ask the visitor for: which world, several pictures, several sentences."""

from collections.abc import Iterator, Sequence
from random import Random

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.errors import InputError
from core.images import EXAMPLES, LIMITS
from core.scenes.codes import code_of
from core.scenes.things import random_scene
from core.zoo.clips import PictureText
from core.zoo.emoji import emoji
from dashboard import typeset
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, model_name, uploads
from dashboard.inputs.picture_input import EMOJI, PHOTOGRAPHS, SCENES, PictureInput, sentence_for
from dashboard.inputs.scene_builder import FIRST_SCENE
from pages.words_and_pictures.clip import compute

WORLDS = {PHOTOGRAPHS: "photographs", SCENES: "scenes", EMOJI: "emoji"}
# Sentences to compare with the pictures; of scenes the page makes some itself.
SENTENCES = {world: example_texts.examples(f"agreement-{WORLDS[world]}") for world in (PHOTOGRAPHS, EMOJI)}
FIRST_PHOTOGRAPHS = ("coffee", "cat", "motorcycle", "rocket")
FIRST_EMOJI = ("❤️", "😀", "🐶", "🍓")
MOST_PICTURES, MOST_TEXTS = 8, 12
OWN = "own_picture"  # keys of a visitor's files, numbered


def world() -> str:
    """Which of the three networks, and its world."""
    return controls.choice("World", WORLDS, key="world", first=SCENES)


def network(world: str, messages: DeltaGenerator) -> str:
    """The network of a world, for a menu; for photographs any other may be named. `messages`: what is said of it."""
    if world != PHOTOGRAPHS:
        return WORLDS[world]
    place = st.container()
    with messages:
        return model_name.model("both", offered=(WORLDS[world],), menu=place)


def settings_of_network(world: str, messages: DeltaGenerator) -> str:
    """The same in a menu of its own, at the end of a control bar, where there is a choice."""
    if world != PHOTOGRAPHS:
        return WORLDS[world]
    with layout.settings():
        return network(world, messages)


def several(world: str) -> tuple[PictureInput, ...]:
    """A menu of up to eight pictures of a world."""
    draw = {PHOTOGRAPHS: _photographs, EMOJI: _emoji, SCENES: _scenes}[world]
    with st.popover("Pictures", icon=":material/photo_library:"):
        return draw()


def _photographs() -> tuple[PictureInput, ...]:
    chosen = st.pills(
        "Photographs",
        list(EXAMPLES),
        selection_mode="multi",
        default=list(FIRST_PHOTOGRAPHS),
        key="photographs",
        bind="query-params",
    )
    own = [file for number in range(MOST_PICTURES) if (file := uploads.current(f"{OWN}_{number}"))]
    for number in range(MOST_PICTURES):
        uploads.remove_button(f"{OWN}_{number}")
    free = next((n for n in range(MOST_PICTURES) if uploads.current(f"{OWN}_{n}") is None), None)
    if free is None:
        st.caption(f"{MOST_PICTURES} pictures are here; remove one to add another.")
    else:
        uploads.uploader(f"{OWN}_{free}", "A picture from this device")
    st.caption(f"{LIMITS} They are not kept in the address. {uploads.RULE}")
    pictures = [PictureInput(PHOTOGRAPHS, file) for file in own] + [PictureInput(PHOTOGRAPHS, name) for name in chosen]
    return tuple(pictures[:MOST_PICTURES])


def _emoji() -> tuple[PictureInput, ...]:
    named = {entry.character: entry.description for entry in emoji()}
    chosen = st.multiselect(
        "Emoji",
        list(named),
        default=[character for character in FIRST_EMOJI if character in named],
        format_func=lambda character: f"{character} {named[character]}",
        max_selections=MOST_PICTURES,
        key="emoji",
        bind="query-params",
    )
    return tuple(PictureInput(EMOJI, character) for character in chosen)


def _scenes() -> tuple[PictureInput, ...]:
    count = st.slider("Scenes", 2, MOST_PICTURES, 4, key="scenes", bind="query-params", width=180)
    drawn = controls.number("Drawn with seed", 1000, key="scenes_seed")
    pictures = [PictureInput(SCENES, FIRST_SCENE)] if drawn == 0 else []
    for number in range(count - len(pictures)):
        pictures.append(PictureInput(SCENES, code_of(random_scene(Random(f"clip {drawn} {number}")))))
    return tuple(pictures)


def sentences(world: str, pictures: Sequence[PictureInput]) -> str:
    """The visitor's sentences, one a line; of scenes first a true one of each."""
    key = f"texts_{WORLDS[world]}"
    offered = SENTENCES.get(world)
    true = "\n".join(sentence_for(scene) for picture in pictures if (scene := picture.scene))
    first = next(iter(offered.values())) if offered else true
    if world == SCENES:  # another set of scenes has other true sentences, unless somebody has written
        before = st.session_state.get("texts_offered")
        if before is not None and before != first and st.session_state.get(key) == before:
            st.session_state[key] = first
        st.session_state.texts_offered = first
    typed = st.text_area(
        f"Sentences, one per line (at most {MOST_TEXTS})",
        first,
        key=key,
        bind="query-params",
        height=70,
        max_chars=2000,
    )
    with st.container(width="content"):  # what follows keeps its place where there are no examples
        if offered:
            controls.examples(offered, field=key)
    return typed or ""


def lines_of(typed: str, pictures: Sequence[PictureInput]) -> tuple[str, ...]:
    """The sentences of a text; InputError where there are none or too many, or no picture to compare them with."""
    if not pictures:
        raise InputError("There is no picture here yet. Choose some under “Pictures”.")
    texts = tuple(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))
    if not texts:
        raise InputError("There is no sentence here yet. Write one in each line.")
    if len(texts) > MOST_TEXTS:
        raise InputError(
            f"There are {len(texts)} sentences; at most {MOST_TEXTS} are compared at once. Leave some out."
        )
    return texts


def say_unknown(model: PictureText, texts: Sequence[str]) -> None:
    """Which words the network does not know."""
    unknown = list(dict.fromkeys(word for text in texts for word in model.unknown(text)))
    if unknown:
        named = ", ".join(f"“{typeset.plain(word[:30])}”" for word in unknown[:8])
        says = f"{model.title} knows {len(model.words):,} words, but not {named}: it reads them as one unknown word."
        st.info(says, icon=":material/question_mark:")


def tell_learned(pictures: Sequence[PictureInput]) -> Iterator[str]:
    """Of emoji: from how many of them the network learned; nothing of other worlds, whose pictures it never saw."""
    several = [picture for picture in pictures if picture.world == EMOJI]
    if not several:
        return
    count, total = sum(map(compute.is_learned, several)), len(several)
    if total == 1 and count:
        yield "The network learned from this emoji and its names: how well they agree says little about new ones."
    elif total == 1:
        yield "This emoji was held out: the network never saw it."
    elif count == total:
        yield f"The network learned from all {total} of these emoji and their names."
    else:
        yield (
            f"The network learned from {count or 'none'} of these {total} emoji and their names, and never saw the "
            "others."
        )
