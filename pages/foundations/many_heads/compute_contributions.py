"""What each head writes, kept for the next visitor who asks for the same model and input."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import streamlit as st
from torch import nn

from core.errors import InputError
from core.heads.contributions import HeadOutputs, watch_outputs
from dashboard.kept import computing
from dashboard.watched import Watched

LONGEST = 1024  # tokens: what heads write is computed from whole maps, which takes long for more


def head_outputs(watched: Watched) -> tuple[HeadOutputs, ...]:
    """One entry for each call of the record, in its order, of the model as it is (no head silenced).

    Raises InputError for an input of more than `LONGEST` tokens.
    """
    longest = max(call.query_length for call in watched.record.calls)
    if longest > LONGEST:
        raise InputError(
            f"What heads write is added up for at most {LONGEST:,} tokens, and this input has {longest:,}. Choose a "
            "shorter text or fewer patches."
        )
    return _head_outputs(watched.identity, watched)


@st.cache_resource(max_entries=4, show_spinner="Adding up …")
def _head_outputs(identity: Hashable, _watched: Watched) -> tuple[HeadOutputs, ...]:
    del identity  # the cache's key

    def run(network: nn.Module) -> object:
        model: Any = replace(_watched.model, network=network)  # of the kind that takes what is given
        return model.run(_watched.given)

    with computing():
        return watch_outputs(_watched.model.network, run)
