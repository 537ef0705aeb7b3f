"""The five models in one table: how large, how good, how fast, how far."""

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.memory.gradient_reach import edge, half_life
from dashboard import charts, layout
from pages.foundations.before_attention import compute as kept
from pages.foundations.before_attention import copy_section, notices, reach_section
from pages.foundations.before_attention import words as said
from pages.foundations.before_attention.models import TITLES


def show() -> None:
    """The table, and what each of them is."""
    facts = table()
    st.dataframe(
        facts,
        hide_index=True,
        width="stretch",
        row_height=42 if layout.is_presented() else None,
        column_config={
            "parameters": st.column_config.NumberColumn(format="localized"),
            "bits per character": st.column_config.NumberColumn(format="%.3f"),
            "seconds per epoch": st.column_config.NumberColumn(format="%.0f"),
            "half-life (characters)": st.column_config.NumberColumn(format="%.1f"),
        },
    )
    if layout.is_presented():
        return
    charts.download_table(facts, "models")
    st.markdown("\n".join(f"- **{title}**: {said.ABOUT[name]}" for name, title in TITLES.items()))
    layout.notes(
        said.NOTES[said.MODELS],
        notice=notices.about_models(facts, len(kept.models("text")[0].characters)),
        formula=_formula,
    )


def table() -> pd.DataFrame:
    """One row for each model, everything in it measured when the models were trained."""
    results, means, copies = kept.results(), reach_section.mean_curves(), copy_section.accuracies()
    distances = np.array(kept.table("copy").index)
    return pd.DataFrame(
        [
            {
                "model": title,
                "parameters": results[name]["parameters"],
                "bits per character": results[name]["bits"],
                "seconds per epoch": results[name]["seconds_per_epoch"],
                "half-life (characters)": half_life(torch.from_numpy(means[title])),
                "sees back": edge(torch.from_numpy(means[title])),
                "copies up to": notices.longest_copied(distances, copies[title]),
            }
            for name, title in TITLES.items()
        ]
    )


def _formula() -> None:
    st.markdown(said.MODELS_FORMULA)
