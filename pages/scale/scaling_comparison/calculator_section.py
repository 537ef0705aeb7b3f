"""Calculator: computing, memory and time of a GPT of one's own, and whether another size would have bought more."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from core.published.devices import devices
from core.scaling import (
    EXACT,
    FLOPS_EACH,
    RULE,
    Chinchilla,
    Device,
    hours,
    running_memory,
    training_flops,
    training_memory,
)
from core.sizes import Line, Shape, total
from dashboard import charts, layout, own_gpt
from dashboard.numbers import amount, with_power
from pages.scale.scaling_comparison import calculator_notices
from pages.scale.scaling_comparison import compute_laws as laws
from pages.scale.scaling_comparison import words_calculator as said
from pages.scale.scaling_comparison.figures_budget import Split, memory_bar, split_curve

BILLION = 1e9
TOKENS = tuple(step * 10**power for power in range(8, 14) for step in (1, 2, 3, 5))  # 0.1 billion to 50 trillion


@dataclass(frozen=True)
class Wanted:
    """All that was chosen."""

    shape: Shape
    context: int
    tokens: int
    batch: int
    device: Device
    devices: int
    utilisation: float

    @property
    def flops(self) -> tuple[Line, Line]:
        """6 N D, and the exact count."""
        return training_flops(self.shape, self.context, self.tokens)

    @property
    def memory(self) -> tuple[Line, ...]:
        """Bytes for the training, part by part."""
        return training_memory(self.shape, self.context, self.batch)

    @property
    def kept(self) -> Line:
        """Bytes of the keys and values of all texts of a batch in half precision."""
        return running_memory(self.shape, self.context, self.batch, "fp16")[1]

    @property
    def hours(self) -> float:
        """On all devices together, by the exact count."""
        return hours(float(self.flops[1].value), self.device, devices=self.devices, utilisation=self.utilisation)


def show() -> None:
    """Controls, numbers, two figures."""
    if not layout.is_presented():
        st.markdown(said.LEAD, width=layout.PROSE)
    wanted = _choose()
    _numbers(wanted)
    left, right = st.columns(2, gap="medium")
    with left:
        _memory(wanted)
    with right:
        split = _split(wanted)
    if not layout.is_presented():
        with st.expander(said.BILL):
            calculator_notices.bill(wanted)
    layout.notes(said.NOTES, notice=calculator_notices.notice(wanted, split), formula=calculator_notices.formula)


def _choose() -> Wanted:
    shape, context = own_gpt.choose("calc")
    offered = {device.name: device for device in devices()}
    with layout.control_bar():
        tokens = st.select_slider(
            "Training tokens",
            TOKENS,
            300 * 10**9,
            format_func=amount,
            key="calc_tokens",
            bind="query-params",
            width=300,
        )
        batch = st.number_input("Texts at once", 1, 1_000_000, 1, key="calc_batch", bind="query-params", width=150)
    with layout.control_bar():
        device = st.selectbox(
            "Device",
            list(offered),
            list(offered).index("NVIDIA A100 SXM 80 GB"),
            key="calc_device",
            bind="query-params",
            width=300,
        )
        count = st.number_input("How many", 1, 1_000_000, 1024, key="calc_devices", bind="query-params", width=150)
        used = st.slider(
            "Share of the peak that is used",
            5,
            100,
            40,
            5,
            format="%d %%",
            key="calc_used",
            bind="query-params",
            width=300,
        )
    if not layout.is_presented():
        st.caption(said.DEVICES.format(device=device, source=offered[device].source))
    return Wanted(shape, context, tokens, batch, offered[device], count, used / 100)


def _numbers(wanted: Wanted) -> None:
    rule, exact = wanted.flops
    with layout.control_bar():
        st.metric("Parameters", amount(total(wanted.shape)))
        st.metric(f"FLOPs, {RULE}", with_power(rule.value, digits=3))
        st.metric(f"FLOPs, {EXACT.lower()}", with_power(exact.value, digits=3))
        st.metric("Duration", duration(wanted.hours))
        st.metric("KV cache of the texts", f"{amount(wanted.kept.value)}B")


def duration(number: float) -> str:
    """Hours as a person says them."""
    for unit, size in (("years", 8766.0), ("days", 24.0), ("hours", 1.0), ("minutes", 1 / 60)):
        if number >= 2 * size or unit == "minutes":
            return f"{number / size:,.3g} {unit}"
    raise AssertionError("minutes always fit")


def _memory(wanted: Wanted) -> None:
    st.subheader("Does the training fit?", anchor=False)
    if not layout.is_presented():
        st.caption(said.FIT)
    parts = {line.part: line.value / BILLION for line in wanted.memory}
    figure = memory_bar(parts, wanted.device.bytes / BILLION, device=wanted.device.name, look=layout.look())
    charts.chart(
        figure,
        name="calculator-memory",
        alt="Memory of the training: " + ", ".join(f"{name} {amount(1e9 * size)}B" for name, size in parts.items()),
        table=pd.DataFrame(
            [{"part": line.part, "bytes": line.value, "formula": line.formula} for line in wanted.memory]
        ),
    )


def _split(wanted: Wanted) -> Split:
    st.subheader("Would another size buy more?", anchor=False)
    with layout.waiting_place(), st.spinner("Fitting the law …"):
        law, runs = laws.law_of_chinchilla()
    if not layout.is_presented():
        st.caption(said.SPLIT.format(runs=runs))
    split = split_of(law, total(wanted.shape), wanted.tokens)
    charts.chart(
        split_curve(split, look=layout.look()),
        name="calculator-split",
        alt=f"Loss of all splits of the same compute: {split.chosen[1]:.3f} as chosen, {split.best[1]:.3f} at best.",
        table=pd.DataFrame({"parameters": split.parameters, "loss": split.loss}),
    )
    return split


def split_of(law: Chinchilla, parameters: int, tokens: int) -> Split:
    """All sizes that cost the same 6 N D, from a hundredth to a hundred times the best one and the chosen one."""
    flops = float(FLOPS_EACH) * parameters * tokens
    best, data = (float(each[0]) for each in law.optimal(np.array([flops])))
    sizes = np.geomspace(min(best, parameters) / 100, max(best, parameters) * 100, 200)
    one = law.loss(np.array([float(parameters), best]), np.array([float(tokens), data]))
    return Split(
        sizes, law.loss(sizes, flops / FLOPS_EACH / sizes), (float(parameters), float(one[0])), (best, float(one[1]))
    )
