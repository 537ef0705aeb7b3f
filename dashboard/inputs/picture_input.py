"""The picture of a page of words and pictures: a photograph, a scene of the drawn world, or an emoji.

The address holds it: `world`, `picture` as on the other pages, and `scene`, the scene as a text (core/scenes/codes.py).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import streamlit as st
from jaxtyping import Bool
from PIL import Image

from core.errors import InputError
from core.images import open_example, open_picture
from core.scenes.codes import code_of, read_code
from core.scenes.draw import draw, masks
from core.scenes.sentences import Sentence, parse
from core.scenes.telling import sentence_about
from core.scenes.things import Scene
from core.scenes.truth import is_true, meanings
from core.zoo.emoji import emoji, picture_of
from dashboard.cache.memo import cached
from dashboard.cache.upload import Upload
from dashboard.inputs import controls, scene_builder
from dashboard.recordings.watched import Picture

PHOTOGRAPHS, SCENES, EMOJI = "Photographs", "Drawn scenes", "Emoji"
FIRST_EMOJI = "❤️"
DISPLAY_SIDE = 512  # pixels of a scene as a person sees it
SPLITS = {  # of scenes and sentences that no network learned (core/scenes/things.py)
    "test": "new scenes",
    "pairs": "a colour and a shape never joined before",
    "relations": "relations never said before",
    "four": "four things, one more than ever before",
}


@dataclass(frozen=True)
class PictureInput:
    """A photograph (the name of an example, or a file), a scene as its code, or an emoji as its character."""

    world: str
    picture: Picture

    @property
    def identity(self) -> Hashable:
        """The key of this picture in caches."""
        return self.world, self.picture.identity if isinstance(self.picture, Upload) else self.picture

    @property
    def scene(self) -> Scene | None:
        """The scene; None for any other picture."""
        return read_code(self.picture) if self.world == SCENES and isinstance(self.picture, str) else None

    @property
    def is_scene(self) -> bool:
        """Whether it is a drawn scene, for which the meaning of words is known."""
        return self.world == SCENES

    def opened(self) -> Image.Image:
        """The picture, as RGB."""
        return _open(self)

    def for_display(self) -> np.ndarray | None:
        """A scene drawn at DISPLAY_SIDE pixels; None for a photograph, whose part that the model sees is displayed."""
        scene = self.scene
        return None if scene is None else draw(scene, DISPLAY_SIDE)


@cached("Opening the picture …")
def _open(picture_input: PictureInput) -> Image.Image:
    if (scene := picture_input.scene) is not None:
        return Image.fromarray(draw(scene))
    picture = picture_input.picture
    if picture_input.world == EMOJI:
        return Image.fromarray(picture_of(str(picture)))
    return open_example(picture) if isinstance(picture, str) else open_picture(picture.content)


def choose(
    worlds: Sequence[str] = (PHOTOGRAPHS, SCENES), *, first: str = SCENES, is_narrow: bool = False
) -> PictureInput:
    """The controls for a picture, inside of a control bar; InputError for a scene that is none.

    `is_narrow`: the button for another scene stands in the menu of the scene, where a text needs the bar.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", width="content"):  # worlds have other controls
        return _choose(worlds, first, is_narrow=is_narrow)


def _choose(worlds: Sequence[str], first: str, *, is_narrow: bool) -> PictureInput:
    world = controls.menu("Picture", worlds, key="world", first=first, width=145) if len(worlds) > 1 else worlds[0]
    if world == PHOTOGRAPHS:
        return PictureInput(world, controls.picture())
    if world == EMOJI:
        descriptions = {entry.character: entry.description for entry in emoji()}
        place = list(descriptions).index(FIRST_EMOJI) if FIRST_EMOJI in descriptions else 0
        chosen = st.selectbox(
            "Emoji",
            list(descriptions),
            index=place,
            format_func=lambda character: f"{character} {descriptions[character]}",
            key="one_emoji",
            bind="query-params",
            width=controls.WIDTH,
        )
        return PictureInput(world, chosen)
    return PictureInput(world, scene_builder.choose(is_narrow=is_narrow))


def masks_of(picture_input: PictureInput, words: Sequence[str]) -> tuple[Bool[np.ndarray, "_ _"] | None, ...]:
    """For each word of a sentence, the mask of the pixels that it refers to; None where it refers to none.

    All None unless the picture is a scene and the words are a sentence of the grammar that is true of it.
    """
    scene, unknown = picture_input.scene, (None,) * len(words)
    if scene is None:
        return unknown
    try:
        sentence = parse(" ".join(words))
    except InputError:
        return unknown
    if len(sentence.words) != len(words):
        return unknown
    mask_of_thing = masks(scene)
    meant_things = meanings(sentence, scene)
    return tuple(np.asarray(mask_of_thing[sorted(things)].any(axis=0)) if things else None for things in meant_things)


def truth_of(picture_input: PictureInput, text: str) -> bool | None:
    """Whether a text is true of a scene; None for photographs, and for texts that are no sentence of the grammar."""
    scene = picture_input.scene
    if scene is None:
        return None
    try:
        return is_true(parse(text), scene)
    except InputError:
        return None


def sentence_for(scene: Scene, number: int = 0) -> str:
    """A true sentence about a scene: the first sampled one that states a relation, else the first sampled one."""
    sentences: list[Sentence] = []
    for attempt in range(60):
        sentence = sentence_about(scene, Random(f"{code_of(scene)} {number} {attempt}"), held_out=None)
        if sentence is not None and not sentence.denied:
            if sentence.other is not None:
                return sentence.text
            sentences.append(sentence)
    return sentences[0].text if sentences else "a thing"
