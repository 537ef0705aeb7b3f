"""Heads: taken out of a network by importance, on one's own input and as it was measured."""

import numpy as np
import pandas as pd
import streamlit as st

from core.results.shrinking import Pruned
from core.shrinking.importance import Head
from core.view.codec import whole_number
from dashboard import theme
from dashboard.address import parameter
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare
from dashboard.output.data_table import data_table
from pages.scale.shrinking import compute_heads as compute
from pages.scale.shrinking import evaluation, inputs
from pages.scale.shrinking.compute import MEASURED_ON, Beside, Question, rows_of
from pages.scale.shrinking.compute_heads import Ranked
from pages.scale.shrinking.prose import PAGE

SECTION = PAGE.section("Heads")
ORDERS = {
    "gradient": "least important first, by gradient",
    "alone": "least costly alone first",
    "greedy": "greedily",
    "random": "at random",
    "trained": "by gradient, then trained on",
}
SLIDER = 170  # pixels
ORDER, PERCENT, CHANGED = "heads_order", "heads_percent", "heads_changed"


def show() -> None:
    """The heads of a network with those that are gone, what it says without them, and the measured curves."""
    bar, below = layout.control_bar(), layout.waiting_place()
    with bar:
        question = inputs.choose(below, forgets=(CHANGED,))
        percent = _percent()
        with layout.settings():
            order = controls.choice("Order", compute.WAYS, key=ORDER, about=SECTION.text("Orders"))
    inputs.show_cut(question)
    with layout.waiting_place():
        ranking = compute.rank(question, order)
    gone = frozenset(ranking.order[: round(percent * len(ranking.order) / 100)]) ^ _changed(ranking)
    with layout.waiting_place():
        smaller = compute.without(question, tuple(sorted(gone)))
    left, right = st.columns(2, gap="medium")
    with left:
        evaluation.says(smaller, changed="heads taken out", name="shrinking-heads-says")
        layout.place_notice()
    with right:
        _grid(ranking, gone)
    _captions(question, ranking)
    layout.prose(SECTION.text("Structured pruning"))
    rows = rows_of(Pruned, question.name)
    layout.heading("How many heads can be removed?")
    if rows:
        _curves(rows)
    else:
        st.info(SECTION.text("Networks without measurements"))
    answer = f"{evaluation.about_answer(smaller)} {about_size(smaller, len(gone), len(ranking.order))}"
    notices = [answer, about_most(ranking), evaluation.about_moved(smaller)]
    layout.notes(
        SECTION,
        notice=(*notices, *((about_four_fifths(rows),) if rows else ())),
        numbers={
            "before": smaller.parameters[0],
            "less": smaller.parameters[0] - smaller.parameters[1],
            "after": smaller.parameters[1],
            "gone": len(gone),
            "heads": len(ranking.order),
        },
    )


def _percent() -> int:
    return st.slider(
        "Heads taken out, %",
        0,
        100,
        30,
        10,
        key=PERCENT,
        bind="query-params",
        width=SLIDER,
    )


def _changed(ranking: Ranked) -> frozenset[Head]:
    """Heads that were clicked, from the address: "2.1-0.5"; what is no head of this network is passed over."""

    def parse(text: str) -> frozenset[Head]:
        pairs = {tuple(map(whole_number, part.partition(".")[::2])) for part in text.split("-")}
        return frozenset(head for head in ranking.order if head in pairs)

    return parameter(CHANGED, parse)


# Its heads.


def _grid(ranking: Ranked, gone: frozenset[Head]) -> None:
    most = max(len(module_values) for module_values in ranking.values)
    values = np.full((len(ranking.values), most), np.nan)
    for row, module_values in enumerate(ranking.values):
        values[row, : len(module_values)] = module_values.numpy()

    def toggle(module: int, head: int) -> None:
        changed = _changed(ranking) ^ {(module, head)}
        st.query_params[CHANGED] = "-".join(f"{one}.{other}" for one, other in sorted(changed))

    by_gradient = ranking.way == compute.BY_GRADIENT
    cell_map(
        values,
        key="heads_grid",
        x="head",
        y="attention module",
        tell="module {row}, head {column}: " + ("importance {value}" if by_gradient else "goes at {value} of the way"),
        limits=(0.0, 1.0),
        marked=sorted(gone),
        mark="taken out",
        on_click=toggle,
        alt=f"{len(ranking.order)} heads, {ranking.way}; {len(gone)} are taken out",
        name="shrinking-heads",
        height=300,
    )


def _captions(question: Question, ranking: Ranked) -> None:
    by_gradient = ranking.way == compute.BY_GRADIENT
    layout.caption(
        SECTION.text("Grid of importances")
        if by_gradient
        else SECTION.text("Grid of places in the order", order=ranking.way)
    )
    if question.name == "translation":
        layout.caption(SECTION.text("Modules of the translator"))


def about_size(smaller: Beside, gone: int, heads: int) -> str:
    """How many heads are gone, and what is left of the size and the time."""
    return evaluation.about_size(smaller, f"**{gone} of {heads}** heads are taken out")


def about_most(ranking: Ranked) -> str:
    """The head that goes last; by gradient also how many matter little."""
    module, head = ranking.order[-1]
    if ranking.way != compute.BY_GRADIENT:
        first, other = ranking.order[0]
        return (
            f"{ranking.way.capitalize()}, head {other} of module {first} goes first on this input, and head {head} of "
            f"module {module} last."
        )
    value = float(ranking.values[module][head])
    little = sum(float((module_values < 0.1).sum()) for module_values in ranking.values)
    return (
        f"On this input head {head} of module {module} has the largest share of its module's importance ({value:.2f}); "
        f"{little:.0f} of {len(ranking.order)} heads have less than 0.10."
    )


# As it was measured.


def _curves(rows: tuple[Pruned, ...]) -> None:
    st.markdown(f"{about_loss(rows)} {about_trained(rows)}", width=theme.PROSE)
    along, lines = lines_of(rows)
    evaluation.curves(rows[0], along, lines, x="heads taken out, %", name="shrinking-heads-curves")
    layout.caption(
        SECTION.text(
            "Curves of pruned heads",
            measured_on=MEASURED_ON[rows[0].model],
            doubt=evaluation.about_doubt(rows[0]),
            steps=steps_of(rows),
        )
    )
    table_rows = sorted(
        (row for row in rows if row.order in ("whole", "gradient")), key=lambda row: (row.removed, row.trained)
    )
    config = evaluation.quality_column(rows)
    (quality,) = config
    table = pd.DataFrame(
        {
            "heads": [row.heads - row.removed for row in table_rows],
            "trained on": [row.trained > 0 for row in table_rows],
            "parameters": [row.parameters for row in table_rows],
            "MB": [row.bytes / 1e6 for row in table_rows],
            "time, of the whole's": [row.time for row in table_rows],
            quality: [row.quality for row in table_rows],
        }
    )
    config |= {
        "parameters": st.column_config.NumberColumn(format="localized"),
        "MB": st.column_config.NumberColumn(format="%.1f"),
        "time, of the whole's": st.column_config.NumberColumn(format="percent"),
    }
    data_table(table, hide_index=True, column_config=config)


def lines_of(rows: tuple[Pruned, ...]) -> tuple[list[float], dict[str, np.ndarray]]:
    """Quality by the percentage of heads that are gone, a line for each order; random orders are averaged.

    What was trained on was measured at some of the places only: NaN at the others.
    """
    baseline, plain = rows[0], [row for row in rows[1:] if not row.trained]
    by_order: dict[str, list[list[float]]] = {}
    for order in dict.fromkeys(row.order for row in plain):
        values = [baseline.quality, *(row.quality for row in plain if row.order == order)]
        by_order.setdefault(order.split()[0], []).append(values)
    places = [0, *(row.removed for row in plain if row.order == plain[0].order)]
    trained = {row.removed: row.quality for row in rows if row.trained}
    if trained:
        by_order["trained"] = [[trained.get(place, np.nan) for place in places]]
    lines = {ORDERS[order]: np.mean(qualities, axis=0) for order, qualities in by_order.items()}
    return [100 * place / baseline.heads for place in places], lines


def steps_of(rows: tuple[Pruned, ...]) -> int:
    """For how many steps those were trained that were."""
    return max(row.trained for row in rows)


def can_go(rows: tuple[Pruned, ...], order: str, loss: float) -> float:
    """The largest measured share of heads up to which never more than `loss` of the quality is lost, untrained."""
    share = 0.0
    for row in (row for row in rows if row.order == order and not row.trained):
        if row.quality_loss(rows[0]) > loss:
            break
        share = row.share
    return share


def about_loss(rows: tuple[Pruned, ...]) -> str:
    """How many heads can go before 1 and 5 % of the quality are lost, in the best of three orders."""
    best = max(("gradient", "alone", "greedy"), key=lambda order: can_go(rows, order, evaluation.LOSSES[1]))
    small, large = (can_go(rows, best, loss) for loss in evaluation.LOSSES)
    return (
        f"Heads that go {ORDERS[best]} (chosen on these same data as the best of three orders): "
        f"**{small:.0%}** can go before 1% of the quality is lost, **{large:.0%}** before 5%. (Measured in steps of a "
        f"tenth; with all heads it is {rows[0].quality:.4g}.){evaluation.about_small_losses(rows[0])}"
    )


def about_trained(rows: tuple[Pruned, ...]) -> str:
    """What a short training afterwards gives back, beside what it gives the whole network; "" if none was trained."""
    trained = [row for row in rows if row.trained]
    if len(trained) < 2:
        return ""
    baseline, row = trained[0], max(trained[1:], key=lambda row: row.quality_loss(rows[0]))
    (plain,) = (
        other for other in rows if other.order == row.order and other.removed == row.removed and not other.trained
    )
    return (
        f"After {row.trained} more steps of training the network without {row.share:.0%} of its heads has "
        f"**{row.quality:.4g}** (before them {plain.quality:.4g}); the whole one has {baseline.quality:.4g} after as "
        "many."
    )


def about_four_fifths(rows: tuple[Pruned, ...]) -> str:
    """What is left when eight of ten heads are gone, untrained."""
    plain = [row for row in rows if not row.trained]
    row = min((row for row in plain if row.order == "gradient"), key=lambda row: abs(row.share - 0.8))
    lost = row.quality_loss(rows[0])
    loss_phrase = "more bits are needed" if row.measure == "bits" else "of the quality is lost"
    if compare(lost, 0.0, margin=0.005) != "more":
        return f"With {row.removed} of {row.heads} heads gone by gradient, nothing is lost here."
    chance = [other for other in plain if other.order.startswith("random") and other.removed == row.removed]
    by_chance = sum(other.quality_loss(rows[0]) for other in chance) / len(chance)
    (greedy,) = (other for other in plain if other.order == "greedy" and other.removed == row.removed)
    return (
        f"“Up to 80% can go”: with {row.removed} of {row.heads} heads gone by gradient, **{lost:.0%}** {loss_phrase} "
        f"here (greedily {greedy.quality_loss(rows[0]):.0%}, by chance {by_chance:.0%}), without any training "
        "afterwards."
    )
