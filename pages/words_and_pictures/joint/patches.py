"""Hidden patches: what the network puts where the picture is not shown, given the sentence."""

import numpy as np
import streamlit as st

from core.scenes.draw import masks
from dashboard import theme
from dashboard.cache.models import joint
from dashboard.components.patch_picker import patch_picker
from dashboard.frame import layout
from dashboard.inputs.picture_input import PictureInput
from dashboard.number_format import compare
from pages.words_and_pictures.joint import compute, inputs
from pages.words_and_pictures.joint.compute import Mended
from pages.words_and_pictures.joint.prose import PAGE

SECTION = PAGE.section("Hidden patches")
KEY = "patches"  # in the address
WIDE = 300  # pixels of a picture
ALIKE = 0.05  # of an error: a smaller difference counts as none


def show() -> None:
    """The picture with its gaps, what is put there, the notes."""
    name, chosen, text = inputs.plain_bar()
    rows, columns = joint(name).grid
    places = inputs.numbers(KEY, rows * columns) or first_thing(chosen, rows)
    prepared = compute.prepare(name, chosen)
    mended = compute.mend(name, chosen, text, places)
    wide = theme.look().high(WIDE)  # as the picture that is clicked grows
    left, middle, right = st.columns(3, gap="large")
    with left:
        st.markdown("**What it sees**")
        patch_picker(
            prepared.photograph,
            rows=rows,
            columns=columns,
            key="joint-patches",
            chosen=[divmod(place, columns) for place in places],
            look="cover",
            mark="masked",
            hint="Click a patch to mask it; click again to show it.",
            on_click=lambda row, column: inputs.switch(KEY, places, row * columns + column),
            alt=f"The picture with {len(places)} of {rows * columns} patches masked",
            name="joint-patches",
            height=WIDE,
        )
    with middle:
        st.markdown("**What it predicts**")
        guessed = (mended.guessed.permute(1, 2, 0).numpy() * 255).astype(np.uint8)
        st.image(
            np.kron(guessed, np.ones((5, 5, 1), dtype=np.uint8)),
            width=wide,
            alt="The picture with guesses for what is hidden",
        )
    with right:
        st.markdown("**The picture**")
        st.image(prepared.photograph, width=wide, alt="The whole picture")
    layout.place_notice()
    layout.notes(SECTION, notice=noticed(mended, len(places), rows * columns), numbers={"error": mended.error})


def first_thing(chosen: PictureInput, rows: int) -> tuple[int, ...]:
    """The patches that hold something of the scene's first thing."""
    scene = chosen.scene
    assert scene is not None
    mask = masks(scene)[0]
    side = mask.shape[0] // rows
    cut = mask.reshape(rows, side, rows, side).any(axis=(1, 3))
    return tuple(int(place) for place in np.flatnonzero(cut))


def noticed(mended: Mended, count: int, total: int) -> tuple[str, ...]:
    """How far the guess is off, beside one that needs no network: the mean colour of what is seen."""
    sentence = f"{count} of {total} patches are masked. The mean squared error over them is **{mended.error:.3f}**"
    if not count:
        return ("No patch is masked, so there is nothing to guess.",)
    if count == total:
        return (f"{sentence}; no patch is visible, so there is no mean colour to compare it with.",)
    sentence += f"; the mean colour of the visible patches would have {mended.mean_error:.3f}."
    if not mended.mean_error:
        exact = "So is the network." if not mended.error else "The network is not."
        return (sentence, f"One colour fills these patches, and the mean colour is exact. {exact}")
    change = mended.error / mended.mean_error - 1
    match compare(mended.error, mended.mean_error, margin=ALIKE * mended.mean_error):
        case "less":
            says = (
                f"The model's error is {-change:.0%} smaller than that of the mean colour. It learned to predict the "
                "mean of what could be there, so edges are blurred."
            )
        case "more":
            says = f"The model's error is {change:.0%} larger than that of the mean colour: here it is of no use."
        case _:
            says = f"The model is no nearer than the mean colour: the errors differ by no more than {ALIKE:.0%}."
    return (says, sentence)
