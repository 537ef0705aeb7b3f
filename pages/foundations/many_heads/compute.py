"""What was measured of every head, and what silencing each one costs: kept for the next visitor."""

from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import streamlit as st

from core.heads.ablation import Trial
from core.heads.head_table import HeadTable, attention_moved_between, induction_scores, measure_heads, shares_of_output
from core.progress import Progress
from dashboard.kept import computing
from dashboard.models import text_model
from dashboard.watched import Head, Watched, WatchedText
from pages.foundations.many_heads.compute_contributions import LONGEST, head_outputs


def head_table(watched: Watched) -> HeadTable:
    """Every measure of every head that applies to a run in which no head is silenced."""
    return _head_table(watched.identity, watched)


def attention_moved(before: Watched, after: Watched, silenced: tuple[Head, ...]) -> np.ndarray:
    """The share of each head's attention, (layer, head), that went elsewhere when some were silenced; NaN for those."""
    return _moved(before.identity, silenced, before, after).copy()


def trial(watched: Watched) -> Trial:
    """The same model and input, to be run again with heads silenced; AtlasError if there is nothing to lose."""
    return Trial(watched.model, watched.given, watched.run, watched.record)


def known_costs(watched: Watched) -> dict[Head, float]:
    """What silencing each head alone costs, in nats: the heads that some visitor has already had measured."""
    return _costs(watched.identity)


def measure_costs(watched: Watched, progress: Progress) -> None:
    """Measure the heads that are missing from `known_costs`; `progress` may stop it by an exception."""
    asked, known = trial(watched), known_costs(watched)
    for done, head in enumerate(asked.heads):
        progress(done, len(asked.heads))
        if head not in known:
            with computing():
                known[head] = asked.cost(head)


@st.cache_resource(max_entries=32, show_spinner="Measuring every head …")
def _head_table(identity: Hashable, _watched: Watched) -> HeadTable:
    del identity
    table = measure_heads(_watched.model, _watched.run, _watched.record)
    found = {}
    if isinstance(_watched, WatchedText):
        found["induction"] = _induction(_watched.model.name)
    if max(call.query_length for call in _watched.record.calls) <= LONGEST:
        found["output_shares"] = shares_of_output(head_outputs(_watched))
    shape = table.values["entropy"].shape
    applies = {key: values for key, values in found.items() if values.shape == shape and not values.isnan().all()}
    return replace(table, values=table.values | applies)


@st.cache_resource(max_entries=32, show_spinner="Comparing the maps …")
def _moved(identity: Hashable, silenced: tuple[Head, ...], _before: Watched, _after: Watched) -> np.ndarray:
    del identity
    moved = attention_moved_between(_before.record, _after.record).numpy()
    for place in silenced:
        moved[place] = np.nan
    return moved


@st.cache_resource(max_entries=16, show_spinner=False)
def _induction(name: str):
    with computing():
        return induction_scores(text_model(name))


@st.cache_resource(max_entries=64, show_spinner=False)
def _costs(identity: Hashable) -> dict[Head, float]:
    """An empty place, shared by all who ask for the same; it is filled head by head."""
    del identity
    return {}
