"""Learned biases for distances: T5's for buckets of them, Swin's for rows and columns of a window."""

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator

from core.attention.positional_encodings import relative_buckets, window_index
from core.order.learned_positions import BucketBias, find_bucket_biases, find_window_biases
from dashboard import theme, typeset
from dashboard.cache.models import image_model, text_model
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.frame.prose import Prose
from dashboard.inputs import controls, model_name
from dashboard.number_format import integer, signed
from dashboard.output import charts
from pages.foundations.order import compute
from pages.foundations.order import order_controls as choose
from pages.foundations.order.learned import way_of
from pages.foundations.order.prose import PAGE

SECTION = PAGE.section("Relative")
REACH = 160  # tokens of distance that are drawn
FAR = 10_000  # tokens of distance: as good as any
EVEN = 0.005  # added to a score: biases that differ by less read the same
BACK, BOTH = "Back only", "Both ways"
OURS, NAMED = "Our small model", "A model by name"
LARGEST = 8  # patches on a side of a window


def show_buckets(bar: DeltaGenerator, prose: Prose) -> None:
    """Which bucket a distance falls into, and what a model has learned for each of them; `bar`: of the controls."""
    with bar:
        both = controls.choice("Looks", [BOTH, BACK], key="looks") == BOTH
        buckets = st.select_slider("Buckets", [8, 16, 32, 64], 32, key="buckets", bind="query-params", width=200)
        with layout.settings():
            longest = st.select_slider(
                "Longest distance",
                [64, 96, 128, 256],
                128,
                key="longest",
                bind="query-params",
                width=220,
                help=SECTION.text("T5: Longest distance"),
            )
    distance = torch.arange(-REACH, REACH + 1)
    numbers = relative_buckets(distance, buckets=buckets, longest=longest, bidirectional=both)
    alt = "The number of the bucket against the distance."
    _steps("order-buckets", alt, distance, {"bucket": numbers.numpy()}, y="bucket", tell="distance %{x}: bucket %{y}")
    layout.place_notice()
    st.subheader("What the buckets have learned", anchor=False)
    sentences = bucket_notices(buckets, longest, both)
    if (chosen := _chosen_bias()) is not None:
        name, bias = chosen
        distance = torch.arange(-REACH, (REACH if bias.bidirectional else 0) + 1)
        added = _added(bias, distance).numpy()
        lines = {f"head {head}": added[:, head] for head in range(added.shape[1])}
        alt, tell = "For each head the learned bias against the distance.", "%{fullData.name}, distance %{x}: %{y:.2f}"
        _steps("order-bucket-biases", alt, distance, lines, y="added to the score", tell=tell)
        sentences += bias_notices(name, bias)
    half = buckets // 2 if both else buckets
    layout.notes(
        prose,
        notice=sentences,
        numbers={"exact": half // 2, "last": half - 1, "longest": longest, "coarse": half - half // 2},
        formula=lambda: layout.caption(SECTION.text("T5: Later keys", half=half)) if both else None,
    )


def _steps(name: str, alt: str, distance: torch.Tensor, lines: dict[str, np.ndarray], *, y: str, tell: str) -> None:
    """Curves over the distance that change at once where a bucket ends."""
    x = "place of the key minus place of the query"
    figure = curves(distance.numpy(), lines, look=theme.look(), x=x, y=y, tell=tell, height=330)
    figure.update_traces(line_shape="hvh")
    charts.chart(figure, name=name, alt=alt, table=pd.DataFrame({"distance": distance.numpy(), **lines}))


def _chosen_bias() -> tuple[str, BucketBias] | None:
    """A table of our own model or of a named one, with what it is called; None, with a sentence, if it has none."""
    with layout.control_bar():
        if controls.choice("Learned by", [OURS, NAMED], key="biases") == OURS:
            biases, name = compute.our_biases(), "our small model"
        else:
            checkpoint = model_name.model("text")
            with layout.waiting_place():
                network = text_model(checkpoint).network
            biases, name = find_bucket_biases(network), typeset.plain(checkpoint)
            if not biases:
                st.info(SECTION.text("T5: No biases", model=name, way=way_of(network)), icon=":material/info:")
                return None
        paths = [bias.path for bias in biases]
        return name, biases[paths.index(controls.choice("Table", paths, key="bias_table"))]


def _added(bias: BucketBias, distance: torch.Tensor) -> Float[torch.Tensor, "_ head"]:
    """What each head adds to a score at each of these distances (key minus query)."""
    longest, both = bias.longest, bias.bidirectional
    return bias.bias[relative_buckets(distance, buckets=len(bias.bias), longest=longest, bidirectional=both)]


def bucket_notices(buckets: int, longest: int, bidirectional: bool) -> tuple[str, ...]:
    """How many distances have a bucket of their own, and where all becomes one."""
    back = -torch.arange(FAR + 1)
    numbers = relative_buckets(back, buckets=buckets, longest=longest, bidirectional=bidirectional)
    alone = int((numbers.bincount()[numbers] > 1).nonzero()[0])
    last = int((numbers == numbers[-1]).nonzero()[0])
    return (
        f"The distances 0 to {alone - 1} back have a bucket each; from {alone} on they begin to share, and from "
        f"**{last}** tokens on all share the last one: {last} tokens away and {FAR:,} away are the same.",
    )


def bias_notices(name: str, bias: BucketBias) -> tuple[str, ...]:
    """Near and far, and the buckets at the far end that hold nothing."""
    added = _added(bias, -torch.arange(bias.longest + 1))
    filled = (added != 0).any(dim=1).nonzero().flatten()
    if not len(filled):
        return (f"In {name} all biases of this table are exactly 0: it tells no order.",)
    first = int(filled[-1]) + 1
    if 1 < first <= bias.longest:
        before = round(added[first // 2 : first].mean().item(), 2)
        change = "as much as" if before == 0 else "more than" if before < 0 else "less than"
        return (
            f"In {name} the biases from **{first}** tokens back on are exactly 0, as if nothing had been learned "
            f"there. Just before, at {first // 2} to {first - 1} back, they are {signed(before)} on average: in a "
            f"longer text what is farther away gets {change} these.",
        )
    nearer = int((added[1] > added[-1]).sum())
    return (
        f"In {name}, {nearer} of {added.shape[1]} heads of this table add more for the token just before than for one "
        f"{bias.longest} tokens back.",
    )


def show_windows(bar: DeltaGenerator, prose: Prose) -> None:
    """Which bias each pair of patches of a window gets, and what a model has learned for each difference."""
    with bar:
        side = choose.slide("Patches on a side of the window", 2, LARGEST, 4, key="side")
        chosen = choose.slide("Patch that looks", 0, side * side - 1, side + 1, key="looker")
    index = window_index(side, side).numpy()
    limits = (0, float(index.max()))
    all_pairs, one = st.columns([1.3, 1], gap="large")
    with all_pairs:
        st.markdown("**Which bias each pair of patches gets.** Click a row to see it as a window.")
        cell_map(
            index.astype(np.float32),
            key="window-map",
            x="patch that is looked at",
            y="patch that looks",
            tell="patch {row} looks at patch {column}: bias number {value}",
            limits=limits,
            on_click=_choose_looker,
            alt="The number of the bias for each pair of patches of a window.",
            name="order-window",
        )
    with one:
        row, column = divmod(chosen, side)
        st.markdown(f"**Seen from patch {chosen}**, in row {row}, column {column}.")
        cell_map(
            index[chosen].reshape(side, side).astype(np.float32),
            key="window-one",
            x="column",
            y="row",
            tell="row {row}, column {column}: bias number {value}",
            limits=limits,
            marked=[(row, column)],
            mark="the patch that looks",
            alt=f"The number of the bias for each patch of the window, seen from patch {chosen}.",
            name="order-window-one",
        )
    layout.place_notice()
    st.subheader("What the biases have learned", anchor=False)
    layout.notes(
        prose,
        notice=(sharing_notice(side), *_biases_of_windows()),
        numbers={"lowest": integer(1 - side), "highest": side - 1, "differences": 2 * side - 1},
    )


def _choose_looker(patch: int, _column: int) -> None:
    st.session_state.looker = patch


def sharing_notice(side: int) -> str:
    """How many pairs of patches a window has, and how many biases."""
    pairs, biases = side**4, (2 * side - 1) ** 2
    centre = int(window_index(side, side)[0, 0])
    return (
        f"A window of {side} × {side} patches has {pairs:,} pairs but only **{biases}** biases for each head: pairs "
        f"that differ by the same rows and columns share one. Every patch has number {centre} for itself."
    )


def _biases_of_windows() -> tuple[str, ...]:
    """The biases of a model by name, as a map over the differences of rows and columns; what is to be seen."""
    with layout.control_bar():
        name = model_name.model("image")
        with layout.waiting_place():
            network = image_model(name).network
        tables = find_window_biases(network)
        if not tables:
            text = SECTION.text("Swin: No biases", model=typeset.plain(name), way=way_of(network))
            st.info(text, icon=":material/info:")
            return ()
        table = tables[controls.number("Layer", len(tables), key="layer")]
        head = controls.number("Head", table.bias.shape[1], key="head")
    high, wide = 2 * table.rows - 1, 2 * table.columns - 1
    values = table.bias[:, head].reshape(high, wide).numpy()
    cell_map(
        values,
        key="window-biases",
        x="columns from the key to the query",
        y="rows from the key to the query",
        tell="{row} rows and {column} columns: {value} is added",
        rows=[integer(place - table.rows + 1) for place in range(high)],
        columns=[integer(place - table.columns + 1) for place in range(wide)],
        alt="The learned bias for each difference of rows and columns.",
        name="order-window-biases",
    )
    return (window_notice(values, head),)


def window_notice(values: np.ndarray, head: int) -> str:
    """For which patch a head adds most and least; `values` (row, column) are numbered by query minus key."""
    most, least = (
        (_direction(int(place), values.shape), signed(float(values.flat[place])))
        for place in (values.argmax(), values.argmin())
    )
    if float(values.max() - values.min()) < EVEN:
        return f"Head {head} of this layer adds the same for every patch, **{most[1]}**: it tells no order."
    return (
        f"Head {head} of this layer adds most (**{most[1]}**) for {most[0]}, and least (**{least[1]}**) for {least[0]}."
    )


def _direction(place: int, shape: tuple[int, ...]) -> str:
    """Where the key lies, seen from the query, for a cell of the map."""
    down, across = place // shape[1] - shape[0] // 2, place % shape[1] - shape[1] // 2
    parts = [
        f"{abs(count)} {what}{'s' * (abs(count) > 1)} {words[count < 0]}"
        for count, what, words in (
            (down, "row", ("above", "below")),
            (across, "column", ("to the left", "to the right")),
        )
        if count
    ]
    return f"the patch {' and '.join(parts)}" if parts else "the patch itself"
