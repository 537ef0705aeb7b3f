"""The head in view: from which words it moved its part, and what happens when it is silenced."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from jaxtyping import Float

from core.interpretability.component_outputs import Component
from core.interpretability.logit_attribution import Attribution
from dashboard import theme, typeset
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.recordings.watched import Head
from dashboard.theme import HUES
from pages.language.next_word import compute_why
from pages.language.next_word.compute_why import Reading
from pages.language.next_word.figures_why import (
    WITHOUT,
    component_name,
    difference_lines,
    plus,
    probability_lines,
    source_rows,
)
from pages.language.next_word.prose import PAGE

SECTION = PAGE.section("Why this word")
CHANGED = 6  # parts that change most when a head is silenced, each with a bar
NEAR = 0.005  # nats: less is not told from nothing


def clicked(attribution: Attribution) -> Callable[[int, int], None]:
    """What a click on the map of all parts does: it takes a head into view, if it is one."""

    def choose(layer: int, column: int) -> None:
        heads = attribution.component_outputs.heads.get(layer)
        if heads is not None and column < len(heads.weights):
            st.session_state.why_layer, st.session_state.why_head = layer, column

    return choose


def choose(attribution: Attribution) -> Head | None:
    """The head in view, at first the one that writes most; None where no layer's heads can be told apart."""
    heads = attribution.component_outputs.heads
    if not heads:
        return None
    parts = {component: share for component, share in attribution.by_component.items() if component.kind == "head"}
    strongest = max(parts, key=lambda component: abs(parts[component]))
    assert strongest.block is not None
    assert strongest.head is not None
    with layout.control_bar():
        last = 1 + max(heads.keys() | attribution.component_outputs.undivided.keys())
        layer = controls.number("Layer", last, key="why_layer", first=strongest.block)
        if layer not in heads:
            reason = attribution.component_outputs.undivided.get(layer, "")
            layout.caption(SECTION.text("Undivided layers", layer=layer, reason=typeset.plain(reason)))
            return None
        first = strongest.head if layer == strongest.block else 0
        return layer, controls.number("Head", len(heads[layer].weights), key="why_head", first=first)


def show(read: Reading, attribution: Attribution, names: tuple[str, str], head: Head) -> tuple[str, ...]:
    """Its part by source token, what changes without it, the lens with and without it; and what is to be noticed."""
    with layout.waiting_place():
        without = compute_why.reading(read.selection.name, read.selection.text, head)
        changed = compute_why.attribution(without, attribution.target, attribution.foil)
    changes = changes_of(attribution.by_component, changed.by_component)
    labels = [typeset.in_word(read.tokens, place) for place in range(len(read.tokens))]
    weights, moved = (
        attribution.component_outputs.heads[head[0]].weights[head[1]].numpy(),
        attribution.of_head(*head).numpy(),
    )
    st.subheader(f"Layer {head[0]}, head {head[1]}", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        _sources(labels, weights, moved, names, head)
    with right:
        _changes(changes, Component("head", *head), changed.difference - attribution.difference)
    st.subheader("Layer by layer, with the logit lens", anchor=False)
    pair = [attribution.target, attribution.foil]
    before, after = (reading.lens.log_softmax(dim=-1)[:, pair].numpy() for reading in (read, without))
    _lens(before, after, names)
    marked = tuple(map(typeset.plain, names))
    return (
        about_lens(before[:, 0] - before[:, 1], *marked),
        about_head(head, labels, weights, moved),
        about_silence(head, attribution.difference, changed.difference, changes),
    )


def changes_of(before: dict[Component, float], after: dict[Component, float]) -> dict[Component, float]:
    """By how much each part changed."""
    return {component: after.get(component, 0.0) - before.get(component, 0.0) for component in {**before, **after}}


def about_lens(differences: Float[np.ndarray, " point"], one: str, other: str) -> str:
    """From where on the stream favours what the model favours; `differences` of the logits, before and after layers."""
    signs = np.where(np.abs(differences) < NEAR, 0, np.sign(differences))
    final = signs[-1]
    if not final:
        return (
            f"Read with the logit lens, the residual stream favours neither {one} nor {other} in the end (by {NEAR} "
            "nats or more)."
        )
    same = (signs == final)[::-1].cumprod().sum()  # points, from the last one back
    first = len(differences) - int(same)
    where = "already before the first layer" if first == 0 else f"after layer {first - 1} and from then on"
    return f"Read with the logit lens, the residual stream favours {one if final > 0 else other} **{where}**."


def about_head(head: Head, labels: Sequence[str], weights: np.ndarray, moved: np.ndarray) -> str:
    """From where a head moved most, and whether it is where it looks most."""
    name, total = f"**Layer {head[0]}, head {head[1]}**", float(moved.sum())
    most, most_attended = int(np.abs(moved).argmax()), int(weights.argmax())
    if abs(moved[most]) < NEAR:
        return f"{name} moves almost nothing from any token."
    sentence = f"{name} writes {plus(total)}, the largest share from {_quoted(labels, most)}: "
    sentence += f"{plus(float(moved[most]))}, by {weights[most]:.0%} of its attention."
    if np.sign(moved[most]) != np.sign(total):
        sentence = sentence.replace(", the largest share from", " in all, but moves most from")
    if most_attended == most:
        return f"{sentence} It also attends to that token most."
    return (
        f"{sentence} It attends most to {_quoted(labels, most_attended)} ({weights[most_attended]:.0%}), from where it "
        f"moves {plus(float(moved[most_attended]))}."
    )


def about_silence(head: Head, before: float, after: float, changes: dict[Component, float]) -> str:
    """What a silenced head's own part would make of the difference, and what really comes of it."""
    own = changes[Component("head", *head)]
    real, remainder = after - before, after - before - own
    sentence = (
        f"Ablating the head changes the difference by **{plus(real)}**, from {plus(before)} to {plus(after)}; its own "
        f"part alone would change it by {plus(own)}."
    )
    others = {component: change for component, change in changes.items() if component != Component("head", *head)}
    most = max(others, key=lambda component: abs(others[component]))
    if abs(others[most]) < NEAR:
        return f"{sentence} No other part changes by as much as {NEAR}."
    named = f"most {component_name(most)} ({plus(others[most])})"
    if abs(remainder) < NEAR:
        return f"{sentence} Other parts change as well, {named}, but their changes cancel."
    return (
        f"{sentence} The other {plus(remainder)} come from the other parts, {named}: they receive another input now, "
        "and the scale of the final norm changes."
    )


def _quoted(labels: Sequence[str], place: int) -> str:
    return f"“{typeset.plain(labels[place])}” (token {place})"


def _sources(labels: Sequence[str], weights: np.ndarray, moved: np.ndarray, names: tuple[str, str], head: Head) -> None:
    toward = f"toward {typeset.plain(names[0])} (+) or {typeset.plain(names[1])} (−)"
    st.markdown(f"**What it attends to, and what it moves from there**, {toward}")
    rows = source_rows(labels, weights, moved)
    columns = [
        Column(
            "attention", rows["weight"].to_numpy(), "%{customdata} gets %{x:.1%} of the head's attention", percent=True
        ),
        Column("moved, nats", rows["moved"].to_numpy(), "%{customdata}: %{x:.4f} nats of the difference"),
    ]
    charts.chart(
        partial(score_bars, rows["token"].tolist(), columns, look=theme.look().sized(-1)),
        name="why-sources",
        alt=f"What layer {head[0]}, head {head[1]} attends to, and what it moves from each token",
        table=rows,
    )


def _changes(changes: dict[Component, float], own: Component, real: float) -> None:
    st.markdown("**How the difference changes when the head is ablated**")
    others = sorted(((w, c) for w, c in changes.items() if w != own), key=lambda item: -abs(item[1]))
    remaining = [change for _, change in others[CHANGED:]]
    rows = [
        ("its own part", changes[own]),
        *((component_name(component), change) for component, change in others[:CHANGED]),
        *([(f"the other {len(remaining)} parts", sum(remaining))] if remaining else []),
        ("all together", real),
    ]
    labels, values = [label for label, _ in rows], np.array([value for _, value in rows])
    charts.chart(
        partial(
            score_bars,
            labels,
            [Column("change, nats", values, "%{customdata}: %{x:.4f} nats")],
            look=theme.look().sized(-1),
            marked=len(labels) - 1,
        ),
        name="why-silenced",
        alt="; ".join(f"{label} {plus(value)}" for label, value in rows),
        table=pd.DataFrame({"part": labels, "change": values}),
    )


def _lens(before: np.ndarray, after: np.ndarray, names: tuple[str, str]) -> None:
    """Both tokens' probabilities at each point of the stream, and the difference of their logits."""
    points = ["input", *map(str, range(len(before) - 1))]
    lines = {
        names[0]: np.exp(before[:, 0]),
        names[1]: np.exp(before[:, 1]),
        f"{names[0]}, {WITHOUT}": np.exp(after[:, 0]),
        f"{names[1]}, {WITHOUT}": np.exp(after[:, 1]),
    }
    hues = dict(zip(lines, (HUES[0], HUES[1], HUES[4], HUES[5]), strict=False))
    both = {"as it is": before[:, 0] - before[:, 1], WITHOUT: after[:, 0] - after[:, 1]}
    left, right = st.columns(2, gap="large")
    with left:
        charts.chart(
            partial(probability_lines, points, lines, hues, look=theme.look().sized(-1)),
            name="why-lens",
            alt=f"The probabilities of {names[0]} and {names[1]} after each layer",
            table=pd.DataFrame({"after layer": points, **lines}),
        )
    with right:
        charts.chart(
            partial(difference_lines, points, both, look=theme.look().sized(-1)),
            name="why-lens-difference",
            alt=f"The logit of {names[0]} minus that of {names[1]} after each layer",
            table=pd.DataFrame({"after layer": points, **both}),
        )
