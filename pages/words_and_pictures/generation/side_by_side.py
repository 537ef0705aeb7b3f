"""Side by side: DALL-E and an attention GAN on one sentence."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st
import torch

from core.generation.quality import diversity
from dashboard.cache.models import attention_gan, dalle
from dashboard.frame import layout
from dashboard.number_format import compare, signed
from dashboard.output.data_table import data_table
from pages.words_and_pictures.generation import compute, compute_painted, growing, inputs, write
from pages.words_and_pictures.generation.compute import Made
from pages.words_and_pictures.generation.inputs import DALLE, PAINTER
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Side by side")
ALIKE, SLOWER = 0.05, 0.1  # of diversity, of seconds: a smaller difference counts as none
FOUR_PRESENTED = 200  # pixels of a picture on a projector: four stand in half of its width


def show() -> None:
    """The pictures of both, a table of what they are worth, the notes."""
    draw_request, paint_request = inputs.both()
    for network in (dalle(draw_request.world), attention_gan(draw_request.world)):
        network.encode(draw_request.text)
    with layout.waiting_place():
        painted = compute_painted.paint(paint_request)
    left, right = st.columns(2, gap="large")
    with right:
        st.markdown("**Attention GAN**")
        write.gallery(painted, best=True, presented=FOUR_PRESENTED)
    with left:
        st.markdown(f"**{DALLE}**")
        drawn = growing.drawn(compute.draw, draw_request)
        if drawn is not None:
            write.gallery(drawn, best=True, presented=FOUR_PRESENTED)
    if drawn is None:
        return
    both = {DALLE: drawn, PAINTER: painted}
    layout.place_notice()
    data_table(table_of(both), hide_index=True, width="content")
    st.caption(SECTION.text("Diversity and seconds"))
    for column, made in zip(st.columns(2, gap="large"), both.values(), strict=True):
        with column:
            write.gallery(made, best=False, presented=FOUR_PRESENTED)
    layout.prose(SECTION.text("Two networks"))
    layout.notes(SECTION, notice=noticed(both), formula=lambda: _judge(drawn))


def differ(made: Made) -> float:
    """How much the pictures differ from one another."""
    return diversity(torch.from_numpy(made.pictures).permute(0, 3, 1, 2).float() / 255)


def share_held(made: Made) -> float | None:
    """Of all statements in all pictures those that hold; None where nobody can tell."""
    verdicts = [
        verdict for number in range(len(made.pictures)) for verdict in made.statements(number) if verdict is not None
    ]
    return sum(verdicts) / len(verdicts) if verdicts else None


def table_of(both: Mapping[str, Made]) -> pd.DataFrame:
    """A row for each network."""
    rows = []
    for name, made in both.items():
        held = share_held(made)
        row = {"network": name}
        if held is not None:
            row |= {"statements that hold": f"{held:.0%}"}
            row |= {"pictures in which all holds": f"{made.full_matches} of {len(made.pictures)}"}
        row |= {"CLIP, best": signed(max(made.agreement)), "diversity": f"{differ(made):.3f}"}
        rows.append(row | {"seconds": f"{made.seconds:.2f}"})
    return pd.DataFrame(rows)


def noticed(both: Mapping[str, Made]) -> tuple[str, ...]:
    """Who holds more of what was said, whose pictures differ more, who is faster and by how much."""
    (one, first), (other, second) = both.items()
    sentences = []
    held = share_held(first), share_held(second)
    if held[0] is not None and held[1] is not None:
        sentences.append(
            f"In the pictures of {one} **{held[0]:.0%}** of the statements hold, in those of the {other} "
            f"**{held[1]:.0%}**. These are few pictures: see “Measured” for many."
        )
    if min(len(first.pictures), len(second.pictures)) > 1:
        sentences.append(_tell_diversity((one, differ(first)), (other, differ(second))))
    faster, slower = sorted(both, key=lambda network: both[network].seconds)
    took = both[faster].seconds, both[slower].seconds
    name = _the(faster)
    if compare(took[1], took[0], margin=SLOWER * took[0]) != "more":
        sentences.append(
            f"Both took about as long for {len(first.pictures)} pictures, {took[0]:.2f} s and {took[1]:.2f} s."
        )
        return tuple(sentences)
    sentences.append(
        f"{name[0].upper()}{name[1:]} took {took[0]:.2f} s for {len(first.pictures)} pictures, {_the(slower)} "
        f"{took[1]:.2f} s: {took[1] / max(took[0], 1e-3):.1f} times as long."
    )
    return tuple(sentences)


def _tell_diversity(first: tuple[str, float], second: tuple[str, float]) -> str:
    """Whose pictures differ more, where it is by more than ALIKE of the larger diversity."""
    (less, low), (more, high) = sorted((first, second), key=lambda pair: pair[1])
    if compare(high, low, margin=ALIKE * high) != "more":
        return f"The pictures of both differ about as much from one another: {high:.3f} and {low:.3f}."
    return f"The pictures of {_the(more)} differ more from one another: {high:.3f} against {low:.3f} for {_the(less)}."


def _the(name: str) -> str:
    return name if name == DALLE else f"the {name}"


def _judge(made: Made) -> None:
    if made.read:
        st.markdown(SECTION.text("Statements"))
