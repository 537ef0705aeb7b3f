"""What has reached a place of a photograph, block by block, in a model with windows and in one without; kept."""

from typing import Literal

import numpy as np
import streamlit as st

from core.vision.window_rollout import Block, blocks_of, growing_rollout, rollout_spread
from dashboard.kept import Upload, computing
from dashboard.watched import watch_image
from pages.vision.swin.compute import watch_windows

Direction = Literal["back", "forth"]


@st.cache_resource(max_entries=16, show_spinner="Putting the windows together …")
def blocks(name: str, picture: str | Upload, resolution: int | None, head: int | None) -> tuple[Block, ...]:
    """Who takes how much from whom in the windows of every block, in one head or in the mean over all."""
    windowed = watch_windows(name, picture, resolution)
    with computing():
        return blocks_of(windowed.layers, windowed.watched.record, head)


@st.cache_data(max_entries=64, show_spinner="Following the vision transformer …")
def rolled(
    name: str, picture: str | Upload, resolution: int | None, head: int | None, token: int, direction: Direction
) -> np.ndarray:
    """(layer, token): the rollout of one token after every block of a model in which all see all, or its spread."""
    calls = watch_image(name, picture, resolution).record.calls
    with computing():
        follow = growing_rollout if direction == "back" else rollout_spread
        return follow(calls, token, head).numpy()
