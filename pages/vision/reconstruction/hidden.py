"""What the sections of the masked autoencoder ask a visitor for: a photograph, a network, and what is hidden of it."""

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st
import torch
from jaxtyping import Bool
from torch import Tensor

from core.errors import InputError
from core.images import Patches
from core.vision.patch_masks import BLOCK, GRID, RANDOM, hide_patches
from core.zoo.masked_autoencoders import AutoencoderReader
from dashboard.cache.memo import Upload
from dashboard.cache.models import autoencoder
from dashboard.frame import layout
from dashboard.inputs import controls, hidden_patches, model_name
from dashboard.recordings.watched import Picture
from pages.vision.reconstruction import words

BY_HAND = "by hand"
WAY = "hiding"  # in the address
LEAST, MOST, FIRST = 10, 95, 75  # per cent of the patches
DRAWS = 100  # different ones by number
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
        hidden_patches.to_address(frozenset(self.places) ^ {row * self.grid.columns + column}, self.grid)


def choose(*, asks_target: bool = False) -> Hidden:
    """The controls above a figure: the same keys, so the same choice, in every section; InputError if all is hidden.

    `asks_target`: whether a visitor chooses which guess is shown, where a network has more than one.
    """
    with layout.control_bar():
        picture = controls.picture()
    with layout.control_bar():
        name = model_name.model("gaps")
        model = autoencoder(name)
        target = _target(model.targets) if asks_target else model.targets[0]
    grid = Patches(model.grid, model.grid)
    with layout.control_bar():
        way = controls.choice(
            "Hidden patches", (RANDOM, BLOCK, GRID, BY_HAND), key=WAY, on_change=_begin_by_hand, args=(grid,)
        )
        places = _by_hand(grid) if way == BY_HAND else _drawn(way, grid)
    if len(places) == model.patches:
        raise InputError(
            f"All {model.patches} patches are hidden, so there is nothing to guess from. Click one to show it."
        )
    st.session_state[LAST] = places
    return Hidden(name, picture, places, target)


def _target(targets: tuple[str, ...]) -> str:
    titles = {words.TARGETS[target]: target for target in targets}
    if len(titles) == 1:
        return targets[0]
    return titles[controls.choice("What it guesses", titles, key="gaps_target", about=words.TARGET_HELP)]


def _drawn(way: str, grid: Patches) -> tuple[int, ...]:
    share = st.slider(
        "Share hidden, %", LEAST, MOST, FIRST, step=5, key="hidden_share", bind="query-params", width=controls.WIDTH
    )
    draw = 0 if way == GRID else controls.number("Draw", DRAWS, key="hidden_draw")
    mask = hide_patches(way, grid.rows, grid.columns, share / 100, seed=draw)
    return tuple(mask.nonzero()[:, 0].tolist())


def _by_hand(grid: Patches) -> tuple[int, ...]:
    hidden = hidden_patches.from_address(grid)
    st.button(
        "Show all", icon=":material/undo:", on_click=hidden_patches.to_address, args=((), grid), disabled=not hidden
    )
    if len(hidden) < grid.rows * grid.columns:
        hidden_patches.swap_button(hidden, grid)
    return tuple(sorted(hidden))


def _begin_by_hand(grid: Patches) -> None:
    """Whoever begins to choose by hand begins with what was hidden a moment ago."""
    if st.session_state.get(WAY) == BY_HAND and hidden_patches.ADDRESS not in st.query_params:
        hidden_patches.to_address(st.session_state.get(LAST, ()), grid)


def tell_hidden(count: int, patches: int) -> str:
    """How much is hidden, in words."""
    if not count:
        return words.NOTHING_HIDDEN
    return f"{count} of {patches} patches {'is' if count == 1 else 'are'} hidden ({count / patches:.0%})."
