"""What several sections ask the visitor for: a scene, a sentence, a network."""

import streamlit as st

from core.errors import InputError
from core.view.codec import whole_number
from core.zoo.joint import JOINT
from dashboard.address import parameter
from dashboard.frame import layout
from dashboard.inputs import controls, example_texts, picture_input
from dashboard.inputs.picture_input import SCENES, PictureInput, sentence_for
from pages.words_and_pictures.joint import words


def scene_and_sentence() -> tuple[str, PictureInput, str]:
    """The network's name, the scene, and a sentence about it: a true one before anybody has written."""
    with layout.control_bar():
        title = controls.choice("Network", JOINT.values(), key="joint_network")
        chosen = picture_input.choose((SCENES,))
    name = next(name for name, option in JOINT.items() if option == title)
    scene = chosen.scene
    assert scene is not None
    first = sentence_for(scene)
    offered = st.session_state.get("joint_offered")
    if offered is not None and offered != first and st.session_state.get("joint_text") == offered:
        st.session_state.joint_text = first  # another scene has another true sentence, unless somebody has written
    st.session_state.joint_offered = first
    text = st.text_input("Your sentence", first, key="joint_text", bind="query-params", max_chars=300)
    controls.examples(example_texts.examples("joint"), field="joint_text", forgets=("hidden",))
    if not text.split():
        raise InputError(words.NO_SENTENCE)
    return name, chosen, text


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
