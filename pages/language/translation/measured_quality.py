"""The three translators in one table, and what becomes of them as sentences grow longer."""

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import charts, layout
from dashboard.figures.curves import curves
from dashboard.numbers import with_power
from pages.language.translation import compute_measured as kept
from pages.language.translation import measured_notices as notices
from pages.language.translation import words_measured as said
from pages.language.translation.models import HUE_OF_TITLE, TITLES

SCORES = {"BLEU": "bleu", "chrF": "chrf"}


def show_scores() -> tuple[str, ...]:
    """The table of the three models; what is to be noticed in it."""
    st.subheader("How good are they, and at what cost?", anchor=False)
    results = kept.results()
    table = scores(results)
    st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        row_height=42 if layout.is_presented() else None,
        column_config={
            "BLEU": st.column_config.NumberColumn(format="%.1f"),
            "BLEU, greedy": st.column_config.NumberColumn(format="%.1f"),
            "chrF": st.column_config.NumberColumn(format="%.1f"),
            "parameters": st.column_config.NumberColumn(format="localized"),
            "training, seconds": st.column_config.NumberColumn(format="localized"),
            "pairs per second": st.column_config.NumberColumn(format="%.0f"),
        },
    )
    if not layout.is_presented():
        signature = layout.plain(results.signature["bleu"])
        told = [
            said.MEASURED_ON.format(sentences=results.sentences, references=results.references, signature=signature),
            *(
                f"Without any model ({layout.plain(name)}): BLEU {of['bleu']:.1f}, chrF {of['chrf']:.1f}."
                for name, of in results.baselines.items()
            ),
            f"Trained on {layout.plain(results.hardware)}." if results.hardware else "",
        ]
        st.caption(" ".join(told))
        charts.download_table(table, "translation-scores")
    return notices.about_scores(results)


def scores(results: kept.Results) -> pd.DataFrame:
    """One row a model."""
    rows = [
        {
            "model": TITLES[name],
            "BLEU": of["bleu"],
            "BLEU, greedy": of["bleu_greedy"],
            "chrF": of["chrf"],
            "parameters": int(of["parameters"]),
            "training FLOPs": with_power(of["train_flops"], digits=2),
            "training, seconds": round(of["seconds"]),
            "pairs per second": of["pairs_per_second"],
        }
        for name, of in results.models.items()
    ]
    return pd.DataFrame(rows)


def show_lengths() -> tuple[str, ...]:
    """The length curve; what is to be noticed in it."""
    st.subheader("What becomes of long sentences?", anchor=False)
    rows = kept.lengths()
    score = st.segmented_control(
        "Score", list(SCORES), default="BLEU", key="measured_score", bind="query-params", required=True
    )
    lines = by_length(rows, SCORES[score])
    words = lines.index.to_numpy(dtype=float)
    figure = curves(
        words,
        {title: np.array(lines[title]) for title in lines},
        look=layout.look(),
        x="words of the English text (mean of each group)",
        y=score,
        tell=f"%{{fullData.name}}, %{{x:.3g}} words: {score} %{{y:.1f}}",
        hues=HUE_OF_TITLE,
        marks=True,
        y_range=(0, float(np.nanmax(lines.to_numpy())) * 1.08),
        height=layout.look().high(360),
    )
    charts.chart(
        figure,
        name="translation-lengths",
        alt=f"{score} of each model against the number of words in the English text, one line a model",
        table=rows.assign(model=rows.model.map(TITLES)),
    )
    if not layout.is_presented():
        st.caption(said.MEASURED_LENGTHS)
    return notices.about_lengths(lines, score)


def by_length(rows: pd.DataFrame, score: str) -> pd.DataFrame:
    """A row for each mean number of words, a column for each model by its title."""
    wide = rows.pivot(index="words", columns="model", values=score)
    return wide[list(TITLES)].rename(columns=TITLES)
