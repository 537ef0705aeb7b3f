"""What was measured of the masked autoencoder: errors, what it learned without labels, what it saves."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.models.mae import MAEConfig
from core.progress import Progress, no_progress
from core.results import mae_results
from core.results.mae_results import (
    AUTOENCODER,
    LABELS,
    NETWORK,
    PATCHES,
    PIXELS,
    SCRATCH,
    TRAINED,
    UNTRAINED,
    Errors,
    FineTuned,
    Probe,
    Results,
)
from core.vision import skipped_patches
from core.vision.skipped_patches import ALL, FORWARD, READ, STEP, VISIBLE, Saving
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.frame import error_messages, layout
from dashboard.number_format import CLEAR, compare, points
from dashboard.output import charts, measured_costs
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.vision.reconstruction.figures_autoencoder import errors_by_share
from pages.vision.reconstruction.prose import PAGE

SECTION = PAGE.section("Measured: masked autoencoder")
STARTS = {"autoencoder": "the autoencoder's encoder", "scratch": "random weights"}

measured = cached()(mae_results.results)


@cached("Measuring …", unit="passes")
def measured_here(progress: Progress = no_progress) -> Saving:
    """What leaving hidden patches out saves on this machine."""
    return skipped_patches.measure(MAEConfig(), progress)


def show() -> None:
    """Errors, probes and fine-tuning as they were measured; the saving here and there; the notes."""
    noticed: list[str] = []
    results: Results | None = None
    with error_messages.as_sentences():
        results = measured()
        for part in (_errors, _probes, _tuned):
            noticed += part(results)
    local_saving = measured_here.peek()
    noticed += _saving(results.saving if results else None, local_saving)
    nothing = "Nothing has been measured yet, so there is nothing to notice."
    layout.notes(SECTION, notice=tuple(noticed) or (nothing,), numbers=numbers_of(MAEConfig()))


def _errors(results: Results) -> tuple[str, ...]:
    layout.heading("How far from the truth?")
    shares = [point.share for point in results.errors]
    lines = {
        name: tuple([point.by_filling[name][part] for point in results.errors] for part in range(2))
        for name in results.errors[0].by_filling
    }
    hues = dict(zip(lines, HUES, strict=False))
    charts.chart(
        partial(errors_by_share, shares, lines, look=theme.look(), height=theme.look().high(380), hues=hues),
        name="reconstruction-errors",
        alt="Mean squared error of hidden pixels against the share hidden: "
        + "; ".join(f"{name} {values[0]:.4f} to {values[-1]:.4f}" for name, (values, _) in lines.items()),
        table=pd.DataFrame(
            [
                (point.share, name, error, deviation)
                for point in results.errors
                for name, (error, deviation) in point.by_filling.items()
            ],
            columns=["share hidden", "filled by", "mean squared error", "standard error"],
        ),
    )
    layout.place_notice()
    layout.caption(SECTION.text("Errors", pictures=results.pictures))
    return (tell_errors(results.errors),)


def _probes(results: Results) -> tuple[str, ...]:
    layout.heading("What has it learned without a label?")
    rows = pd.DataFrame(
        [
            {"features": name} | {f"{probe.labels}% of the labels": probe.top1[name] for probe in results.probes}
            for name in results.probes[0].top1
        ]
    )
    _table(rows, "reconstruction-probe")
    layout.caption(SECTION.text("Linear classifier", pictures=results.validation))
    return tuple(tell_probe(probe, results.error(0.5)) for probe in results.probes)


def _tuned(results: Results) -> tuple[str, ...]:
    layout.heading("Is it a better beginning?")
    if not results.tuned:
        st.info(
            "It has not been fine-tuned yet: python -m training.mae.fine_tuning, then training.mae.report once more.",
            icon=":material/info:",
        )
        return ()
    rows = pd.DataFrame(
        [
            {
                "labels": f"{run.labels}%",
                "begins as": STARTS[run.start],
                "top-1": run.top1,
                "top-5": run.top5,
                "steps": run.steps,
            }
            for run in results.tuned
        ]
    )
    _table(rows, "reconstruction-tuned", integers=("steps",))
    layout.caption(SECTION.text("Fine-tuning", pictures=results.validation))
    both = [results.tuned_with(labels) for labels in LABELS]
    return tuple(tell_tuned(of[AUTOENCODER], of[SCRATCH], results.validation) for of in both if len(of) == 2)


def _table(rows: pd.DataFrame, name: str, *, integers: Sequence[str] = ()) -> None:
    shares = [column for column in rows if pd.api.types.is_float_dtype(rows[column])]
    formats = dict.fromkeys(shares, "percent") | dict.fromkeys(integers, "localized")
    data_table(
        rows,
        hide_index=True,
        width="content",
        column_config={column: st.column_config.NumberColumn(format=one) for column, one in formats.items()},
    )
    charts.download_table(rows, name)


def _saving(stored_saving: Saving | None, local_saving: Saving | None) -> tuple[str, ...]:
    layout.heading("What does leaving hidden patches out save?")
    layout.prose(SECTION.text("Saving"))
    measured_costs.offer(measured_here.refresh, again=local_saving is not None)
    savings = {"on our machine": stored_saving, "on this machine": local_saving}
    rows = [row for name, saving in savings.items() if saving for row in rows_of(name, saving)]
    if not rows:
        return (tell_counted(),)
    columns = ["measured", *READ, "times as much"]
    table = pd.DataFrame(rows, columns=columns)
    formats = {**dict.fromkeys(READ, "%.4g"), "times as much": "%.2f"}
    data_table(
        table,
        hide_index=True,
        width="content",
        column_config={column: st.column_config.NumberColumn(format=one) for column, one in formats.items()},
    )
    charts.download_table(table, "reconstruction-saving")
    return (tell_counted(), *(tell_saving(name, saving) for name, saving in savings.items() if saving))


def rows_of(name: str, saving: Saving) -> list[tuple[str, float, float, float]]:
    """Milliseconds of a picture, for each work."""
    scale = 1e3 / saving.batch
    return [
        (f"{work}, {name}, ms a picture", scale * taken[ALL], scale * taken[VISIBLE], saving.times(work))
        for work, taken in saving.seconds.items()
    ]


def tell_counted() -> str:
    """How many times as many multiply-adds it takes to read all patches, by count."""
    config = MAEConfig()
    visible = round(config.patches * (1 - skipped_patches.HIDDEN))
    every, some = (
        skipped_patches.count_operations(config, config.patches),
        skipped_patches.count_operations(config, visible),
    )
    return (
        f"With {visible} of {config.patches} patches in view a picture takes {some / 1e6:.0f} million multiply-adds; "
        f"an encoder that read all {config.patches} would take {every / 1e6:.0f} million, **{every / some:.1f} times** "
        "as many."
    )


def tell_saving(name: str, saving: Saving) -> str:
    """The same by the clock."""
    return (
        f"By the clock ({name}) reading all patches takes {saving.times(FORWARD):.1f} times as long in a forward pass, "
        f"and {saving.times(STEP):.1f} times in a step of training."
    )


def tell_errors(errors: Sequence[Errors]) -> str:
    """At which shares the network is nearer to the truth than every filling, beyond doubt."""

    def best_of(point: Errors) -> tuple[str, float, float]:
        others = {name: of for name, of in point.by_filling.items() if name != NETWORK}
        best = min(others, key=lambda name: others[name][0])
        return (best, *others[best])

    better = []
    for point in errors:
        _, other, deviation = best_of(point)
        own, error = point.by_filling[NETWORK]
        better.append(other - own > CLEAR * (error**2 + deviation**2) ** 0.5)
    largest = max(errors, key=lambda point: 1 - point.by_filling[NETWORK][0] / best_of(point)[1])
    best, other, _ = best_of(largest)
    own = largest.by_filling[NETWORK][0]
    if not any(better):
        return "At no share is the autoencoder clearly nearer to the truth than the best filling without a network."
    where = "every share" if all(better) else f"{sum(better)} of {len(better)} shares"
    return (
        f"At **{where}** the autoencoder is nearer to the truth than the best filling, by more than {CLEAR} standard "
        f"errors. Its lead is largest with {largest.share:.0%} hidden: {own:.4f} where the best filling ({best}) has "
        f"{other:.4f}, {1 - own / other:.0%} less."
    )


def tell_probe(probe: Probe, error: float) -> str:
    """What a linear classifier reads from what it learned, beside an untrained encoder and pixels.

    `error`: at most the standard error of one of the accuracies.
    """
    own, other = (probe.top1[f"{network}, {PATCHES}"] for network in (TRAINED, UNTRAINED))
    pixels = probe.top1[PIXELS]
    lead = own - max(other, pixels)
    sentence = (
        f"From {probe.labels}% of the labels a linear classifier on its patches gets **{own:.1%}** right, on those of "
        f"an untrained encoder {other:.1%}, on pixels {pixels:.1%}"
    )
    match compare(lead, 0.0, margin=CLEAR * error * 2**0.5):
        case "more":
            return f"{sentence}: {points(lead)} for what was learned without labels."
        case "less":
            return f"{sentence}: {points(lead)}, so nothing was gained without labels."
    return f"{sentence}: no clear gain."


def tell_tuned(own: FineTuned, scratch: FineTuned, pictures: int) -> str:
    """What it is worth to begin as the autoencoder; both were trained on the same labels."""
    gap = own.top1 - scratch.top1
    errors = [run.top1 * (1 - run.top1) / pictures for run in (own, scratch)]
    sentence = (
        f"Trained on {own.labels}% of the labels for {own.steps:,} steps, the encoder gets **{own.top1:.1%}** if it "
        f"begins as the autoencoder, {scratch.top1:.1%} from scratch"
    )
    if abs(gap) <= CLEAR * sum(errors) ** 0.5:
        return f"{sentence}: which is better cannot be decided from {pictures:,} pictures."
    return f"{sentence}: {points(gap)}, one seed each."


def numbers_of(config: MAEConfig) -> dict[str, object]:
    """The numbers of the formula: tokens, and million multiply-adds of a layer, of all patches and of visible ones."""
    visible = round(config.patches * (1 - skipped_patches.HIDDEN))

    def operations(tokens: int) -> float:
        return (12 * tokens * config.width**2 + 2 * tokens**2 * config.width) / 1e6

    return {
        "width": config.width,
        "all_tokens": 1 + config.patches,
        "all_operations": operations(1 + config.patches),
        "tokens": 1 + visible,
        "operations": operations(1 + visible),
    }
