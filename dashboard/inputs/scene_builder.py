"""A scene of the drawn world that the visitor makes: by a sentence, by chance, or by hand.

The address holds it as `scene`, a text (core/scenes/codes.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import streamlit as st

from core.errors import InputError
from core.scenes.codes import check_scene, code_of, read_code
from core.scenes.sentences import parse
from core.scenes.telling import scene_for
from core.scenes.things import COLOURS, MOST, SHAPES, SIZES, TEXTURES, Scene, Thing, place_things, random_scene
from dashboard.components.scene_mover import scene_mover
from dashboard.inputs import controls, example_texts

FIRST_SCENE = "0-1~star.red.large.plain.18.22~circle.blue.small.plain.45.16~square.green.medium.striped.40.46"
SENTENCES = example_texts.examples("scene")


def choose(*, is_narrow: bool = False) -> str:
    """Draw the controls, and return the code of the visitor's scene; InputError for an invalid text.

    `is_narrow`: the button for another scene stands in the menu.
    """
    own = st.popover("Your own", icon=":material/draw:")
    with own:
        st.text_input(
            "A sentence: a scene for it is drawn",
            key="scene_sentence",
            placeholder=SENTENCES["Above"],
            on_change=_draw_for_sentence,
        )
        controls.examples(SENTENCES, field="scene_sentence", in_menu=False)
        if st.session_state.get("scene_sentence") and st.session_state.get("scene_sentence_example"):
            _draw_for_sentence(once=True)
        if problem := st.session_state.get("scene_problem"):
            st.warning(problem, icon=":material/info:")
        st.text_input("The scene as a text", FIRST_SCENE, key="scene", bind="query-params", max_chars=400)
        _by_hand()
    (own if is_narrow else st).button("Another scene", icon=":material/casino:", on_click=_draw_another)
    return code_of(read_code(st.session_state.get("scene") or FIRST_SCENE))


def _draw_for_sentence(*, once: bool = False) -> None:
    """Replace the scene by one for the typed sentence, or note the problem."""
    text = st.session_state.get("scene_sentence") or ""
    if once and st.session_state.get("scene_drawn_for") == text:
        return
    st.session_state.scene_drawn_for = text
    if not text.strip():
        st.session_state.scene_problem = None
        return
    try:
        _put(scene_for(parse(text), Random(f"{text} 0")))
    except InputError as error:
        st.session_state.scene_problem = str(error)


def _draw_another() -> None:
    """Replace the scene by another one for the typed sentence; without a sentence, by a random one."""
    number = st.session_state.get("scene_number", 0) + 1
    st.session_state.scene_number = number
    text = st.session_state.get("scene_sentence") or ""
    try:
        _put(scene_for(parse(text), Random(f"{text} {number}")))
    except InputError:
        _put(random_scene(Random(f"another {st.session_state.get('scene')}")))


def _put(scene: Scene) -> None:
    st.session_state.scene = code_of(scene)
    st.session_state.scene_problem = None


def _by_hand() -> None:
    """Draw the controls to drag, add, change and remove things."""
    try:
        scene = read_code(st.session_state.get("scene") or FIRST_SCENE)
    except InputError:
        return
    left, right = st.columns([1, 1], gap="medium")
    with left:
        scene_mover(scene, key="scene_mover", on_move=lambda thing, row, column: _move(scene, thing, row, column))
    with right:
        names = [f"{thing.size} {thing.texture} {thing.colour} {thing.shape}" for thing in scene.things]
        chosen = st.selectbox("Thing", range(len(names)), format_func=lambda place: names[place], key="scene_thing")
        thing = scene.things[chosen or 0]
        options_by_part: Mapping[str, Sequence[str]] = {
            "shape": SHAPES,
            "colour": list(COLOURS),
            "size": list(SIZES),
            "texture": TEXTURES,
        }
        for part, options in options_by_part.items():
            key = f"scene_{part}"
            st.session_state[key] = getattr(thing, part)
            st.selectbox(part.capitalize(), options, key=key, on_change=_change, args=(scene, chosen or 0, part))
    with st.container(horizontal=True):
        st.button("Add a thing", on_click=_add, args=(scene,), disabled=len(scene.things) >= MOST)
        st.button("Remove", on_click=_take_away, args=(scene, chosen or 0), disabled=len(scene.things) < 2)


def _try(scene: Scene) -> None:
    """Replace the scene, or note why that is not possible."""
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
    return replace(
        scene, things=tuple(thing if number == place else other for number, other in enumerate(scene.things))
    )


def _take_away(scene: Scene, thing: int) -> None:
    st.session_state.pop("scene_thing", None)
    _try(replace(scene, things=tuple(other for number, other in enumerate(scene.things) if number != thing)))


def _add(scene: Scene) -> None:
    """Add a random thing where there is room for it."""
    random = Random(f"add {code_of(scene)}")
    for _ in range(200):
        thing = Thing(random.choice(SHAPES), random.choice(list(COLOURS)), random.choice(list(SIZES)), "plain", 0, 0)
        placed = place_things(random, [thing])
        assert placed is not None
        extended = replace(scene, things=(*scene.things, placed[0]))
        try:
            check_scene(extended)
        except InputError:
            continue
        _put(extended)
        return
    st.session_state.scene_problem = "There is no room for one more thing here. Take one away, or make one smaller."
