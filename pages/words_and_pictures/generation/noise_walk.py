"""A walk from one noise to another: what of a painted picture the noise decides."""

import numpy as np
import streamlit as st

from dashboard import theme
from dashboard.cache.models import attention_gan
from dashboard.frame import layout
from dashboard.number_format import compare
from pages.words_and_pictures.generation import compute_painted, write
from pages.words_and_pictures.generation.compute_painted import Painted, PaintRequest
from pages.words_and_pictures.generation.pictures import apart, enlarged
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Painted in stages: a walk through noise")
ALIKE = 0.05  # of a step: a smaller difference counts as none


def show(request: PaintRequest, _number: int) -> None:
    """The pictures on the way, the notes."""
    with layout.waiting_place():
        painted = compute_painted.walk(request)
    wide = theme.look().high(write.WIDE)
    with st.container(horizontal=True, gap="small"):
        for number, picture in enumerate(painted.pictures):
            with st.container(width=wide, gap="small"):
                st.image(
                    enlarged(picture, 5),
                    width=wide,
                    alt=f"Step {number + 1} of {len(painted.pictures)} from one noise to another",
                )
                verdicts = painted.statements(number)
                if verdicts:
                    st.markdown(f":small[{write.ticks(painted, verdicts)}]")
    layout.place_notice()
    layout.prose(SECTION.text("From one noise to another"))
    config = attention_gan(request.world).network.config
    numbers = {"noise": config.noise, "condition": config.condition}
    layout.notes(SECTION, notice=noticed(painted), numbers=numbers)


def noticed(painted: Painted) -> tuple[str, ...]:
    """How far steps are beside the whole way, where the longest is, and where all holds."""
    steps = [float(apart(*pair).mean()) for pair in zip(painted.pictures, painted.pictures[1:], strict=False)]
    ends = float(apart(painted.pictures[0], painted.pictures[-1]).mean())
    longest = int(np.argmax(steps))
    sentences = [
        f"From the first picture to the last pixels move by {ends:.3f} on average (0 to 1), in one step by "
        f"{sum(steps) / len(steps):.3f}; "
    ]
    if compare(steps[longest], min(steps), margin=ALIKE * steps[longest]) == "more":
        sentences[0] += f"the longest step is that from picture {longest + 1} to {longest + 2}, {steps[longest]:.3f}."
    else:
        sentences[0] += "all steps are about as long."
    if painted.read:
        sentences.append(
            f"All that was said holds in **{painted.full_matches} of {len(painted.pictures)}** pictures on the way."
        )
    return tuple(sentences)
