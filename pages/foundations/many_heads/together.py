"""All maps taken together: means, rollout and paths, each with a word on what it does not mean."""

import streamlit as st

from core.images import Patches
from dashboard import layout, waiting
from dashboard.components.attention_view import attention_view
from dashboard.watched import Watched
from pages.foundations.many_heads import aggregates
from pages.foundations.many_heads import compute_together as runs_together
from pages.foundations.many_heads import words_together as said
from pages.foundations.many_heads.compute_together import TakenTogether
from pages.foundations.many_heads.given import Given
from pages.foundations.many_heads.noticed_together import noticed


def show(given: Given) -> None:
    """The choice, its warning, the view, and what to notice."""
    watched = given.watched
    with layout.control_bar():
        name = st.segmented_control(
            "Made into one map",
            list(aggregates.NAMES),
            default=aggregates.MEAN,
            key="together",
            bind="query-params",
            required=True,
            wrap=True,
        )
        words = given.is_text and st.toggle("Join the pieces of a word", key="words", bind="query-params")
    taken = _take(watched, name, words=words)
    _say(taken, watched, words=words)
    sequence = watched.run.sequences[taken.stack.sequence]
    # Another key for each choice: its scale is set before the visitor chooses one.
    attention_view(
        taken.scene,
        key=f"together-{aggregates.NAMES.index(name)}-{words}",
        scale="row",
        token=0 if isinstance(sequence, Patches) else None,
    )
    layout.notes(said.TOGETHER, notice=noticed(taken.together, taken.stack, sequence), formula=lambda: _explain(name))


def _take(watched: Watched, name: str, *, words: bool) -> TakenTogether:
    """What was chosen; with progress and a way out where it takes longer than a moment."""
    # Whoever gives up goes back to what is quickest.
    instead = ("Cancel", _give_up) if name != aggregates.MEAN else None
    with waiting.patiently("Taking all heads together …", unit="steps", instead=instead) as progress:
        return runs_together.take_together(watched, name, words=words, progress=progress)


def _give_up() -> None:
    st.session_state.together = aggregates.MEAN


def _say(taken: TakenTogether, watched: Watched, *, words: bool) -> None:
    """What is shown, what it does not mean, and what it leaves out."""
    if layout.is_presented():
        return
    about, stack = said.AGGREGATES[taken.together.name], taken.stack
    meant, not_meant = st.columns([2, 3], gap="large")
    meant.markdown(about.what)
    not_meant.warning(f"**What it does not mean.** {about.warning}", icon=":material/warning:")
    remarks = []
    if words:
        best = taken.together.name in (aggregates.LARGEST, *aggregates.PATHS)
        remarks.append(said.PIECES_OF_THE_BEST if best else said.PIECES)
    if "target" in watched.run.sequences:
        remarks.append(said.ENCODER_ONLY)
    if stack.left_out:
        remarks.append(said.LEFT_OUT.format(layers=", ".join(map(str, stack.left_out))))
    if remarks:
        meant.caption(" ".join(remarks))


def _explain(name: str) -> None:
    about = said.AGGREGATES[name]
    st.latex(about.formula)
    st.markdown(about.source)
