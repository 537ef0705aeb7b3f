"""What several sections ask the visitor for: a scene, a sentence, a network."""

import streamlit as st

from core.errors import InputError
from core.results.joint_results import ANOTHER, ITS, NONE
from core.view.codec import whole_number
from core.zoo.joint import JOINT
from dashboard.address import parameter
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, picture_input
from dashboard.inputs.picture_input import SCENES, PictureInput, sentence_for
from dashboard.inputs.scene_builder import FIRST_SCENE

PICTURE_CONDITIONS = {
    ITS: "with its picture",
    ANOTHER: "with another picture",
    NONE: "without a picture (grey)",
}


def scene_and_sentence() -> tuple[PictureInput, str]:
    """The scene, and a sentence about it: a true one before anybody has written; for a control bar."""
    chosen = picture_input.choose((SCENES,))
    scene = chosen.scene
    assert scene is not None
    first = example_texts.opening("joint") if chosen.picture == FIRST_SCENE else sentence_for(scene)
    offered = st.session_state.get("joint_offered")
    if offered is not None and offered != first and st.session_state.get("joint_text") == offered:
        st.session_state.joint_text = first  # another scene has another true sentence, unless somebody has written
    st.session_state.joint_offered = first
    text = st.text_input("Your sentence", first, key="joint_text", bind="query-params", max_chars=300)
    controls.examples(example_texts.examples("joint"), field="joint_text", forgets=("hidden",))
    return chosen, text


def network() -> str:
    """The network, by its name in JOINT; for a menu of settings."""
    title = controls.choice("Model", JOINT.values(), key="joint_network")
    return next(name for name, option in JOINT.items() if option == title)


def settled(chosen: PictureInput, text: str, name: str) -> tuple[str, PictureInput, str]:
    """What was chosen: the network's name, the scene and the sentence; InputError where there is no sentence."""
    if not text.split():
        raise InputError("There is no sentence here yet. Write one about the picture.")
    return name, chosen, text


def plain_bar() -> tuple[str, PictureInput, str]:
    """A control bar for a section without controls of its own: the network's name, the scene and the sentence."""
    with layout.control_bar():
        chosen, text = scene_and_sentence()
        with layout.settings():
            name = network()
    return settled(chosen, text, name)


def numbers(key: str, most: int) -> tuple[int, ...]:
    """Places that stand in the address under a name, each below `most`."""

    def parse(text: str) -> tuple[int, ...]:
        parts = (whole_number(part, most) for part in text.split("-"))
        return tuple(sorted({number for number in parts if number is not None}))

    return parameter(key, parse)


def switch(key: str, places: tuple[int, ...], place: int) -> None:
    """Put one more place into the address, or take it away."""
    changed = sorted(set(places) ^ {place})
    if changed:
        st.query_params[key] = "-".join(map(str, changed))
    else:
        st.query_params.pop(key, None)
