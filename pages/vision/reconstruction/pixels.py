"""Pixel by pixel: the rest of a picture, drawn by image-GPT."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from core.generation.rules import Rules
from core.vision.patch_masks import error_of
from core.zoo.image_gpts import HIDDEN, NEXT, PixelPicture, as_picture
from dashboard import theme
from dashboard.cache.models import image_gpt
from dashboard.components.patch_picker import patch_picker
from dashboard.figures.curves import curves
from dashboard.figures.pictures import picture_tiles
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.streaming import StepObserver
from dashboard.recordings.watched import Picture
from pages.vision.reconstruction import compute_pixels
from pages.vision.reconstruction.compute_pixels import GREY, Drawn, below, unfinished
from pages.vision.reconstruction.pixels_sentences import tell_bits, tell_draws, tell_filled, tell_palette
from pages.vision.reconstruction.prose import PAGE

SECTION, HIDDEN_PIXELS = PAGE.section("Pixel by pixel"), PAGE.section("Pixel by pixel: hidden pixels")
HIDDEN_TASK = "hidden pixels"
TASKS = ("next pixel", HIDDEN_TASK)
INPUT, TRUTH = "given", "truth"  # titles of tiles are short: on a phone a tile is some 80 pixels wide
COUNTS = (1, 2, 4, 8)  # completions
ACROSS = {1: 3, 2: 4, 4: 3, 8: 5}  # tiles of a row: the completions, what is given, and the truth
ACROSS_PRESENTED = ACROSS | {4: 6}  # a projector is wide enough for all six
TOPS = (512, 100, 20, 5)  # colours
SEEDS = 1000
APART = 0.25  # seconds between two pictures that grow: a browser need not draw more often
SIDE, PHOTOGRAPH = 150, 230  # pixels of a tile, and of the photograph beside them


@dataclass(frozen=True)
class CompletionSettings:
    """How a picture is completed: from how many rows, how often, by which rules."""

    rows: int  # of the photograph
    count: int
    rules: Rules
    seed: int


def show() -> None:
    """The photograph, the task, and what the network makes of it."""
    main, settings = layout.bar_with_settings()
    with main:
        picture = controls.picture()
        task = controls.menu("Task", TASKS, key="pixel_task", width=140, help=SECTION.text("Tasks"))
        with settings:
            of_task = st.container()
        choice = _ask_hidden(settings) if task == HIDDEN_TASK else _ask_next(of_task, settings)
    if isinstance(choice, CompletionSettings):
        _show_next(picture, choice)
    else:
        _show_hidden(picture, *choice)


def _ask_next(of_task: DeltaGenerator, settings: DeltaGenerator) -> CompletionSettings:
    side = image_gpt(NEXT).side
    about = SECTION.text("Rows given")
    rows = st.slider("Rows given", 0, side - 1, side // 2, key="pixel_rows", help=about, **_bound(140))
    with of_task:
        count = controls.choice("Completions", COUNTS, key="pixel_count", first=4)
        degree = temperature("pixel_temperature")
        top_k = controls.choice("Top-k", TOPS, key="pixel_top_k", about=SECTION.text("Top-k"))
    return CompletionSettings(rows, count, Rules(degree, top_k), seeded("Draw again", settings))


def _ask_hidden(settings: DeltaGenerator) -> tuple[int, int]:
    """How many per cent are hidden, and which."""
    percent = st.slider(
        "Hidden, %", 1, 95, 15, key="pixel_share", help=HIDDEN_PIXELS.text("Share hidden"), **_bound(140)
    )
    return percent, seeded("Hide others", settings)


def _show_next(picture: Picture, choice: CompletionSettings) -> None:
    rows = choice.rows
    pixel_picture = compute_pixels.read_picture(picture)
    photograph, drawings = st.columns([1, 3.2], gap="large")
    with photograph:
        _photograph(pixel_picture)
    with drawings:
        drawn = _draw(picture, pixel_picture, choice)
        layout.place_notice()
    bits = compute_pixels.bits(picture).numpy()
    st.subheader("Where does the truth surprise it?", anchor=False)
    st.caption(SECTION.text("Bits of each pixel"), width=theme.PROSE)
    _surprise(pixel_picture, bits, rows)
    colours = image_gpt(NEXT).network.config.colours
    layout.notes(
        SECTION,
        notice=(
            *tell_draws(drawn.errors, drawn.even, drawn.apart, has_rows=rows > 0),
            *tell_bits(bits, rows, colours),
        ),
        numbers=numbers_of(bits, rows, choice.rules),
    )


def _bound(width: int) -> dict:
    return {"bind": "query-params", "width": width}


def temperature(key: str) -> float:
    """How freely is drawn."""
    return st.slider("Temperature", 0.0, 2.0, 1.0, 0.05, key=key, help=PAGE.text("Temperature"), **_bound(140))


def seeded(label: str, settings: DeltaGenerator, key: str = "pixel_seed") -> int:
    """The number that all dice follow, in the menu of settings, and a button for the next one."""
    with settings:
        seed = controls.number("Seed", SEEDS, key=key)

    def again() -> None:
        st.session_state[key] = (st.session_state.get(key, 0) + 1) % SEEDS

    st.button(label, icon=":material/casino:", on_click=again, help=PAGE.text("Seed"))
    return seed


def _photograph(pixel_picture: PixelPicture) -> None:
    st.image(pixel_picture.photograph, width=PHOTOGRAPH, alt="The photograph")
    st.caption(_palette(pixel_picture))


def _palette(pixel_picture: PixelPicture) -> str:
    everywhere = torch.ones(pixel_picture.pixels.shape[1:], dtype=torch.bool)
    colours = image_gpt(NEXT).network.config.colours
    return tell_palette(
        error_of(pixel_picture.painted, pixel_picture.pixels, everywhere), colours, len(pixel_picture.colours.unique())
    )


def _draw(picture: Picture, pixel_picture: PixelPicture, choice: CompletionSettings) -> Drawn:
    """The completions, row by row while they are drawn."""
    place, rows, count = st.empty(), choice.rows, choice.count
    known_by = (picture, rows, count, choice.rules, choice.seed)
    drawn = compute_pixels.draw.peek(*known_by)
    if drawn is None:
        drawn = compute_pixels.draw(*known_by, observer=_growing(place, pixel_picture, rows, count))
    tiles, titles = _tiles(pixel_picture, rows, drawn.pictures), _titles(count)
    with place.container():
        charts.chart(
            partial(picture_tiles, tiles, titles, columns=_across(count), look=theme.look(), side=_side()),
            name="pixel-completions",
            alt=f"The photograph in 32 × 32 pixels, its first {rows} rows, and {count} completions of them",
            table=partial(_table, tiles, titles),
        )
    return drawn


def _growing(place: DeltaGenerator, pixel_picture: PixelPicture, rows: int, count: int) -> StepObserver:
    """Shows completions while they grow, now and then."""
    last = -APART

    def tell(step: int, best: list[Tensor]) -> None:
        nonlocal last
        if time.monotonic() - last >= APART:
            last = time.monotonic()
            tiles, titles = _tiles(pixel_picture, rows, unfinished(best[0])), _titles(count)
            figure = picture_tiles(tiles, titles, columns=_across(count), look=theme.look(), side=_side())
            with place.container():
                charts.plot(figure, name=f"pixel-growing-{step}", alt=f"Completions after {step + 1} rows")

    return StepObserver(tell, waits=place.markdown)


def _titles(count: int) -> list[str]:
    return [INPUT, *completions(count), TRUTH]


def completions(count: int) -> list[str]:
    """What completions are called above their tiles."""
    return [f"drawn {number + 1}" for number in range(count)]


def _tiles(pixel_picture: PixelPicture, rows: int, pictures: Float[Tensor, "draw channel row column"]) -> np.ndarray:
    masked = torch.where(below(rows, pixel_picture.painted.shape[1]), torch.tensor(GREY), pixel_picture.painted)
    return np.stack([as_picture(picture) for picture in (masked, *pictures, pixel_picture.painted)])


def _across(count: int) -> int:
    return (ACROSS_PRESENTED if theme.is_presented() else ACROSS)[count]


def _side() -> int:
    return theme.look().high(SIDE)


def _table(tiles: np.ndarray, titles: Sequence[str]) -> pd.DataFrame:
    """Red, green and blue of every pixel of every picture."""
    _, high, wide, _ = tiles.shape
    row, column = np.divmod(np.arange(high * wide), wide)
    parts = [
        pd.DataFrame(
            {"picture": title, "row": row, "column": column, **dict(zip("rgb", tile.reshape(-1, 3).T, strict=True))}
        )
        for title, tile in zip(titles, tiles, strict=True)
    ]
    return pd.concat(parts, ignore_index=True).rename(columns={"r": "red", "g": "green", "b": "blue"})


def _surprise(pixel_picture: PixelPicture, bits: Float[np.ndarray, "row column"], rows: int) -> None:
    """The true picture under its bits, and the mean of each row."""
    side = len(bits)
    left, right = st.columns([1, 1.6], gap="large")
    with left:
        patch_picker(
            as_picture(pixel_picture.painted, enlarged=compute_pixels.ENLARGED),
            rows=side,
            columns=side,
            key="pixel-bits",
            values=bits,
            limits=(0.0, float(np.log2(image_gpt(NEXT).network.config.colours))),
            tell="row {row}, column {column}: {value} bits",
            hint="Point at a pixel to read its bits.",
            alt=f"The bits of each of {side} × {side} pixels over the picture, {bits.mean():.2f} on average",
            name="pixel-bits",
            height=theme.look().high(320),
        )
    with right:
        means = bits.mean(axis=1)
        charts.chart(
            partial(
                curves,
                np.arange(side),
                {"mean of the row": means, "even guessing": np.full(side, np.log2(512))},
                look=theme.look(),
                x="row",
                y="bits a pixel",
                y_range=(0.0, float(max(9.5, means.max() + 0.5))),
                height=theme.look().high(300),
            ),
            name="pixel-bits-by-row",
            alt=f"Mean bits of each row: {means[0]:.1f} in the first, {means[-1]:.1f} in the last; {rows} are given",
            table=pd.DataFrame({"row": np.arange(side), "bits": means}),
        )


def numbers_of(bits: Float[np.ndarray, "row column"], rows: int, rules: Rules) -> dict[str, object]:
    """The numbers of the formula of the next pixel: what is drawn begins after `rows`."""
    first, rest = float(bits[rows, 0]), float(bits[rows:].sum())
    numbers = {"first": first, "probability": 2.0**-first, "bits": rest, "bytes": rest / 8}
    return {"temperature": rules.temperature, "top_k": rules.top_k, "row": rows, **numbers}


def _show_hidden(picture: Picture, percent: int, seed: int) -> None:
    pixel_picture, guessed = compute_pixels.read_picture(picture, HIDDEN), compute_pixels.guess(picture, percent, seed)
    photograph, drawings = st.columns([1, 3.2], gap="large")
    with photograph:
        _photograph(pixel_picture)
    pictures = {
        "seen": torch.where(guessed.hidden, torch.tensor(GREY), pixel_picture.painted),
        "most probable": guessed.filled.best,
        "drawn": guessed.filled.drawn,
        "mean expected": guessed.filled.mean,
        "mean of neighbours": guessed.neighbours,
        TRUTH: pixel_picture.painted,
    }
    tiles = np.stack([as_picture(image) for image in pictures.values()])
    with drawings:
        charts.chart(
            partial(picture_tiles, tiles, list(pictures), columns=3, look=theme.look(), side=_side()),
            name="pixel-hidden",
            alt=f"The photograph with {percent}% of its pixels hidden, and four ways to fill them in",
            table=partial(_table, tiles, list(pictures)),
        )
        layout.place_notice()
    hidden, colours = int(guessed.hidden.sum()), image_gpt(HIDDEN).network.config.colours
    mean_bits = float(guessed.filled.bits.mean())
    layout.notes(
        HIDDEN_PIXELS,
        notice=tell_filled(guessed.errors, guessed.right, hidden, mean_bits, colours),
        numbers={"hidden": hidden, "bits": mean_bits, "error": guessed.errors["best"]},
    )
