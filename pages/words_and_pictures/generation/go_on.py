"""Go on: another code at a place, or half a picture given, and what follows."""

from collections.abc import Iterator

import numpy as np
import streamlit as st
from jaxtyping import UInt8
from streamlit.delta_generator import DeltaGenerator

from core.scenes.things import Scene
from core.view.codec import whole_number
from core.zoo import dalles
from dashboard import theme
from dashboard.address import parameter
from dashboard.cache.models import dalle, picture_coder
from dashboard.components.patch_picker import patch_picker
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import signed
from pages.words_and_pictures.generation import compute, growing, inputs, write
from pages.words_and_pictures.generation.compute import Coded, Drawn, DrawRequest
from pages.words_and_pictures.generation.pictures import begun, enlarged
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Go on")
OTHER_CODE, HALF = "another code", "half a picture"
PLACE, OTHER = "place", "other"  # in the address: where the picture changes, and to which code
AROUND = 2  # codes beside the one that is shown in another code's picture
GIVEN_ROWS = (4, 8, 12)


def show() -> None:
    """The sentence, and one of the two ways to go on."""
    with layout.control_bar():
        world, text = inputs.world_and_sentence(dalles.available())
        way = controls.menu("Go on from", (OTHER_CODE, HALF), key="way_on", width=165)
        with layout.settings():
            request = inputs.request(world, text)
            rank = inputs.candidate(request.count) if way == OTHER_CODE else 0
            inputs.again()
    dalle(world).encode(text)
    bar = layout.control_bar()
    if way == HALF:
        _half(request, bar)
    else:
        _other_code(request, rank)


# Another code.


def _other_code(request: DrawRequest, rank: int) -> None:
    drawn = growing.drawn(compute.draw, request)
    if drawn is None:
        return
    grid = dalle(request.world).network.config.grid
    number = drawn.order[rank]
    at = inputs.place(PLACE, grid)
    place = grid * (grid // 2) + grid // 2 if at is None else at
    _forget_for(request, number)
    left, right = st.columns([1, 1.25], gap="large")
    with left:
        _picked(drawn, number, place, grid)
        layout.place_notice()
    with right:
        _offered(request, drawn, number, place, grid)
    changed = _changed(request, number, place)
    if changed is not None:
        _beside(drawn, changed, number)
    layout.prose(SECTION.text("Another code"))
    layout.notes(
        SECTION,
        notice=noticed(drawn, number, place, compute.chance_of(request, number, place), changed),
        numbers=numbers_of(request, place),
    )


def _changed(request: DrawRequest, number: int, place: int) -> Drawn | None:
    """The picture with the code that the address names; None where it names none, or the drawing was stopped."""
    codes = picture_coder(request.world).network.config.codes
    other = parameter(OTHER, lambda text: whole_number(text, codes))
    return None if other is None else growing.drawn(compute.go_on, request, number, place, other)


def _forget_for(request: DrawRequest, number: int) -> None:
    """Another picture has no other code yet."""
    origin = (request, number)
    if st.session_state.get("goes_on_from") not in (None, origin):
        st.query_params.pop(OTHER, None)
    st.session_state.goes_on_from = origin


def _picked(drawn: Drawn, number: int, place: int, grid: int) -> None:
    codes = drawn.codes[number].tolist()
    patch_picker(
        enlarged(drawn.pictures[number], 4),
        rows=grid,
        columns=grid,
        key="go-on-picture",
        chosen=[divmod(place, grid)],
        tells=[f"row {at // grid}, column {at % grid}: code {code}" for at, code in enumerate(codes)],
        hint="Click a part to take another code there.",
        on_click=lambda row, column: _go_to(row, column),
        alt=f"The picture of “{drawn.prompt.text}” with {grid} × {grid} parts, one of them chosen",
        name="go-on",
        height=380,
    )


def _go_to(row: int, column: int) -> None:
    st.query_params[PLACE] = f"{row}-{column}"
    st.query_params.pop(OTHER, None)


def _offered(request: DrawRequest, drawn: Drawn, number: int, place: int, grid: int) -> None:
    """The likeliest codes, each in its surroundings, with a button to take it."""
    own = int(drawn.codes[number][place])
    row, column = divmod(place, grid)
    st.markdown(f"**Row {row}, column {column}**: which code comes here?")
    with st.container(horizontal=True, gap="small"):
        for code, chance in compute.expected(request, number, place):
            with st.container(width=84, gap=None):
                st.image(
                    around(compute.with_code(request, number, place, code), place, grid),
                    width=84,
                    alt=f"The surroundings with code {code} in row {row}, column {column}",
                )
                st.button(
                    f"{percent(chance)} :small[:gray[{code}]]",
                    key=f"take_code_{code}",
                    on_click=_take,
                    args=(row, column, code),
                    disabled=code == own,
                    help="This one was drawn." if code == own else None,
                    width="stretch",
                )
    st.caption(SECTION.text("Codes to choose from"))


def percent(chance: float) -> str:
    """A probability for a small button."""
    if chance < 0.0005:
        return "< 0.1%"
    return f"{chance:.0%}" if chance >= 0.0995 else f"{chance:.1%}"


def around(picture: UInt8[np.ndarray, "row column channel"], place: int, grid: int) -> UInt8[np.ndarray, "_ _ channel"]:
    """A part of a picture with its surroundings, enlarged; near the edge as much of them as there is."""
    side = len(picture) // grid
    row, column = (min(max(index, AROUND), grid - 1 - AROUND) for index in divmod(place, grid))
    rows, columns = (slice((index - AROUND) * side, (index + AROUND + 1) * side) for index in (row, column))
    return enlarged(picture[rows, columns], 6)


def _take(row: int, column: int, code: int) -> None:
    st.query_params[PLACE] = f"{row}-{column}"
    st.query_params[OTHER] = str(code)


def _beside(drawn: Drawn, changed: Drawn, number: int) -> None:
    """The picture as it was, and with the other code."""
    with st.container(horizontal=True, gap="large"):
        for title, one, at in (("As it was drawn", drawn, number), ("With the other code", changed, 0)):
            with st.container(width=260):
                st.markdown(f"**{title}**")
                st.image(enlarged(one.pictures[at], 5), width=260, alt=title)
                st.markdown(write.below(one, at))


def noticed(drawn: Drawn, number: int, place: int, chance: float, changed: Drawn | None) -> tuple[str, ...]:
    """How probable the code was, and what became of the rest."""
    code = int(drawn.codes[number][place])
    sentences = [f"The code here is {code}; the model had given it a probability of {chance:.1%}."]
    if changed is None:
        sentences.append("Choose another code: the rest is drawn again with the same random numbers.")
    else:
        sentences += _tell_change(drawn, number, place, changed)
    return tuple(sentences)


def _tell_change(drawn: Drawn, number: int, place: int, changed: Drawn) -> Iterator[str]:
    """How many of the later codes are others now, what that did to the score, and to what holds."""
    before, after = drawn.codes[number], changed.codes[0]
    later = len(before) - place - 1
    others = int((before[place + 1 :] != after[place + 1 :]).sum())
    if not later:
        yield f"With code {int(after[place])} in its place nothing else changes: no code comes after the last one."
    elif not others:
        yield (
            f"With code {int(after[place])} in its place none of {later} later codes changes; the random numbers are "
            "the same."
        )
    else:
        yield (
            f"With code {int(after[place])} in its place **{others} of {later}** later codes change. The random "
            "numbers are the same, so this code is the only cause."
        )
    scores = signed(drawn.agreement[number]), signed(changed.agreement[0])
    yield f"CLIP's cosine with the sentence goes from {scores[0]} to {scores[1]}."
    held = drawn.holds(number), changed.holds(0)
    if None not in held:
        what = {True: "showed everything you asked for", False: "missed something"}
        now = {True: "shows everything", False: "misses something"}
        yield (
            f"Before, the picture {what[bool(held[0])]}; now it {now[bool(held[1])]}, by the network that reads scenes."
        )


def numbers_of(request: DrawRequest, place: int) -> dict[str, object]:
    """The numbers of the section's formula, where the picture goes on from a place."""
    total = dalle(request.world).network.config.places
    return {"place": place, "last": max(0, place - 1), "later": total - place - 1}


# Half a picture.


def _half(request: DrawRequest, bar: DeltaGenerator) -> None:
    with bar:
        picture_input = inputs.picture(request.world)
        rows = controls.choice("Rows that are given", GIVEN_ROWS, key="given_rows", first=8)
    with layout.waiting_place():
        coded = compute.coded(request.world, picture_input)
    grid = picture_coder(request.world).grid
    part = coded.rebuilt[: rows * len(coded.rebuilt) // grid]
    with st.container(horizontal=True, gap="small"):
        for title, picture in (
            ("The picture", coded.original),
            ("What is given", begun(part, len(coded.rebuilt), theme.look())),
        ):
            with st.container(width=write.WIDE, gap="small"):
                st.markdown(f"**{title}**")
                st.image(enlarged(picture, 5), width=write.WIDE, alt=title)
    drawn = growing.drawn(compute.complete, request, picture_input, rows)
    if drawn is None:
        return
    st.markdown("**How it goes on**")
    write.gallery(drawn, best=True, presented=320)
    layout.place_notice()
    write.gallery(drawn, best=False)
    layout.prose(SECTION.text("Half a picture"))
    layout.notes(
        SECTION,
        notice=noticed_half(drawn, coded, rows * grid, picture_input.scene),
        numbers=numbers_of(request, rows * grid),
    )


def noticed_half(drawn: Drawn, coded: Coded, prefix_length: int, scene: Scene | None) -> tuple[str, ...]:
    """How much was given, how much of the true rest came again, and what holds."""
    total = len(coded.codes)
    same = (drawn.codes[:, prefix_length:] == coded.codes[prefix_length:]).float().mean(dim=1)
    low, high = f"{float(same.min()):.0%}", f"{float(same.max()):.0%}"
    have = f"the candidates have {low} to {high}" if low != high else f"each candidate has {high}"
    sentences = [f"{prefix_length} of {total} codes are given. Of the rest {have} as they are in the picture"]
    sentences[0] += ": others go with the upper part, too." if float(same.max()) < 1 else "."
    if drawn.read:
        sentences.append(f"**{drawn.full_matches} of {len(drawn.codes)}** candidates show all that the sentence says.")
    if scene is not None and drawn.read:
        counts = [len(candidate.things) for candidate in drawn.read]
        read = f"{min(counts)} to {max(counts)} are" if min(counts) < max(counts) else f"{max(counts)} are"
        sentences.append(f"The scene has {len(scene.things)} things; in the candidates {read} read.")
    return tuple(sentences)
