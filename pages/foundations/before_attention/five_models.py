"""The five models in one table: how large, how good, how fast, how far."""

import math

import pandas as pd
import streamlit as st
import torch

from core.memory.gradient_reach import edge, half_life
from dashboard import charts, layout
from dashboard.data_table import data_table
from pages.foundations.before_attention import compute, words
from pages.foundations.before_attention.copies import listed, longest_copied
from pages.foundations.before_attention.words import TITLES


def show() -> None:
    """The table, and what each of them is."""
    facts = table()
    formats = {"parameters": "localized", "bits per character": "%.3f"}
    formats |= {"seconds per epoch": "%.0f", "half-life (characters)": "%.1f"}
    data_table(
        facts,
        hide_index=True,
        width="stretch",
        column_config={name: st.column_config.NumberColumn(format=each) for name, each in formats.items()},
    )
    if layout.is_presented():
        return
    charts.download_table(facts, "models")
    st.markdown("\n".join(f"- **{title}**: {words.ABOUT[name]}" for name, title in TITLES.items()))
    notice = about_models(facts, len(compute.models("text")[0].characters))
    layout.notes(words.NOTES[words.MODELS], notice=notice, formula=lambda: st.markdown(words.MODELS_FORMULA))


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
                "sees back": edge(means[title]),
                "copies up to": longest_copied(copies[title]),
            }
            for name, title in TITLES.items()
        ]
    )


def about_models(facts: pd.DataFrame, characters: int) -> tuple[str, ...]:
    """Which of the models in the table predicts best, which learns fastest, and that far and good are two things."""
    bits, seconds, far = (facts[name] for name in ("bits per character", "seconds per epoch", "copies up to"))
    fastest, slowest = seconds.min(), seconds.max()
    return (
        f"**{facts['model'][bits.idxmin()]}** predicts Shakespeare best, with {bits.min():.2f} bits per character; "
        f"{facts['model'][bits.idxmax()]} needs {bits.max():.2f}. Guessing evenly among all {characters} characters "
        f"would take {math.log2(characters):.2f}.",
        f"In training, **{facts['model'][seconds.idxmin()]}** goes through the text in {fastest:.0f} seconds, "
        f"{facts['model'][seconds.idxmax()]} in {slowest:.0f}: {slowest / fastest:.1f} times as long.",
        f"The longest distance over which digits were copied is {far.max()} characters, by "
        f"**{listed(facts['model'][far == far.max()].tolist())}**."
        if far.max()
        else "None of them copied more than half of the digits at any distance.",
    )
