"""Maps taken together, kept for the next visitor who asks for the same."""

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st

from core.progress import Progress
from core.text import Tokens
from dashboard.components.attention_view import Scene
from dashboard.kept import computing
from dashboard.watched import Watched
from pages.foundations.many_heads import aggregates
from pages.foundations.many_heads.aggregates import Stack, Together


@dataclass(frozen=True, eq=False)
class TakenTogether:
    """The layers, what was made of them, and what the view shows of it. Shared by all visitors: never changed."""

    stack: Stack
    together: Together
    scene: Scene


def take_together(watched: Watched, name: str, *, words: bool, progress: Progress) -> TakenTogether:
    """One of `aggregates.NAMES`, between words if asked for; `progress` may stop the work by an exception.

    Raises AtlasError where no layers can be taken together.
    """
    stack = aggregates.stack_of(watched.model, watched.run, watched.record)
    tokens = watched.run.sequences[stack.sequence] if words else None
    place = _place(watched.identity, name, words)
    if "taken" not in place:
        with computing():
            together = aggregates.take_together(stack, name, progress)
        spoken = tokens if isinstance(tokens, Tokens) else None
        scene = aggregates.scene_of(together, stack, watched.scene, spoken)
        place["taken"] = TakenTogether(stack, together, scene)
    return place["taken"]


@st.cache_resource(max_entries=8, show_spinner=False)
def _place(identity: Hashable, name: str, words: bool) -> dict[str, TakenTogether]:
    """An empty place, shared by all who ask for the same."""
    del identity, name, words
    return {}
