"""Heads that say nothing: what the model loses, what it predicts instead, and which other maps change."""

from math import exp, log

import numpy as np
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.capture import AttentionCall
from core.errors import AtlasError
from core.heads.ablation import Trial
from core.text import Tokens
from dashboard import typeset
from dashboard.components.cell_map import cell_map
from dashboard.frame import layout
from dashboard.inputs import ablated_heads
from dashboard.number_format import with_power
from dashboard.output import predictions
from dashboard.recordings.watched import Head, Watched, WatchedText
from pages.foundations.many_heads import compute, inputs, one_at_a_time
from pages.foundations.many_heads.head_in_view import if_it_is_there, layer_names, numbered, sequences_of
from pages.foundations.many_heads.prose import PAGE

SECTION = PAGE.section("Ablated heads")
FAINT = 10  # percent of the attention: where less has moved, the map stays pale
LARGEST_DRAWN = 256  # cells on a side: more than a third of a window shows
HEIGHT, MOVED = 360, 240  # pixels: the maps of a head, and the map of all heads that stands above them
SOME = 0.0005  # of the attention: less is not told from nothing
SMALL = 0.005  # nats: less is not told from nothing
MOST = "the one that changed most"


def show() -> None:
    """What each head costs alone, and heads to silence by clicking; loss, predictions and maps before and after."""
    run = inputs.choose()
    watched = inputs.watch(run)
    stage = st.container()
    with layout.control_bar():
        heads = ablated_heads.silenced_heads(watched)
    with layout.waiting_place():
        changed = run(heads) if heads else None
        moved = compute.attention_moved(watched, changed, heads) if changed else None
    trial = _trial(watched)
    with stage:
        place = layout.waiting_place()
        map_side, loss_side = st.columns([3, 2], gap="large")
    after = None if changed is None else changed.run.logits
    with loss_side:  # first: the answers of all heads take longer
        if trial:
            _show_loss(trial, after)
        predictions.show(watched, changed)
    with place:
        costs = one_at_a_time.costs(watched, trial) if trial else {}
    with map_side:
        one_at_a_time.show_map(watched, costs, heads, on_click=if_it_is_there(watched, _switch))
        st.markdown("**Click heads to ablate them**, and again to bring them back.")
        layout.place_notice()
        if trial and not costs:
            one_at_a_time.offer(watched, trial)
    predictions.show_at_every_token(watched, changed)
    if changed is not None and moved is not None:
        _show_changed(watched, changed, moved)
    if trial and costs:
        one_at_a_time.show_table(watched, trial, costs)
    layout.notes(
        SECTION,
        notice=(
            noticed(trial, len(heads), after),
            *one_at_a_time.noticed({numbered(watched, place): cost for place, cost in costs.items()}, len(trial.heads)),
        )
        if trial
        else (),
        formula=lambda: _tell_loss(trial),
    )


def noticed(trial: Trial, count: int, after: Tensor | None) -> str:
    """What `count` silenced heads cost together; `after` are the logits without them."""
    before = trial.losses_of(trial.logits)
    predictions = f" (geometric mean over {len(before)} predictions)" if len(before) > 1 else ""
    if after is None:
        if trial.quantity == "own answer":
            return (
                f"With all heads active, the model gives its own answer a probability of {exp(-trial.baseline):.0%}"
                f"{predictions}."
            )
        return (
            f"With all heads active, the loss is {trial.baseline:.2f} nats, a perplexity of "
            f"{exp(trial.baseline):,.0f}: the model is as unsure as if it chose among so many equally likely tokens."
        )
    changes = trial.losses_of(after) - before
    change, most = float(changes.mean()), float(changes.abs().max())
    heads = "the ablated head" if count == 1 else f"the {count} ablated heads"
    if most < SMALL:
        return f"Without {heads} the loss of each prediction stays within {SMALL} nats of what it was."
    if abs(change) < SMALL:
        up, down = int((changes >= SMALL).sum()), int((changes <= -SMALL).sum())
        return (
            f"Without {heads} the mean loss stays within {SMALL} nats of what it was, but it is a mean: of "
            f"{len(changes)} predictions {up} become less probable and {down} more, by up to {most:.2f} nats."
        )
    rises, less = ("rises", "less") if change > 0 else ("falls", "more")
    answer = "the next token of the text" if trial.quantity == "next token" else "the model's own answer"
    times = f"{exp(abs(change)):,.2f}" if abs(change) < log(1e6) else with_power(exp(min(abs(change), 700.0)), digits=2)
    return (
        f"Without {heads} the loss **{rises} by {abs(change):.2f} nats**: {answer} is {times} times {less} "
        f"probable{predictions}."
    )


def _trial(watched: Watched) -> Trial | None:
    """What the model can lose; a sentence where it is nothing."""
    try:
        return compute.trial(watched)
    except AtlasError as error:
        st.info(typeset.plain(str(error)), icon=":material/info:")
        return None


def _switch(layer: int, head: int) -> None:
    """Silence a head, or let it speak again."""
    st.session_state.silenced = sorted(set(st.session_state.get("silenced") or []) ^ {f"{layer}.{head}"})


def _show_loss(trial: Trial, logits: Tensor | None) -> None:
    """The loss before and after, in nats and bits."""
    before = trial.baseline
    st.metric("Loss with all heads active", f"{before:.3f} nats")
    if logits is None:
        layout.caption(f"{before / log(2):.3f} bits")
    else:
        after = trial.loss_of(logits)
        st.metric(
            "Loss without the ablated heads", f"{after:.3f} nats", f"{after - before:+.3f} nats", delta_color="inverse"
        )
        layout.caption(f"{before / log(2):.3f} bits before, {after / log(2):.3f} bits after")
    layout.caption(SECTION.text(f"Loss: {trial.quantity}"))


def _show_changed(before: Watched, after: Watched, moved: Float[np.ndarray, "layer head"]) -> None:
    """How much each head that still speaks has changed, and three maps of one: before, after, and the difference."""
    st.subheader("What changed in the other heads", anchor=False)
    heads = [(int(layer), int(head)) for layer, head in np.argwhere(np.isfinite(moved))]
    heads.sort(key=lambda place: -moved[place])
    options = [MOST, *(f"{layer}.{head}" for layer, head in (numbered(before, place) for place in heads))]
    every, one = st.columns([3, 2], gap="large")
    with one:
        name = st.selectbox("Head (layer.head), most changed first", options, key="changed", bind="query-params")
        place = heads[options.index(name) - 1] if name != MOST else heads[0] if heads else None
        st.markdown(_tell_moved(before, moved, place, is_most=name == MOST))
    if place is None:
        return
    with every:
        _show_moved(before, moved, place)
    if name != MOST or moved[place] >= SOME:
        _show_maps(before, after, place)


def _tell_moved(watched: Watched, moved: Float[np.ndarray, "layer head"], place: Head | None, *, is_most: bool) -> str:
    """How much of the attention of the head in question has moved; `is_most`: it is the one that changed most."""
    if place is None:
        return "No other head is left."
    if is_most and moved[place] < SOME:
        return (
            f"In every other head less than {SOME:.2%} of the attention moved. An ablation changes only later layers."
        )
    share = f"{moved[place]:.1%}" if moved[place] >= SOME else f"less than {SOME:.2%}"
    layer, head = numbered(watched, place)
    return f"**Layer {layer}, head {head}**: {share} of its attention has moved."


def _show_moved(watched: Watched, moved: Float[np.ndarray, "layer head"], place: Head) -> None:
    """All heads: how much of their attention has moved; a click compares the maps of one."""

    def compare(row: int, head: int) -> None:
        if np.isfinite(moved[row, head]):
            layer, _ = numbered(watched, (row, head))
            st.session_state.changed = f"{layer}.{head}"

    values = 100 * moved
    cell_map(
        values,
        key="moved",
        x="head",
        y="layer",
        tell="layer {row}, head {column}: {value}% of its attention has moved",
        rows=layer_names(watched),
        limits=(0.0, max(FAINT, float(np.nanmax(values, initial=0.0)))),
        marked=[place],
        mark="compared below",
        on_click=compare,
        alt=f"How much of the attention of each head has moved: most is {np.nanmax(values, initial=0.0):.1f}%",
        name="moved",
        height=MOVED,
    )


def _show_maps(before: Watched, after: Watched, place: Head) -> None:
    layer, head = place
    first, second = (_map(watched.record.calls[layer], head) for watched in (before, after))
    labels = _labels(before, before.record.calls[layer])
    layer, head = numbered(before, place)
    # A patch shares its attention among so many that on the scale from 0 to 1 nothing would be seen.
    top = 1.0 if isinstance(before, WatchedText) else float(max(first.max(), second.max()))
    change = second - first
    most = max(float(np.abs(change).max()), 0.01)
    maps = (
        ("Before", first, (0.0, top), "{row} gave {value} to {column}"),
        ("After", second, (0.0, top), "{row} gives {value} to {column}"),
        ("Difference", change, (-most, most), "{row} to {column}: {value}"),
    )
    for column, (title, values, limits, tell) in zip(st.columns(3, gap="medium"), maps, strict=True):
        with column:
            st.markdown(f"**{title}**")
            cell_map(
                values,
                key=f"changed-{title.lower()}",
                x="key",
                y="query",
                tell=tell,
                rows=labels,
                columns=labels,
                limits=limits,
                alt=f"Layer {layer}, head {head}: attention, {title.lower()}",
                name=f"{title.lower()}-layer-{layer}-head-{head}",
                height=HEIGHT,
            )


def _map(call: AttentionCall, head: int) -> np.ndarray:
    """The whole map, or block means of a larger one."""
    if max(call.query_length, call.key_length) > LARGEST_DRAWN:
        return call.overview(head=head, size=LARGEST_DRAWN).numpy()
    return call.weights(head=head).numpy()


def _labels(watched: Watched, call: AttentionCall) -> list[str] | None:
    """The tokens; None where a cell is a block of them, or no token but a patch."""
    names = sequences_of(watched, call)
    sequence = watched.run.sequences[names[0]] if names and names[0] == names[1] else None
    if not isinstance(sequence, Tokens) or len(sequence) > LARGEST_DRAWN:
        return None
    return [typeset.readable(label) for label in sequence.labels]


def _tell_loss(trial: Trial | None) -> None:
    """The loss with all heads, where the model has one."""
    if trial:
        st.markdown(SECTION.text("Loss of the whole model", loss=trial.baseline))
