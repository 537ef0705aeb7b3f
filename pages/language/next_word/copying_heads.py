"""The heads that look back: what each gives to what came next the first time, and to the token before."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.figures.heat import heat
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.recordings.notices import HABIT_RATIO, HABIT_SHARE
from dashboard.recordings.watched import Head
from pages.language.next_word import compute_copying
from pages.language.next_word.compute_copying import Repetition, Silenced

INDUCTION, STRONG = 0.1, 0.5  # of the attention, from which on a head is called an induction head, and no weak one


def show(
    repetition: Repetition, scores: dict[str, Float[Tensor, "layer head"]], without: Silenced | None
) -> Head | None:
    """Both scores as maps, and the head in view, which is returned; None where no head has a score."""
    best = _best(scores["induction"])
    if best is None:
        return None
    st.subheader("Which heads attend to the repetition?", anchor=False)
    maps, view = st.columns([3, 2], gap="large")
    with view, layout.control_bar():
        calls, numbers = compute_copying.heard(repetition.at_random).calls, compute_copying.numbers(repetition)
        layer = numbers.index(controls.layer(numbers, key="copying_layer", first=numbers[best[0]]))
        first = best[1] if layer == best[0] else 0
        head = layer, controls.number("Head", calls[layer].heads, key="copying_head", first=first)
    with maps:
        for column, (name, title) in zip(
            st.columns(2, gap="medium"),
            (
                ("induction", "Induction: attention to what came next"),
                ("previous_token", "Attention to the token before"),
            ),
            strict=True,
        ):
            with column:
                st.markdown(f"**{title}**")
                _map(scores[name].numpy(), name, head, without.best if without else (), numbers)
    with view:
        _head(repetition, head, float(scores["induction"][head]))
    return head


def _map(scores: np.ndarray, name: str, head: Head, silenced: tuple[Head, ...], numbers: Sequence[int]) -> None:
    what = "what came next the first time" if name == "induction" else "the token before"
    cell_map(
        100 * scores,
        key=f"copying_{name}",
        x="head",
        y="layer",
        tell=f"layer {{row}}, head {{column}}: {{value}}% of its attention to {what}",
        rows=list(map(str, numbers)),
        marked={head, *silenced},
        mark="ablated or in view",
        on_click=_clicked(scores, numbers),
        alt=f"The share of each head's attention at {what}: up to {np.nanmax(scores):.0%}",
        name=f"copying-{name}",
        height=theme.look().high(320),
    )


def _clicked(scores: np.ndarray, numbers: Sequence[int]) -> Callable[[int, int], None]:
    def choose(row: int, head: int) -> None:
        if not np.isnan(scores[row, head]):
            st.session_state.copying_layer, st.session_state.copying_head = numbers[row], head

    return choose


def _head(repetition: Repetition, head: Head, score: float) -> None:
    """The map of the head in view, full ink where it gives twice what it gives on average to the repetition."""
    weights, layer = compute_copying.map_of(repetition, head).numpy(), compute_copying.numbers(repetition)[head[0]]
    charts.chart(
        partial(
            heat,
            weights,
            look=theme.look().sized(-2),
            x="attended to",
            y="attends",
            limits=(0.0, min(1.0, max(0.1, 2 * score))),
            tell="token %{y} gives %{z:.1%} to token %{x}",
            height=theme.look().high(340),
        ),
        name=f"copying-head-{layer}-{head[1]}",
        alt=f"Layer {layer}, head {head[1]} over tokens said twice",
    )


def about_heads(
    induction: Float[Tensor, "layer head"],
    previous: Float[Tensor, "layer head"],
    even: tuple[float, float],
    numbers: Sequence[int] = (),
) -> str:
    """The best induction head and the best previous-token head, which it needs in an earlier layer; `numbers`: those of
    the layers, by default from 0.
    """
    best, before = (_best(scores) for scores in (induction, previous))
    if best is None or before is None:
        return "No head of this model attends to the repeated tokens."
    score, share, named = float(induction[best]), float(previous[before]), numbers or range(len(induction))
    is_one = score >= max(INDUCTION, HABIT_RATIO * even[0])
    verdict = "an induction head" if is_one else "too little to call it an induction head"
    if is_one and score < STRONG:
        verdict = "an induction head, but a weak one"
    sentence = (
        f"**Layer {named[best[0]]}, head {best[1]}** attends most to what came next the first time, with {score:.0%} "
        f"of its attention (uniform attention: {even[0]:.1%}): {verdict}."
    )
    where = f"layer {named[before[0]]}, head {before[1]}"
    most = f"{where} gives most to the token before ({share:.0%}; uniform: {even[1]:.1%})"
    if share <= HABIT_SHARE or share < HABIT_RATIO * even[1]:
        return (
            f"{sentence} No head is a previous-token head, which gives that token more than {HABIT_SHARE:.0%} of its "
            f"attention and {HABIT_RATIO} times what uniform attention would: {most}."
        )
    earlier = " in an earlier layer" if before[0] < best[0] else ", but not in an earlier layer"
    needed = ", where an induction head needs it" if is_one and before[0] < best[0] else ""
    return f"{sentence} There is a previous-token head{earlier}{needed}: {most}."


def _best(scores: Float[Tensor, "layer head"]) -> Head | None:
    """The head with the largest score; None where none has one."""
    if scores.isnan().all():
        return None
    layer, head = divmod(int(scores.nan_to_num(nan=-1.0).argmax()), scores.shape[1])
    return layer, head
