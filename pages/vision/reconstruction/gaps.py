"""Fill the gaps: a photograph with most of its patches hidden, and what the autoencoder makes of it."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from core.vision.patch_masks import stripe_hidden_patches
from core.zoo.masked_autoencoders import PLAIN
from dashboard import theme
from dashboard.components.patch_picker import patch_picker
from dashboard.figures.pictures import picture_tiles
from dashboard.frame import layout
from dashboard.number_format import compare, small
from dashboard.output import charts
from pages.vision.reconstruction import compute_autoencoder, hidden
from pages.vision.reconstruction.compute_autoencoder import Filled, as_picture
from pages.vision.reconstruction.hidden import TARGETS, Hidden, tell_hidden
from pages.vision.reconstruction.prose import PAGE

SECTION = PAGE.section("Fill the gaps")
ALIKE = 0.05  # of an error: a smaller difference counts as none
HEIGHT, SMALL = 430, 240  # pixels of the two large pictures, and of the photograph below them, at most
NETWORK = "the autoencoder"


def show() -> None:
    """What the network sees, what it guesses, the photograph; fillings that need no network; the notes."""
    main, settings = layout.bar_with_settings()
    chosen = hidden.choose(main, settings, asks_target=True)
    target = chosen.target
    with settings:
        about = SECTION.text("Visible patches")
        all_patches = st.toggle("Guess visible patches too", key="gaps_whole", bind="query-params", help=about)
        veiled = st.toggle("Lay the error over it", key="gaps_error", bind="query-params")
    with layout.waiting_place():
        filled = compute_autoencoder.fill(chosen)
    sentences = noticed(filled.errors, filled.patch_errors(target).numpy(), chosen.mask.numpy(), target)
    _large(chosen, filled, all_patches=all_patches, veiled=veiled)
    truth, remarks = st.columns(2, gap="medium")
    with remarks:
        layout.place_notice()
    with truth:
        _truth(chosen, filled)
    if target != PLAIN:
        layout.caption(SECTION.text("Normalised patches"))
    if filled.errors:
        _fillings(filled, target)
    layout.notes(SECTION, notice=sentences, numbers=numbers_of(chosen, filled))


def _large(chosen: Hidden, filled: Filled, *, all_patches: bool, veiled: bool) -> None:
    """What the network sees, to click in, beside what it guesses."""
    truth, grid, count = as_picture(filled.truth), chosen.grid, len(chosen.places)
    columns = st.columns(2, gap="medium")
    size: dict[str, Any] = {"rows": grid.rows, "columns": grid.columns, "height": theme.look().high(HEIGHT)}
    with columns[0]:
        st.markdown("**What it sees**")
        patch_picker(
            stripe_hidden_patches(truth, chosen.mask, grid.rows, grid.columns),
            key="gaps-seen",
            tell="patch in row {row}, column {column}",
            hint="Click a patch to hide it, and again to show it.",
            on_click=chosen.switch,
            alt=f"The photograph with {count} of {grid.rows * grid.columns} patches hidden",
            name="reconstruction-seen",
            **size,
        )
    with columns[1]:
        st.markdown("**What it guesses**")
        _guessed(chosen, filled, size, all_patches=all_patches, veiled=veiled)


def _truth(chosen: Hidden, filled: Filled) -> None:
    st.markdown("**The photograph**")
    patch_picker(
        as_picture(filled.truth),
        rows=chosen.grid.rows,
        columns=chosen.grid.columns,
        key="gaps-truth",
        tell="row {row}, column {column}",
        hint=f"As the network takes it: {filled.truth.shape[1]} × {filled.truth.shape[1]} pixels.",
        alt="The photograph as the autoencoder would see it whole",
        name="reconstruction-truth",
        height=SMALL,
    )


def _guessed(chosen: Hidden, filled: Filled, size: Mapping[str, Any], *, all_patches: bool, veiled: bool) -> None:
    """The network's guess of hidden patches, or of all, under its errors if these are asked for."""
    guessed = filled.guesses[chosen.target] if all_patches else filled.mixed(chosen.target)
    errors = filled.patch_errors(chosen.target).numpy()
    if not all_patches:
        errors = np.where(chosen.mask.numpy().reshape(errors.shape), errors, 0)
    hint = "Every patch as it is guessed." if all_patches else "Visible patches are the photograph's own."
    if veiled:
        hint = "The stronger the ink, the farther from the truth. Point at a patch to read its error."
    patch_picker(
        as_picture(guessed),
        key="gaps-guessed",
        values=errors if veiled else None,
        limits=(0.0, max(float(errors.max()), 1e-6)) if veiled else None,
        tell="row {row}, column {column}" + (": mean squared error {value}" if veiled else ""),
        hint=hint,
        alt="Hidden patches as the autoencoder guesses them" + (", under their errors" if veiled else ""),
        name="reconstruction-guessed",
        **size,
    )


def _fillings(filled: Filled, target: str) -> None:
    """The same gaps filled without a network, each with its error."""
    if not st.toggle("Beside fillings that need no network", key="gaps_fillings", bind="query-params"):
        return
    fillings = {NETWORK: (filled.mixed(target), filled.errors[target])}
    fillings |= {name: (picture, filled.errors[name]) for name, picture in filled.fillings.items()}
    pictures = np.stack([as_picture(picture) for picture, _ in fillings.values()])
    titles = [f"{name}: {error:.4f}" for name, (_, error) in fillings.items()]
    charts.chart(
        partial(picture_tiles, pictures, titles, columns=len(fillings), look=theme.look(), side=190),
        name="reconstruction-fillings",
        alt="Hidden patches filled in, with the mean squared error: " + "; ".join(titles),
        table=pd.DataFrame(
            {"filled by": list(fillings), "mean squared error": [error for _, error in fillings.values()]}
        ),
    )


def noticed(
    errors: Mapping[str, float], by_patch: Float[np.ndarray, "row column"], mask: np.ndarray, target: str
) -> tuple[str, ...]:
    """Which filling is nearest to the truth and by how much, and which hidden patch was guessed best and worst."""
    how_much = tell_hidden(int(mask.sum()), mask.size)
    if not errors:
        return (how_much,)
    sentences = [f"{how_much} {tell_nearest(errors, target)}"]
    places = np.flatnonzero(mask)
    if len(places) > 1:
        sentences.append(_tell_patches(by_patch, places))
    sentences.append(
        f"An error of {tell_error(errors[target])} is about {levels(errors[target])} of 255 levels of colour."
    )
    return tuple(sentences)


def tell_error(error: float) -> str:
    """A mean squared error: with four digits behind the point, or with a power of ten where these would be zeros."""
    return f"{error:.4f}" if error >= 0.0005 or not error else small(error)


def levels(error: float) -> str:
    """The root of a mean squared error (values 0 to 1) in levels of colour."""
    level = 255 * error**0.5
    return f"{level:.0f}" if level >= 10 or not level else f"{level:.1f}"


def _tell_patches(by_patch: Float[np.ndarray, "row column"], places: np.ndarray) -> str:
    """The hidden patches with the smallest and the largest error; errors up to ALIKE apart count as equal."""
    own, columns = by_patch.flatten()[places], by_patch.shape[1]
    low, high = float(own.min()), float(own.max())
    if compare(high, low, margin=ALIKE * high) != "more":
        return f"It guesses all {len(places)} hidden patches about as well (error {tell_error(high)})."
    best, worst = places[own.argmin()], places[own.argmax()]
    return (
        f"It guesses **row {best // columns}, column {best % columns}** best (error {tell_error(low)}) and **row "
        f"{worst // columns}, column {worst % columns}** worst ({tell_error(high)}). The worst half of the hidden "
        f"patches makes up {_worst_half(own):.0%} of the whole error."
    )


def tell_nearest(errors: Mapping[str, float], target: str) -> str:
    """How far the network's guess is from the truth, beside the best filling that needs none.

    Errors that differ by up to ALIKE of the filling's count as equal.
    """
    plain = {name: error for name, error in errors.items() if name not in TARGETS}
    best = min(plain, key=lambda name: plain[name])
    own, other = errors[target], plain[best]
    sentence = f"The autoencoder fills them in with a mean squared error of **{tell_error(own)}**"
    if target != PLAIN:
        return (
            f"{sentence}, but it was given the true mean and deviation of each patch, so no filling can be compared "
            "with that."
        )
    filling = f"the best filling without a network ({best}"
    if not other:
        return f"{sentence}, exact as {filling})." if not own else f"{sentence}; {filling}) is exact."
    match compare(own, other, margin=ALIKE * other):
        case "as much":
            return f"{sentence}, about that of {filling}, {tell_error(other)})."
        case "less":
            how = f"{1 - own / other:.0%} less"
        case "more":
            how = f"{own / other - 1:.0%} more"
        case _:
            return f"{sentence}."
    return f"{sentence}, {how} than {filling}, {tell_error(other)})."


def _worst_half(errors: np.ndarray) -> float:
    total = errors.sum()
    return float(np.sort(errors)[::-1][: -(-len(errors) // 2)].sum() / total) if total else 0.0


def numbers_of(chosen: Hidden, filled: Filled) -> dict[str, object]:
    """The numbers of the section's formula; without hidden patches there is no error to name."""
    return {
        "hidden": len(chosen.places),
        "values": 3 * filled.patch**2,
        "side": filled.patch,
        "here": f" Here $E = {filled.errors[chosen.target]:.4f}$." if filled.errors else "",
    }
