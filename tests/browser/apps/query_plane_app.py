"""A random head in the plane of most squared length, for the tests of query_plane; its last turn stands below."""

import streamlit as st
import torch

from core.attention.query_key_plane import plane_of_most
from dashboard.components.query_plane import query_plane

CHANNELS, TOKENS, SCALE = 6, 5, 6**0.5
LABELS = ("the", "cat", "sat", "on", "<b>it</b>")


def vectors() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The query, the keys, which keys are allowed (all but the last), and the axes of the plane."""
    generator = torch.Generator().manual_seed(4)
    query, keys = torch.randn(CHANNELS, generator=generator), torch.randn(TOKENS, CHANNELS, generator=generator)
    allowed = torch.arange(TOKENS) < TOKENS - 1
    return query, keys, allowed, plane_of_most(torch.cat([query[None], keys]))


def _turned(degrees: int) -> None:
    st.session_state.degrees = degrees


if __name__ == "__main__":
    degrees = st.session_state.get("degrees", 0)
    query_plane(
        *vectors(),
        key="plane",
        labels=LABELS,
        axis_names=("first", "second"),
        degrees=degrees,
        divisor=SCALE,
        exact=0.005,
        most=12,
        on_turn=_turned,
        alt="A query and five keys",
        name="test",
    )
    st.text(f"degrees: {degrees}")
