"""Side by side: both networks on the same photograph."""

import time
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from core.generation.rules import Rules
from core.zoo.image_gpts import NEXT, as_picture
from dashboard import theme
from dashboard.cache.models import image_gpt
from dashboard.figures.pictures import picture_tiles
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.output.streaming import StepObserver
from pages.vision.reconstruction import compute_both
from pages.vision.reconstruction.compute_both import MAE, MEAN, PALETTE, Both
from pages.vision.reconstruction.compute_pixels import GREY, unfinished
from pages.vision.reconstruction.pixels import APART, INPUT, PHOTOGRAPH, SIDE, TRUTH, completions, seeded, temperature
from pages.vision.reconstruction.pixels_sentences import steps, tell_both, tell_rough
from pages.vision.reconstruction.prose import PAGE

SECTION = PAGE.section("Side by side")
COUNT, ACROSS = 4, 4  # completions; tiles of a row


def show() -> None:
    """The photograph, what both make of it, what each was asked, the notes."""
    main, settings = layout.bar_with_settings()
    with main:
        picture = controls.picture()
        rules = Rules(temperature("both_temperature"))
        seed = seeded("Draw again", settings, "both_seed")
    place = st.empty()
    arguments = (picture, COUNT, rules, seed)
    comparison = compute_both.both.peek(*arguments)
    if comparison is None:
        comparison = compute_both.both(*arguments, observer=_growing(place))
    with place.container():
        photograph, drawings = st.columns([1, 3.2], gap="large")
        with photograph:
            st.image(comparison.photograph, width=PHOTOGRAPH, alt="The photograph")
        with drawings:
            _tiles(comparison)
    layout.place_notice()
    _table(comparison)
    if not theme.is_presented():
        _tasks(comparison)
    st.caption(SECTION.text("Errors"), width=theme.PROSE)
    layout.notes(
        SECTION,
        notice=(
            *tell_both(comparison.errors, comparison.draw_errors, mae=MAE, palette=PALETTE, mean=MEAN),
            tell_rough(comparison.rough["truth"], comparison.rough[MAE], comparison.rough["draws"]),
        ),
        numbers={
            "pixels": int(comparison.where.sum()),
            "error": comparison.errors[MAE],
            "errors": ", ".join(f"{error:.4f}" for error in comparison.draw_errors),
        },
    )


def _growing(place: DeltaGenerator) -> StepObserver:
    """Shows image-GPT's completions while they grow, now and then."""
    last = -APART

    def tell(step: int, best: list[Tensor]) -> None:
        nonlocal last
        if time.monotonic() - last >= APART:
            last = time.monotonic()
            tiles = np.stack([as_picture(picture) for picture in unfinished(best[0])])
            figure = picture_tiles(
                tiles, completions(COUNT), columns=ACROSS, look=theme.look(), side=theme.look().high(SIDE)
            )
            with place.container():
                charts.plot(figure, name=f"both-growing-{step}", alt=f"Completions after {step + 1} rows")

    return StepObserver(tell, waits=place.markdown)


def _tiles(comparison: Both) -> None:
    pictures = {
        INPUT: torch.where(comparison.where, torch.tensor(GREY), comparison.truth),
        "autoencoder": comparison.filled,
        "mean colour": comparison.even,
        TRUTH: comparison.truth,
        **dict(zip(completions(COUNT), comparison.drawn, strict=True)),
    }
    tiles, look = np.stack([as_picture(picture) for picture in pictures.values()]), theme.look()
    charts.chart(
        partial(picture_tiles, tiles, list(pictures), columns=ACROSS, look=look, side=look.high(SIDE)),
        name="both-networks",
        alt=f"The photograph, its lower half filled in by the autoencoder, by a mean colour, and drawn {COUNT} times",
        table=table_of(comparison),
    )


def _table(comparison: Both) -> None:
    if not theme.is_presented():
        table = table_of(comparison)
        numbers = {"mean squared error": "%.4f", "off by, of 255 steps": "%.0f"}
        columns = {name: st.column_config.NumberColumn(format=how) for name, how in numbers.items()}
        data_table(table, hide_index=True, width="content", column_config=columns)


def table_of(comparison: Both) -> pd.DataFrame:
    """The error of each way to fill in the lower half, the smallest first."""
    rows: list[tuple[str, float]] = [
        ("masked autoencoder", comparison.errors[MAE]),
        ("mean colour of the upper half", comparison.errors[MEAN]),
        ("the truth in 512 colours", comparison.errors[PALETTE]),
        *(
            (f"image-GPT, {name}", error)
            for name, error in zip(completions(COUNT), comparison.draw_errors, strict=True)
        ),
    ]
    rows.sort(key=lambda row: row[1])
    return pd.DataFrame(
        [(name, error, steps(error)) for name, error in rows],
        columns=["lower half", "mean squared error", "off by, of 255 steps"],
    )


def _tasks(comparison: Both) -> None:
    numbers = {
        "Masked autoencoder": {"hidden": comparison.patches, "visible": comparison.patches},
        "Image-GPT": {"colours": image_gpt(NEXT).network.config.colours},
    }
    for place, (name, own) in zip(st.columns(2, gap="large"), numbers.items(), strict=True):
        with place:
            st.subheader(name, anchor=False)
            st.markdown(SECTION.text(name, **own))
