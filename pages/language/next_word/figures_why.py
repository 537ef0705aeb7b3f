"""What parts of a model are called and how their shares are laid out: a map, bars, rows by token, lines by layer."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.interpretability.component_outputs import Component
from core.interpretability.logit_attribution import Attribution
from dashboard.figures.curves import curves
from dashboard.theme import Look

MOST = 12  # bars of single parts
LAYERS = 16  # of so many layers attention and MLP have a bar each
TOKENS = 24  # rows of the figure by token: of more those from which most was moved
FAINTEST = 1e-7  # probability
WITHOUT = "without the head"


def component_name(component: Component) -> str:
    """A part as a bar names it."""
    where = f"layer {component.block}"
    return {
        "token": "token embedding",
        "position": "position",
        "head": f"{where}, head {component.head}",
        "attention": f"{where}, attention",
        "bias": f"{where}, bias of the output matrix",
        "MLP": f"{where}, MLP",
        "other": f"{where}, another branch",
        "constant": "final norm and unembedding",
    }[component.kind]


def plus(value: float) -> str:
    """Two digits with their sign, a true minus, and no minus zero."""
    return f"{round(value, 2) + 0.0:+.2f}".replace("-", "−")


def grid(attribution: Attribution) -> tuple[list[str], np.ndarray]:
    """What each layer's heads, MLP and other parts wrote, (layer, column); NaN where there is no such part."""
    inside = {component: share for component, share in attribution.by_component.items() if component.block is not None}
    layers = 1 + max((component.block for component in inside if component.block is not None), default=0)
    heads = 1 + max((component.head for component in inside if component.head is not None), default=-1)
    others = [kind for kind in ("attention", "MLP", "bias", "other") if any(part.kind == kind for part in inside)]
    values = np.full((layers, heads + len(others)), np.nan, dtype=np.float32)
    for component, share in inside.items():
        values[component.block, heads + others.index(component.kind) if component.head is None else component.head] = (
            share
        )
    return [*(f"h{head}" for head in range(heads)), *others], values


def largest(parts: dict[Component, float]) -> list[tuple[str, float]]:
    """The parts with the largest shares of either sign, and all others together."""
    ranked = sorted(parts.items(), key=lambda item: -abs(item[1]))
    rows = [(component_name(component), share) for component, share in ranked[:MOST]]
    others = [share for _, share in ranked[MOST:]]
    return [*rows, (f"the other {len(others)} parts", sum(others))] if others else rows


def by_layer(parts: dict[Component, float]) -> list[tuple[str, float]]:
    """The parts of each layer added up, attention apart from the rest where there are not too many layers."""
    layers = 1 + max((component.block for component in parts if component.block is not None), default=0)
    rows: dict[str, float] = {}
    for component, share in parts.items():
        name = component_name(component)
        if component.block is not None:
            kind = "attention" if component.kind in ("head", "bias", "attention") else name.partition(", ")[2]
            name = f"layer {component.block}, {kind}" if layers <= LAYERS else f"layer {component.block}"
        rows[name] = rows.get(name, 0.0) + share
    return list(rows.items())


def by_kind(parts: dict[Component, float]) -> Sequence[tuple[str, float]]:
    """The parts of each kind added up, with their number."""
    names = {
        "token": "token embedding",
        "position": "position",
        "head": "heads",
        "attention": "attention layers",
        "MLP": "MLPs",
        "bias": "biases of the output matrices",
        "other": "other branches",
        "constant": "constant",
    }
    rows = []
    for kind, name in names.items():
        values = [share for component, share in parts.items() if component.kind == kind]
        if values:
            rows.append((f"{len(values)} {name}" if name.endswith("s") else name, sum(values)))
    return rows


def source_rows(labels: Sequence[str], weights: np.ndarray, moved: np.ndarray) -> pd.DataFrame:
    """A row for each token, in order: what the head gives it and what it moved; the weakest of many in one row."""
    rows = pd.DataFrame({"token": list(labels), "weight": weights, "moved": moved})
    if len(rows) <= TOKENS:
        return rows
    strongest = np.sort(np.argsort(-np.abs(moved), kind="stable")[: TOKENS - 1])
    others = np.setdiff1d(np.arange(len(rows)), strongest)
    last = {"token": f"the other {len(others)} tokens", "weight": weights[others].sum(), "moved": moved[others].sum()}
    return pd.concat([rows.iloc[strongest], pd.DataFrame([last])], ignore_index=True)


def probability_lines(
    points: Sequence[str], lines: dict[str, np.ndarray], hues: dict[str, str], *, look: Look
) -> go.Figure:
    """Probabilities along the layers, on a logarithmic scale; lines leave it where they are below FAINTEST."""
    tell = "after layer %{x}, %{fullData.name}: %{y:.3%}"
    return curves(
        range(len(points)), lines, look=look, x="after layer", y="probability", tell=tell, hues=hues,
        marks=True, y_log=True, y_range=(FAINTEST, 1.5), labels=points, height=look.high(340),
    )  # fmt: skip


def difference_lines(points: Sequence[str], lines: dict[str, np.ndarray], *, look: Look) -> go.Figure:
    """The difference of two logits along the layers, with a line where it is nothing."""
    tell = "after layer %{x}, %{fullData.name}: %{y:.2f} nats"
    hues = {"as it is": look.palette.map, WITHOUT: look.palette.accent}
    figure = curves(
        range(len(points)), lines, look=look, x="after layer", y="difference of the logits, nats", tell=tell,
        hues=hues, marks=True, labels=points, height=look.high(340),
    )  # fmt: skip
    return figure.add_hline(y=0, line={"color": look.palette.soft, "width": 1})
