"""What to notice on the way from picture to sequence; every number is of what is shown."""

import streamlit as st
import torch

from core.order.learned_positions import likeness
from core.vision.patches import components_for
from core.vision.picture_sequence import PictureSequence
from dashboard import layout
from dashboard.numbers import signed
from pages.vision.vision_transformer import words_sequence as said
from pages.vision.vision_transformer.compute_sequence import Followed
from pages.vision.vision_transformer.sequence_patch import Place
from pages.vision.vision_transformer.sequence_stages import listed

TERMS = 3  # of the sum that are written out
MOST = 0.9  # of the variance


def about(followed: Followed, place: Place) -> tuple[str, ...]:
    """Sentences that are true of what is shown."""
    return (_length(followed), *_lengths(followed, place), *_positions(followed, place), *_filters(followed))


def _length(followed: Followed) -> str:
    sequence = followed.sequence
    rows, columns, labels = sequence.patches.rows, sequence.patches.columns, sequence.patches.prefix
    joined = f" and {len(labels)} more ({listed(labels)})" if labels else ""
    pairs = len(sequence.entering) ** 2
    return (
        f"The picture has become a sequence of **{len(sequence.entering):,} tokens**: {rows} × {columns} patches"
        f"{joined}. From here on nothing but their positions says which were neighbours. In each head of each block "
        f"{pairs:,} pairs of tokens are compared; twice as many patches on a side would make it about sixteen times as "
        "many."
    )


def _lengths(followed: Followed, place: Place) -> tuple[str, ...]:
    """How long position and content are, beside one another."""
    sequence = followed.sequence
    if sequence.positions is None:
        return ()
    number = place[0] * sequence.patches.columns + place[1]
    content = float((sequence.projected if sequence.embedded is None else sequence.embedded)[number].norm())
    position = float(sequence.positions.patches[number].norm())
    if content >= position:
        weighs = "so the token is more about what is there than about where"
    else:
        weighs = "so the token begins as more of a place than of a content"
    return (
        f"Of the followed patch, what was projected has the length **{signed(content)}** and its position "
        f"**{signed(position)}**: {weighs}.",
    )


def _positions(followed: Followed, place: Place) -> tuple[str, ...]:
    """What the map of positions shows: the nearest places, and what the model knows of the square."""
    alike, grid = followed.alike, followed.sequence.patches
    if alike is None or grid.rows * grid.columns < 2:
        return ()
    number = place[0] * grid.columns + place[1]
    others = alike[number].clone()
    others[number] = -torch.inf
    row, column = divmod(int(others.argmax()), grid.columns)
    said_of_all = likeness((grid.rows, grid.columns), alike)
    touching, far = said_of_all.touching, said_of_all.far
    nearer = "so nearness was found in training" if touching > far else "so nearness is not in these vectors"
    how_near = "a neighbour" if max(abs(row - place[0]), abs(column - place[1])) == 1 else "no neighbour"
    return (
        f"The place most like row {place[0]}, column {place[1]} is row {row}, column {column}, {how_near} (cosine "
        f"{signed(float(others.max()))}). Over the whole square, places that touch have {signed(touching)} on average "
        f"and places at least half a side apart {signed(far)}: {nearer}.",
    )


def _filters(followed: Followed) -> tuple[str, ...]:
    shares = followed.filters.shares
    needed = components_for(shares, MOST)
    width = followed.sequence.projection.weight.shape[0]
    if needed is None:
        return (
            f"The first {len(shares)} components hold **{float(shares.sum()):.0%}** of what tells the {width} filters "
            "apart.",
        )
    return (
        f"**{needed}** of at most {min(followed.sequence.projection.weight.shape)} directions hold {MOST:.0%} of what "
        f"tells the {width} filters apart; the first alone holds {float(shares[0]):.0%}.",
    )


def formula(followed: Followed, place: Place) -> None:
    """The way from pixels to the first channel of the token, with the followed patch's own numbers."""
    sequence = followed.sequence
    number = place[0] * sequence.patches.columns + place[1]
    bias = "" if sequence.projection.bias is None else " + b"
    joined = [rf"x_p E{bias}"] + (["\\text{pos}_p"] if sequence.positions is not None else [])
    st.latex(rf"z_p = {' + '.join(joined)}")
    st.latex(rf"Z = {_joined(sequence)}")
    st.latex(
        rf"E \in \mathbb{{R}}^{{{sequence.flattened.shape[1]} \times {sequence.projected.shape[1]}}}, \quad "
        rf"x_p \in \mathbb{{R}}^{{{sequence.flattened.shape[1]}}}"
    )
    st.markdown(f"The first channel of the patch in row {place[0]}, column {place[1]}:")
    st.latex(written_out(sequence, number))
    if not layout.is_presented():
        st.markdown(said.FORMULA)
        st.caption(f"E is `{sequence.projection.path}.weight`.")


def _joined(sequence: PictureSequence) -> str:
    count = sequence.patches.rows * sequence.patches.columns
    own = len(sequence.patches.prefix)
    first = "" if not own else (r"t_1;\ " if own == 1 else rf"t_1; \dots; t_{{{own}}};\ ")
    return rf"[\,{first}z_1; \dots; z_{{{count}}}\,]"


def written_out(sequence: PictureSequence, number: int) -> str:
    """The first channel as the sum that it is, its first terms and its bias with their numbers."""
    pixels, weights = sequence.flattened[number], sequence.projection.weight[0]
    terms = r" \\ {}+ ".join(
        rf"{_bracketed(float(pixels[term]))} \cdot {_bracketed(float(weights[term]))}" for term in range(TERMS)
    )
    bias = sequence.projection.bias
    added = "" if bias is None else f" + {_bracketed(float(bias[0]))}"
    total = _plain(float(sequence.projected[number, 0]))
    return rf"\begin{{gathered}} {terms} \\ {{}}+ \dots{added} = {total} \end{{gathered}}"


def _bracketed(value: float) -> str:
    written = _plain(value)
    return f"({written})" if written.startswith("-") else written


def _plain(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}"
