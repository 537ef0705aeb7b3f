"""Two sentences: does the second follow the first, how are they told apart, and which heads look across?"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.contents import LONGEST_LINE
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.explained_view import explained_view
from dashboard.recordings.watched import Head
from dashboard.theme import HUES
from pages.language.missing_word import compute_two_sentences as compute
from pages.language.missing_word import inputs
from pages.language.missing_word.compute_two_sentences import FIRST_SENTENCE, FOLLOWS, FOLLOWS_NOT, Pair, SegmentLengths
from pages.language.missing_word.pair_sentences import (
    about_crossing,
    about_following,
    about_inputs,
    about_measured,
    about_segments,
)
from pages.language.missing_word.prose import PAGE

SECTION = PAGE.section("Two sentences")
AS_THEY_STAND = "as they stand"
OTHER, SEPARATORS, FIRST = "the other sentence", "separators", "the first token"
FIRST_KEY, SECOND_KEY = "first", "second"


def show() -> None:
    """The two sentences, whether the second follows, the input as the model gets it, and the heads that look across."""
    name, first, second = _sentences()
    with layout.waiting_place():
        pair = compute.read(name, first, second)
    left, right = st.columns([2, 3], gap="large")
    with left:
        answers, others = _next_sentence(name, first, second)
    with right:
        lengths = _input(name, pair)
    layout.place_notice()
    head = _heads(pair)
    scene = compute.one_head(name, first, second, head)
    explained_view(pair.watched, scene=scene, key=f"pair-{head[0]}-{head[1]}", address="row")
    following: tuple[str, ...] = ()
    if answers:  # how much an answer is worth stands in the same breath
        sentences = about_following(answers[AS_THEY_STAND], others.values()), about_measured(compute.measured(name))
        following = (" ".join(sentences), about_inputs(answers))
    notice = (
        *following,
        about_segments(lengths),
        about_crossing(pair.crossing),
    )
    layout.notes(SECTION, notice=notice, numbers=_numbers(pair, answers))


def _sentences() -> tuple[str, str, str]:
    """The controls: the model, both sentences, and ways to swap the second one."""
    with layout.control_bar():
        first = st.text_input(
            "First sentence", FIRST_SENTENCE, key=FIRST_KEY, bind="query-params", max_chars=LONGEST_LINE
        )
        second = st.text_input("Second sentence", FOLLOWS, key=SECOND_KEY, bind="query-params", max_chars=LONGEST_LINE)
        with st.popover("Examples", icon=":material/format_quote:"):
            st.button("One that follows", on_click=_take, args=(FIRST_SENTENCE, FOLLOWS))
            st.button("One that does not", on_click=_take, args=(FIRST_SENTENCE, FOLLOWS_NOT))
        st.button("Other first", icon=":material/swap_horiz:", on_click=_take, args=(second, first))
        menu = layout.settings()
    return inputs.model_name(menu), first, second


def _take(first: str, second: str) -> None:
    st.session_state[FIRST_KEY], st.session_state[SECOND_KEY] = first, second


def _next_sentence(name: str, first: str, second: str) -> tuple[dict[str, float], dict[str, float]]:
    """The probability that the second follows, beside other inputs made of both; and that of unrelated sentences."""
    model = inputs.masked_model(name)
    if model.next_sentence is None:
        text = SECTION.text("No next-sentence prediction", title=typeset.plain(model.title))
        st.info(text, icon=":material/info:")
        return {}, {}
    answers = {
        AS_THEY_STAND: compute.follows(name, first, second),
        "second one first": compute.follows(name, second, first),
        "the first one twice": compute.follows(name, first, first),
    }
    if model.has_segments:
        answers["without segments"] = compute.follows(name, first, second, segments=False)
    with layout.waiting_place():
        others = compute.unrelated(name, first, second)
    bars = dict(answers)
    if others:
        bars[f"mean of {len(others)} unrelated"] = float(np.mean(list(others.values())))
        bars[f"highest of {len(others)} unrelated"] = max(others.values())
    look = theme.look()
    hues = [look.palette.accent, *[look.palette.map] * (len(bars) - 1)]
    probabilities = {**answers, **others}
    st.markdown("**Does the second sentence follow the first?**")
    charts.chart(
        partial(prediction_bars, list(bars), list(bars.values()), look=look, hues=hues),
        name="pair-follows",
        alt="Probability that the second sentence follows: "
        + ", ".join(f"{label} {value:.1%}" for label, value in bars.items()),
        table=pd.DataFrame({"input": list(probabilities), "probability that it follows": list(probabilities.values())}),
    )
    if others and not theme.is_presented():
        with st.expander("The unrelated sentences, each in the place of the second one"):
            st.markdown("\n".join(f"- {share:.1%}: {typeset.plain(text)}" for text, share in others.items()))
    return answers, others


def _input(name: str, pair: Pair) -> SegmentLengths | None:
    """Each token with its segment and its position."""
    model, tokens = inputs.masked_model(name), pair.tokens
    lengths = compute.segment_lengths(name)
    st.markdown("**What the model reads**")
    if not model.has_segments:
        st.caption(SECTION.text("No segment vectors", title=typeset.plain(model.title)))
    cell_map(
        1 + np.array([tokens.segments]),
        key="pair_input",
        x="token",
        y="",
        tell="“{column}” belongs to the {value}",
        rows=["segment"],
        columns=[typeset.readable(label) for label in tokens.labels],
        kinds=("none", "first sentence", "second sentence"),
        hues=HUES[:2],
        alt=f"{tokens.segments.count(0)} tokens of the first sentence and {tokens.segments.count(1)} of the second",
        name="pair-input",
        height=110,
    )
    layout.prose(SECTION.text("Input"))
    charts.download_table(partial(input_table, pair), "pair-input")
    return lengths


def input_table(pair: Pair) -> pd.DataFrame:
    """One row a token: its number in the vocabulary, its segment and its position."""
    tokens = pair.tokens
    return pd.DataFrame(
        {
            "position": range(len(tokens)),
            "token": [label.strip() for label in tokens.labels],
            "number": tokens.ids,
            "segment": tokens.segments,
            "special": tokens.special,
        }
    )


def _heads(pair: Pair) -> Head:
    """All heads by how much of their attention goes where; a click takes one into view."""
    layout.heading("Which heads attend to the other sentence?")
    crossing = pair.crossing
    measures = {OTHER: crossing.other, SEPARATORS: crossing.separators, FIRST: crossing.first}
    with layout.control_bar():
        name = controls.choice("Attention to", list(measures), key="across")
        values = measures[name].numpy()
        most = np.unravel_index(int(np.nanargmax(crossing.other.numpy())), values.shape)
        layer = controls.number("Layer", values.shape[0], key="layer", first=int(most[0]))
        heads = int(np.isfinite(values[layer]).sum())
        head = controls.number("Head", heads, key="head", first=int(most[1]) if layer == most[0] else 0)
    cell_map(
        values,
        key="pair_heads",
        x="head",
        y="layer",
        tell=f"layer {{row}}, head {{column}}: a word gives {{value}} of its attention to {name}",
        limits=(0.0, max(0.1, float(np.nanmax(values)))),
        marked=[(layer, head)],
        on_click=_take_head,
        alt=f"The share of each head's attention that goes to {name}",
        name="pair-heads",
        height=280,
    )
    return layer, head


def _take_head(layer: int, head: int) -> None:
    st.session_state.layer, st.session_state.head = layer, head


def _numbers(pair: Pair, answers: Mapping[str, float]) -> dict[str, object]:
    """The probability that the second sentence follows, if there is one, and what uniform attention would give."""
    tokens = pair.tokens
    own = [segment for segment, special in zip(tokens.segments, tokens.special, strict=True) if not special]
    return {
        "probability": rf" \\ &={answers[AS_THEY_STAND]:.4f}" if answers else "",
        "first": own.count(0),
        "second": own.count(1),
        "tokens": len(tokens),
        "uniform": pair.crossing.even,
    }
