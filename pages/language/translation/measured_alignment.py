"""How well links taken from the maps agree with links made by people: the table, and every head of the transformer."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.translation.alignment import Direction
from dashboard import theme
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import POINT, compare, in_latex, span
from dashboard.output import alignment_table, charts
from dashboard.output.alignment_table import (
    DIAGONAL,
    DIRECTION_HELP,
    DIRECTIONS,
    IBM_MODEL,
    INFLUENCE_MODEL,
    TEXTS,
    TITLES,
    comparable,
    pairs_of,
)
from pages.language.translation import compute_measured, figures
from pages.language.translation.compute_measured import Alignment
from pages.language.translation.prose import PAGE

SECTION = PAGE.section("Measured")
TRANSFORMER, MEAN = "transformer", "mean"
ROWS = {"writes the word": 0, "has read the word": 1}


def show_table() -> tuple[str, ...]:
    """Error rate, precision and recall on both texts; what is to be noticed."""
    layout.heading("Do they align words as people do?")
    alignment = compute_measured.alignment()
    alignment_table.show(alignment, name="translation-alignment")
    return about_alignment(alignment)


def show_heads() -> tuple[str, ...]:
    """Every head of the transformer; what is to be noticed."""
    layout.heading("Which head of the transformer aligns?")
    rows, alignment = compute_measured.heads(), compute_measured.alignment()
    best = alignment.models[TRANSFORMER]
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
            theme.look(),
        ),
        name="translation-heads",
        alt=f"Alignment error rate of each head of the transformer on {TEXTS[text]}: "
        f"{span(values, '{:.1%}'.format)}; the head that was chosen is outlined",
        table=rows[rows.model == TRANSFORMER],
    )
    layout.caption(SECTION.text("Error rates of the heads"))
    return about_heads(values[:, :-1], TEXTS[text], float(alignment.baselines[DIAGONAL][text]["aer"]))


def _choices(best: Mapping[str, Any]) -> tuple[str, int, Direction]:
    """The text, the row that counts for a word, and from which side links are taken; at first as for the best head."""
    row = next(name for name, shift in ROWS.items() if shift == best["shift"])
    side = next(name for name, direction in DIRECTIONS.items() if direction == best["direction"])
    with layout.control_bar():
        title = controls.choice("Text", TEXTS.values(), key="measured_text")
        row = controls.choice("Step that", ROWS, key="measured_row", first=row, about=SECTION.text("Step that counts"))
        side = controls.choice("Links of", DIRECTIONS, key="measured_links", first=side, about=DIRECTION_HELP)
    text = next(name for name, label in TEXTS.items() if label == title)
    return text, ROWS[row], DIRECTIONS[side]


def head_rates(rows: pd.DataFrame, text: str, shift: int, direction: str) -> pd.DataFrame:
    """Alignment error rates of the transformer: a row for each layer, a column for each head and for their mean."""
    part = rows[(rows.model == TRANSFORMER) & (rows.set == text) & (rows["shift"] == shift)]
    part = part[(part.direction == direction) & (part.layer != MEAN)]
    wide = part.pivot(index="layer", columns="head", values="aer")
    heads = sorted((name for name in wide.columns if name != MEAN), key=int)
    return wide.loc[sorted(wide.index, key=int), [*heads, MEAN]]


def about_alignment(alignment: Alignment) -> tuple[str, ...]:
    """The networks against counting and against the diagonal: only what was measured on the same pairs."""
    text, title = next(iter(TEXTS.items()))
    rates = comparable(alignment, text)
    networks = {name: rate for name, rate in rates.items() if name in alignment.models}
    network_rates = ", ".join(f"{TITLES[name]} **{rate:.0%}**" for name, rate in networks.items())
    counted, straight = rates[IBM_MODEL], rates[DIAGONAL]
    sides = {name: compare(rate, counted, margin=POINT) for name, rate in networks.items()}
    better, equal = ([TITLES[name] for name, side in sides.items() if side == kind] for kind in ("less", "as much"))
    parts = [f"Better than IBM model 1: {' and '.join(better)}."] if better else []
    parts += [f"Within a point of it: {' and '.join(equal)}."] if equal else []
    against = " ".join(parts) or "None reaches IBM model 1."
    return (
        f"{title}, {pairs_of(alignment, text)} pairs, alignment error rate: {network_rates}; IBM model 1, which knows "
        f"only which words occur together, {counted:.0%}; the diagonal, which looks at no word at all, "
        f"{straight:.0%}. {against}",
        *(() if INFLUENCE_MODEL in networks else (about_influence(alignment, text),)),
    )


def about_influence(alignment: Alignment, text: str) -> str:
    """What may be said of influences that were measured on a sample of a text only."""
    influence = alignment.models[INFLUENCE_MODEL]["agreement"][text]
    sampled = (
        f"The influences of the model without attention were measured on {influence['pairs']} of these pairs only: "
        f"their {float(influence['aer']):.0%} cannot be compared with these."
    )
    rates = comparable(alignment, alignment.chosen_on)
    if INFLUENCE_MODEL not in rates:
        return sampled
    model_rates = ", ".join(f"{TITLES[name]} {rate:.0%}" for name, rate in rates.items() if name in alignment.models)
    return (
        f"{sampled} All were measured on the {pairs_of(alignment, alignment.chosen_on)} pairs on which layer, head, "
        f"step and side were chosen: {model_rates}, the diagonal {rates[DIAGONAL]:.0%}."
    )


def about_heads(rates: np.ndarray, text: str, straight: float) -> tuple[str, ...]:
    """How many heads align at all. `rates` are those shown: layer, head."""
    layer, head = np.unravel_index(np.nanargmin(rates), rates.shape)
    sides = [compare(float(rate), straight, margin=POINT) for rate in rates.flatten()]
    worse, better = sides.count("more"), sides.count("less")
    first = f"{text}: layer {layer}, head {head} aligns best, with an error rate of **{rates[layer, head]:.0%}**."
    none = "" if better else f" That is no better than the diagonal ({straight:.0%})."
    return (
        f"{first}{none} By more than a point, **{worse} of {rates.size} heads** {'is' if worse == 1 else 'are'} worse "
        f"than the diagonal ({straight:.0%}) and {better} better; the highest rate is {np.nanmax(rates):.0%}.",
    )


def show_formula() -> None:
    """The alignment error rate of the head that was chosen, with its counts."""
    text, title = next(iter(TEXTS.items()))
    best = compute_measured.alignment().models[TRANSFORMER]
    agreement = best["agreement"][text]
    links, sure, found_sure, found_possible = agreement["counts"]
    st.markdown(
        SECTION.text(
            "Alignment error rate",
            layer=best["layer"],
            head=best["head"],
            text=title,
            links=in_latex(links),
            sure=in_latex(sure),
            links_sure=in_latex(found_sure),
            links_possible=in_latex(found_possible),
            rate=agreement["aer"],
        )
    )
