"""How a smaller network differs from the full one: its answers, its size and time, its measured quality."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.results.shrinking import Variant
from dashboard import theme, typeset
from dashboard.figures.predictions import prediction_bars
from dashboard.number_format import CLEAR, compare, span
from dashboard.output import charts
from pages.scale.shrinking import figures
from pages.scale.shrinking.compute import Beside

TOP = 5
LOSSES = (0.01, 0.05)  # of the quality, as they are marked
MEASURES = {"bits": "bits a token (less is better)", "accuracy": "share of right answers", "BLEU": "BLEU"}


# Answers, size and time.


def about_bytes(comparison: Beside, what: str) -> str:
    """What is left of the memory and the time. `what` has been done, in words."""
    return (
        f"{what}: **{comparison.bytes[1] / comparison.bytes[0]:.0%}** of the bytes are left, and one pass takes "
        f"{comparison.milliseconds[1]:.1f} instead of {comparison.milliseconds[0]:.1f} ms."
    )


def about_size(comparison: Beside, what: str) -> str:
    """What is left of the size and the time. `what` has been taken away, in words."""
    share = comparison.parameters[1] / comparison.parameters[0]
    return (
        f"{what}: **{share:.0%}** of the parameters are left, and one pass takes {comparison.milliseconds[1]:.1f} "
        f"instead of {comparison.milliseconds[0]:.1f} ms."
    )


def about_answer(comparison: Beside) -> str:
    """Whether the answer stays."""
    if comparison.written is not None:
        return (
            f"The translation is **{'the same' if comparison.written[0] == comparison.written[1] else 'another one'}**."
        )
    before, after = int(comparison.before.argmax()), int(comparison.after.argmax())
    names = [typeset.plain(typeset.readable(comparison.answers[number]).strip()) for number in (before, after)]
    if before == after:
        return (
            f"The first answer stays **“{names[0]}”**, {comparison.before[before]:.1%} before and "
            f"{comparison.after[after]:.1%} now."
        )
    return f"The first answer was “{names[0]}” and is now **“{names[1]}”**."


def about_moved(comparison: Beside) -> str:
    """How much probability has moved from some answers to others."""
    moved = float((comparison.before - comparison.after).abs().sum()) / 2
    first = "of the first word " if comparison.written is not None else ""
    return f"In all, **{moved:.1%}** of the probability {first}has moved to other answers."


def says(comparison: Beside, *, changed: str, name: str) -> None:
    """What the network says before and after, as bars, or as two texts where it writes; `changed` names the second."""
    if comparison.written is not None:
        for column, title, text in zip(st.columns(2), ("The whole network", changed), comparison.written, strict=True):
            with column:
                st.markdown(f"**{title[0].upper()}{title[1:]}**")
                st.text(text or "(nothing)")
        return
    count = min(TOP, len(comparison.answers))
    numbers = list(
        dict.fromkeys([*comparison.before.topk(count).indices.tolist(), *comparison.after.topk(count).indices.tolist()])
    )
    labels = [typeset.readable(comparison.answers[number]) for number in numbers]
    before, after = ([float(side[number]) for number in numbers] for side in (comparison.before, comparison.after))
    charts.chart(
        partial(prediction_bars, labels, before, after, look=theme.look(), changed=changed),
        name=name,
        alt="; ".join(
            f"{label}: {one:.1%}, then {other:.1%}" for label, one, other in zip(labels, before, after, strict=True)
        ),
        table=pd.DataFrame({"answer": labels, "the whole network": before, changed: after}),
    )


# Measured quality.


def curves(
    baseline: Variant, along: Sequence[float], lines: Mapping[str, Sequence[float] | np.ndarray], *, x: str, name: str
) -> None:
    """Quality as more and more is taken away, a line for each way; NaN where it was not measured."""
    charts.chart(
        partial(
            figures.quality_curves,
            along,
            lines,
            figures.bounds(baseline, LOSSES),
            look=theme.look(),
            x=x,
            y=MEASURES[baseline.measure],
        ),
        name=name,
        alt="; ".join(f"{title}: {span(np.asarray(values), '{:.3g}'.format)}" for title, values in lines.items()),
        table=pd.DataFrame({x: along, **lines}),
    )


def about_doubt(baseline: Variant) -> str:
    """How far a share of right answers may be off, since only so many questions were asked; "" of other measures."""
    if baseline.error is None:
        return ""
    return (
        f" One standard error of a share of right answers is {100 * baseline.error:.1f} points ({baseline.questions:,} "
        "questions): smaller losses cannot be told from chance."
    )


def about_small_losses(baseline: Variant) -> str:
    """Which of LOSSES is less than two standard errors of a difference of two shares of right answers; "" if none."""
    if baseline.error is None:
        return ""
    margin = CLEAR * 2**0.5 * baseline.error
    small = [f"{loss:.0%}" for loss in LOSSES if loss * baseline.quality < margin]
    if not small:
        return ""
    verb = "is" if len(small) == 1 else "are"
    return (
        f" A loss of {' or of '.join(small)} {verb} within two standard errors here ({100 * margin:.1f} points), so "
        "how much can go before it is uncertain."
    )


def lost_in_words(row: Variant, baseline: Variant) -> str:
    """What a variant costs beside the whole network: "costs 1.2% of the quality", "loses nothing"."""
    loss = row.quality_loss(baseline)
    if compare(loss, 0.0, margin=0.0005) == "as much":
        return "cost nothing"
    if loss > 0:
        return f"cost **{loss:.1%}** {of_quality(baseline)}"
    return f"cost nothing: the quality is {-loss:.1%} better"


def quality_of(row: Variant) -> str:
    """Its quality in words."""
    return {
        "accuracy": f"{row.quality:.1%} right",
        "bits": f"{row.quality:.3f} bits a token",
        "BLEU": f"{row.quality:.1f} BLEU",
    }[row.measure]


def of_quality(baseline: Variant) -> str:
    """Of what a loss is a share, in words: less quality, or more bits."""
    return "more bits a token" if baseline.measure == "bits" else "of the quality"


def quality_column(rows: Sequence[Variant]) -> dict[str, Any]:
    """The title of a table's column of qualities, and how it is written."""
    measure = rows[0].measure
    formats = {"accuracy": "percent", "bits": "%.3f", "BLEU": "%.1f"}
    return {MEASURES[measure]: st.column_config.NumberColumn(format=formats[measure])}
