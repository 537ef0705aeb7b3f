"""Calculator: computing, memory and time of a GPT of one's own, and whether another size would have bought more."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from jaxtyping import Float

from core.costs import Line, Shape, flops, total
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
from dashboard import contents, theme
from dashboard.figures import scatter
from dashboard.frame import layout
from dashboard.inputs import controls, gpt_size
from dashboard.number_format import amount, compare, in_latex, with_power
from dashboard.output import charts
from dashboard.theme import HUES
from pages.scale.scaling_comparison import compute
from pages.scale.scaling_comparison.figures_bars import memory_bar
from pages.scale.scaling_comparison.prose import PAGE

SECTION = PAGE.section("Calculator")
BILLION = 1e9
TOKENS = tuple(step * 10**power for power in range(8, 14) for step in (1, 2, 3, 5))  # 0.1 billion to 50 trillion
NOTICEABLE = 0.002  # nats


@dataclass(frozen=True)
class TrainingRun:
    """A training as it was chosen: the network, its data and the devices that it runs on."""

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
    def kv_cache(self) -> Line:
        """Bytes of the keys and values of all texts of a batch in half precision."""
        return running_memory(self.shape, self.context, self.batch, "fp16")[1]

    def duration(self, operations: float) -> str:
        """How long so many FLOPs take on all devices together."""
        return duration(hours(operations, self.device, devices=self.devices, utilisation=self.utilisation))


def show() -> None:
    """Controls, two figures, numbers."""
    run = _choose()
    rule, exact = run.flops
    left, right = st.columns(2, gap="medium")
    with left:
        _memory(run)
        layout.place_notice()
    with right:
        split = _split(run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.metric("Parameters", amount(total(run.shape)))
        st.metric(f"FLOPs, {RULE}", with_power(rule.value, digits=3))
        st.metric(f"FLOPs, {EXACT.lower()}", with_power(exact.value, digits=3))
        st.metric("Duration", run.duration(float(exact.value)))
        st.metric("KV cache of the texts", f"{amount(run.kv_cache.value)}B")
    layout.caption(SECTION.text("Peak speeds", device=run.device.name, source=run.device.source))
    layout.prose(SECTION.text("A GPT of your own"))
    if not theme.is_presented():
        with st.expander("Every line of the bill, as a formula"):
            st.markdown(SECTION.text("Symbols of the bill"))
            for line in (*run.flops, *run.memory, run.kv_cache):
                st.markdown(f"**{line.part}**")
                st.latex(rf"{line.formula} = {line.filled} = {in_latex(line.value)}")
        contents.NEXT_WORD.link("Next word: what such a cache keeps, measured", show="Cache")
    layout.notes(SECTION, notice=notice(run, split))


def _choose() -> TrainingRun:
    offered = {device.name: device for device in devices()}
    with layout.control_bar():
        size = st.popover("Model size", icon=":material/straighten:")
        tokens = st.select_slider(
            "Training tokens",
            TOKENS,
            300 * 10**9,
            format_func=amount,
            key="calc_tokens",
            bind="query-params",
            width=200,
        )
        device = st.selectbox(
            "Device",
            list(offered),
            list(offered).index("NVIDIA A100 SXM 80 GB"),
            key="calc_device",
            bind="query-params",
            width=230,
        )
        count = controls.number_box("How many", 1, 1_000_000, 1024, key="calc_devices", width=120)
        with layout.settings():
            batch = controls.number_box("Texts at once", 1, 1_000_000, 1, key="calc_batch", width=150)
            used = st.slider(
                "Share of the peak that is used",
                5,
                100,
                40,
                5,
                format="%d%%",
                key="calc_used",
                bind="query-params",
                width=300,
            )
    with size:
        shape, context = gpt_size.choose("calc")
    return TrainingRun(shape, context, tokens, batch, offered[device], count, used / 100)


def duration(number: float) -> str:
    """Hours as a person says them."""
    for unit, size in (("years", 8766.0), ("days", 24.0), ("hours", 1.0), ("minutes", 1 / 60)):
        if number >= 2 * size:
            return f"{number / size:,.3g} {unit}"
    return f"{3600 * number:,.3g} seconds"


def _memory(run: TrainingRun) -> None:
    st.markdown("**Does the training fit into one device?**")
    parts = {line.part: line.value / BILLION for line in run.memory}
    figure = partial(memory_bar, parts, run.device.bytes / BILLION, device=run.device.name, look=theme.look())
    charts.chart(
        figure,
        name="calculator-memory",
        alt="Memory of the training: " + ", ".join(f"{name} {amount(1e9 * size)}B" for name, size in parts.items()),
        table=pd.DataFrame([{"part": line.part, "bytes": line.value, "formula": line.formula} for line in run.memory]),
    )
    layout.caption(SECTION.text("Memory of one device"))


@dataclass(frozen=True)
class Split:
    """Sizes that cost the same compute, the loss that a law expects of each, and two of them."""

    parameters: Float[np.ndarray, "place"]
    loss: Float[np.ndarray, "place"]
    chosen: tuple[float, float]  # parameters and loss
    best: tuple[float, float]


def _split(run: TrainingRun) -> Split:
    st.markdown("**Would another size reach a lower loss?**")
    law, runs = compute.law_of_chinchilla()
    split = split_of(law, total(run.shape), run.tokens)
    charts.chart(
        split_curve(split),
        name="calculator-split",
        alt=f"Loss of all splits of the same compute: {split.chosen[1]:.3f} as chosen, {split.best[1]:.3f} at best.",
        table=pd.DataFrame({"parameters": split.parameters, "loss": split.loss}),
    )
    most = with_power(runs.flops.max(), digits=2)
    layout.caption(SECTION.text("Splits of the same compute", runs=len(runs), most=most))
    return split


def split_of(law: Chinchilla, parameters: int, tokens: int) -> Split:
    """All sizes that cost the same 6 N D, from a hundredth to a hundred times the best one and the chosen one."""
    flops = float(FLOPS_EACH) * parameters * tokens
    best, data = (float(array[0]) for array in law.optimal(np.array([flops])))
    sizes = np.geomspace(min(best, parameters) / 100, max(best, parameters) * 100, 200)
    one = law.loss(np.array([float(parameters), best]), np.array([float(tokens), data]))
    return Split(
        sizes, law.loss(sizes, flops / FLOPS_EACH / sizes), (float(parameters), float(one[0])), (best, float(one[1]))
    )


def split_curve(split: Split) -> go.Figure:
    """The loss along all splits of one compute; the chosen one and the best one as marks."""
    marks = {"your model": (*split.chosen, HUES[1]), "lowest loss for this compute": (*split.best, HUES[2])}
    points = pd.DataFrame(
        [
            {"x": size, "y": loss, "family": name, "label": name, "tell": f"{amount(size)}parameters, loss {loss:.3f}"}
            for name, (size, loss, _) in marks.items()
        ]
    )
    curve = scatter.Line(
        "", split.parameters, split.loss, colour=HUES[0], tell="%{x:.3s} parameters: loss %{y:.3f}", in_range=True
    )
    figure = scatter.scatter(
        points.assign(short=""),
        x=scatter.Axis("parameters", True, "power"),
        y=scatter.Axis("loss, nats a token"),
        hues={name: hue for name, (_, _, hue) in marks.items()},
        look=theme.look(),
        lines=[curve],
        symbols=("diamond", "circle"),
        height=380,
    )
    top = max(split.chosen[1], float(np.quantile(split.loss, 0.8)))
    margin = 0.08 * (top - split.best[1])
    figure.update_yaxes(range=[split.best[1] - margin, top + margin])
    return figure


def notice(run: TrainingRun, split: Split) -> tuple[str, ...]:
    """The fit, the rule beside the count, and the better split."""
    return (_fit(run), rule_and_count(run), _better(run, split))


def rule_and_count(run: TrainingRun) -> str:
    """How far the exact count is from 6 N D, and the two ways in which they differ, as shares."""
    rule, exact = (line.value for line in run.flops)
    share = 100 * (exact / rule - 1)
    forward = sum(line.value for line in flops(run.shape, run.context))
    scores = 4 * run.shape.layers * run.context**2 * run.shape.inner  # keys and values, 2 FLOPs a product
    idle = 1 - (forward - scores) / (2 * run.context * total(run.shape))
    side = {"more": "above", "less": "below"}.get(compare(float(exact), float(rule)))
    beside = f"{abs(share):.3g}% {side} {RULE}" if side else f"the same as {RULE}"
    return (
        f"The exact count is {beside}. Attention's scores and weighted sums, which have no parameters, take "
        f"{scores / forward:.2%} of it; {idle:.2%} of the parameters (positions, norms, biases) are in no matrix "
        "product."
    )


def _fit(run: TrainingRun) -> str:
    needed, has = sum(line.value for line in run.memory), run.device.bytes
    largest = max(run.memory, key=lambda line: line.value)
    sentence = f"Training needs {amount(needed)}B of memory, {largest.value / needed:.0%} of it for *{largest.part}*"
    if needed <= has:
        return f"{sentence}: it fits into one {run.device.name}."
    return f"{sentence}: shared evenly, it takes at least {math.ceil(needed / has):,} × {run.device.name}."


def _better(run: TrainingRun, split: Split) -> str:
    (size, loss), (best, lowest) = split.chosen, split.best
    if loss - lowest < NOTICEABLE:
        return f"By the law, no other size would lower the loss by {NOTICEABLE} or more for this compute."
    compute_used = FLOPS_EACH * size * run.tokens
    larger, dearer = ("smaller", "cheaper") if best < size else ("larger", "more expensive")
    return (
        f"By the law, a {larger} model of {amount(best).strip()} parameters that reads "
        f"{amount(size * run.tokens / best).strip()} tokens would reach {lowest:.3f} instead of {loss:.3f} in the "
        f"same {run.duration(compute_used)} of {RULE}. Each token would also be {dearer} to run."
    )
