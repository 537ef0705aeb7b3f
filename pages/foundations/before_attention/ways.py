"""Three ways: path length, sequential steps and operations of each kind of layer, counted, and one layer measured."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.costs.complexity import WAYS, Sizes, crossover
from core.costs.layer_costs import HEADS, KERNEL, WIDTH
from core.costs.one_pass import Cost
from dashboard import theme
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import large
from dashboard.output import charts, measured_costs
from pages.foundations.before_attention import compute
from pages.foundations.before_attention.figures import LAYER_HUES, way_curves
from pages.foundations.before_attention.prose import PAGE

SECTION = PAGE.section("Three ways")
TOKENS = [2**power for power in range(4, 18)]
# Label, key, choices, at first.
SLIDERS = (
    ("n, tokens", "n", TOKENS, 1024),
    ("d, channels of a token", "d", [2**power for power in range(5, 13)], 512),
    ("k, kernel", "k", [2, 3, 4, 5, 7, 9, 16, 32, 64], 5),
    ("r, neighbours", "r", [2**power for power in range(2, 13)], 128),
)
MAIN = 2  # of the sliders stand beside the figure's choice, the others in the settings
OPERATIONS = "operations"
COUNTS = {OPERATIONS: "operations", "sequential steps": "sequential", "path length": "path"}  # of a `Way`


def show() -> None:
    """The curves and the table; then the measurement."""
    sizes, drawn = _choices()
    _curves(sizes, drawn)
    layout.place_notice()
    st.table(table(sizes), border="horizontal", width="content")
    costs = _measured()
    layout.notes(SECTION, notice=(*about_ways(sizes), *about_measured(costs)))


def _choices() -> tuple[Sizes, str]:
    """The sizes of a layer, and what is drawn against the number of tokens."""

    def slider(label: str, key: str, choices: Sequence[int], first: int) -> int:
        return st.select_slider(label, choices, first, key=key, bind="query-params", width=165)

    with layout.control_bar():
        drawn = controls.choice("Against n", COUNTS, key="count", first=OPERATIONS)
        main = [slider(*row) for row in SLIDERS[:MAIN]]
        with layout.settings():
            others = [slider(*row) for row in SLIDERS[MAIN:]]
    return Sizes(*main, *others), drawn


def table(sizes: Sizes) -> pd.DataFrame:
    """Table 1 in Markdown: each formula with its number for these sizes; the smallest of a column is bold."""
    columns = {}
    for name, attribute in COUNTS.items():
        counts = [(count.formula, count.of(sizes)) for count in map(attrgetter(attribute), WAYS.values())]
        smallest = min(number for _, number in counts)
        written = [f"**{large(number)}**" if number == smallest else large(number) for _, number in counts]
        columns[name] = [f"${formula}$\u2003{number}" for (formula, _), number in zip(counts, written, strict=True)]
    return pd.DataFrame(columns, index=[way.title for way in WAYS.values()])


def about_ways(sizes: Sizes) -> tuple[str, ...]:
    """Where attention is cheaper than recurrence, and what each pays in steps."""
    attention, recurrent = WAYS["self_attention"], WAYS["recurrent"]
    attention_cost, recurrent_cost = attention.operations.of(sizes), recurrent.operations.of(sizes)
    if attention_cost == recurrent_cost:
        compared = "self-attention and recurrence need the same number of operations"
    elif attention_cost < recurrent_cost:
        compared = (
            f"recurrence needs **{_times(recurrent_cost / attention_cost)}** as many operations as self-attention"
        )
    else:
        compared = (
            f"self-attention needs **{_times(attention_cost / recurrent_cost)}** as many operations as recurrence"
        )
    meeting = crossover(sizes)
    dilated, contiguous = WAYS["dilated"].path.of(sizes), WAYS["convolution"].path.of(sizes)
    return (
        f"With n = {sizes.n:,} and d = {sizes.d:,}, {compared}. Their costs meet at n = d = {meeting['recurrent']:,}; "
        f"self-attention and convolution meet at n = k·d = {meeting['convolution']:,}.",
        f"A signal from the first to the last of these {sizes.n:,} tokens takes **{recurrent.path.of(sizes):,}** steps "
        f"through a recurrent layer, {contiguous:,} layers of convolution, {dilated:,} if they are dilated, and 1 "
        "through self-attention.",
        f"A recurrent layer computes its {recurrent.sequential.of(sizes):,} tokens one after another, however many "
        "processors there are; the other layers can compute all tokens at once.",
    )


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.2g} times"


def about_measured(costs: Sequence[Cost]) -> tuple[str, ...]:
    """How time and memory grew between the two longest inputs of each layer that was measured at two at least."""
    lengths = sorted({cost.tokens for cost in costs})[-2:]
    cost_at = {(cost.name, cost.tokens): cost for cost in costs}
    pairs = [
        [cost_at[name, length] for length in lengths]
        for name in dict.fromkeys(cost.name for cost in costs)
        if len(lengths) == 2 and all((name, length) in cost_at for length in lengths)
    ]
    pairs = [pair for pair in pairs if pair[0].seconds and pair[0].bytes]
    if not pairs:
        return ()
    grown = ", ".join(
        f"{last.name} **{last.seconds / first.seconds:.1f}** and **{last.bytes / first.bytes:.1f}**"
        for first, last in pairs
    )
    return (f"From {lengths[0]:,} to {lengths[1]:,} tokens, time and memory grew by these factors: {grown}.",)


def _curves(sizes: Sizes, drawn: str) -> None:
    count = attrgetter(f"{COUNTS[drawn]}.of")
    counted = {key: np.array([float(count(way)(replace(sizes, n=n))) for n in TOKENS]) for key, way in WAYS.items()}
    crossing = drawn == OPERATIONS
    y = "operations in one layer" if crossing else drawn
    charts.chart(
        partial(way_curves, TOKENS, counted, sizes, y=y, crossing=crossing, look=theme.look()),
        name="ways",
        alt=f"How the {drawn} of each kind of layer grow with the number of tokens, both scales logarithmic",
        table=pd.DataFrame({"n": TOKENS, **{WAYS[key].title: values for key, values in counted.items()}}),
    )


def _measured() -> tuple[Cost, ...]:
    """The button, and the two figures once somebody has pressed it; what was measured, if anything was."""
    st.subheader("Measured on this machine", anchor=False)
    costs = compute.layer_costs.peek() or ()
    repeats, threads = min((cost.repeats for cost in costs), default="several"), torch.get_num_threads()
    text = SECTION.text("Measurement", width=WIDTH, heads=HEADS, kernel=KERNEL, threads=threads, repeats=repeats)
    st.markdown(text, width=theme.PROSE)
    measured_costs.offer(compute.layer_costs.refresh, again=bool(costs))
    if costs:
        measured_costs.time_and_memory(costs, hues=LAYER_HUES, name="measured", plural="layers")
    return costs
