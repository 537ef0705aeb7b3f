"""Measured: what the four models are worth and what they cost, and how faithful their explanations are."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from core.errors import ModelError
from core.results.classifier_results import RANDOM, SIDES, Faithful, Quality, faithfulness, qualities
from dashboard import theme, typeset
from dashboard.frame import error_messages, layout
from dashboard.number_format import CLEAR, compare, points
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.vision.vision_transformer import faithful
from pages.vision.vision_transformer.compute import TITLES
from pages.vision.vision_transformer.figures_measured import Mark, Row, means, quality_marks
from pages.vision.vision_transformer.prose import PAGE

SECTION = PAGE.section("Measured")
MODELS = {
    "vit-tiny-imagenet": "Vision transformer",
    "swin-tiny-imagenet": "Swin transformer",
    "resnet-tiny-imagenet": "Residual network",
    "plain-tiny-imagenet": "Plain convolutions",
}
AT_RANDOM = "At random"
HUE = dict(zip(MODELS.values(), HUES, strict=False))
MILLION = 1e6
COLUMNS = ("deletion:<br>lower is better", "insertion:<br>higher is better")  # in two lines: a phone is narrow


def show() -> None:
    """Tables and figures; a part that nobody has measured yet says so in a sentence."""
    noticed: list[str] = []
    for part in (_show_quality, _show_faithfulness):
        with error_messages.as_sentences():
            noticed += part()
    layout.notes(SECTION, notice=tuple(noticed), numbers={"standard_error": _standard_error()})


def _standard_error() -> str:
    """The standard error of the best model's accuracy, as Markdown; "" where no model was measured."""
    with suppress(ModelError):  # the table has said it already
        if models := qualities():
            best = max(models, key=lambda one: one.top1)
            return SECTION.text(
                "Standard error",
                model=MODELS[best.name],
                right=best.top1,
                wrong=1 - best.top1,
                pictures=best.pictures,
                error=best.standard_error,
            )
    return ""


def _show_quality() -> tuple[str, ...]:
    """Table and figures of the models; what is to be noticed in them."""
    layout.heading("What are they worth, and what do they cost?")
    models = qualities()
    if not models:
        st.info(SECTION.text("Models not yet measured"), icon=":material/info:")
        return ()
    rows = quality_table(models)
    formats = {
        "top-1": "percent",
        "top-5": "percent",
        "parameters": "localized",
        "million MACs": "%.0f",
        "pictures per second": "%.0f",
        "training, minutes": "%.0f",
        "epochs": "%.1f",
    }
    _show_table(rows, formats)
    layout.place_notice()
    sentences = [SECTION.text("Validation pictures", pictures=models[0].pictures)]
    if models[0].hardware:
        sentences.append(f"Trained and timed on {typeset.plain(models[0].hardware)}.")
    if missing := [title for name, title in MODELS.items() if name not in {one.name for one in models}]:
        sentences.append(f"Not measured yet: {', '.join(missing)}.")
    st.caption(" ".join(sentences))
    charts.download_table(rows, "vision-models")
    costs = {
        "macs": ("million MACs for a picture", [one for one in models if one.macs]),
        "parameters": ("million parameters", [one for one in models if one.parameters]),
    }
    plotted_costs = {name: cost for name, cost in costs.items() if len(cost[1]) > 1}
    for place, (name, (x, measured)) in zip(
        st.columns(max(len(plotted_costs), 1), gap="medium"), plotted_costs.items(), strict=False
    ):
        marks = [Mark(MODELS[one.name], getattr(one, name) / MILLION, one.top1, one.standard_error) for one in measured]
        with place:
            _show_marks(marks, x, f"vision-{name}")
    return tell_quality(models)


def quality_table(models: Sequence[Quality]) -> pd.DataFrame:
    """One row a model; columns that nobody has measured are left out."""
    rows = pd.DataFrame(
        [
            {
                "model": MODELS[one.name],
                "top-1": one.top1,
                "top-5": one.top5,
                "parameters": one.parameters,
                "million MACs": None if one.macs is None else one.macs / MILLION,
                "pictures per second": one.images_per_second,
                "training, minutes": None if one.seconds is None else one.seconds / 60,
                "epochs": one.epochs,
            }
            for one in models
        ]
    )
    return rows.dropna(axis="columns", how="all")


def _show_table(rows: pd.DataFrame, formats: dict[str, str]) -> None:
    data_table(
        rows,
        hide_index=True,
        width="stretch",
        column_config={name: st.column_config.NumberColumn(format=one) for name, one in formats.items()},
    )


def _show_marks(marks: Sequence[Mark], x: str, name: str) -> None:
    figure = partial(
        quality_marks,
        marks,
        hues=HUE,
        look=theme.look(),
        x=x,
        y="top-1",
        tell=f"%{{text}}: top-1 %{{y:.1%}}, %{{x:.3g}} {x}",
        height=theme.look().high(360),
    )
    charts.chart(
        figure,
        name=name,
        alt=f"Top-1 accuracy against {x}: "
        + "; ".join(f"{mark.name} {mark.quality:.1%} at {mark.cost:.3g}" for mark in marks),
        table=pd.DataFrame(
            [{"model": mark.name, x: mark.cost, "top-1": mark.quality, "standard error": mark.error} for mark in marks]
        ),
    )


def tell_quality(models: Sequence[Quality]) -> tuple[str, ...]:
    """The best model, the cheapest and the dearest, and what the shortcuts of the residual network go with."""
    if len(models) < 2:
        return ()
    best, second, *_ = sorted(models, key=lambda one: -one.top1)
    apart = CLEAR * (best.standard_error**2 + second.standard_error**2) ** 0.5
    one, other = f"**{MODELS[best.name]}** ({best.top1:.1%})", f"**{MODELS[second.name]}**"
    clearly = f"two standard errors of the difference ({100 * apart:.1f} points)"
    sentences = [
        f"{one} is right most often, before {other} ({second.top1:.1%}), by more than {clearly}."
        if compare(best.top1, second.top1, margin=apart) == "more"
        else f"Which is right most often cannot be decided: {one} and {other} ({second.top1:.1%}) are no more than "
        f"{clearly} apart."
    ]
    measured = sorted((one for one in models if one.macs), key=lambda one: one.macs or 0)
    if len(measured) > 1:
        least, most = measured[0], measured[-1]
        margin = CLEAR * math.hypot(least.standard_error, most.standard_error)
        doubt = compare(most.top1, least.top1, margin=margin) == "as much"
        sentences.append(
            f"**{MODELS[least.name]}** computes least for a picture, **{MODELS[most.name]}** most: "
            f"{(most.macs or 0) / (least.macs or 1):.1f} times as much, for {points(most.top1 - least.top1)} of top-1"
            f"{', which may be chance' if doubt else ''}."
        )
    named = {one.name: one for one in models}
    residual, plain = named.get("resnet-tiny-imagenet"), named.get("plain-tiny-imagenet")
    if residual and plain:
        sentences.append(
            f"The convolutions with shortcuts come to {residual.top1:.1%}, those without to {plain.top1:.1%}: "
            f"{points(residual.top1 - plain.top1)}, each trained once."
        )
    return tuple(sentences)


def _show_faithfulness() -> tuple[str, ...]:
    """Table and figure of the explanations; what is to be noticed in them."""
    layout.heading("Which explanation tells the truth?")
    models = faithfulness()
    if not models:
        st.info(SECTION.text("Explanations not yet measured"), icon=":material/info:")
        return ()
    rows = faithfulness_table(models)
    lines = [
        line
        for one in models
        for line in (
            Row(MODELS[one.name]),
            *(
                Row(
                    title_of(name),
                    tuple((of[side].mean, of[side].standard_error) for side in SIDES),
                    faithful.HUE.get(title_of(name), theme.look().palette.soft),
                )
                for name, of in one.areas.items()
            ),
        )
    ]
    charts.chart(
        partial(means, lines, COLUMNS, look=theme.look()),
        name="vision-faithfulness",
        alt="Mean areas under the curves of deletion and insertion with their standard errors: "
        + "; ".join(
            f"{MODELS[one.name]}, {title_of(name)}: {of['deletion'].mean:.3f} and {of['insertion'].mean:.3f}"
            for one in models
            for name, of in one.areas.items()
        ),
        table=rows,
    )
    with st.expander("The numbers", expanded=theme.is_presented()):
        _show_table(rows, {name: "%.3f" for name in rows.columns if name not in ("model", "explanation")})
    layout.caption(SECTION.text("Areas of explanations", pictures=models[0].pictures))
    return tuple(sentence for one in models for sentence in tell_faithfulness(one))


def title_of(name: str) -> str:
    """An explanation, or random orders, as a reader knows it."""
    return AT_RANDOM if name == RANDOM else TITLES.get(name, name)


def faithfulness_table(models: Sequence[Faithful]) -> pd.DataFrame:
    """One row for each explanation of each model; differences from random are means over pictures too."""
    rows = []
    for one in models:
        for name, of in one.areas.items():
            row: dict[str, object] = {"model": MODELS[one.name], "explanation": title_of(name)}
            for side in SIDES:
                row |= {side: of[side].mean, f"{side}, ±": of[side].standard_error}
                against = one.against_random.get(name, {}).get(side)
                row[f"{side}, against random"] = against.mean if against else None
            rows.append(row)
    return pd.DataFrame(rows)


def tell_faithfulness(one: Faithful) -> tuple[str, ...]:
    """The best explanation of a model by each measure, and those that deletion does not tell from chance."""

    def areas(name: str, side: str) -> str:
        return f"{side} {one.areas[name][side].mean:.3f} (random {one.areas[RANDOM][side].mean:.3f})"

    first = min(one.against_random, key=lambda name: one.areas[name]["deletion"].mean)
    second = max(one.against_random, key=lambda name: one.areas[name]["insertion"].mean)
    deletion, insertion, model = areas(first, "deletion"), areas(second, "insertion"), MODELS[one.name]
    best, other = title_of(first).lower(), title_of(second).lower()
    if first == second:
        both = "" if len(one.against_random) == 1 else " is the most faithful by both measures"
        sentences = [f"**{model}**: **{best}**{both}: {deletion}, {insertion}."]
    else:
        sentences = [
            f"**{model}**: **{best}** is the most faithful by one measure, {deletion}, **{other}** by the other, "
        ]
        sentences[0] += f"{insertion}."
    sentences += [
        sentence for side, best in zip(SIDES, (first, second), strict=True) for sentence in _near(one, side, best)
    ]
    for name, of in one.against_random.items():
        mean, sure = of["deletion"].mean, 2 * of["deletion"].standard_error
        if mean > -sure:
            chance = "is worse than chance" if mean > sure else "cannot be told from chance"
            sentences.append(f"Of the {model.lower()}, {title_of(name).lower()} {chance} by deletion.")
    return tuple(sentences)


def _near(one: Faithful, side: str, best: str) -> Iterator[str]:
    """The explanations that lie within CLEAR standard errors of the best one by a measure."""
    own = one.areas[best][side]
    near = [
        title_of(name).lower()
        for name in one.against_random
        if name != best
        and compare(
            own.mean,
            one.areas[name][side].mean,
            margin=CLEAR * math.hypot(own.standard_error, one.areas[name][side].standard_error),
        )
        == "as much"
    ]
    if near:
        yield f"By {side}, {' and '.join(near)} cannot be told from {title_of(best).lower()}."
