"""What was measured of the fine-tuned BERT, beside its baselines, and what it says of a sentence, as tables."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.probing.fine_tuning.frequent_tags import TagCount
from core.probing.fine_tuning.task_predictions import TaskPredictions
from core.results.bert_tasks_results import FROZEN, SCRATCH, TUNED, Results
from dashboard import theme
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.missing_word import tasks_sentences
from pages.language.missing_word.prose import PAGE

SECTION = PAGE.section("Tasks")
NAMES = {
    TUNED: "fine-tuned",
    FROZEN: "the same heads, body unchanged",
    SCRATCH: "the same network from random weights",
}


def show(results: Results) -> None:
    """Held-out results and baselines; tag by tag on demand."""
    st.subheader("Measured on what was held out", anchor=False)
    table = compared(results)
    percents = {name: st.column_config.NumberColumn(format="%.1f%%") for name in table.columns[1:]}
    scaled = table.assign(**{name: 100 * table[name] for name in table.columns[1:]})
    data_table(scaled, hide_index=True, column_config=percents, width="content", placeholder="")
    layout.caption(
        SECTION.text(
            "Held-out data",
            words=results.words,
            sentences=results.sentences,
            learned_words=results.learned_words,
            learned_phrases=results.learned_phrases,
        )
    )
    if theme.is_presented():
        return
    charts.download_table(table, "tasks-measured")
    with st.expander("Tag by tag"):
        by_tag = tag_by_tag(results)
        tag_percents = by_tag.assign(**{name: 100 * by_tag[name] for name in by_tag.columns[3:]})
        formats = {name: st.column_config.NumberColumn(format="%.1f%%") for name in by_tag.columns[3:]}
        data_table(tag_percents, hide_index=True, column_config=formats, width="content")
        charts.download_table(by_tag, "tasks-by-tag")


def compared(results: Results) -> pd.DataFrame:
    """One row for each variant and baseline; shares from 0 to 1, empty where it was not asked."""
    columns = ["", "tags right", "verdicts right", "with a capital letter"]
    rows = [[NAMES[name], of.tags, of.verdicts, of.verdicts_capital] for name, of in results.variants.items()]
    rows += [
        ["most frequent tag of the word", results.most_frequent_tag, None, None],
        ["naive Bayes, words and pairs", None, results.naive_bayes, None],
        ["always the more frequent verdict", None, results.majority, None],
    ]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[1:], float))


def tag_by_tag(results: Results) -> pd.DataFrame:
    """One row for each tag: what it is, its words, and the shares that are right."""
    tuned = results.variants[TUNED].by_tag
    return pd.DataFrame(
        [
            [tag, tasks_sentences.TAG_NAMES[tag], cases, tuned.get(tag), results.frequent_by_tag.get(tag)]
            for tag, cases in results.cases.items()
        ],
        columns=["tag", "what", "words", "fine-tuned", "most frequent tag"],
    )


def said_table(predictions: TaskPredictions, usual: Sequence[TagCount | None]) -> pd.DataFrame:
    """One row a word: its tag, the probability, its most frequent tag and how often it had it."""
    rows = [
        [
            word.label.strip(),
            tag,
            sure,
            *((tag_count.tag, tag_count.times, tag_count.of) if tag_count else (None, None, None)),
        ]
        for word, (tag, sure), tag_count in zip(
            predictions.words, tasks_sentences.tags_of(predictions), usual, strict=True
        )
    ]
    return pd.DataFrame(rows, columns=["word", "tag", "probability", "most frequent tag", "times", "of"])
