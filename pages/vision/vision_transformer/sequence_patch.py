"""One patch, followed: its pixels, its numbers, what the projection makes of them, its position, its token."""

import re

import numpy as np
import pandas as pd
import streamlit as st
from torch import Tensor

from dashboard import charts, layout
from dashboard.components.patch_picker import patch_picker
from dashboard.figures.heat import heat
from dashboard.figures.mosaic import tiles
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.numbers import signed
from pages.vision.vision_transformer import words_sequence as said
from pages.vision.vision_transformer.compute_sequence import Followed

ADDRESS = "patch"  # row-column, both counted from 0
COLOURS = ("red", "green", "blue")
SOME = 12  # numbers that are printed
SMALL = 256  # pixels: up to here a picture of the model's own pixels is enlarged
_PLACE = re.compile(r"(\d{1,3})-(\d{1,3})")

Place = tuple[int, int]


def chosen(followed: Followed) -> Place:
    """Row and column of the patch that is followed: the one of the address, else one in the middle."""
    grid = followed.sequence.patches
    match = _PLACE.fullmatch(st.query_params.get(ADDRESS, ""))
    if match and int(match[1]) < grid.rows and int(match[2]) < grid.columns:
        return int(match[1]), int(match[2])
    return grid.rows // 2, grid.columns // 2


def choose(row: int, column: int) -> None:
    """Follow another patch."""
    st.query_params[ADDRESS] = f"{row}-{column}"


def show_picture(followed: Followed, place: Place) -> None:
    """The photograph under the model's own grid; a click follows another patch."""
    grid, given = followed.sequence.patches, followed.given
    as_pixels = st.toggle("As the model sees it", key="sequence_pixels", bind="query-params", help=said.PIXELS_HELP)
    patch_picker(
        enlarged(as_rgb(followed, followed.sequence.pixels)) if as_pixels else given.shown,
        rows=grid.rows,
        columns=grid.columns,
        key="sequence-picture",
        chosen=[place],
        mark="followed",
        tell="patch in row {row}, column {column}",
        hint=said.CLICK,
        on_click=choose,
        alt=f"The picture under a grid of {grid.rows} × {grid.columns} patches; row {place[0]}, column {place[1]} is "
        "followed",
        name="vision-patches",
        height=380,
    )


def show_pixels(followed: Followed, place: Place) -> None:
    """The pixels of the patch as numbers."""
    sequence = followed.sequence
    number = place[0] * sequence.patches.columns + place[1]
    st.subheader(f"The patch in row {place[0]}, column {place[1]}", anchor=False)
    _pixels(followed, number)
    if not layout.is_presented():
        some = ", ".join(signed(value) for value in sequence.flattened[number, :SOME].tolist())
        st.markdown(said.FLATTENED.format(count=sequence.flattened.shape[1], some=some), width=layout.PROSE)


def show_vectors(followed: Followed, place: Place) -> None:
    """The vectors of the patch at every stage."""
    rows = vectors_of(followed, place[0] * followed.sequence.patches.columns + place[1])
    figure = vector_rows(rows, look=layout.look())
    charts.chart(
        figure,
        name="vision-vectors",
        alt=f"The vectors of the patch in row {place[0]}, column {place[1]} at every stage, as strips of numbers",
        table=pd.DataFrame({row.name: pd.Series(row.values) for row in rows}).rename_axis("number").reset_index(),
    )


def vectors_of(followed: Followed, number: int) -> list[Row]:
    """The vectors of one patch, from its flattened pixels to what the encoder hands on."""
    sequence, token = followed.sequence, followed.sequence.token_of(number)
    named: list[tuple[str, Tensor]] = [
        ("flattened", sequence.flattened[number]),
        ("projected", sequence.projected[number]),
    ]
    if sequence.embedded is not None:
        named.append(("projected, after its norm", sequence.embedded[number]))
    if sequence.positions is not None:
        named += [("position", sequence.positions.patches[number]), ("token", sequence.joined[token])]
    if sequence.entering is not sequence.joined:
        named.append(("token, after a norm", sequence.entering[token]))
    if not sequence.is_merged:
        named.append((f"after {sequence.blocks} blocks", sequence.encoded[token]))
    return [
        Row(f"<b>{said.VECTORS.get(name, name)}</b>, {len(vector)} numbers", name, vector.numpy())
        for name, vector in named
    ]


def _pixels(followed: Followed, number: int) -> None:
    """The patch enlarged, and its three layers of colour as maps of numbers."""
    values = followed.sequence.cut[number].numpy()
    _, high, wide = values.shape
    seen, maps = st.columns([1, 2.6], gap="medium", vertical_alignment="center")
    with seen, st.container(width=170):  # of a narrow column it takes less: an image of its own width would not
        pixels = as_rgb(followed, followed.sequence.cut[number])
        st.image(
            pixels.repeat(-(-240 // high), 0).repeat(-(-240 // wide), 1),
            caption=f"{high} × {wide} pixels",
            width="stretch",
        )
    sheet = tiles(values, 1, len(values))
    limit = float(np.abs(values).max()) or 1.0
    figure = heat(
        sheet,
        look=layout.look(),
        x="",
        y="",
        limits=(-limit, limit),
        tell="%{z:.2f}",
        height=230,
    )
    colours = COLOURS if len(values) == 3 else tuple(map(str, range(len(values))))
    middles = [colour * (wide + 1) + (wide - 1) / 2 for colour in range(len(values))]
    figure.update_xaxes(tickvals=middles, ticktext=list(colours), side="top")
    figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")
    with maps:
        charts.chart(
            figure,
            name="vision-pixels",
            alt="The numbers of the patch in red, green and blue, as the model gets them",
            table=pd.DataFrame(
                [
                    (colours[channel], row, column, values[channel, row, column])
                    for channel in range(len(values))
                    for row in range(high)
                    for column in range(wide)
                ],
                columns=["colour", "row", "column", "value"],
            ),
        )


def as_rgb(followed: Followed, pixels: Tensor) -> np.ndarray:
    """Normalised pixels (channel, row, column) as colours again, (row, column, channel) uint8."""
    framing = followed.model.framing
    mean, std = np.array(framing.mean)[:, None, None], np.array(framing.std)[:, None, None]
    colours = np.clip((pixels.numpy() * std + mean) * 255, 0, 255).round().astype(np.uint8)
    return np.ascontiguousarray(colours.transpose(1, 2, 0))


def enlarged(picture: np.ndarray) -> np.ndarray:
    """A small picture with each pixel repeated, so that its pixels can be told apart."""
    times = max(1, SMALL // max(picture.shape[:2]))
    return picture.repeat(times, axis=0).repeat(times, axis=1)
