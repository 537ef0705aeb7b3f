"""Alignments with known weights, for the tests of the alignment view; below them, which cells were clicked."""

import numpy as np
import streamlit as st

from dashboard.components.alignment_view import AlignmentScene, Map, Panel, alignment_view

SOURCE = ("The", " European", " economic", " area", "</s>")
TARGET = ("La", " zone", " économique", " européenne", "</s>")
ODD = ("<img src=x onerror=window.hacked=1>", " =1+1", " שלום", " 你好")
LOG_PROBABILITIES = tuple(float(np.log(value)) for value in (0.9, 0.5, 0.25, 0.8, 1.0))


def crossed(strength: float) -> np.ndarray:
    """The order of "zone économique européenne": each target word looks at one source word with `strength`."""
    places = [0, 3, 2, 1, 4]
    weights = np.full((5, 5), (1 - strength) / 4, np.float32)
    weights[range(5), places] = strength
    return weights


def rows(seed: int, *shape: int) -> np.ndarray:
    weights = np.random.default_rng(seed).random(shape).astype(np.float32) ** 8
    return weights / weights.sum(axis=1, keepdims=True)


BAHDANAU = crossed(0.92)
HEADS = {"mean": crossed(0.6), "layer 1, head 1": crossed(0.36), "layer 1, head 2": crossed(0.84)}
WITHOUT = rows(0, 4, 5)
WITHOUT[:, 0] = np.nan
LONG = rows(1, 130, 190)


def app() -> None:
    st.set_page_config(layout="wide")
    state = st.session_state
    clicked = state.setdefault("clicked", [])
    panels = (
        Panel("seq2seq", "Without", "influence", ODD, (Map("influence", WITHOUT),), verb="depends on", hue="#d55e00"),
        Panel(
            "bahdanau",
            "Bahdanau",
            "attention weights",
            TARGET,
            (Map("attention", BAHDANAU),),
            log_probabilities=LOG_PROBABILITIES,
            marked=(2,),
            hue="#56b4e9",
        ),
        Panel(
            "transformer",
            "Transformer",
            "attention weights",
            TARGET,
            tuple(Map(name, weights, "aligns best" if "2" in name else "") for name, weights in HEADS.items()),
            hue="#009e73",
        ),
    )
    alignment_view(AlignmentScene(SOURCE, panels), key="three", name="three")
    alignment_view(
        AlignmentScene(SOURCE, (panels[1],), source_name="Again"),
        key="one",
        name="one",
        address=False,
        links=frozenset((source, target) for _, target, source in clicked),
        cut=frozenset({(0, 0)}),
        on_cell=lambda *cell: clicked.append(cell),
    )
    words = tuple(f" word{place}" for place in range(190))
    long = tuple(Panel(name, name, "weights", words[:130], (Map("only", LONG),)) for name in ("left", "right"))
    if st.query_params.get("long"):
        alignment_view(AlignmentScene(words, long), key="long", name="long", address=False)
    state.runs = state.get("runs", 0) + 1
    st.text(f"clicked {clicked} in {state.runs} runs")


if __name__ == "__main__":
    app()
