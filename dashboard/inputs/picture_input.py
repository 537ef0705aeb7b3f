"""What a page of words and pictures looks at: a photograph, or a scene of the drawn world.

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
from dashboard.cache.memo import Upload, cached
from dashboard.inputs import controls, scene_builder
from dashboard.recordings.watched import Picture

PHOTOGRAPHS, SCENES, EMOJI = "Photographs", "Drawn scenes", "Emoji"
FIRST_EMOJI = "❤️"
SHOWN = 512  # pixels of a scene as a person sees it
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
    given: Picture

    @property
    def identity(self) -> Hashable:
        """What tells it from any other."""
        return self.world, self.given.identity if isinstance(self.given, Upload) else self.given

    @property
    def scene(self) -> Scene | None:
        """The scene, where it is one."""
        return read_code(self.given) if self.world == SCENES and isinstance(self.given, str) else None

    @property
    def is_scene(self) -> bool:
        """Whether it is drawn, so that it is known what words mean."""
        return self.world == SCENES

    def opened(self) -> Image.Image:
        """The picture, as RGB."""
        return _opened(self)

    def shown(self) -> np.ndarray | None:
        """A scene drawn finely, for people; None of a photograph, of which the model's part is shown."""
        scene = self.scene
        return None if scene is None else draw(scene, SHOWN)


@cached("Opening the picture …")
def _opened(seen: PictureInput) -> Image.Image:
    if (scene := seen.scene) is not None:
        return Image.fromarray(draw(scene))
    given = seen.given
    if seen.world == EMOJI:
        return Image.fromarray(picture_of(str(given)))
    return open_example(given) if isinstance(given, str) else open_picture(given.content)


def choose(worlds: Sequence[str] = (PHOTOGRAPHS, SCENES), *, first: str = SCENES) -> PictureInput:
    """The controls for a picture, inside of a control bar; InputError for a scene that is none."""
    world = controls.choice("Picture", worlds, key="world", first=first) if len(worlds) > 1 else worlds[0]
    if world == PHOTOGRAPHS:
        return PictureInput(world, controls.picture())
    if world == EMOJI:
        named = {each.character: each.description for each in emoji()}
        place = list(named).index(FIRST_EMOJI) if FIRST_EMOJI in named else 0
        chosen = st.selectbox(
            "Emoji",
            list(named),
            index=place,
            format_func=lambda one: f"{one} {named[one]}",
            key="one_emoji",
            bind="query-params",
        )
        return PictureInput(world, chosen)
    return PictureInput(world, scene_builder.choose())


def masks_of(seen: PictureInput, words: Sequence[str]) -> tuple[Bool[np.ndarray, "_ _"] | None, ...]:
    """For each word of a sentence the pixels that it means; None where that is not known, or nothing.

    Known is it where the words are a sentence of the grammar that is true of the scene.
    """
    scene, none = seen.scene, (None,) * len(words)
    if scene is None:
        return none
    try:
        sentence = parse(" ".join(words))
    except InputError:
        return none
    if len(sentence.words) != len(words):
        return none
    drawn = masks(scene)
    meant = meanings(sentence, scene)
    return tuple(np.asarray(drawn[sorted(things)].any(axis=0)) if things else None for things in meant)


def truth_of(seen: PictureInput, text: str) -> bool | None:
    """Whether a text is true of a scene; None where nobody knows: of photographs, and of what is no sentence."""
    scene = seen.scene
    if scene is None:
        return None
    try:
        return is_true(parse(text), scene)
    except InputError:
        return None


def sentence_for(scene: Scene, number: int = 0) -> str:
    """A true sentence about a scene: the first of those drawn with a seed that says a relation, or any."""
    found: list[Sentence] = []
    for tried in range(60):
        sentence = sentence_about(scene, Random(f"{code_of(scene)} {number} {tried}"), held=None)
        if sentence is not None and not sentence.denied:
            if sentence.other is not None:
                return sentence.text
            found.append(sentence)
    return found[0].text if found else "a thing"
