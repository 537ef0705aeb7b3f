"""Pictures as words: the codebook, and a picture's way through it."""

from collections.abc import Iterator
from math import log2, log10

import numpy as np
import streamlit as st
import torch

from core.view.codec import whole_number
from core.zoo import dalles
from core.zoo.dalles import CODERS
from dashboard import theme
from dashboard.address import parameter
from dashboard.cache.models import picture_coder
from dashboard.components.patch_picker import patch_picker
from dashboard.frame import layout
from dashboard.inputs.picture_input import PHOTOGRAPHS, PictureInput
from dashboard.number_format import compare
from pages.words_and_pictures.generation import compute, inputs
from pages.words_and_pictures.generation.compute import Coded
from pages.words_and_pictures.generation.pictures import enlarged, sheet
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Pictures as words")
CODE = "code"  # in the address: the code that is marked
ACROSS = 32  # codes in a row of the codebook
WIDE = 300
ALIKE = 0.05  # of an error: a smaller difference counts as none


def show() -> None:
    """The picture, its codes and what is painted of them; the codebook; both ways to choose a code."""
    with layout.control_bar():
        world = inputs.world(dalles.available())
        chosen = inputs.picture(world)
    names = [name for name in dalles.coders() if name.partition("-")[0] == world]
    with layout.waiting_place():
        encodings = {name: compute.coded(name, chosen) for name in names}
        book = compute.patches(world)
    _way_through(encodings[world], book, world)
    layout.place_notice()
    layout.prose(SECTION.text("Codes"))
    if len(names) > 1:
        _side_by_side(encodings)
    _codebook(encodings[world], book)
    layout.notes(SECTION, notice=noticed(encodings, chosen), formula=lambda: _formula(world, encodings[world]))


def marked(codes: int) -> int | None:
    """The code that the visitor has clicked."""
    return parameter(CODE, lambda text: whole_number(text, codes))


def _mark(code: int) -> None:
    """One click marks a code, the next one no longer."""
    if st.query_params.get(CODE) == str(code):
        st.query_params.pop(CODE, None)
    else:
        st.query_params[CODE] = str(code)


def _way_through(coded: Coded, book: np.ndarray, world: str) -> None:
    grid = picture_coder(world).grid
    code = marked(len(book))
    numbers = coded.codes.tolist()
    tells = [f"row {place // grid}, column {place % grid}: code {number}" for place, number in enumerate(numbers)]
    where = [divmod(place, grid) for place, number in enumerate(numbers) if number == code]
    alone = sheet([book[number] for number in numbers], across=grid, times=4, gap=0, look=theme.look())
    first, second, third = st.columns(3, gap="medium")
    with first:
        st.markdown("**The picture** :small[:gray[12,288 values]]")
        st.image(enlarged(coded.original, 5), width=WIDE, alt="The picture, before it becomes codes")
    with second:
        st.markdown(f"**Its codes** :small[:gray[{grid} × {grid} of {len(book)}, each shown alone]]")
        patch_picker(
            alone,
            rows=grid,
            columns=grid,
            key="codes-grid",
            chosen=where,
            tells=tells,
            mark="marked",
            hint="Point at a place to see its code; click to mark the code.",
            on_click=lambda row, column: _mark(numbers[row * grid + column]),
            alt=f"The {len(numbers)} codes of the picture, each as it is painted alone",
            name="codes",
            height=WIDE,
        )
    with third:
        st.markdown(f"**Painted from them** :small[:gray[{decibels(coded.error)}]]")
        st.image(enlarged(coded.rebuilt, 5), width=WIDE, alt="The picture as it is painted from its codes")


def _side_by_side(encodings: dict[str, Coded]) -> None:
    """What both ways to choose a code make of the picture."""
    st.subheader("Two ways to choose a code", anchor=False)
    with st.container(horizontal=True, gap="large"):
        for name, coded in encodings.items():
            with st.container(width=260, gap="small"):
                st.markdown(f"**{CODERS[name]}**")
                st.image(enlarged(coded.rebuilt, 5), width=220, alt=f"Painted from its codes, {CODERS[name]}")
                used = f"{len(coded.uses)} codes, as hard to guess as {perplexity(coded):.0f} used alike"
                st.markdown(f":small[Error {coded.error:.4f}, {decibels(coded.error)}; {used}]")


def _codebook(coded: Coded, book: np.ndarray) -> None:
    """All codes, those of this picture first."""
    st.subheader("The codebook", anchor=False)
    order = ordered(coded, len(book))
    used = len(coded.uses)
    code = marked(len(book))
    tells = [
        f"code {number}: " + (f"{coded.count(number)} times in this picture" if place < used else "not in this picture")
        for place, number in enumerate(order)
    ]
    patch_picker(
        sheet([book[number] for number in order], across=ACROSS, times=6, gap=0, look=theme.look()),
        rows=-(-len(book) // ACROSS),
        columns=ACROSS,
        key="codebook",
        chosen=[divmod(order.index(code), ACROSS)] if code is not None else [],
        tells=tells,
        mark="marked",
        hint=SECTION.text("Codebook", used=used),
        on_click=lambda row, column: _mark(order[row * ACROSS + column]),
        alt=f"All {len(book)} codes, the {used} of this picture first",
        name="codebook",
        height=460,
    )


def ordered(coded: Coded, codes: int) -> list[int]:
    """All codes: those of the picture, the most frequent first, then the others by their numbers."""
    used = coded.uses.tolist()
    return used + [code for code in range(codes) if code not in set(used)]


def perplexity(coded: Coded) -> float:
    """As many codes, used alike, would be as hard to guess."""
    shares = torch.bincount(coded.codes).float() / len(coded.codes)
    return float(torch.special.entr(shares).sum().exp())


def decibels(error: float) -> str:
    """The peak signal to noise ratio of a mean squared error of values 0 to 1."""
    return f"{-10 * log10(error):.1f} dB" if error else "no error"


def noticed(encodings: dict[str, Coded], chosen: PictureInput) -> tuple[str, ...]:
    """How few numbers are left, what they lose, and which way to choose a code loses less."""
    world = next(iter(encodings))
    parts = (_tell_codes(encodings[world]), _tell_error(encodings[world], chosen, world), _tell_ways(encodings))
    return tuple(sentence for part in parts for sentence in part)


def _tell_codes(coded: Coded) -> Iterator[str]:
    most = int(coded.uses[0])
    yield (
        f"The picture's {len(coded.codes)} places use **{len(coded.uses)} codes**; the most frequent, code {most}, "
        f"stands in {coded.count(most)} of them."
    )


def _tell_error(coded: Coded, chosen: PictureInput, world: str) -> Iterator[str]:
    missed = f"What is painted misses the picture by {coded.error:.4f} (mean squared, values 0 to 1), "
    missed += decibels(coded.error)
    if not coded.plain_error:
        yield f"{missed}; the picture has one colour, and its mean colour alone would miss nothing."
    else:
        yield f"{missed}: {coded.error / coded.plain_error:.1%} of what its mean colour alone would miss."
    if chosen.world == PHOTOGRAPHS:
        yield SECTION.text("Photographs", world=inputs.WORLDS[world].lower())


def _tell_ways(encodings: dict[str, Coded]) -> Iterator[str]:
    """Only where two can be compared."""
    if len(encodings) < 2:
        return
    (one, first), (other, second) = list(encodings.items())[:2]
    errors = f"{first.error:.4f} and {second.error:.4f}"
    largest = max(first.error, second.error)
    if compare(first.error, second.error, margin=ALIKE * largest) == "as much":
        yield f"Of this picture both ways to choose a code lose about as much: {errors}."
        return
    better, worse = (one, other) if first.error <= second.error else (other, one)
    yield (
        f"Of this picture **{CODERS[better]}** loses less than {CODERS[worse]}: {encodings[better].error:.4f} against "
        f"{encodings[worse].error:.4f}."
    )


def _formula(world: str, coded: Coded) -> None:
    config = picture_coder(world).network.config
    if config.quantiser == "nearest":
        choice = SECTION.text("Nearest vector", width=config.code_width, codes=config.codes)
    else:
        choice = SECTION.text("Most probable code", codes=config.codes)
    pixels, bits = 8 * coded.original.size, len(coded.codes) * log2(config.codes)
    st.markdown(f"{choice} {SECTION.text('Bits', pixels=pixels, bits=bits, share=bits / pixels)}")
