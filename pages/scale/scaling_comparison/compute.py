"""Published figures as tables that the explorer shows, read and checked once."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd
import streamlit as st

from core import published
from core.published.language import GLUE_TASKS


@st.cache_resource(show_spinner=False)
def image_models() -> pd.DataFrame:
    """timm's results: a row for each model and resolution; `architecture` is the name before the dot."""
    rows = _frame(published.image_models())
    rows["label"] = rows.model + ", " + rows.resolution.astype(str) + " px"
    rows["architecture"] = rows.model.str.partition(".")[0]
    rows["taught"] = rows.teacher.map({True: "yes", False: ""})
    return _numbers(rows, "macs", "real", "v2", "a", "r", "sketch", "rtx5090", "rtx4090", "rtx3090", "cpu")


@st.cache_resource(show_spinner=False)
def leaders() -> pd.DataFrame:
    """The first places of ImageNet on two days; a model that stood there twice would be told apart by the day."""
    rows = _frame(published.imagenet_leaders())
    rows["label"] = rows.model
    rows["data"] = rows.extra_data.map({True: "more than ImageNet-1k", False: "ImageNet-1k"})
    rows["as_of"] = rows.as_of.map(lambda day: f"{day:%Y-%m}")
    return _numbers(rows, "top5", "flops", "year")


@st.cache_resource(show_spinner=False)
def variants() -> pd.DataFrame:
    """The sizes of the vision transformer."""
    return _frame(published.vit_variants())


@st.cache_resource(show_spinner=False)
def translators() -> pd.DataFrame:
    """Vaswani et al. 2017, Table 2."""
    rows = _frame(published.published_translators())
    rows["label"] = rows.model
    rows["ensemble"] = rows.model.str.contains("ensemble").map({True: "ensemble", False: "single model"})
    return _numbers(rows, "bleu_german", "bleu_french", "flops_german", "flops_french")


@st.cache_resource(show_spinner=False)
def translation_leaders() -> pd.DataFrame:
    """WMT 2014 until 2020, by NLP-progress."""
    rows = _frame(published.translation_leaders())
    rows["label"] = rows.model
    return _numbers(rows, "year", "bleu_german", "bleu_french")


@st.cache_resource(show_spinner=False)
def transfer() -> pd.DataFrame:
    """Dosovitskiy et al. 2020, Table 2: a row for each model and data set."""
    rows = _frame(published.transfer_results())
    rows["data"] = [result.data for result in published.transfer_results()]
    rows["pictures"] = rows.data.map({of.data: of.pictures for of in published.pretraining_pictures()})
    rows["label"] = rows.model + " on " + rows.dataset
    return _numbers(rows, "deviation", "pictures")


@st.cache_resource(show_spinner=False)
def more_data() -> pd.DataFrame:
    """What more pictures buy: architectures that timm has with and without them, at one resolution.

    `gain` is the difference of the best top-1 accuracies in points; teachers are left out on both sides.
    """
    own = image_models()
    own = own[~own.teacher]
    key = ["architecture", "resolution"]
    alone = own[own.data == "ImageNet-1k"].sort_values("top1").groupby(key).tail(1)
    more = own[own.data != "ImageNet-1k"].sort_values("top1").groupby([*key, "data"]).tail(1)
    both = more.merge(alone[[*key, "top1", "model"]], on=key, suffixes=("", "_alone"))
    both["gain"] = both.top1 - both.top1_alone
    both["label"] = both.architecture + ", " + both.resolution.astype(str) + " px, " + both.data
    return both.sort_values("gain", ascending=False, ignore_index=True)


@st.cache_resource(show_spinner=False)
def glue() -> pd.DataFrame:
    """The GLUE leaderboard: a column for each task."""
    entries = published.glue_entries()
    rows = _frame(entries)
    for task in GLUE_TASKS:
        rows[task] = [entry.task(task) for entry in entries]
    rows["label"] = rows.model
    rows["family"] = ["people" if entry.human else "models" for entry in entries]
    return rows


@st.cache_resource(show_spinner=False)
def sentiment() -> pd.DataFrame:
    """English film reviews and Spanish tweets."""
    rows = _frame(published.sentiment_results())
    rows["label"] = rows.model + ", " + rows.dataset
    rows["family"] = rows.model.map(_kind_of_network)
    rows["percent"] = 100 * rows.accuracy
    rows["seconds"] = pd.to_numeric(rows.seconds_per_epoch) * pd.to_numeric(rows.epochs)
    return _numbers(rows, "parameters", "epochs", "seconds_per_epoch")


@st.cache_resource(show_spinner=False)
def language_models() -> pd.DataFrame:
    """From 2014 to GPT-3."""
    rows = _frame(published.language_models())
    rows["label"] = rows.model
    rows["family"] = rows.architecture
    return _numbers(rows, "parameters", "text_gigabytes", "year")


@st.cache_resource(show_spinner=False)
def notable() -> pd.DataFrame:
    """Epoch AI's notable models; `year` has the day in it as a fraction."""
    models = published.notable_models()
    rows = _frame(models)
    rows["label"] = rows.model
    rows["family"] = [model.field for model in models]
    day = pd.to_datetime(rows.date)
    rows["year"] = day.dt.year + (day.dt.day_of_year - 1) / 365.25
    rows["day"] = rows.date.map(str)
    return _numbers(rows, "parameters", "training_flops", "data")


def _frame(rows: Sequence[Any]) -> pd.DataFrame:
    return pd.DataFrame([asdict(row) for row in rows])


def _numbers(rows: pd.DataFrame, *columns: str) -> pd.DataFrame:
    """Columns that may be empty, as floats: NaN where nothing was published."""
    for column in columns:
        rows[column] = pd.to_numeric(rows[column]).astype(float)
    return rows


def _kind_of_network(name: str) -> str:
    """What reads the text, by the words of the row's name."""
    for kind, word in (("recurrent", "RNN"), ("convolutional", "CNN"), ("transformer", "transformer")):
        if word in name:
            return kind
    return "other"
