"""The work of a model on an input, counted once and kept."""

from collections.abc import Callable

import streamlit as st
from torch import nn

from core.sizes import count_flops
from dashboard.kept import computing


@st.cache_data(max_entries=64, show_spinner="Counting …")
def counted_flops(identity: tuple, _network: nn.Module, _run: Callable[[nn.Module], object]) -> dict[str, int]:
    """Part -> operations of one run; `identity` tells networks and inputs apart, which cannot be keys themselves."""
    del identity
    with computing():
        return count_flops(_network, _run)
