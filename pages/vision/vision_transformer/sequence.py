"""Picture to sequence: a photograph becomes tokens, and one patch is followed through all stages."""

import re
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.images import Patches
from core.order.learned_positions import PositionMethod
from core.vision.picture_sequence import PictureSequence
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.components.patch_picker import patch_picker
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.frame import layout
from dashboard.inputs import photograph
from dashboard.number_format import signed
from dashboard.output import charts
from dashboard.output.position_kinds import ORDER_CLAUSES
from dashboard.recordings.picture_notices import name_prefix
from pages.vision.vision_transformer import filters_and_positions, receptive_field, stages
from pages.vision.vision_transformer.compute import Followed, as_colours, follow
from pages.vision.vision_transformer.figures import layers_of_colour
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Picture to sequence")
# Titles of the strips, where the name alone would say too little.
VECTORS = {
    "flattened": "Flattened: its pixels",
    "features": "Its features",
    "projected": "Projected: times E",
    "projected, after its norm": "Projected, after its norm",
    "position": "Position of this place",
    "token": "Token: projected + position",
    "token, after a norm": "Token, after one more norm",
}
ADDRESS = "patch"  # row-column, both counted from 0
COLOURS = ("red", "green", "blue")
SOME = 12  # numbers that are printed
SMALL = 256  # pixels: up to here a picture of the model's own pixels is enlarged
TERMS = 3  # of the sum that are written out
_PLACE = re.compile(r"(\d{1,3})-(\d{1,3})", re.ASCII)


def show() -> None:
    """The picture under its grid, the stages, one patch followed through them, and what was learned."""
    main, settings = layout.bar_with_settings()
    with main:
        chosen = photograph.choose_in_bar(attends=False)
    as_model_sees = settings.toggle(
        "As the model sees it", key="sequence_pixels", bind="query-params", help=SECTION.text("Pixels of the model")
    )
    if not chosen.model.attends:
        about = SECTION.text("Models without a sequence", title=typeset.plain(chosen.model.title))
        st.info(about, icon=":material/info:")
        return
    with layout.waiting_place():
        followed = follow(chosen)
    sequence, learned = followed.sequence, followed.learned
    row, column = parameter(ADDRESS, lambda text: place_in(text, sequence.patches))
    patch = row * sequence.patches.columns + column
    picture, numbers = st.columns([1, 1.5], gap="large")
    with picture:
        _picture(followed, (row, column), as_model_sees=as_model_sees)
        layout.place_notice()
    with numbers:
        st.subheader(f"The patch in row {row}, column {column}", anchor=False)
        noticed = _pixels(followed, patch) if sequence.features is None else receptive_field.show(chosen, (row, column))
    stages.show_table(followed)
    _vectors(sequence, patch)
    stages.show_arrays(sequence, patch)
    if learned.filters is not None:
        noticed += filters_and_positions.show_filters(learned.filters, sequence.projection.weight.shape)
    filters_and_positions.show_positions(followed, (row, column), on_click=_follow)
    notice = (
        tell_length(sequence.patches, sequence.calls),
        tell_order(sequence.positions is not None, learned.position_method),
        *tell_weight(sequence, patch),
        *filters_and_positions.tell_positions(sequence.patches, learned.alike, learned.nearness, (row, column)),
        *noticed,
    )
    layout.notes(SECTION, notice=notice, numbers=_numbers(sequence, patch))


def place_in(address: str, grid: Patches) -> tuple[int, int]:
    """Row and column of the patch that an address names, else of one in the middle."""
    match = _PLACE.fullmatch(address)
    if match and int(match[1]) < grid.rows and int(match[2]) < grid.columns:
        return int(match[1]), int(match[2])
    return grid.rows // 2, grid.columns // 2


def _follow(row: int, column: int) -> None:
    st.query_params[ADDRESS] = f"{row}-{column}"


def _picture(followed: Followed, place: tuple[int, int], *, as_model_sees: bool) -> None:
    """The photograph under the model's own grid; a click follows another patch."""
    grid, picture = followed.sequence.patches, followed.prepared.photograph
    if as_model_sees:
        picture = as_colours(followed.model.framing, followed.sequence.pixels)
        times = max(1, SMALL // max(picture.shape[:2]))
        picture = picture.repeat(times, axis=0).repeat(times, axis=1)  # so that its pixels can be told apart
    patch_picker(
        picture,
        rows=grid.rows,
        columns=grid.columns,
        key="sequence-picture",
        chosen=[place],
        mark="followed",
        tell="patch in row {row}, column {column}",
        hint="Click a patch to follow it.",
        on_click=_follow,
        alt=f"The picture under a grid of {grid.rows} × {grid.columns} patches; row {place[0]}, column {place[1]} is "
        "followed",
        name="vision-patches",
        height=380,
    )


def _pixels(followed: Followed, patch: int) -> tuple[str, ...]:
    """The patch enlarged, and its layers of colour as maps of numbers; nothing is to be noticed."""
    values = followed.sequence.cut[patch].numpy()
    channels, high, wide = values.shape
    patch_column, maps = st.columns([1, 2.6], gap="medium", vertical_alignment="center")
    with patch_column, st.container(width=170):  # of a narrow column it takes less: an image of its own width would not
        pixels = as_colours(followed.model.framing, followed.sequence.cut[patch])
        pixels = pixels.repeat(-(-240 // high), 0).repeat(-(-240 // wide), 1)
        st.image(pixels, caption=f"{high} × {wide} pixels", width="stretch", alt="The patch, enlarged")
    colours = COLOURS if channels == 3 else tuple(map(str, range(channels)))
    with maps:
        charts.chart(
            partial(layers_of_colour, values, colours, look=theme.look()),
            name="vision-pixels",
            alt="The numbers of the patch in red, green and blue, as the model gets them",
            table=partial(_of_pixels, values, colours),
        )
    flattened = followed.sequence.flattened[patch]
    first = ", ".join(signed(value) for value in flattened[:SOME].tolist())
    layout.prose(SECTION.text("Flattened patch", count=len(flattened), first=first))
    return ()


def _of_pixels(values: np.ndarray, colours: Sequence[str]) -> pd.DataFrame:
    rows = [(colours[place[0]], *place[1:], value) for place, value in np.ndenumerate(values)]
    return pd.DataFrame(rows, columns=["colour", "row", "column", "value"])


def _vectors(sequence: PictureSequence, patch: int) -> None:
    rows = vectors_of(sequence, patch)
    row, column = divmod(patch, sequence.patches.columns)
    charts.chart(
        partial(vector_rows, rows, look=theme.look()),
        name="vision-vectors",
        alt=f"The vectors of the patch in row {row}, column {column} at every stage, as strips of numbers",
        table=partial(_of_vectors, rows),
    )


def _of_vectors(rows: Sequence[Row]) -> pd.DataFrame:
    return pd.DataFrame({row.name: pd.Series(row.values) for row in rows}).rename_axis("number").reset_index()


def vectors_of(sequence: PictureSequence, patch: int) -> list[Row]:
    """The vectors of one patch, from its flattened pixels to what the encoder hands on."""
    token, positions = sequence.token_of(patch), sequence.positions
    vectors = {
        "flattened" if sequence.features is None else "features": sequence.flattened[patch],
        "projected": sequence.projected[patch],
        "projected, after its norm": None if sequence.embedded is None else sequence.embedded[patch],
        "position": None if positions is None else positions.patches[patch],
        "token": None if positions is None else sequence.joined[token],
        "token, after a norm": None if sequence.encoder_input is sequence.joined else sequence.encoder_input[token],
        f"after {sequence.blocks} blocks": None if sequence.is_merged else sequence.encoded[token],
    }
    return [
        Row(f"<b>{VECTORS.get(name, name)}</b>, {len(vector)} numbers", name, vector.numpy())
        for name, vector in vectors.items()
        if vector is not None
    ]


def tell_length(patches: Patches, calls: Sequence[tuple[int, int, int]]) -> str:
    """How long the sequence is, and how many pairs a head compares; `calls`: windows, queries and keys of each layer.

    Where all tokens look at all, also how many pairs twice as many patches on a side would make.
    """
    tokens, layers = len(patches), len(calls)
    more = f" and {len(patches.prefix)} more ({', '.join(name_prefix(patches.prefix))})" if patches.prefix else ""
    length = f"**{tokens:,} token{'s' if tokens > 1 else ''}**: {patches.rows} × {patches.columns} patches{more}"
    full_layers = sum(call == (1, tokens, tokens) for call in calls)
    if full_layers:
        double = (tokens + 3 * patches.rows * patches.columns) ** 2
        where = f"each of the {layers}" if full_layers == layers else f"{full_layers} of the {layers}"
        compared = (
            f"Each head of {where} attention layers compares {tokens**2:,} pairs of tokens. With twice as many patches "
            f"on a side it would compare {double:,}, {double / tokens**2:.1f} times as many."
        )
    else:
        windows, queries, keys = calls[0]
        within = f"{windows} windows of {keys} places" if windows > 1 else f"{queries:,} queries and {keys:,} keys"
        compared = (
            f"A head of the first attention layer compares {windows * queries * keys:,} pairs ({within}), not all "
            f"{tokens**2:,}."
        )
    return f"The model reads the picture as {length}. {compared}"


def tell_order(has_positions: bool, way: PositionMethod) -> str:
    """How the model knows which patches were neighbours."""
    begin = "Attention alone does not know the order of its tokens. This model adds"
    if not has_positions:
        return f"{begin} no position to them: {ORDER_CLAUSES[way]}."
    return f"{begin} a position to each patch." + ("" if way == "unknown" else f" Besides, {ORDER_CLAUSES[way]}.")


def tell_weight(sequence: PictureSequence, patch: int) -> tuple[str, ...]:
    """How long what was projected and its position are, beside one another."""
    if sequence.positions is None:
        return ()
    projected = sequence.projected if sequence.embedded is None else sequence.embedded
    content, position = (float(vectors[patch].norm()) for vectors in (projected, sequence.positions.patches))
    longer, shorter = max(content, position), min(content, position)
    which = "the projection" if content > position else "the position"
    weighs = f": {which} is {longer / shorter:.1f} times as long" if 1.05 * shorter < longer < 1000 * shorter else ""
    return (
        f"The projection of the followed patch has the length **{signed(content)}**, its position "
        f"**{signed(position)}**{weighs}.",
    )


def _numbers(sequence: PictureSequence, patch: int) -> dict[str, object]:
    """The way from pixels to the first channel of the token, with the followed patch's own numbers."""
    row, column = divmod(patch, sequence.patches.columns)
    before = len(sequence.patches.prefix)
    channels, numbers = sequence.projection.weight.shape
    return {
        "token": token_formula(sequence),
        "prefix": "" if not before else r"t_1;\ " if before == 1 else rf"t_1; \dots; t_{{{before}}};\ ",
        "patches": len(sequence.patches) - before,
        "numbers": numbers,
        "channels": channels,
        "row": row,
        "column": column,
        "first_channel": written_out(sequence, patch),
        "learned": "E is" if sequence.projection.bias is None else "E and b are",
        "module": sequence.projection.path,
    }


def token_formula(sequence: PictureSequence) -> str:
    """How a patch becomes a token, in LaTeX."""
    projected = "x_p E" if sequence.projection.bias is None else "x_p E + b"
    if sequence.embedded is not None:
        projected = rf"\operatorname{{norm}}({projected})"
    return projected if sequence.positions is None else rf"{projected} + \text{{pos}}_p"


def written_out(sequence: PictureSequence, patch: int) -> str:
    """The first channel as the sum that it is, its first terms and its bias with their numbers."""
    pixels, weights = sequence.flattened[patch], sequence.projection.weight[0]
    first = zip(pixels[:TERMS].tolist(), weights[:TERMS].tolist(), strict=True)
    terms = [rf"{_bracketed(pixel)} \cdot {_bracketed(weight)}" for pixel, weight in first]
    last = [r"\dots"] if len(pixels) > TERMS else []
    if sequence.projection.bias is not None:
        last.append(_bracketed(float(sequence.projection.bias[0])))
    lines = [*terms, *([" + ".join(last)] if last else [])]
    added = r" \\ {}+ ".join(lines)
    return rf"\begin{{gathered}} {added} = {_fixed(float(sequence.projected[patch, 0]))} \end{{gathered}}"


def _bracketed(value: float) -> str:
    written = _fixed(value)
    return f"({written})" if written.startswith("-") else written


def _fixed(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"
