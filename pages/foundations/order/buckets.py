"""T5's relative biases: distances are sorted into buckets, and each bucket has a number for each head."""

import numpy as np
import pandas as pd
import streamlit as st
import torch

from core.order.learned_positions import BucketBias, find_bucket_biases
from core.order.positions import relative_buckets
from dashboard import charts, controls, layout
from dashboard.figures.curves import curves
from dashboard.models import text_model
from dashboard.numbers import signed
from pages.foundations.order import compute as order_runs
from pages.foundations.order import inputs
from pages.foundations.order.instead import instead
from pages.foundations.order.words import BUCKETS

REACH = 160  # tokens of distance that are drawn
BACK, BOTH = "Back only", "Both ways"
OURS, NAMED = "Our small model", "A model by name"


def show() -> None:
    """The whole part of the page."""
    inputs.lead(BUCKETS)
    with layout.control_bar():
        direction = inputs.choice("Looks", [BOTH, BACK], key="looks")
        buckets = st.select_slider("Buckets", [8, 16, 32, 64], 32, key="buckets", bind="query-params", width=200)
        longest = st.select_slider(
            "Longest distance",
            [64, 96, 128, 256],
            128,
            key="longest",
            bind="query-params",
            width=220,
            help="The buckets grow wider up to this distance; the last one begins a little before it.",
        )
    distance = torch.arange(-REACH, REACH + 1)
    numbers = relative_buckets(distance, buckets=buckets, longest=longest, bidirectional=direction == BOTH)
    _staircase(distance.numpy(), numbers.numpy())
    st.subheader("What the buckets have learned", anchor=False)
    chosen = _biases()
    said = bucket_notices(buckets, longest, direction == BOTH)
    if chosen is not None:
        said += _learned(*chosen)
    layout.notes(BUCKETS, notice=said, formula=lambda: _formula(buckets, longest, direction == BOTH))


def _staircase(distance: np.ndarray, numbers: np.ndarray) -> None:
    figure = curves(
        distance,
        {"bucket": numbers},
        look=layout.look(),
        x="place of the key minus place of the query",
        y="bucket",
        tell="distance %{x}: bucket %{y}",
        height=320,
    )
    figure.update_traces(line_shape="hvh")
    table = pd.DataFrame({"distance": distance, "bucket": numbers})
    charts.chart(figure, name="order-buckets", alt="The number of the bucket against the distance.", table=table)


def _biases() -> tuple[str, BucketBias] | None:
    """The biases of our own model or of a named one; None, with a sentence, if it has none."""
    with layout.control_bar():
        if inputs.choice("Learned by", [OURS, NAMED], key="biases") == OURS:
            found, name = order_runs.our_biases(), OURS
        else:
            name = controls.model("text")
            with layout.waiting_place():
                network = text_model(name).network
            found = find_bucket_biases(network)
        if not found:
            st.info(
                f"{layout.plain(name)} has no relative biases: {instead(network)}. Name a T5, for instance "
                "`google-t5/t5-small`.",
                icon=":material/info:",
            )
            return None
        paths = [bias.path for bias in found]
        return name, found[paths.index(inputs.choice("Table", paths, key="bias_table"))]


def _learned(name: str, bias: BucketBias) -> tuple[str, ...]:
    """A curve for each head: what is added to the score at each distance."""
    reach = REACH if bias.bidirectional else 0
    distance = torch.arange(-REACH, reach + 1)
    numbers = relative_buckets(distance, buckets=len(bias.bias), longest=bias.longest, bidirectional=bias.bidirectional)
    values = bias.bias[numbers].numpy()
    lines = {f"head {head}": values[:, head] for head in range(values.shape[1])}
    figure = curves(
        distance.numpy(),
        lines,
        look=layout.look(),
        x="place of the key minus place of the query",
        y="added to the score",
        tell="%{fullData.name}, distance %{x}: %{y:.2f}",
        height=340,
    )
    figure.update_traces(line_shape="hvh")
    charts.chart(
        figure,
        name="order-bucket-biases",
        alt="For each head the learned bias against the distance.",
        table=pd.DataFrame({"distance": distance.numpy(), **lines}),
    )
    return bias_notices(layout.plain(name) if name != OURS else "our small model", bias)


def bias_notices(name: str, bias: BucketBias) -> tuple[str, ...]:
    """Near and far, and the buckets that training never filled."""
    back = torch.arange(0, bias.longest + 1)
    numbers = relative_buckets(-back, buckets=len(bias.bias), longest=bias.longest, bidirectional=bias.bidirectional)
    added = bias.bias[numbers]
    untouched = (added == 0).all(dim=1).nonzero().flatten().tolist()
    if untouched and untouched[0] > 1:
        first = untouched[0]
        before = added[first // 2 : first].mean().item()
        return (
            f"In {name} the biases from **{first}** tokens back on are exactly 0: training never went so far. Just "
            f"before, at {first // 2} to {first - 1} back, they are {signed(before)} on average: in a longer text what "
            f"is too far away gets {'more' if before < 0 else 'less'} than these.",
        )
    nearer = int((added[1] > added[-1]).sum())
    return (
        f"In {name}, {nearer} of {added.shape[1]} heads of this table add more for the token just before than for one "
        f"{bias.longest} tokens back.",
    )


def bucket_notices(buckets: int, longest: int, bidirectional: bool) -> tuple[str, ...]:
    """How many distances have a bucket of their own, and where all becomes one."""
    back = torch.arange(0, 10_000)
    numbers = relative_buckets(-back, buckets=buckets, longest=longest, bidirectional=bidirectional)
    alone = int((numbers.bincount() == 1).sum())
    last = int((numbers == numbers.max()).nonzero()[0])
    return (
        f"The distances 0 to {alone - 1} back have a bucket each; farther ones share, and from **{last}** tokens on "
        f"all share the last one: {last} tokens away and 10,000 away are the same.",
    )


def _formula(buckets: int, longest: int, bidirectional: bool) -> None:
    half = buckets // 2 if bidirectional else buckets
    exact = half // 2
    st.latex(r"\text{score}_{ij} = q_i \cdot k_j + b_{\,\text{bucket}(j - i)}")
    st.latex(
        rf"\begin{{aligned}} &\text{{bucket}}(d) = |d| \quad \text{{for }} |d| < {exact} \text{{, else}} \\ "
        rf"&\min\left({half - 1},\; {exact} + \left\lfloor \tfrac{{\ln(|d| / {exact})}}{{\ln({longest} / {exact})}} "
        rf"\cdot {half - exact} \right\rfloor\right) \end{{aligned}}"
    )
    if bidirectional:
        st.caption(f"For keys that come after the query, {half} is added: the other half of the buckets.")
    st.caption("T5 does not divide its scores by the square root of the width.")
