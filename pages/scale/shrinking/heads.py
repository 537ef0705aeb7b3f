"""Heads: taken out of a network by importance, on one's own input and as it was measured."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.measured.shrinking_heads import Pruned
from core.shrinking.importance import Head
from dashboard import charts, controls, layout
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.figures.predictions import prediction_bars
from dashboard.photograph import Photograph
from pages.scale.shrinking import compute_heads as compute
from pages.scale.shrinking import words_heads as words
from pages.scale.shrinking.compute_heads import Given, Ranked, Smaller

OF, TEXT, PERCENT, CHANGED = "heads_of", "heads_text", "heads_percent", "heads_changed"
LONGEST_LINE = 400  # characters
TOP = 5
LOSSES = (0.01, 0.05)


def show() -> None:
    """The heads of a network with those that are gone, what it says without them, and the measured curves."""
    if not layout.is_presented():
        st.markdown(words.LEAD, width=layout.PROSE)
    name = words.MODELS[controls.choice("Model", words.MODELS, key=OF, on_change=_put_back)]
    given = _given(name)
    st.subheader(words.OWN, anchor=False)
    with layout.waiting_place():
        found = compute.rank(name, given)
    gone = _gone(found)
    with layout.waiting_place():
        smaller = compute.without(name, given, tuple(sorted(gone)))
    st.markdown(about_smaller(smaller, len(gone), len(found.order)), width=layout.PROSE)
    _grid(name, found, gone)
    _says(smaller)
    rows = compute.measured(name)
    _curves(name, rows)
    layout.notes(
        words.NOTES, notice=(about_most(found), about_four_fifths(rows)), formula=lambda: _formula(rows, smaller)
    )


# The input.


def _given(name: str) -> Given:
    if name.startswith("vit"):
        return Photograph(name, controls.picture(), None)
    controls.examples(words.EXAMPLES, field=TEXT, forgets=(CHANGED,))
    return st.text_input("Your sentence", words.SENTENCE, key=TEXT, bind="query-params", max_chars=LONGEST_LINE)


def _gone(found: Ranked) -> frozenset[Head]:
    """The heads that the slider takes out, but for those that were clicked."""
    percent = st.slider(
        "Heads taken out, the least important first, %",
        0,
        100,
        30,
        10,
        key=PERCENT,
        bind="query-params",
        width=controls.WIDTH,
    )
    first = frozenset(found.order[: round(percent * len(found.order) / 100)])
    return first ^ _changed(found)


def _put_back() -> None:
    """Another network has other heads: what was clicked in the former one is forgotten."""
    st.query_params.pop(CHANGED, None)


def _changed(found: Ranked) -> frozenset[Head]:
    """Heads that were clicked, from the address: "2.1-0.5"; what is no head of this network is passed over."""
    asked = st.query_params.get(CHANGED, "")
    pairs = (part.partition(".")[::2] for part in asked.split("-"))
    numbers = {
        (int(one), int(other)) for one, other in pairs if one.isdecimal() and other.isdecimal() and len(asked) < 999
    }
    return frozenset(numbers & set(found.order))


# Its heads.


def _grid(name: str, found: Ranked, gone: frozenset[Head]) -> None:
    most = max(len(each) for each in found.importance)
    values = np.full((len(found.importance), most), np.nan)
    for row, each in enumerate(found.importance):
        values[row, : len(each)] = each.numpy()

    def toggle(module: int, head: int) -> None:
        changed = _changed(found) ^ {(module, head)}
        st.query_params[CHANGED] = "-".join(f"{one}.{other}" for one, other in sorted(changed))

    cell_map(
        values,
        key="heads_grid",
        x="head",
        y="attention module",
        tell=words.TELL,
        limits=(0.0, 1.0),
        marked=sorted(gone),
        mark="taken out",
        on_click=toggle,
        alt=f"Importance of {len(found.order)} heads; {len(gone)} are taken out",
        name="shrinking-heads",
        height=300,
    )
    st.caption(words.GRID)
    if name == "translation":
        st.caption(words.MODULES)


def about_smaller(smaller: Smaller, gone: int, heads: int) -> str:
    """What is gone, what is left of the size and the time, and whether the answer stays."""
    parameters, times = smaller.parameters, smaller.milliseconds
    first = (
        f"**{gone} of {heads}** heads are taken out: {parameters[1] / parameters[0]:.0%} of the parameters are left, "
        f"and one pass takes {times[1]:.1f} instead of {times[0]:.1f} ms."
    )
    if smaller.written is not None:
        same = smaller.written[0] == smaller.written[1]
        return f"{first} The translation is **{'the same' if same else 'another one'}**."
    assert smaller.before is not None
    assert smaller.after is not None
    before, after = int(smaller.before.argmax()), int(smaller.after.argmax())
    names = [layout.plain(layout.readable(smaller.answers[number]).strip()) for number in (before, after)]
    if before == after:
        return (
            f"{first} The first answer stays **“{names[0]}”**, {smaller.before[before]:.1%} before and "
            f"{smaller.after[after]:.1%} now."
        )
    return f"{first} The first answer was “{names[0]}” and is now **“{names[1]}”**."


def about_most(found: Ranked) -> str:
    """The head that matters most in its module, and how many matter little."""
    module, head = found.order[-1]
    value = float(found.importance[module][head])
    little = sum(float((each < 0.1).sum()) for each in found.importance)
    return (
        f"On this input head {head} of module {module} has the largest share of its module's importance ({value:.2f}); "
        f"{little:.0f} of {len(found.order)} heads have less than 0.10."
    )


# What it says.


def _says(smaller: Smaller) -> None:
    st.subheader(words.SAYS, anchor=False)
    if smaller.written is not None:
        left, right = st.columns(2)
        for column, title, text in zip((left, right), ("With all heads", "Without"), smaller.written, strict=True):
            with column:
                st.markdown(f"**{title}**")
                st.text(text or "(nothing)")
        return
    assert smaller.before is not None
    assert smaller.after is not None
    count = min(TOP, len(smaller.answers))
    shown = list(
        dict.fromkeys([*smaller.before.topk(count).indices.tolist(), *smaller.after.topk(count).indices.tolist()])
    )
    labels = [layout.readable(smaller.answers[number]) for number in shown]
    before, after = ([float(side[number]) for number in shown] for side in (smaller.before, smaller.after))
    charts.chart(
        partial(prediction_bars, labels, before, after, look=layout.look(), changed="heads taken out"),
        name="shrinking-heads-says",
        alt="; ".join(
            f"{label}: {one:.1%}, then {other:.1%}" for label, one, other in zip(labels, before, after, strict=True)
        ),
        table=pd.DataFrame({"answer": labels, "with all heads": before, "heads taken out": after}),
    )


# As it was measured.


def _curves(name: str, rows: tuple[Pruned, ...]) -> None:
    st.subheader(words.MEASURED, anchor=False)
    st.markdown(about_loss(rows), width=layout.PROSE)
    along, lines = lines_of(rows)
    charts.chart(
        partial(
            curves,
            along,
            lines,
            look=layout.look(),
            x="heads taken out, %",
            y=words.MEASURES[rows[0].measure],
            marks=True,
        ),
        name="shrinking-heads-curves",
        alt="; ".join(
            f"{title}: {values[0]:.3g} with all heads, {values[-1]:.3g} with none" for title, values in lines.items()
        ),
        table=pd.DataFrame({"heads taken out, %": along, **lines}),
    )
    st.caption(
        f"Measured on {words.SUBJECTS[name]}; the random line is the mean of three orders.{about_doubt(rows[0])}"
    )
    shown = [row for row in rows if row.order in ("whole", "gradient")]
    table = pd.DataFrame(
        {
            "heads": [row.heads - row.removed for row in shown],
            "parameters": [row.parameters for row in shown],
            "MB, half precision": [row.bytes / 1e6 for row in shown],
            "time, of the whole's": [row.milliseconds / row.whole_milliseconds for row in shown],
            words.MEASURES[rows[0].measure]: [row.quality for row in shown],
        }
    )
    config = {
        "parameters": st.column_config.NumberColumn(format="localized"),
        "MB, half precision": st.column_config.NumberColumn(format="%.1f"),
        "time, of the whole's": st.column_config.NumberColumn(format="percent"),
    }
    st.dataframe(table, hide_index=True, column_config=config)


def lines_of(rows: tuple[Pruned, ...]) -> tuple[list[float], dict[str, np.ndarray]]:
    """Quality by the percentage of heads that are gone, a line for each order; random orders are averaged."""
    whole = rows[0]
    by_order: dict[str, list[list[float]]] = {}
    for order in dict.fromkeys(row.order for row in rows[1:]):
        values = [whole.quality, *(row.quality for row in rows if row.order == order)]
        by_order.setdefault(order.split()[0], []).append(values)
    along = [0.0, *(100 * row.share for row in rows if row.order == rows[1].order)]
    return along, {words.ORDERS[order]: np.mean(found, axis=0) for order, found in by_order.items()}


def can_go(rows: tuple[Pruned, ...], order: str, loss: float) -> float:
    """The largest measured share of heads up to which never more than `loss` of the quality is lost."""
    share = 0.0
    for row in (row for row in rows if row.order == order):
        if row.lost(rows[0]) > loss:
            break
        share = row.share
    return share


def about_loss(rows: tuple[Pruned, ...]) -> str:
    """How many heads can go before 1 and 5 % of the quality are lost, in the better of two orders."""
    best = max(("gradient", "alone"), key=lambda order: can_go(rows, order, LOSSES[1]))
    small, large = (can_go(rows, best, loss) for loss in LOSSES)
    return (
        f"Heads that go {words.ORDERS[best]} (chosen on these same data as the better order by importance): "
        f"**{small:.0%}** can go before 1% of the quality is lost, **{large:.0%}** before 5%. (Measured in steps of a "
        f"tenth; with all heads it is {rows[0].quality:.4g}.)"
    )


def about_doubt(whole: Pruned) -> str:
    """How far a share of right answers may be off, since only so many questions were asked; "" of other measures."""
    asked = words.ASKED.get(whole.model)
    if asked is None:
        return ""
    error = (whole.quality * (1 - whole.quality) / asked) ** 0.5
    return f" One standard error of a share is {100 * error:.1f} points: smaller losses cannot be told from chance."


def about_four_fifths(rows: tuple[Pruned, ...]) -> str:
    """What is left when eight of ten heads are gone."""
    row = min((row for row in rows if row.order == "gradient"), key=lambda row: abs(row.share - 0.8))
    lost = row.lost(rows[0])
    kept = "more bits are needed" if row.measure == "bits" else "of the quality is lost"
    chance = [other for other in rows if other.order.startswith("random") and other.removed == row.removed]
    by_chance = sum(other.lost(rows[0]) for other in chance) / len(chance)
    return (
        f"“Up to 80% can go”: with {row.removed} of {row.heads} heads gone by gradient, **{lost:.0%}** {kept} here "
        f"(by chance {by_chance:.0%}), without any training afterwards."
    )


# How it is computed.


def _formula(rows: tuple[Pruned, ...], smaller: Smaller) -> None:
    st.markdown(words.FORMULA)
    st.latex(r"\textstyle I_h = \mathbb{E}_x \left| \frac{\partial L(x)}{\partial \xi_h} \right|")
    st.markdown(words.FORMULA_SIZE)
    gone = smaller.parameters[0] - smaller.parameters[1]
    st.latex(rf"{smaller.parameters[0]:,} - {gone:,}".replace(",", "{,}"))
    st.latex(rf"= {smaller.parameters[1]:,}".replace(",", "{,}"))
    last = rows[-1]
    st.markdown(f"All {last.heads} heads together hold {rows[0].parameters - last.parameters:,} of its parameters.")
