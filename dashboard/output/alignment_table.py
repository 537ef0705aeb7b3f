"""The agreement of links taken from models' maps with links made by people: one table for all pages.

Each model's head, step and side were chosen on 37 pairs, the numbers are those of other texts
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
INFLUENCE_MODEL = "seq2seq"
MODELS_WITH_HEADS = ("transformer", PAIRS)
IBM_MODEL, DIAGONAL = "IBM model 1", "diagonal"
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
LINK_RULES: dict[Direction, str] = {
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


def show(alignment: Alignment, *, name: str) -> None:
    """Error rate, precision and recall on both texts; `name` begins the name of the file to download."""
    rows = table(alignment)
    percent = st.column_config.NumberColumn(format="%.1f%%")
    data_table(
        rows.map(lambda value: 100 * value if isinstance(value, float) else value),
        hide_index=True,
        width="stretch",
        column_config={name: percent for name in rows.columns if name != "links from"},
    )
    layout.caption(ABOUT_TEXTS)
    layout.caption(describe_methods(alignment))
    charts.download_table(rows, name)


def table(alignment: Alignment) -> pd.DataFrame:
    """One row for each method that links words: the models, then the baselines without a network."""
    rows = []
    for name, agreement in agreements_by_method(alignment).items():
        row: dict[str, Any] = {"links from": name}
        for text, title in TEXTS.items():
            rates = agreement[text]
            row |= {f"AER, {title}": float(rates["aer"])}
            row |= {f"{measure}, {title}": float(rates[measure]) for measure in ("precision", "recall")}
        rows.append(row)
    return pd.DataFrame(rows)


def agreements_by_method(alignment: Alignment) -> dict[str, Mapping[str, Any]]:
    """The agreement with links made by people, by method (title of its row) and text; a title names a sample."""
    agreements: dict[str, Mapping[str, Any]] = {}
    for name, model in alignment.models.items():
        head = f", layer {model['layer']}, head {model['head']}" if name in MODELS_WITH_HEADS else ""
        agreements[TITLES[name] + (": influence" if name == INFLUENCE_MODEL else head)] = model["agreement"]
        if "mean" in model:
            layer = model["mean"]["layer"]
            heads = "all heads" if layer == MEAN else f"layer {layer}"
            agreements[f"{TITLES[name]}, mean of {heads}"] = model["mean"]["agreement"]
    agreements |= {"IBM model 1, no network": alignment.baselines[IBM_MODEL], "Diagonal": alignment.baselines[DIAGONAL]}
    return {name + _sample(alignment, agreement): agreement for name, agreement in agreements.items()}


def _sample(alignment: Alignment, agreement: Mapping[str, Any]) -> str:
    measured = [int(agreement[text]["pairs"]) for text in TEXTS]
    if measured == [pairs_of(alignment, text) for text in TEXTS]:
        return ""
    return f" ({' and '.join(map(str, dict.fromkeys(measured)))} pairs only)"


def pairs_of(alignment: Alignment, text: str) -> int:
    """The number of sentence pairs of a text: the diagonal was measured on all of them."""
    return int(alignment.baselines[DIAGONAL][text]["pairs"])


def comparable(alignment: Alignment, text: str) -> dict[str, float]:
    """Alignment error rates on a text, by name, of the methods that were measured on all of its pairs."""
    agreements = {name: model["agreement"] for name, model in alignment.models.items()} | dict(alignment.baselines)
    pairs = pairs_of(alignment, text)
    return {name: float(rates[text]["aer"]) for name, rates in agreements.items() if int(rates[text]["pairs"]) == pairs}


def describe_methods(alignment: Alignment) -> str:
    """A caption: the rule by which the links of each row were taken, and the number of pairs."""
    rules = [f"{TITLES[name]}: {_link_rule(model)}" for name, model in alignment.models.items()]
    means = {name: model["mean"] for name, model in alignment.models.items() if "mean" in model}
    rules += [f"{TITLES[name]}, mean: {_link_rule(mean)}" for name, mean in means.items()]
    texts = [text for text in TEXTS if text in alignment.sets]
    influence = alignment.models[INFLUENCE_MODEL]["agreement"]
    sample = ", ".join(f"{influence[text]['pairs']} ({TEXTS[text]})" for text in texts)
    left_out = ", ".join(
        f"{alignment.sets[text]['left_out']} of {alignment.sets[text]['pairs']} pairs ({TEXTS[text]})" for text in texts
    )
    reads_all = PAIRS in alignment.models
    reading_note = f" {TITLES[PAIRS]}: each French word has been read when it looks." if reads_all else ""
    return (
        f"{'; '.join(rules)}. Influences need a gradient for every piece: they were taken from a sample of the "
        f"pairs, {sample}. IBM model 1 learned from the same {alignment.learned_from:,} pairs as the networks."
        f"{reading_note} Longer than the models read, and left out: {left_out}."
    )


def _link_rule(method: Mapping[str, Any]) -> str:
    return LINK_RULES[method["direction"]] + (", from the step that has read the word" if method["shift"] else "")
