"""Measured: how good the three translators are and at what cost, on long texts, and what others reached in print."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.errors import ModelError
from core.published import PublishedTranslator, published_translators
from core.zoo import TRANSLATION as TITLES
from dashboard import theme, typeset
from dashboard.cache.memo import cached
from dashboard.figures.costs import Point, costs
from dashboard.figures.curves import curves
from dashboard.frame import error_messages, layout
from dashboard.inputs import controls
from dashboard.number_format import compare, with_power
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.language.translation import compute_measured, measured_alignment
from pages.language.translation.compute_measured import Results
from pages.language.translation.figures import HUE_OF_TITLE
from pages.language.translation.prose import PAGE

SECTION = PAGE.section("Measured")
DOUBT = 1  # point of BLEU: of some 2,000 sentences smaller differences may be chance
LITTLE = 0.05  # of the best score of a model: losses with length that differ by less are told as alike
SCORES = {"BLEU": "bleu", "chrF": "chrf"}
LANGUAGES = ("English to French", "English to German")
FAMILY_HUES = {"recurrent": HUES[0], "convolutional": HUES[3], "transformer": HUES[2]}


def show() -> None:
    """Tables and figures; a part that nobody has measured yet says so in a sentence."""
    noticed: list[str] = []
    for part in (_scores, _lengths, measured_alignment.show_table, measured_alignment.show_heads, _published):
        with error_messages.as_sentences():
            noticed += part()
    layout.notes(SECTION, notice=tuple(noticed), formula=_show_numbers)


def _scores() -> tuple[str, ...]:
    """The table of the three models; what is to be noticed in it."""
    results = compute_measured.results()
    table = scores(results)
    data_table(
        table,
        hide_index=True,
        width="stretch",
        column_config={
            "BLEU": st.column_config.NumberColumn(format="%.1f"),
            "BLEU, greedy": st.column_config.NumberColumn(format="%.1f"),
            "chrF": st.column_config.NumberColumn(format="%.1f"),
            "parameters": st.column_config.NumberColumn(format="localized"),
            "training, seconds": st.column_config.NumberColumn(format="localized"),
            "pairs per second": st.column_config.NumberColumn(format="%.0f"),
        },
    )
    layout.place_notice()
    layout.caption(how_scored(results))
    charts.download_table(table, "translation-scores")
    return about_scores(results)


def scores(results: Results) -> pd.DataFrame:
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


def how_scored(results: Results) -> str:
    """On what the scores were measured, and what needs no model reaches there."""
    signature = typeset.plain(results.signature["bleu"])
    notes = [
        SECTION.text("Test sentences", sentences=results.sentences, references=results.references, signature=signature),
        *(
            f"Without any model ({typeset.plain(name)}): BLEU {of['bleu']:.1f}, chrF {of['chrf']:.1f}."
            for name, of in results.baselines.items()
        ),
        f"Trained on {typeset.plain(results.hardware)}." if results.hardware else "",
    ]
    return " ".join(notes)


def _lengths() -> tuple[str, ...]:
    """The length curve; what is to be noticed in it."""
    layout.heading("How good are they on long sentences?")
    rows = compute_measured.lengths()
    score = controls.choice("Score", SCORES, key="measured_score")
    lines = by_length(rows, SCORES[score])
    figure = partial(
        curves,
        lines.index.to_numpy(dtype=float),
        {title: np.array(lines[title]) for title in lines},
        look=theme.look(),
        x="words of the English text (mean of each group)",
        y=score,
        tell=f"%{{fullData.name}}, %{{x:.3g}} words: {score} %{{y:.1f}}",
        hues=HUE_OF_TITLE,
        marks=True,
        y_range=(0, float(np.nanmax(lines.to_numpy())) * 1.08),
        height=theme.look().high(360),
    )
    charts.chart(
        figure,
        name="translation-lengths",
        alt=f"{score} of each model against the number of words in the English text, one line per model",
        table=rows.assign(model=rows.model.map(TITLES)),
    )
    layout.caption(SECTION.text("Long texts"))
    return about_lengths(lines, score)


def by_length(rows: pd.DataFrame, score: str) -> pd.DataFrame:
    """A row for each mean number of words, a column for each model by its title."""
    wide = rows.pivot(index="words", columns="model", values=score)
    return wide[list(TITLES)].rename(columns=TITLES)


@cached()
def published() -> tuple[PublishedTranslator, ...]:
    """Vaswani et al. 2017, Table 2."""
    return published_translators()


def _published() -> tuple[str, ...]:
    """What translation models reached in print, and our three in a panel of their own; what is to be noticed."""
    layout.heading("What does quality cost in other models?")
    language = controls.choice("Published for", LANGUAGES, key="measured_language")
    printed = points(published(), french=language == LANGUAGES[0])
    published_column, own_column = st.columns([2, 1], gap="large")
    with published_column:
        _costs(printed, "published", f"newstest2014, {language}", FAMILY_HUES)
    if own := own_points():
        with own_column:
            _costs(own, "own", "Tatoeba, English to French", HUE_OF_TITLE, from_zero=True)
    st.markdown(SECTION.text("Published models"), width=theme.PROSE)
    return about_published(printed, language)


def _costs(
    drawn_points: Sequence[Point], name: str, text: str, hues: Mapping[str, str], *, from_zero: bool = False
) -> None:
    """One panel, with scales of its own."""
    figure = partial(
        costs,
        drawn_points,
        hues=hues,
        look=theme.look(),
        x="training FLOPs",
        y=f"BLEU ({text})",
        y_range=(0, 1.15 * max(point.quality for point in drawn_points)) if from_zero else None,
        width=190 if from_zero else 500,  # beside one another, the second one third of the page
        height=theme.look().high(420),
    )
    charts.chart(
        figure,
        name=f"translation-{name}",
        alt=f"BLEU on {text} against training FLOPs, one point per model",
        table=pd.DataFrame(
            [(point.name, point.group, point.cost, point.quality) for point in drawn_points],
            columns=["model", "kind", "training FLOPs", f"BLEU ({text})"],
        ),
    )


def points(models: tuple[PublishedTranslator, ...], *, french: bool) -> list[Point]:
    """Those with both numbers for a language."""
    published_points = []
    for model in models:
        cost, quality = (model.flops_french, model.bleu_french) if french else (model.flops_german, model.bleu_german)
        if cost is not None and quality is not None:
            published_points.append(Point(model.model, model.family, cost, quality))
    return published_points


def own_points() -> list[Point]:
    """The three of here; none while they are not measured (the table above says so)."""
    try:
        models = compute_measured.results().models
    except ModelError:
        return []
    return [Point(TITLES[name], TITLES[name], of["train_flops"], of["bleu"]) for name, of in models.items()]


def about_scores(results: Results) -> tuple[str, ...]:
    """Who is best, how far the others are behind, and what they cost."""
    bleu, flops, speed = (
        {name: of[key] for name, of in results.models.items()} for key in ("bleu", "train_flops", "pairs_per_second")
    )
    ranked = sorted(bleu, key=lambda name: -bleu[name])
    ranking = ", ".join(f"{TITLES[name]} {bleu[name]:.1f}" for name in ranked)
    cheapest, dearest = min(flops, key=flops.__getitem__), max(flops, key=flops.__getitem__)
    slow, fast = min(speed, key=speed.__getitem__), max(speed, key=speed.__getitem__)
    gap = bleu[ranked[0]] - bleu[ranked[-1]]
    apart = (
        f"The best and the worst model are {gap:.1f} points apart."
        if gap > DOUBT
        else f"All lie within {DOUBT} point; on other sentences the order might change."
    )
    cost = (
        f"{TITLES[dearest]} took **{flops[dearest] / flops[cheapest]:.1f} times** the training operations of "
        f"{TITLES[cheapest]}; by the clock, {TITLES[fast]} read {speed[fast] / speed[slow]:.1f} times as many pairs in "
        f"a second as {TITLES[slow]}."
    )
    quality = f"BLEU on unseen sentences, from best to worst: **{ranking}**. {apart}"
    return (quality, cost) if dearest != cheapest else (quality,)


def about_lengths(lines: pd.DataFrame, score: str) -> tuple[str, ...]:
    """What is left at the longest texts of what each model reaches at best."""
    short, long = lines.index[0], lines.index[-1]
    shares = {title: lines[title].iloc[-1] / lines[title].max() for title in lines if lines[title].max() > 0}
    if not shares:
        return (f"No model reaches a {score} above 0.",)
    longest_scores = ", ".join(
        f"{title} {lines[title].iloc[-1]:.1f} ({share:.0%} of its best)" for title, share in shares.items()
    )
    most, least = max(shares, key=shares.__getitem__), min(shares, key=shares.__getitem__)
    verdict = (
        f" **{least}** loses most, **{most}** least."
        if compare(shares[most], shares[least], margin=LITTLE) == "more"
        else f" They keep about as much, within {LITTLE:.0%} of their best."
        if len(shares) > 1 and len(lines) > 1
        else ""
    )
    return (
        f"{score} at {long:.0f} words, against the best that each reaches between {short:.0f} and {long:.0f}: "
        f"{longest_scores}.{verdict}",
    )


def about_published(points: Sequence[Point], language: str) -> tuple[str, ...]:
    """The best of the published table, and what the best of any other kind did cost."""
    best = max(points, key=lambda point: point.quality)
    others = [point for point in points if point.group != best.group]
    leads = f"In the published table ({language}), {best.name} leads with {best.quality:g}"
    if not others:
        return (f"{leads}; all are of one family.",)
    rival = max(others, key=lambda point: point.quality)
    return (
        f"{leads}; the best of another family, {rival.name} with {rival.quality:g}, took "
        f"**{rival.cost / best.cost:.2g} times** as many operations to train.",
    )


def _show_numbers() -> None:
    """BLEU of the three models, and the alignment error rate with its counts."""
    with error_messages.as_sentences():
        bleu = {TITLES[name]: of["bleu"] for name, of in compute_measured.results().models.items()}
        st.markdown(f"Here: {', '.join(f'{title} {score:.1f}' for title, score in bleu.items())}.")
    with error_messages.as_sentences():
        measured_alignment.show_formula()
