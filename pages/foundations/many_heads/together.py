"""All maps taken together: means, rollout and paths, each with a word on what it does not mean."""

import numpy as np
import streamlit as st
import torch

from core.attribution import aggregation, record_aggregation
from core.attribution.record_aggregation import AggregatedMaps
from core.heads import measures
from core.images import Patches
from dashboard import theme, typeset
from dashboard.cache import waiting
from dashboard.components.attention_view import Scene, attention_view
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output.comparisons import join_names, leading
from dashboard.recordings.watched import Watched, WatchedText
from pages.foundations.many_heads import compute, inputs
from pages.foundations.many_heads.head_in_view import Sequence, token_names
from pages.foundations.many_heads.prose import PAGE

SECTION = PAGE.section("Taken together")
SIDES = (2.6, 1)  # the map, and beside it what it is made of
EDGE = 1.2  # times even spread: what leads to no place by more leads nowhere
ALIKE = 0.005  # of the attention: shares that differ by less read the same


def show() -> None:
    """The choice, its warning, the view, and what to notice."""
    watched = inputs.watch(inputs.choose())
    view_side, choice_side = st.columns(SIDES, gap="medium")
    with choice_side:
        name = controls.choice(
            "Made into one map", record_aggregation.NAMES, key="together", first=record_aggregation.MEAN
        )
        join = isinstance(watched, WatchedText) and st.toggle(
            "Join the pieces of a word", key="words", bind="query-params"
        )
        together, scene = _take(watched, name, join=join)
        layout.place_notice()
        if not theme.is_presented():
            _say(together, watched, join=join)
    sequence = watched.run.sequences[together.stack.sequence]
    with view_side:
        # Another key for each choice: its scale is set before the visitor chooses one.
        attention_view(
            scene,
            key=f"together-{record_aggregation.NAMES.index(name)}-{join}",
            scale="row",
            token=0 if isinstance(sequence, Patches) else None,
        )
    layout.notes(
        SECTION,
        notice=noticed(together, sequence),
        formula=lambda: st.markdown(SECTION.text(f"Formula: {name}")),
    )


def _take(watched: Watched, name: str, *, join: bool) -> tuple[AggregatedMaps, Scene]:
    """What was chosen; with progress and a way out where it takes longer than a moment."""
    # Whoever gives up goes back to what is quickest.
    alternative = ("Cancel", _give_up) if name != record_aggregation.MEAN else None
    with waiting.spinner("Taking all heads together …", unit="steps", alternative=alternative) as progress:
        return compute.take_together(watched, name, words=join, progress=progress)


def _give_up() -> None:
    st.session_state.together = record_aggregation.MEAN


def _say(together: AggregatedMaps, watched: Watched, *, join: bool) -> None:
    """What is shown, what it does not mean, and what it leaves out."""
    name, stack = together.name, together.stack
    st.markdown(SECTION.text(f"Map: {name}"))
    warning = SECTION.text(f"Warning: {name}")
    st.warning(f"**What it does not mean.** {warning}", icon=":material/warning:")
    remarks = []
    if join:
        best = name in (record_aggregation.LARGEST, *record_aggregation.PATHS)
        remarks.append(SECTION.text("Largest of the pieces" if best else "Pieces of a word"))
    if "target" in watched.run.sequences:
        remarks.append(SECTION.text("Encoder only"))
    if stack.skipped:
        remarks.append(SECTION.text("Skipped layers", layers=", ".join(map(str, stack.skipped))))
    if remarks:
        st.caption(" ".join(remarks))


def noticed(together: AggregatedMaps, sequence: Sequence) -> tuple[str, ...]:
    """One or two sentences on the maps that are shown."""
    about = {
        record_aggregation.MEAN: _about_mean,
        record_aggregation.LARGEST: _about_largest,
        record_aggregation.OVERALL: _about_overall,
        record_aggregation.ROLLOUT: _about_rollout,
        record_aggregation.STRONGEST: _about_strongest,
        record_aggregation.WIDEST: _about_widest,
    }
    return about[together.name](together, sequence)


def _about_mean(together: AggregatedMaps, _: Sequence) -> tuple[str, ...]:
    numbers, hidden = list(together.stack.calls), [_mean(apart) for apart in together.deviations]
    if max(map(len, together.deviations)) == 1:
        return ("Each layer has one head only: the mean over heads is that head.",)
    of_layers = dict(enumerate(hidden))
    first = leading(of_layers, ALIKE)
    if not first:
        return ("No layer has a mean that could be compared with its heads.",)
    if len(numbers) > 1 and len(first) == len(numbers):
        return (
            f"The mean hides about as much in every layer: on average {hidden[0]:.0%} of a head's attention lies "
            "elsewhere than the mean says.",
        )
    known = {layer: value for layer, value in of_layers.items() if np.isfinite(value)}
    most, least = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    apart = together.deviations[most]
    sentences = [
        f"The mean hides most in **layer {numbers[most]}**: on average {hidden[most]:.0%} of a head's attention lies "
        f"elsewhere than the mean says, and {np.nanmin(apart):.0%} even in head {int(np.nanargmin(apart))}, the "
        "nearest to it."
    ]
    if others := [str(numbers[layer]) for layer in first if layer != most]:
        sentences[0] += f" In layer {join_names(others)} it hides about as much."
    if least not in first:
        sentences.append(f"It hides least in layer {numbers[least]}, where {hidden[least]:.0%} lies elsewhere.")
    return tuple(sentences)


def _mean(values: np.ndarray) -> float:
    """The mean of those that are numbers; NaN of none."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")


def _about_largest(together: AggregatedMaps, _: Sequence) -> tuple[str, ...]:
    sums = np.nanmean(together.maps.sum(axis=-1), axis=-1)
    if not np.isfinite(sums).any():
        return ("Every head is ablated: no row sums to anything.",)
    most = int(np.nanargmax(sums))
    number, call = list(together.stack.calls.items())[most]
    if call.rows_sum_to_one:
        one, on_average, largest = "1", "", f"{call.heads}, the number of heads"
    else:
        mean = float(call.row_sums(item=0).nanmean())
        one, on_average = f"{mean:.2f}", " on average"
        largest = f"{call.heads * mean:.2f}, that times the number of heads"
    if call.heads == 1:
        return (f"Layer {number} has one head only: its rows sum to {one}{on_average}.",)
    return (
        f"A row of a head sums to {one}{on_average}; here, in layer {number}, rows sum to {sums[most]:.1f} on average. "
        f"It would be {one} if all heads did the same, and can at most be {largest}.",
    )


def _about_overall(together: AggregatedMaps, _: Sequence) -> tuple[str, ...]:
    numbers, means = list(together.stack.calls), together.means
    if len(numbers) < 2:
        return ("This model has one layer only: the mean over layers is the mean over its heads.",)
    first, last = (measures.shares(torch.from_numpy(means[place])) for place in (0, -1))
    shared = float(torch.minimum(first, last).sum(dim=-1).nanmean())
    if np.isnan(shared):
        return (f"No row has attention in both layer {numbers[0]} and layer {numbers[-1]}.",)
    return (
        f"The mean maps of layers {numbers[0]} and {numbers[-1]} have {shared:.0%} of their attention in common. The "
        f"map above is the mean of all {len(numbers)} layers.",
    )


def _about_rollout(together: AggregatedMaps, sequence: Sequence) -> tuple[str, ...]:
    maps, last = together.maps, list(together.stack.calls)[-1]
    own = maps.diagonal(axis1=1, axis2=2).mean(axis=1)
    later = f", after layer {last} by {own[-1]:.0%}" if len(own) > 1 else ""
    sentences = [
        f"By this reckoning a token is still itself by {own[0]:.0%} on average after the first layer{later}. One half "
        "in each layer stands for the residual connection; it was assumed, not measured."
    ]
    if isinstance(sequence, Patches):
        sentences.append(_most_of_class(maps[-1], sequence))
    elif len(sequence) > 1:
        first = maps[:, 1:, 0].mean(axis=1)
        keeps = all(call.causal for call in together.stack.calls.values()) and first[-1] - first[0] > ALIKE
        sentences.append(
            f"The share of the first token, {_name(sequence, 0)}, in all others goes from {first[0]:.0%} to "
            f"{first[-1]:.0%}" + (": it may look at itself only, so what reaches it stays there." if keeps else ".")
        )
    return tuple(sentences)


def _most_of_class(rolled: np.ndarray, patches: Patches) -> str:
    before = len(patches.prefix)
    asking = 0 if before else len(rolled) // 2
    shares = rolled[asking, before:].copy()
    if not before:
        shares[asking] = -1.0  # what stays in place is assumed, not found
    place, even = int(shares.argmax()), 1 / rolled.shape[1]
    if shares.max() < EDGE * even:
        return (
            f"From {_name(patches, asking)} rollout leads to no patch much more than to others: at most to "
            f"{shares.max():.1%}, where even spread would give {even:.1%}."
        )
    return (
        f"From {_name(patches, asking)} rollout leads most to {_name(patches, before + place)}: {shares.max():.1%}, "
        f"where even spread would give {even:.1%}."
    )


def _about_strongest(together: AggregatedMaps, sequence: Sequence) -> tuple[str, ...]:
    query, key = _best_link(together.maps[-1], sequence)
    if query == key:
        return (f"No path leads from {_name(sequence, query)} to any other token.",)
    route = aggregation.strongest_route(together.graph, query, key)
    strongest, all_paths = (
        float(together.maps[-1, query, key]),
        float(aggregation.rollout(together.graph)[-1, query, key]),
    )
    return (
        f"The strongest path from {_name(sequence, query)} to another token leads to {_name(sequence, key)}: "
        f"{_moves(route, list(together.stack.calls), sequence)}. In all other layers it stays where it is.",
        f"It is worth {strongest:.2%}; all paths between the two together, which is rollout, {all_paths:.2%}.",
    )


def _about_widest(together: AggregatedMaps, sequence: Sequence) -> tuple[str, ...]:
    query, key = _best_link(together.maps[-1], sequence)
    if query == key:
        return (f"No path leads from {_name(sequence, query)} to any other token.",)
    own, other = float(together.maps[-1, query, query]), float(together.maps[-1, query, key])
    rolled = float(aggregation.rollout(together.graph)[-1, query, key])
    return (
        f"The widest path from {_name(sequence, query)} to another token leads to {_name(sequence, key)}: some way "
        f"between them has no link below {other:.2f}. Staying in place is worth {own:.2f}, at least the half that is "
        "assumed for the residual connection.",
        f"Rollout between the two is {rolled:.2f}. Attention flow, which is not computed here, is at least "
        f"{max(rolled, other):.2f}: both are lower bounds of it.",
    )


def _best_link(values: np.ndarray, sequence: Sequence) -> tuple[int, int]:
    """From the last token (of a picture: the first, which is the class token where there is one) to the best one
    besides itself; to itself where no path leads anywhere else."""
    query = 0 if isinstance(sequence, Patches) else len(values) - 1
    others = np.where(np.arange(len(values)) == query, 0.0, values[query])
    return query, int(others.argmax()) if others.any() else query


def _moves(route: tuple[int, ...], numbers: list[int], sequence: Sequence) -> str:
    """Where a path changes its place, from the last layer down."""
    moves = [
        f"in layer {number} from {_name(sequence, upper)} to {_name(sequence, lower)}"
        for number, upper, lower in zip(reversed(numbers), route, route[1:], strict=False)
        if upper != lower
    ]
    return ", then ".join(moves)


def _name(sequence: Sequence, place: int) -> str:
    return typeset.plain(token_names(sequence)[place])
