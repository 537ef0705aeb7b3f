"""What was measured of the BERT fine-tuned for inference, in each combination of languages, as a table."""

import pandas as pd
import streamlit as st

from core.probing.fine_tuning.inference import COMBINATIONS
from core.results.bert_inference_results import Results
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.missing_word.prose import PAGE

SECTION = PAGE.section("Inference across languages")


def show(results: Results) -> None:
    """Accuracy on held-out pairs, beside the majority, the English body and the words alone."""
    st.subheader("Does it work in French?", anchor=False)
    table = measured_table(results)
    percent = st.column_config.NumberColumn(format="percent")
    formats = dict.fromkeys(table.columns[2:], percent)
    data_table(table, hide_index=True, column_config=formats, width="content")
    caption = SECTION.text("Accuracy", pairs=results.pairs, learned=results.learned_pairs)
    layout.caption(f"{caption} {SECTION.text('English body')}" if results.english else caption)
    charts.download_table(table, "inference-measured")


def measured_table(results: Results) -> pd.DataFrame:
    """One row for each combination of languages; shares from 0 to 1."""
    columns = {
        "first sentence": [first for first, _ in COMBINATIONS.values()],
        "second sentence": [second for _, second in COMBINATIONS.values()],
        "fine-tuned bert-pairs": [results.bilingual[name] for name in COMBINATIONS],
        "standard error": [results.error(results.bilingual[name]) for name in COMBINATIONS],
        "majority (neutral)": [results.majority] * len(COMBINATIONS),
    }
    if results.english is not None:
        columns["English body"] = [results.english[name] for name in COMBINATIONS]
    return pd.DataFrame(columns | {"words": [results.logistic[name] for name in COMBINATIONS]})
