"""Order told to the scores instead of the tokens: queries and keys are turned, or distance is taken off (ALiBi)."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch
from jaxtyping import Float
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from core.attention.positional_encodings import alibi, alibi_slopes, distances, frequencies, rotary
from core.capture import AttentionCall
from core.heads.measures import mean_distance
from dashboard import theme
from dashboard.components.cell_map import cell_map
from dashboard.figures.curves import curves
from dashboard.frame import layout
from dashboard.frame.prose import ABOUT, FORMULA, REFERENCES, TRY_THIS, Prose
from dashboard.inputs import controls
from dashboard.number_format import integer, signed, small
from dashboard.output import charts
from pages.foundations.order import learned_biases
from pages.foundations.order import order_controls as choose
from pages.foundations.order.figures import circle
from pages.foundations.order.prose import PAGE
from pages.foundations.order.waves import base_input

SECTION = PAGE.section("Relative")
TEXTS = ("Lead", TRY_THIS, FORMULA, REFERENCES)  # of each way
PLACES = 32  # at which the query and the key of rotary positions are put
FARTHEST = 32  # tokens of distance for which ALiBi's slopes are drawn
TEN = 10  # tokens of distance: an example in a sentence


def show() -> None:
    """One of four ways, chosen by its name."""
    ways: dict[str, Callable[[DeltaGenerator, Prose], None]] = {
        "Rotary": _show_rotary,
        "ALiBi": _show_alibi,
        "T5": learned_biases.show_buckets,
        "Swin": learned_biases.show_windows,
    }
    lead = st.container()
    bar = layout.control_bar()
    with bar:
        way = controls.choice("Way", ways, key="way")
    prose = prose_of(way)
    with lead:
        layout.prose(prose.text("Lead"))
    ways[way](bar, prose)


def prose_of(way: str) -> Prose:
    """The lead, the suggestions, the formula and the references of one of the four ways."""
    return Prose(way, {ABOUT: SECTION.about} | {heading: SECTION.texts[f"{way}: {heading}"] for heading in TEXTS})


def _show_rotary(bar: DeltaGenerator, prose: Prose) -> None:
    messages, figures = st.container(gap=None), st.container()
    with bar:
        tokens = choose.sentence(messages)
        with layout.settings():
            layer, head = choose.layer_and_head()
            query_token = choose.token("Query of", tokens, choose.last_word(tokens), key="asks")
            key_token = choose.token("Key of", tokens, 1, key="found")
            base = base_input()
    call = choose.attention(tokens, layer)
    assert call.query is not None
    assert call.key is not None
    head_dim = call.query.shape[-1]
    with layout.control_bar():
        pair = choose.slide("Pair", 0, head_dim // 2 - 1, 4, key="pair", width=140)
        at = choose.slide("Query at", 0, PLACES - 1, 12, key="query_at", width=140)
        key_at = choose.slide("Key at", 0, PLACES - 1, 7, key="key_at", width=140)
    query, key, places = call.query[0, head, query_token].float(), call.key[0, head, key_token].float(), (at, key_at)
    table = scores(query, key, base)
    with figures:
        drawn, mapped = st.columns([1, 1.1], gap="large")
    with drawn:
        _circle(query, key, base, pair, places)
    with mapped:
        cell_map(
            table.numpy(),
            key="rotary-map",
            x="place of the key",
            y="place of the query",
            tell="query at {row}, key at {column}: score {value}",
            marked=[places],
            mark="shown in the circle",
            on_click=_put,
            alt="The score of one query and one key at all pairs of places: equal along every diagonal.",
            name="order-rotary",
        )
    layout.place_notice()
    _by_difference(table)
    names = (choose.quoted(tokens.labels[query_token]), choose.quoted(tokens.labels[key_token]))
    sentences = (*rotary_notices(table, names, places), SECTION.text("Rotary: What if", head=head, layer=layer))
    fastest, *_, slowest = frequencies(head_dim, base).tolist()
    speeds = {"fastest": fastest, "slowest": small(slowest), "pairs": head_dim // 2}
    numbers = {"query_at": at, "key_at": key_at, "score": table[places].item(), **speeds}
    layout.notes(prose, notice=sentences, numbers=numbers)


def scores(
    query: Float[Tensor, " head_dim"], key: Float[Tensor, " head_dim"], base: float, places: int = PLACES
) -> Float[Tensor, "query key"]:
    """The scaled score of one query at each place and one key at each place."""
    where = torch.arange(places)
    turned = rotary(query.expand(places, -1), where, base), rotary(key.expand(places, -1), where, base)
    return turned[0] @ turned[1].T / math.sqrt(len(query))


def _spread(table: Float[Tensor, "query key"], distance: int) -> float:
    line = table.diagonal(distance)
    return (line.max() - line.min()).item()


def _circle(query: Tensor, key: Tensor, base: float, pair: int, places: tuple[int, int]) -> None:
    """A pair of channels of both, turned to their places."""
    at, key_at = places
    channels = slice(2 * pair, 2 * pair + 2)
    track = rotary(query.expand(PLACES, -1), torch.arange(PLACES), base)[:, channels]
    turned = {f"q at {at}": track[at], f"k at {key_at}": rotary(key[None], torch.tensor([key_at]), base)[0, channels]}
    angles = [math.atan2(float(point[1]), float(point[0])) for point in turned.values()]
    figure = partial(
        circle,
        track.numpy(),
        labels=[f"the query at {place}" for place in range(PLACES)],
        arrows={name: (float(point[0]), float(point[1])) for name, point in turned.items()},
        turn=(angles[1], angles[1] + (angles[0] - angles[1] + math.pi) % (2 * math.pi) - math.pi),
        radii=[float(point.norm()) for point in turned.values()],
        look=theme.look(),
        x=f"channel {2 * pair}",
        y=f"channel {2 * pair + 1}",
        height=380,
    )
    charts.chart(
        figure,
        name="order-rotary-turn",
        alt=f"Pair {pair} of the query at place {at} and of the key at place {key_at}, as arrows.",
        table=pd.DataFrame({"place": range(PLACES), "x": track[:, 0], "y": track[:, 1]}),
    )


def _put(query_at: int, key_at: int) -> None:
    st.session_state.query_at, st.session_state.key_at = query_at, key_at


def _by_difference(scored: Float[Tensor, "query key"]) -> None:
    away = np.arange(1 - PLACES, PLACES)
    lines = [scored.diagonal(int(distance)).numpy() for distance in away]
    means = np.array([line.mean() for line in lines])
    figure = partial(
        curves,
        away,
        {"score": means},
        look=theme.look(),
        x="place of the key minus place of the query",
        y="score",
        tell="distance %{x}: score %{y:.3f}",
        marks=True,
        height=260,
    )
    ends = {"lowest": [line.min() for line in lines], "highest": [line.max() for line in lines]}
    table = pd.DataFrame({"distance": away, "mean score": means, **ends})
    charts.chart(figure, name="order-rotary-distance", alt="The score against the distance.", table=table)


def rotary_notices(
    table: Float[Tensor, "query key"], names: tuple[str, str], places: tuple[int, int]
) -> tuple[str, str]:
    """The score at a pair of places and at another with the same distance; by how much distances differ.

    `names` are those of the query's token and of the key's.
    """
    at, key_at = places
    distance, along = integer(key_at - at), table.diagonal(key_at - at)
    spread = max(_spread(table, away) for away in range(1 - len(table), len(table)))
    sentence = (
        f"The query of {names[0]} at place {at} and the key of {names[1]} at place {key_at} score "
        f"**{signed(table[places].item())}**"
    )
    if len(along) == 1:
        sentence += f"; no other pair of these {len(table)} places has the distance {distance}."
    else:
        step = 3 if max(places) + 3 < len(table) else -min(places) or 1
        other = at + step, key_at + step
        sentence += (
            f"; at {other[0]} and {other[1]} they score **{signed(table[other].item())}**. All {len(along)} pairs with "
            f"the distance {distance} score the same, to {small(_spread(table, key_at - at))}."
        )
    return sentence, (
        f"Along every diagonal of the map the scores agree to **{small(spread)}**; from one diagonal to another they "
        f"go from {signed(table.min().item())} to {signed(table.max().item())}."
    )


def _show_alibi(bar: DeltaGenerator, prose: Prose) -> None:
    messages = st.container(gap=None)
    with bar:
        tokens = choose.sentence(messages)
        with layout.settings():
            layer, head = choose.layer_and_head()
    call = choose.attention(tokens, layer)
    before, after = call.weights(head), with_bias(call, head)
    taken = -alibi(call.heads, len(tokens), len(tokens))[head]
    names = choose.names(tokens)
    most = max(1, math.ceil(taken.max()))
    maps = (
        ("As it is", before, 1, "“{row}” gives {value} to “{column}”", "order-alibi-before"),
        ("What ALiBi takes off", taken, most, "“{row}” scores “{column}” {value} less", "order-alibi-bias"),
        ("With ALiBi: a what if", after, 1, "“{row}” would give {value} to “{column}”", "order-alibi-after"),
    )
    for place, (title, values, end, tell, name) in zip(st.columns(3, gap="medium"), maps, strict=True):
        with place:
            st.markdown(f"**{title}**")
            cell_map(
                values.masked_fill(distances(*values.shape) > 0, torch.nan).numpy(),  # what the causal mask hides
                key=name,
                x="key",
                y="query",
                tell=tell,
                rows=names,
                columns=names,
                limits=(0.0, float(end)),
                alt=f"{title}: head {head} of layer {layer}, query by key.",
                name=name,
            )
    layout.place_notice()
    layout.caption(SECTION.text("ALiBi: What if"))
    slopes = alibi_slopes(call.heads).tolist()
    _slopes(slopes, head)
    slope, farthest = slopes[head], len(tokens) - 1
    numbers = {"slope": written(slope), "distance": farthest, "bias": slope * farthest}
    numbers |= {"head": head, "heads": len(slopes)}
    layout.notes(prose, notice=alibi_notices(before, after, slopes, head), numbers=numbers)


def with_bias(call: AttentionCall, head: int) -> Float[Tensor, "query key"]:
    """The weights of a causal head, had ALiBi's bias been added to its scores."""
    bias = alibi(call.heads, call.query_length, call.key_length)[head]
    ahead = distances(call.query_length, call.key_length) > 0
    return (call.scores(head) + bias).masked_fill(ahead, -torch.inf).softmax(dim=-1)


def _slopes(slopes: list[float], chosen: int) -> None:
    away = np.arange(FARTHEST + 1)
    lines = {f"head {head}, slope {written(slope)}": -slope * away for head, slope in enumerate(slopes)}
    figure = curves(
        away,
        lines,
        look=theme.look(),
        x="tokens of distance",
        y="added to the score",
        tell="%{fullData.name}<br>%{x} tokens away: %{y:.2f}",
        height=300,
    )
    for head, trace in enumerate(figure.data):
        trace.line.width = 4.5 if head == chosen else 1.8
    table = pd.DataFrame({"distance": away, **lines})
    charts.chart(figure, name="order-alibi-slopes", alt="A straight line for each head, of its slope.", table=table)


def alibi_notices(
    before: Float[Tensor, "query key"], after: Float[Tensor, "query key"], slopes: list[float], head: int
) -> tuple[str, ...]:
    """How far the head looked, and would look; what its slope does to a key far away, and what other slopes would."""
    was, would = (round(mean_distance(weights).item(), 1) for weights in (before, after))
    change = "nearer" if would < was else "as near as before" if would == was else "farther"
    return (
        f"Head {head} looks **{was:.1f}** tokens away on average; with ALiBi it would look **{would:.1f}** away, "
        f"{change}. This is a what if: the model was trained without it.",
        f"Its slope is {written(slopes[head])}: the score of a key {TEN} tokens away falls by "
        f"{TEN * slopes[head]:.2g}, which divides its weight against that of the token itself by "
        f"{_divisor(slopes[head])}.",
        f"The slopes of the {len(slopes)} heads go from {written(max(slopes))} to {written(min(slopes))}: at {TEN} "
        f"tokens of distance the steepest divides by {_divisor(max(slopes))}, the gentlest by {_divisor(min(slopes))}. "
        "None of this is learned.",
    )


def _divisor(slope: float) -> str:
    return f"{math.exp(TEN * slope):,.3g}"


def written(slope: float) -> str:
    """A slope as a fraction, 1/256, where it is one; else in three digits."""
    parts = round(1 / slope)
    return f"1/{parts}" if abs(slope * parts - 1) < 1e-6 else f"{slope:.3g}"
