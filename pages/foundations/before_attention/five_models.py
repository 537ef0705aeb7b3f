"""The five models in one table: how large, how good, how fast, how far."""

import math

import pandas as pd
import streamlit as st
import torch

from core.reach.gradient_reach import farthest_distance, half_life
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output.comparisons import join_names, leading
from dashboard.output.data_table import data_table
from pages.foundations.before_attention import compute
from pages.foundations.before_attention.compute import TITLES
from pages.foundations.before_attention.copies import longest_copied
from pages.foundations.before_attention.prose import PAGE

SECTION = PAGE.section("The five models")
CLOSE = 0.01  # bits per character: models that differ by less predict about as well
ALIKE = 1.1  # times as long: networks that differ by less take about as long


def show() -> None:
    """The table, and what each of them is."""
    facts = table()
    formats = {"parameters": "localized", "bits per character": "%.3f"}
    formats |= {"seconds per epoch": "%.0f", "half-life (characters)": "%.1f"}
    data_table(
        facts,
        hide_index=True,
        width="stretch",
        column_config={name: st.column_config.NumberColumn(format=pattern) for name, pattern in formats.items()},
    )
    layout.place_notice()
    charts.download_table(facts, "models")
    layout.prose("\n".join(f"- **{title}**: {SECTION.text(title)}" for title in TITLES.values()), width="stretch")
    layout.notes(SECTION, notice=about_models(facts, len(compute.models("text")[0].characters)))


def table() -> pd.DataFrame:
    """One row for each model, everything in it measured when the models were trained."""
    results, copies = compute.results(), compute.accuracies()
    means = {title: torch.from_numpy(norms) for title, norms in compute.mean_reach().items()}
    return pd.DataFrame(
        [
            {
                "model": title,
                "parameters": results[name]["parameters"],
                "bits per character": results[name]["bits"],
                "seconds per epoch": results[name]["seconds_per_epoch"],
                "half-life (characters)": half_life(means[title]),
                "sees back": farthest_distance(means[title]),
                "copies up to": longest_copied(copies[title]),
            }
            for name, title in TITLES.items()
        ]
    )


def about_models(facts: pd.DataFrame, characters: int) -> tuple[str, ...]:
    """Which of the models in the table predicts best, which trains fastest, and which copies over most characters."""
    bits, seconds, far = (facts[name] for name in ("bits per character", "seconds per epoch", "copies up to"))
    evenly = f"Guessing evenly among all {characters} characters would need {math.log2(characters):.2f}."
    return (
        f"{_about_bits(dict(zip(facts['model'], bits, strict=True)))} {evenly}",
        _about_seconds(dict(zip(facts["model"], seconds, strict=True))),
        f"**{join_names(facts['model'][far == far.max()].tolist())}** copied digits over the longest distance: "
        f"{far.max()} characters."
        if far.max()
        else "No model copied more than half of the digits at any distance.",
    )


def _about_bits(bits: dict[str, float]) -> str:
    """Which models predict best, and which worst, where they differ by more than CLOSE bits."""
    best, worst = leading(bits, CLOSE, least=True), leading(bits, CLOSE)
    if not best:
        return "The bits per character were not measured."
    if len(best) == len(bits) > 1:
        return f"All models predict Shakespeare about as well, with {min(bits.values()):.2f} bits per character."
    predict, need = ("predicts", "predict")[len(best) > 1], ("needs", "need")[len(worst) > 1]
    return (
        f"**{join_names(best)}** {predict} Shakespeare best, with {bits[best[0]]:.2f} bits per character; "
        f"{join_names(worst)} {need} {bits[worst[0]]:.2f}."
    )


def _about_seconds(seconds: dict[str, float]) -> str:
    """Which model is trained fastest, where the slowest takes more than ALIKE times as long."""
    fastest, slowest = min(seconds, key=seconds.__getitem__), max(seconds, key=seconds.__getitem__)
    if not seconds[fastest] * ALIKE < seconds[slowest]:
        return f"All models train about as fast, with {seconds[slowest]:.0f} seconds per epoch."
    times = f": {seconds[slowest] / seconds[fastest]:.1f} times as long" if seconds[fastest] else ""
    return (
        f"**{fastest}** trains fastest, with {seconds[fastest]:.0f} seconds per epoch; {slowest} needs "
        f"{seconds[slowest]:.0f}{times}."
    )
