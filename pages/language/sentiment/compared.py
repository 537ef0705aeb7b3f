"""Compared: every classifier of the page on held-out texts, beside published rows and a baseline without a network."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.published import SentimentResult
from core.published import sentiment_results as published_results
from core.results import sentiment_results
from core.results.sentiment_results import Results
from dashboard import theme, typeset
from dashboard.cache.memo import cached
from dashboard.frame import layout
from dashboard.number_format import in_latex
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.sentiment import compared_sentences as sentences
from pages.language.sentiment import fooled_names, reviews
from pages.language.sentiment.compared_sentences import TITLES
from pages.language.sentiment.figures_compared import Beside, beside
from pages.language.sentiment.prose import PAGE

SECTION = PAGE.section("Compared")
# How each row of ours is called in core/published/sentiment.csv.
PUBLISHED = {
    "english": {"rnn": "1x bidirectional RNN", "cnn": "2x CNN 1D", "encoder": "1x transformer encoder"},
    "spanish": {
        "rnn": "1x bidirectional RNN",
        "cnn": "1x CNN 1D",
        "encoder": "1x transformer encoder",
        "tfidf-svm": "SVM on TF-IDF",
    },
}
# What each is called beside a figure.
SHORT = fooled_names.SHORT | {"tfidf-logistic": "TF-IDF, logistic", "tfidf-svm": "TF-IDF, SVM"}
COUNTS = ("parameters", "published parameters")


@cached(computes=False)
def results() -> dict[str, Results]:
    """What was measured, by language."""
    return sentiment_results.results()


def published(language: str) -> dict[str, SentimentResult]:
    """The published rows of a language, by the names of ours where there is one, else by their own."""
    ours = {title: name for name, title in PUBLISHED[language].items()}
    rows = (row for row in published_results() if row.language.lower() == language)
    return {ours.get(row.model, row.model): row for row in rows}


def show() -> None:
    """Accuracies beside published ones, what each took, and whether a network was needed."""
    with layout.control_bar():
        language = reviews.language()
    every = results()
    own_results, theirs = every[language], published(language)
    shared = {name: row for name, row in theirs.items() if name in own_results.models}
    rows = tuple(rows_of(own_results, theirs))
    table = table_of(own_results, theirs)
    charts.chart(
        partial(beside, rows, look=theme.look()),
        name="sentiment-compared",
        alt="Accuracies. " + "; ".join(map(_spoken, rows)),
        table=table,
    )
    layout.place_notice()
    source = next(iter(theirs.values())).source
    layout.caption(SECTION.text("Dots and diamonds", test=own_results.test, source=typeset.plain(source)))
    _table(table)
    why = (sentences.about_sizes(every, shared),) if language == "spanish" else ()
    layout.notes(
        SECTION,
        notice=(
            sentences.about_baseline(own_results),
            *why,
            sentences.about_published(own_results, shared),
            sentences.about_each_other(own_results),
        ),
        numbers=_best_in_numbers(own_results),
    )


def rows_of(own_results: Results, theirs: Mapping[str, SentimentResult]) -> Sequence[Beside]:
    """Ours from the best to the worst, then what was published of others."""
    names = sorted(own_results.models, key=lambda name: -own_results.models[name].accuracy)
    rows = [
        Beside(
            SHORT[name],
            (own_results.models[name].accuracy, *sentences.interval(own_results, name)),
            theirs[name].accuracy if name in theirs else None,
        )
        for name in names
    ]
    return [
        *rows,
        *(Beside(row.model, None, row.accuracy) for name, row in theirs.items() if name not in own_results.models),
    ]


def _spoken(row: Beside) -> str:
    parts = [f"{row.measured[0]:.1%} here"] if row.measured else []
    parts += [f"{row.published:.1%} published"] if row.published is not None else []
    return f"{row.name}: {', '.join(parts)}"


def table_of(own_results: Results, theirs: Mapping[str, SentimentResult]) -> pd.DataFrame:
    """One row for each model: what was measured, what it took, and the same as published; empty where there is none."""
    rows = []
    for name in (*own_results.models, *(name for name in theirs if name not in own_results.models)):
        own, row = own_results.models.get(name), theirs.get(name)
        rows.append(
            {
                "model": TITLES.get(name, name),
                "accuracy": own and own.accuracy,
                "published accuracy": row and row.accuracy,
                "macro F1": own and own.macro_f1,
                "parameters": own and own.parameters,
                "published parameters": row and row.parameters,
                "epochs": own and own.epochs,
                "published epochs": row and row.epochs,
                "seconds an epoch": own and own.seconds_per_epoch,
                "published seconds an epoch": row and row.seconds_per_epoch,
                "hardware here": own.hardware if own else "",
            }
        )
    table = pd.DataFrame(rows)
    numbers = [column for column in table.columns if column not in ("model", "hardware here")]
    return table.astype(dict.fromkeys(numbers, float))


def _table(table: pd.DataFrame) -> None:
    st.subheader("What it took", anchor=False)
    shares = ["accuracy", "published accuracy"]
    formats = {name: st.column_config.NumberColumn(format="%.1f%%") for name in shares}
    formats |= {"macro F1": st.column_config.NumberColumn(format="%.3f")}
    formats |= {name: st.column_config.NumberColumn(format="localized") for name in COUNTS}
    formats |= {name: st.column_config.NumberColumn(format="%d") for name in ("epochs", "published epochs")}
    scaled = table.assign(**{name: 100 * table[name] for name in shares})
    data_table(scaled, hide_index=True, column_config=formats, placeholder="")
    layout.caption(SECTION.text("Seconds an epoch"))


def _best_in_numbers(own_results: Results) -> dict[str, object]:
    """Accuracy with its interval, and macro F1, of the best model, by their places in the text."""
    name = max(own_results.models, key=lambda model: own_results.models[model].accuracy)
    best, (low, high) = own_results.models[name], sentences.interval(own_results, name)
    right = round(best.accuracy * own_results.test)
    return {
        "name": sentences.NAMES[name],
        "test": own_results.test,
        "right": in_latex(right),
        "texts": in_latex(own_results.test),
        "accuracy": right / own_results.test,
        "low": low,
        "high": high,
        "macro_f1": best.macro_f1,
    }
