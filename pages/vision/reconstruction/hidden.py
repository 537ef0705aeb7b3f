"""What the sections of the masked autoencoder ask a visitor for: a photograph, a network, and what is hidden of it."""

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st
import torch
from jaxtyping import Bool
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from core.errors import InputError
from core.images import Patches
from core.vision.patch_masks import BLOCK, GRID, RANDOM, hide_patches
from core.zoo.masked_autoencoders import AutoencoderReader
from dashboard.cache.models import autoencoder
from dashboard.cache.upload import Upload
from dashboard.inputs import controls, hidden_patches, model_name
from dashboard.recordings.watched import Picture
from pages.vision.reconstruction.prose import PAGE

BY_HAND = "by hand"
WAYS = (BY_HAND, RANDOM, BLOCK, GRID)
WAY = "hiding"  # in the address
LEAST, MOST, FIRST = 10, 95, 75  # per cent of the patches
DRAWS = 100  # different ones by number
TARGETS = {"plain": "pixels as they are", "normalised": "normalised patches"}
NOTHING_HIDDEN = "Nothing is hidden: click patches to hide them, or choose another way of hiding."
LAST = "hidden_last"  # in the session: what was hidden before a visitor began to choose by hand


@dataclass(frozen=True)
class Hidden:
    """A photograph of which patches (counted row by row) are hidden from an autoencoder."""

    name: str  # of the autoencoder
    picture: Picture
    places: tuple[int, ...]
    target: str  # of those that the autoencoder learned, the one that is shown

    @property
    def identity(self) -> Hashable:
        """What tells it from any other; both targets are guessed at once."""
        known = self.picture.identity if isinstance(self.picture, Upload) else self.picture
        return self.name, known, self.places

    @property
    def model(self) -> AutoencoderReader:
        """The autoencoder, shared by all visitors."""
        return autoencoder(self.name)

    @property
    def grid(self) -> Patches:
        """How the photograph is cut."""
        return Patches(self.model.grid, self.model.grid)

    @property
    def mask(self) -> Bool[Tensor, " patch"]:
        """For each patch whether it is hidden."""
        mask = torch.zeros(self.model.patches, dtype=torch.bool)
        mask[list(self.places)] = True
        return mask

    def switch(self, row: int, column: int) -> None:
        """Hide one more patch, or show it: from now on what is hidden is chosen by hand."""
        st.session_state[WAY] = BY_HAND
        _keep(frozenset(self.places) ^ {row * self.grid.columns + column}, self.grid)


def choose(main: DeltaGenerator, settings: DeltaGenerator, *, asks_target: bool = False) -> Hidden:
    """The controls above a figure: the same keys, so the same choice, in every section; InputError if all is hidden.

    By hand one begins with a random draw, so that there is something to see. `settings`: the menu at the bar's end;
    `asks_target`: whether a visitor chooses which guess is shown, where a network has more than one.
    """
    with main:
        picture = controls.picture()
        name = model_name.model("gaps", menu=settings)
    model = autoencoder(name)
    grid = Patches(model.grid, model.grid)
    with settings, st.container():  # few networks have a choice
        target = _target(model.targets) if asks_target else model.targets[0]
    with main:
        way = controls.menu("Hide", WAYS, key=WAY, width=120, on_change=_begin_by_hand, args=(grid,))
        share = st.slider(
            "Share hidden, %",
            LEAST,
            MOST,
            FIRST,
            step=5,
            key="hidden_share",
            bind="query-params",
            width=140,
            on_change=_forget,
        )
    with settings:
        draw = controls.number_box(
            "Draw", 0, DRAWS - 1, 0, key="hidden_draw", on_change=_forget, help=PAGE.text("Draw")
        )
    places = _drawn(RANDOM if way == BY_HAND else way, grid, share, draw)
    if way == BY_HAND:
        with main:
            places = _by_hand(grid, places, settings)
    if len(places) == model.patches:
        raise InputError(
            f"All {model.patches} patches are hidden, so there is nothing to guess from. Click one to show it."
        )
    st.session_state[LAST] = places
    return Hidden(name, picture, places, target)


def _target(targets: tuple[str, ...]) -> str:
    titles = {TARGETS[target]: target for target in targets}
    if len(titles) == 1:
        return targets[0]
    return titles[controls.choice("What it guesses", titles, key="gaps_target", about=PAGE.text("Targets"))]


def _drawn(way: str, grid: Patches, share: int, draw: int) -> tuple[int, ...]:
    mask = hide_patches(way, grid.rows, grid.columns, share / 100, seed=0 if way == GRID else draw)
    return tuple(mask.nonzero()[:, 0].tolist())


def _by_hand(grid: Patches, drawn: tuple[int, ...], settings: DeltaGenerator) -> tuple[int, ...]:
    """The patches that the visitor has hidden, or those that were drawn before the first click."""
    hidden = frozenset(drawn)
    if hidden_patches.ADDRESS in st.query_params:
        hidden = hidden_patches.from_address(grid)
        _keep(hidden, grid)
    st.button("Show all", icon=":material/undo:", on_click=_keep, args=(frozenset(), grid), disabled=not hidden)
    if len(hidden) < grid.rows * grid.columns:
        with settings:
            hidden_patches.swap_button(hidden, grid)
    return tuple(sorted(hidden))


def _keep(hidden: frozenset[int], grid: Patches) -> None:
    """Write the patches into the address, also if there are none: without them it stands for a random draw."""
    st.query_params[hidden_patches.ADDRESS] = hidden_patches.encode(hidden, grid)


def _forget() -> None:
    """Another share or draw replaces what was hidden by hand."""
    st.query_params.pop(hidden_patches.ADDRESS, None)


def _begin_by_hand(grid: Patches) -> None:
    """Whoever begins to choose by hand begins with what was hidden a moment ago."""
    if st.session_state.get(WAY) == BY_HAND and hidden_patches.ADDRESS not in st.query_params:
        _keep(frozenset(st.session_state.get(LAST, ())), grid)


def tell_hidden(count: int, patches: int) -> str:
    """How much is hidden, in words."""
    if not count:
        return NOTHING_HIDDEN
    return f"{count} of {patches} patches {'is' if count == 1 else 'are'} hidden ({count / patches:.0%})."
