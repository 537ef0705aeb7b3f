"""Published figures as tables for the explorer, and laws fitted to published runs: kept, so never changed."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

import pandas as pd

from core import published
from core.progress import Progress, no_progress
from core.published.language import GLUE_TASKS
from core.scaling import LAWS, Bootstrap, Chinchilla, Points, bootstrap
from dashboard.cache.memo import cached

Collection = Literal["Chinchilla", "Pythia"]
OUTLIERS = 5  # of Chinchilla's runs: Besiroglu et al. 2024 leave them out
FIRST_STEP = 1000  # of Pythia: before it the models have hardly begun to learn, and their losses follow no power
DRAWS = 60


@cached(computes=False)
def image_models() -> pd.DataFrame:
    """timm's results: a row for each model and resolution; `architecture` is the name before the dot."""
    measured = ("macs", "real", "v2", "a", "r", "sketch", "rtx5090", "rtx4090", "rtx3090", "cpu")
    rows = _table(published.image_models(), *measured)
    rows["label"] = rows.model + ", " + rows.resolution.astype(str) + " px"
    rows["architecture"] = rows.model.str.partition(".")[0]
    rows["taught"] = rows.teacher.map({True: "yes", False: ""})
    return rows


@cached(computes=False)
def leaders() -> pd.DataFrame:
    """The first places of ImageNet on two days; a model that stood there twice would be told apart by the day."""
    rows = _table(published.imagenet_leaders(), "top5", "flops", "year")
    rows["data"] = rows.extra_data.map({True: "more than ImageNet-1k", False: "ImageNet-1k"})
    rows["as_of"] = rows.as_of.map(lambda day: f"{day:%Y-%m}")
    return rows


@cached(computes=False)
def translators() -> pd.DataFrame:
    """Vaswani et al. 2017, Table 2."""
    rows = _table(published.published_translators(), "bleu_german", "bleu_french", "flops_german", "flops_french")
    rows["ensemble"] = rows.model.str.contains("ensemble").map({True: "ensemble", False: "single model"})
    return rows


@cached(computes=False)
def translation_leaders() -> pd.DataFrame:
    """WMT 2014 until 2020, by NLP-progress."""
    return _table(published.translation_leaders(), "year", "bleu_german", "bleu_french")


@cached(computes=False)
def transfer() -> pd.DataFrame:
    """Dosovitskiy et al. 2020, Table 2: a row for each model and data set."""
    rows = _table(published.transfer_results(), "deviation")
    rows["data"] = [result.data for result in published.transfer_results()]
    rows["pictures"] = rows.data.map({of.data: float(of.pictures) for of in published.pretraining_pictures()})
    rows["label"] = rows.model + " on " + rows.dataset
    return rows


@cached(computes=False)
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


@cached(computes=False)
def glue() -> pd.DataFrame:
    """The GLUE leaderboard: a column for each task."""
    entries = published.glue_entries()
    tasks = {task: [entry.task(task) for entry in entries] for task in GLUE_TASKS}
    return _table(entries).assign(family=["people" if entry.human else "models" for entry in entries], **tasks)


@cached(computes=False)
def sentiment() -> pd.DataFrame:
    """English film reviews and Spanish tweets."""
    rows = _table(published.sentiment_results(), "parameters", "epochs", "seconds_per_epoch")
    rows["label"] = rows.model + ", " + rows.dataset
    rows["family"] = rows.model.map(_kind_of_network)
    rows["percent"] = 100 * rows.accuracy
    rows["seconds"] = rows.seconds_per_epoch * rows.epochs
    return rows


@cached(computes=False)
def language_models() -> pd.DataFrame:
    """From 2014 to GPT-3."""
    rows = _table(published.language_models(), "parameters", "text_gigabytes", "year")
    return rows.assign(family=rows.architecture)


@cached(computes=False)
def notable() -> pd.DataFrame:
    """Epoch AI's notable models; `year` has the day in it as a fraction."""
    models = published.notable_models()
    rows = _table(models, "parameters", "training_flops", "data")
    rows["family"] = [model.field for model in models]
    day = pd.to_datetime(rows.date)
    rows["year"] = day.dt.year + (day.dt.day_of_year - 1) / 365.25
    rows["day"] = rows.date.map(str)
    return rows


def _table(rows: Sequence[Any], *numbers: str) -> pd.DataFrame:
    """A row each, labelled by its model; `numbers` may be empty: NaN where nothing was published. `note` always is."""
    table = pd.DataFrame([{"note": "", "label": row.model, **asdict(row)} for row in rows])
    return table.astype(dict.fromkeys(numbers, float))


def _kind_of_network(name: str) -> str:
    """What reads the text, by the words of the row's name."""
    kinds = (("recurrent", "RNN"), ("convolutional", "CNN"), ("transformer", "transformer"))
    return next((kind for kind, word in kinds if word in name), "other")


@cached(computes=False)
def published_runs(collection: Collection) -> pd.DataFrame:
    """All training runs of a collection by rising compute: run, parameters, tokens, training FLOPs, loss, source."""
    rows = _chinchilla() if collection == "Chinchilla" else _pythia()
    runs = pd.DataFrame(rows, columns=["run", "parameters", "tokens", "loss", "source"])
    runs.insert(3, "training FLOPs", points_of(runs).flops)
    return runs.sort_values("training FLOPs", kind="stable", ignore_index=True)


def _chinchilla() -> list[tuple]:
    return [
        (f"{size / 1e6:,.0f} M parameters", size, of.training_flops / 6 / size, of.loss, of.source)
        for of in published.chinchilla_runs()
        if (size := of.parameters)
    ]


def _pythia() -> list[tuple]:
    return [
        (f"{of.model}, step {of.step:,}", of.without_embeddings, of.tokens, math.log(of.perplexity), of.source)
        for of in published.pythia_scores()
        if of.perplexity is not None and of.step >= FIRST_STEP and not of.deduplicated
    ]


def points_of(runs: pd.DataFrame) -> Points:
    """The numbers of runs, for a law."""
    return Points(*(runs[name].to_numpy(dtype=float) for name in ("parameters", "tokens", "loss")))


def runs_without(collection: Collection, outliers: int, smallest: float) -> pd.DataFrame:
    """All runs but the `outliers` with the highest losses and the models with fewer parameters than `smallest`."""
    runs = published_runs(collection)
    worst = runs.loss.sort_values(ascending=False, kind="stable").index[:outliers]
    return runs[(runs.parameters >= smallest) & ~runs.index.isin(worst)].reset_index(drop=True)


@cached("Fitting the law, and fitting it again to resamples …", unit="fits")
def fitted(
    collection: Collection,
    law: str,
    outliers: int,
    most_flops: float,
    smallest: float,
    *,
    draws: int = DRAWS,
    progress: Progress = no_progress,
) -> Bootstrap:
    """The law and its resamples, fitted to those of `runs_without` that cost no more than `most_flops`."""
    runs = runs_without(collection, outliers, smallest)
    return bootstrap(LAWS[law], points_of(runs[runs["training FLOPs"] <= most_flops]), draws=draws, progress=progress)


@cached("Fitting the law …")
def law_of_chinchilla() -> tuple[Chinchilla, Points]:
    """The law of Chinchilla, and what it was fitted to: all of its runs but the outliers."""
    points = points_of(runs_without("Chinchilla", OUTLIERS, 0.0))
    return Chinchilla.fit(points), points
