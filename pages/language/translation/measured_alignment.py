"""How well links taken from the maps agree with links made by people: a table, and every head of the transformer."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.translation.alignment import Direction
from dashboard import charts, controls, layout
from pages.language.translation import compute_measured, figures, words
from pages.language.translation.compute_measured import Alignment
from pages.language.translation.inputs import DIRECTIONS
from pages.language.translation.words import ALIGNED_TEXTS, TITLES

TRANSFORMER, WITHOUT, MEAN = "transformer", "seq2seq", "mean"
COUNTED, STRAIGHT = "IBM model 1", "diagonal"
ROWS = {"writes the word": 0, "has read the word": 1}
TAKEN = {
    "target": "links of each French word",
    "source": "links of each English word",
    "both": "links that both sides agree on",
    "either": "links of either side",
}


def show_table() -> tuple[str, ...]:
    """Error rate, precision and recall on both texts; what is to be noticed."""
    st.subheader("Do they look where people would?", anchor=False)
    found = compute_measured.alignment()
    rows = table(found)
    percent = st.column_config.NumberColumn(format="%.1f%%")
    st.dataframe(
        rows.map(lambda value: 100 * value if isinstance(value, float) else value),
        hide_index=True,
        width="stretch",
        row_height=42 if layout.is_presented() else None,
        column_config={name: percent for name in rows.columns if name != "links from"},
    )
    if not layout.is_presented():
        st.caption(words.MEASURED_TEXTS)
        st.caption(how_taken(found))
        charts.download_table(rows, "translation-alignment")
    return about_alignment(found)


def table(found: Alignment) -> pd.DataFrame:
    """One row for each way to find links: the models, then what needs none."""
    rows = []
    for name, agreement in ways(found).items():
        row: dict[str, Any] = {"links from": name}
        for text, title in ALIGNED_TEXTS.items():
            of = agreement[text]
            row |= {f"AER, {title}": float(of["aer"])}
            row |= {f"{measure}, {title}": float(of[measure]) for measure in ("precision", "recall")}
        rows.append(row)
    return pd.DataFrame(rows)


def ways(found: Alignment) -> dict[str, Mapping[str, Any]]:
    """What links are taken from, and their agreement by text; a sample of the pairs is named as that."""
    named: dict[str, Mapping[str, Any]] = {}
    for name, of in found.models.items():
        head = f", layer {of['layer']}, head {of['head']}" if name == TRANSFORMER else ""
        named[TITLES[name] + (": influence" if name == WITHOUT else head)] = of["agreement"]
        if "mean" in of:
            layer = of["mean"]["layer"]
            which = "all heads" if layer == MEAN else f"layer {layer}"
            named[f"{TITLES[name]}, mean of {which}"] = of["mean"]["agreement"]
    named |= {"IBM model 1, no network": found.baselines[COUNTED], "Diagonal": found.baselines[STRAIGHT]}
    return {name + _sample(found, agreement): agreement for name, agreement in named.items()}


def _sample(found: Alignment, agreement: Mapping[str, Any]) -> str:
    used = [int(agreement[text]["pairs"]) for text in ALIGNED_TEXTS]
    if used == [_pairs(found, text) for text in ALIGNED_TEXTS]:
        return ""
    return f" ({' and '.join(map(str, dict.fromkeys(used)))} pairs only)"


def _pairs(found: Alignment, text: str) -> int:
    """How many pairs of a text the diagonal was measured on: all of them."""
    return int(found.baselines[STRAIGHT][text]["pairs"])


def how_taken(found: Alignment) -> str:
    """How the links of each row were taken, and on how many pairs."""
    told = [f"{TITLES[name]}: {_taken(of)}" for name, of in found.models.items()]
    told += [f"{TITLES[name]}, mean: {_taken(of['mean'])}" for name, of in found.models.items() if "mean" in of]
    texts = [text for text in ALIGNED_TEXTS if text in found.sets]
    used = ", ".join(f"{found.models[WITHOUT]['agreement'][text]['pairs']} ({ALIGNED_TEXTS[text]})" for text in texts)
    left_out = ", ".join(
        f"{found.sets[text]['left_out']} of {found.sets[text]['pairs']} pairs ({ALIGNED_TEXTS[text]})" for text in texts
    )
    return (
        f"{'; '.join(told)}. Influences need a gradient for every piece: they were taken from a sample of the pairs, "
        f"{used}. IBM model 1 learned from the same {found.learned_from:,} pairs as the networks. Longer than the "
        f"models read, and left out: {left_out}."
    )


def _taken(of: Mapping[str, Any]) -> str:
    return TAKEN[of["direction"]] + (", from the step that has read the word" if of["shift"] else "")


def show_heads() -> tuple[str, ...]:
    """Every head of the transformer; what is to be noticed."""
    st.subheader("Which head of the transformer aligns?", anchor=False)
    rows, found = compute_measured.heads(), compute_measured.alignment()
    best = found.models[TRANSFORMER]
    text, shift, direction = _choices(best)
    rates = head_rates(rows, text, shift, direction)
    values = rates.to_numpy(dtype=float)
    charts.chart(
        partial(
            figures.head_rates,
            values,
            list(rates.index),
            list(rates.columns),
            (int(best["layer"]), int(best["head"])),
            layout.look(),
        ),
        name="translation-heads",
        alt=f"Alignment error rate of each head of the transformer on {ALIGNED_TEXTS[text]}, from "
        f"{np.nanmin(values):.1%} to {np.nanmax(values):.1%}; the head that was chosen is outlined",
        table=rows[rows.model == TRANSFORMER],
    )
    if not layout.is_presented():
        st.caption(words.MEASURED_HEADS)
    return about_heads(values[:, :-1], ALIGNED_TEXTS[text], float(found.baselines[STRAIGHT][text]["aer"]))


def _choices(best: Mapping[str, Any]) -> tuple[str, int, Direction]:
    """The text, the row that counts for a word, and from which side links are taken; at first as for the best head."""
    row = next(name for name, shift in ROWS.items() if shift == best["shift"])
    side = next(name for name, direction in DIRECTIONS.items() if direction == best["direction"])
    with layout.control_bar():
        title = controls.choice("Text", ALIGNED_TEXTS.values(), key="measured_text")
        row = controls.choice("Step that", ROWS, key="measured_row", first=row, about=words.MEASURED_SHIFT_HELP)
        side = controls.choice("Links of", DIRECTIONS, key="measured_links", first=side, about=words.DIRECTION_HELP)
    text = next(name for name, shown in ALIGNED_TEXTS.items() if shown == title)
    return text, ROWS[row], DIRECTIONS[side]


def head_rates(rows: pd.DataFrame, text: str, shift: int, direction: str) -> pd.DataFrame:
    """Alignment error rates of the transformer: a row for each layer, a column for each head and for their mean."""
    part = rows[(rows.model == TRANSFORMER) & (rows.set == text) & (rows["shift"] == shift)]
    part = part[(part.direction == direction) & (part.layer != MEAN)]
    wide = part.pivot(index="layer", columns="head", values="aer")
    heads = sorted((name for name in wide.columns if name != MEAN), key=int)
    return wide.loc[sorted(wide.index, key=int), [*heads, MEAN]]


def about_alignment(found: Alignment) -> tuple[str, ...]:
    """The networks against counting and against the diagonal: only what was measured on the same pairs."""
    text, title = next(iter(ALIGNED_TEXTS.items()))
    rates = _comparable(found, text)
    networks = {name: rate for name, rate in rates.items() if name in found.models}
    told = ", ".join(f"{TITLES[name]} **{rate:.0%}**" for name, rate in networks.items())
    counted, straight = rates[COUNTED], rates[STRAIGHT]
    better = [TITLES[name] for name, rate in networks.items() if rate < counted]
    against = f"Better than IBM model 1: {' and '.join(better)}." if better else "None reaches IBM model 1."
    return (
        f"{title}, {_pairs(found, text)} pairs, alignment error rate: {told}; IBM model 1, which knows only what words "
        f"occur together, {counted:.0%}; the diagonal, which looks at no word at all, {straight:.0%}. {against}",
        *(() if WITHOUT in networks else (about_influence(found, text),)),
    )


def _comparable(found: Alignment, text: str) -> dict[str, float]:
    """The error rates on a text of all that was measured on as many of its pairs as the diagonal, by name."""
    agreements = {name: of["agreement"] for name, of in found.models.items()} | dict(found.baselines)
    pairs = _pairs(found, text)
    return {name: float(of[text]["aer"]) for name, of in agreements.items() if int(of[text]["pairs"]) == pairs}


def about_influence(found: Alignment, text: str) -> str:
    """What may be said of influences that were measured on a sample of a text only."""
    influence = found.models[WITHOUT]["agreement"][text]
    sampled = (
        f"The influences of the model without attention were measured on {influence['pairs']} of these pairs only: "
        f"their {float(influence['aer']):.0%} cannot be compared with these."
    )
    rates = _comparable(found, found.chosen_on)
    if WITHOUT not in rates:
        return sampled
    told = ", ".join(f"{TITLES[name]} {rate:.0%}" for name, rate in rates.items() if name in found.models)
    return (
        f"{sampled} All were measured on the {_pairs(found, found.chosen_on)} pairs on which layer, head, step and "
        f"side were chosen: {told}, the diagonal {rates[STRAIGHT]:.0%}."
    )


def about_heads(rates: np.ndarray, text: str, straight: float) -> tuple[str, ...]:
    """How many heads align at all. `rates` are those shown: layer, head."""
    layer, head = np.unravel_index(np.nanargmin(rates), rates.shape)
    worse = int((rates > straight).sum())
    return (
        f"{text}: layer {layer}, head {head} aligns best, with an error rate of **{rates[layer, head]:.0%}**. "
        f"**{worse} of {rates.size} heads** {'is' if worse == 1 else 'are'} worse than the diagonal "
        f"({straight:.0%}); the highest rate is {np.nanmax(rates):.0%}.",
    )


def show_formula() -> None:
    """The alignment error rate of the head that was chosen, with its counts."""
    text, title = next(iter(ALIGNED_TEXTS.items()))
    best = compute_measured.alignment().models[TRANSFORMER]
    agreement = best["agreement"][text]
    links, sure, found_sure, found_possible = agreement["counts"]
    st.latex(r"\mathrm{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}")
    st.latex(rf"= 1 - \frac{{{found_sure:,} + {found_possible:,}}}{{{links:,} + {sure:,}}} = {agreement['aer']:.3f}")
    st.markdown(words.AER_FORMULA.format(layer=best["layer"], head=best["head"], text=title))
