"""How well links taken from the maps of models agree with links made by people: one table for all pages.

Each model's head, step and side were chosen on 37 pairs, the figures are those of other texts
(training/translation/alignment.py).
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from core.results.translator_results import MEAN, PAIRS, Alignment
from core.translation.alignment import Direction
from core.zoo import TRANSLATION
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output.data_table import data_table

TEXTS = {"hansards_enfr_test447": "Hansards", "alibi_enfr_stories": "Stories"}  # in the order of the table
TITLES = {**TRANSLATION, PAIRS: "BERT on both sentences"}
WITHOUT = "seq2seq"
WITH_HEADS = ("transformer", PAIRS)
COUNTED, STRAIGHT = "IBM model 1", "diagonal"
DIRECTIONS: dict[str, Direction] = {
    "each French word": "target",
    "each English word": "source",
    "both agree": "both",
    "either": "either",
}
DIRECTION_HELP = (
    "Weights are no links yet: each French word takes the English word it looks at most; or each English word the "
    "French word that looks at it most; or only the links that both agree on; or all of them."
)
TAKEN: dict[Direction, str] = {
    "target": "links of each French word",
    "source": "links of each English word",
    "both": "links that both sides agree on",
    "either": "links of either side",
}
ABOUT_TEXTS = (
    "**Far from home.** The Hansards are speeches in the Canadian parliament (447 pairs), the stories are tales by "
    "Perrault, Maupassant, Daudet and Mérimée (522 pairs). The models learned from short everyday sentences, and meet "
    "many of these words only in pieces. The figures say what carries over, not how well a map fits the example of "
    "this page. Layer, head, step and side were chosen on 37 other pairs of the Hansards."
)


def show(found: Alignment, *, name: str) -> None:
    """Error rate, precision and recall on both texts; `name` begins the name of the file to download."""
    rows = table(found)
    percent = st.column_config.NumberColumn(format="%.1f%%")
    data_table(
        rows.map(lambda value: 100 * value if isinstance(value, float) else value),
        hide_index=True,
        width="stretch",
        column_config={name: percent for name in rows.columns if name != "links from"},
    )
    layout.caption(ABOUT_TEXTS)
    layout.caption(how_taken(found))
    charts.download_table(rows, name)


def table(found: Alignment) -> pd.DataFrame:
    """One row for each way to find links: the models, then what needs none."""
    rows = []
    for name, agreement in ways(found).items():
        row: dict[str, Any] = {"links from": name}
        for text, title in TEXTS.items():
            of = agreement[text]
            row |= {f"AER, {title}": float(of["aer"])}
            row |= {f"{measure}, {title}": float(of[measure]) for measure in ("precision", "recall")}
        rows.append(row)
    return pd.DataFrame(rows)


def ways(found: Alignment) -> dict[str, Mapping[str, Any]]:
    """What links are taken from, and their agreement by text; a sample of the pairs is named as that."""
    named: dict[str, Mapping[str, Any]] = {}
    for name, of in found.models.items():
        head = f", layer {of['layer']}, head {of['head']}" if name in WITH_HEADS else ""
        named[TITLES[name] + (": influence" if name == WITHOUT else head)] = of["agreement"]
        if "mean" in of:
            layer = of["mean"]["layer"]
            which = "all heads" if layer == MEAN else f"layer {layer}"
            named[f"{TITLES[name]}, mean of {which}"] = of["mean"]["agreement"]
    named |= {"IBM model 1, no network": found.baselines[COUNTED], "Diagonal": found.baselines[STRAIGHT]}
    return {name + _sample(found, agreement): agreement for name, agreement in named.items()}


def _sample(found: Alignment, agreement: Mapping[str, Any]) -> str:
    used = [int(agreement[text]["pairs"]) for text in TEXTS]
    if used == [pairs_of(found, text) for text in TEXTS]:
        return ""
    return f" ({' and '.join(map(str, dict.fromkeys(used)))} pairs only)"


def pairs_of(found: Alignment, text: str) -> int:
    """How many pairs of a text the diagonal was measured on: all of them."""
    return int(found.baselines[STRAIGHT][text]["pairs"])


def comparable(found: Alignment, text: str) -> dict[str, float]:
    """The error rates on a text of all that was measured on as many of its pairs as the diagonal, by name."""
    agreements = {name: of["agreement"] for name, of in found.models.items()} | dict(found.baselines)
    pairs = pairs_of(found, text)
    return {name: float(of[text]["aer"]) for name, of in agreements.items() if int(of[text]["pairs"]) == pairs}


def how_taken(found: Alignment) -> str:
    """How the links of each row were taken, and on how many pairs."""
    told = [f"{TITLES[name]}: {_taken(of)}" for name, of in found.models.items()]
    told += [f"{TITLES[name]}, mean: {_taken(of['mean'])}" for name, of in found.models.items() if "mean" in of]
    texts = [text for text in TEXTS if text in found.sets]
    used = ", ".join(f"{found.models[WITHOUT]['agreement'][text]['pairs']} ({TEXTS[text]})" for text in texts)
    left_out = ", ".join(
        f"{found.sets[text]['left_out']} of {found.sets[text]['pairs']} pairs ({TEXTS[text]})" for text in texts
    )
    read = f" {TITLES[PAIRS]}: each French word has been read when it looks." if PAIRS in found.models else ""
    return (
        f"{'; '.join(told)}. Influences need a gradient for every piece: they were taken from a sample of the pairs, "
        f"{used}. IBM model 1 learned from the same {found.learned_from:,} pairs as the networks.{read} Longer than "
        f"the models read, and left out: {left_out}."
    )


def _taken(of: Mapping[str, Any]) -> str:
    return TAKEN[of["direction"]] + (", from the step that has read the word" if of["shift"] else "")
