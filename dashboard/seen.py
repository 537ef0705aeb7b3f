"""What a page of words and pictures looks at: a photograph, or a scene of the drawn world.

The address holds it: `world`, `picture` as on the other pages, and `scene`, the scene as a text (core/scenes/codes.py).
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
import streamlit as st
from jaxtyping import Bool
from PIL import Image

from core.errors import InputError
from core.images import open_example, open_picture
from core.scenes.codes import check_scene, code_of, read_code
from core.scenes.draw import draw, masks
from core.scenes.sentences import Sentence, parse
from core.scenes.telling import scene_for, sentence_about
from core.scenes.things import COLOURS, MOST, SHAPES, SIZES, TEXTURES, Scene, Thing, place_things, random_scene
from core.scenes.truth import is_true, meanings
from core.zoo.emoji import emoji, pictures
from dashboard import controls
from dashboard.components.scene_mover import scene_mover
from dashboard.kept import Upload, keep
from dashboard.watched import Picture

PHOTOGRAPHS, SCENES, EMOJI = "Photographs", "Drawn scenes", "Emoji"
FIRST_EMOJI = "❤️"
SHOWN = 512  # pixels of a scene as a person sees it
FIRST_SCENE = "0-1~star.red.large.plain.18.22~circle.blue.small.plain.45.16~square.green.medium.striped.40.46"
SPLITS = {  # of scenes and sentences that no network learned (core/scenes/things.py)
    "test": "new scenes",
    "pairs": "a colour and a shape never joined before",
    "relations": "relations never said before",
    "four": "four things, one more than ever before",
}
SENTENCES = {
    "Above": "a red star above a blue circle",
    "Two of them": "two small green squares",
    "Left of": "a large striped purple heart left of a yellow ring",
    "The largest": "the largest thing is orange",
    "Nothing": "nothing is green",
}


@dataclass(frozen=True)
class Seen:
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

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return "this scene" if self.is_scene else "this photograph"


@keep("Opening the picture …")
def _opened(seen: Seen) -> Image.Image:
    if (scene := seen.scene) is not None:
        return Image.fromarray(draw(scene))
    given = seen.given
    if seen.world == EMOJI:
        place = next(place for place, each in enumerate(emoji()) if each.character == given)
        return Image.fromarray(pictures()[place])
    return open_example(given) if isinstance(given, str) else open_picture(given.content)


def choose(worlds: Sequence[str] = (PHOTOGRAPHS, SCENES), *, first: str = SCENES) -> Seen:
    """The controls for a picture, inside of a control bar; InputError for a scene that is none."""
    world = controls.choice("Picture", worlds, key="world", first=first) if len(worlds) > 1 else worlds[0]
    if world == PHOTOGRAPHS:
        return Seen(world, controls.picture())
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
        return Seen(world, chosen)
    return Seen(world, _scene())


def masks_of(seen: Seen, words: Sequence[str]) -> tuple[Bool[np.ndarray, "_ _"] | None, ...]:
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


def truth_of(seen: Seen, text: str) -> bool | None:
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


def _scene() -> str:
    """The scene's code: by a sentence, by chance, or by hand."""
    with st.popover("A scene of your own", icon=":material/draw:"):
        st.text_input(
            "A sentence: a scene for it is drawn",
            key="scene_sentence",
            placeholder=SENTENCES["Above"],
            on_change=_draw_for_sentence,
        )
        controls.examples(SENTENCES, field="scene_sentence")
        if st.session_state.get("scene_sentence") and st.session_state.get("scene_sentence_example"):
            _draw_for_sentence(once=True)
        if problem := st.session_state.get("scene_problem"):
            st.warning(problem, icon=":material/info:")
        st.text_input("The scene as a text", FIRST_SCENE, key="scene", bind="query-params", max_chars=400)
        _by_hand()
    st.button("Another scene", icon=":material/casino:", on_click=_draw_another)
    code = st.session_state.get("scene") or FIRST_SCENE
    read_code(code)
    return code


def _draw_for_sentence(*, once: bool = False) -> None:
    """Put a scene for the sentence in place of the former one; a sentence says why there is none."""
    text = st.session_state.get("scene_sentence") or ""
    if once and st.session_state.get("scene_drawn_for") == text:
        return
    st.session_state.scene_drawn_for = text
    st.session_state.scene_problem = None
    if not text.strip():
        return
    try:
        _put(scene_for(parse(text), Random(f"{text} 0")))
    except InputError as error:
        st.session_state.scene_problem = str(error)


def _draw_another() -> None:
    """Another scene for the same sentence; without one any other."""
    number = st.session_state.get("scene_number", 0) + 1
    st.session_state.scene_number = number
    text = st.session_state.get("scene_sentence") or ""
    try:
        _put(scene_for(parse(text), Random(f"{text} {number}")))
    except InputError:
        _put(random_scene(Random(f"another {st.session_state.get('scene')}")))


def _put(scene: Scene) -> None:
    st.session_state.scene = code_of(scene)


def _by_hand() -> None:
    """Drag things, add one, change one, take one away."""
    try:
        scene = read_code(st.session_state.get("scene") or FIRST_SCENE)
    except InputError:
        return
    left, right = st.columns([1, 1], gap="medium")
    with left:
        scene_mover(scene, key="scene_mover", on_move=lambda thing, row, column: _move(scene, thing, row, column))
    with right:
        names = [f"{each.size} {each.texture} {each.colour} {each.shape}" for each in scene.things]
        chosen = st.selectbox("Thing", range(len(names)), format_func=lambda place: names[place], key="scene_thing")
        thing = scene.things[chosen or 0]
        offered: Mapping[str, Sequence[str]] = {
            "shape": SHAPES,
            "colour": list(COLOURS),
            "size": list(SIZES),
            "texture": TEXTURES,
        }
        for part, options in offered.items():
            key = f"scene_{part}"
            st.session_state[key] = getattr(thing, part)
            st.selectbox(part.capitalize(), options, key=key, on_change=_change, args=(scene, chosen or 0, part))
    with st.container(horizontal=True):
        st.button("Add a thing", on_click=_add, args=(scene,), disabled=len(scene.things) >= MOST)
        st.button("Take it away", on_click=_take_away, args=(scene, chosen or 0), disabled=len(scene.things) < 2)


def _try(scene: Scene) -> None:
    """Put a scene in place, or say why it cannot be."""
    st.session_state.scene_problem = None
    try:
        check_scene(scene)
    except InputError as error:
        st.session_state.scene_problem = str(error)
        return
    _put(scene)


def _move(scene: Scene, thing: int, row: int, column: int) -> None:
    _try(_with(scene, thing, replace(scene.things[thing], row=row, column=column)))


def _change(scene: Scene, thing: int, part: str) -> None:
    _try(_with(scene, thing, replace(scene.things[thing], **{part: st.session_state[f"scene_{part}"]})))


def _with(scene: Scene, place: int, thing: Thing) -> Scene:
    return replace(scene, things=tuple(thing if number == place else own for number, own in enumerate(scene.things)))


def _take_away(scene: Scene, thing: int) -> None:
    st.session_state.pop("scene_thing", None)
    _try(replace(scene, things=tuple(own for number, own in enumerate(scene.things) if number != thing)))


def _add(scene: Scene) -> None:
    """One more thing where there is room for it."""
    dice = Random(f"add {code_of(scene)}")
    for _ in range(200):
        thing = Thing(dice.choice(SHAPES), dice.choice(list(COLOURS)), dice.choice(list(SIZES)), "plain", 0, 0)
        placed = place_things(dice, [thing])
        assert placed is not None
        larger = replace(scene, things=(*scene.things, placed[0]))
        try:
            check_scene(larger)
        except InputError:
            continue
        _put(larger)
        st.session_state.scene_problem = None
        return
    st.session_state.scene_problem = "There is no room for one more thing here. Take one away, or make one smaller."
