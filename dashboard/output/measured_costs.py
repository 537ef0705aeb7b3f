"""Measurements on the machine that runs the app: the button that starts one, and costs as figures."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.costs.one_pass import Cost
from core.progress import Progress
from dashboard import theme
from dashboard.cache import waiting
from dashboard.figures.curves import curves
from dashboard.output import charts


def offer(measure: Callable[[Progress], object], *, again: bool, unit: str = "passes") -> None:
    """Draw a button that starts `measure` under a bar with a button to cancel it; then the page runs again."""
    label = "Measure again" if again else "Measure on this machine"
    waiting.offer(label, measure, unit=unit, start="Waiting for a free place …", icon=":material/timer:")


def time_and_memory(costs: Sequence[Cost], *, hues: Mapping[str, str], name: str, plural: str) -> None:
    """Draw time and memory of one pass against the number of tokens, side by side, with a line for each name in `hues`.

    `name` begins the names of files, `plural` names what was measured.
    """
    quantities = (
        ("time", "milliseconds", [1e3 * cost.seconds for cost in costs]),
        ("memory", "megabytes", [cost.bytes / 1e6 for cost in costs]),
    )
    for column, (quantity, unit, values) in zip(st.columns(2, gap="medium"), quantities, strict=True):
        rows = pd.DataFrame(
            {plural: [cost.name for cost in costs], "n": [cost.tokens for cost in costs], quantity: values}
        )
        wide = rows.pivot(index="n", columns=plural, values=quantity)
        lengths = wide.index.to_list()
        figure = curves(
            lengths,
            {series: np.array(wide[series]) for series in hues},
            look=theme.look(),
            x="n, tokens",
            y=f"{quantity} of one pass ({unit})",
            tell=f"%{{fullData.name}}, n = %{{x:,}}: %{{y:.3g}} {unit}",
            hues=hues,
            marks=True,
            x_log=True,
            y_log=True,
            height=theme.look().high(440),
        )
        figure.update_xaxes(tickvals=lengths, ticktext=[f"{n:,}" for n in lengths])
        alt = (
            f"The {quantity} of one pass of each of the {plural} against the number of tokens, both scales logarithmic"
        )
        table = rows.rename(columns={quantity: f"{quantity} ({unit})"})
        with column:
            charts.chart(figure, name=f"{name}-{quantity}", alt=alt, table=table)
