"""Two sentences: does the second follow the first, how are they told apart, and which heads look across?"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.cloze.pairs import Crossing
from dashboard import charts, controls, layout
from dashboard.components.attention_view import attention_view
from dashboard.components.cell_map import cell_map
from dashboard.contents import LONGEST_LINE
from dashboard.figures.predictions import prediction_bars
from dashboard.theme import HUES
from dashboard.watched import Head
from pages.language.missing_word import compute_two_sentences as compute
from pages.language.missing_word import inputs, words
from pages.language.missing_word.compute_two_sentences import Pair, SegmentLengths

OTHER, SEPARATORS, FIRST = "the other sentence", "separators", "the first token"
FIRST_KEY, SECOND_KEY = "first", "second"


def show() -> None:
    """The two sentences, whether the second follows, the input as the model gets it, and the heads that look across."""
    name, first, second = _given()
    with layout.waiting_place():
        pair = compute.read(name, first, second)
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.heading("Does the second follow?")
        answers = _next_sentence(name, first, second)
    with right:
        layout.heading("What the model reads")
        lengths = _input(name, pair)
    head = _heads(pair)
    attention_view(compute.one_head(name, first, second, head), key=f"pair-{head[0]}-{head[1]}", address=False)
    notice = (
        *((about_following(answers),) if answers else ()),
        about_segments(lengths),
        about_crossing(pair.crossing),
    )
    layout.notes(words.PAIR_NOTES, notice=notice, formula=lambda: _formula(pair, answers))


def about_following(answers: Mapping[str, float]) -> str:
    """What the model says of the pair, and what changes it most."""
    (asked, own), *others = answers.items()
    verdict = "follows" if own >= 0.5 else "does not follow"
    sentence = f"The model says that the second sentence **{verdict}**: {own:.1%} that it does."
    if not others:
        return sentence
    name, most = max(others, key=lambda item: abs(item[1] - own))
    del asked
    if abs(most - own) < 0.01:
        return f"{sentence} Nothing that was tried here changes that by more than a point."
    return f"{sentence} Of what else was tried, “{name}” changes it most: to {most:.1%}."


def about_segments(lengths: SegmentLengths | None) -> str:
    """How large the difference is that tells one sentence from the other."""
    if lengths is None:
        return "This model has no segment vectors: only the separators tell it where the second sentence begins."
    return (
        f"The two segment vectors are {lengths.apart:.2f} apart; a token's own vector is {lengths.tokens:.2f} long on "
        f"average. So changing sentence moves a token by **{lengths.apart / lengths.tokens:.0%}** of its length."
    )


def about_crossing(found: Crossing) -> str:
    """Which head looks across most, and how many more than even attention would."""
    values = found.other.numpy()
    heads = np.isfinite(values)
    layer, head = np.unravel_index(int(np.nanargmax(values)), values.shape)
    more = int((values[heads] > found.even).sum())
    layers = np.nanmean(values, axis=1)
    return (
        f"**Layer {layer}, head {head}** looks across most: a word gives {values[layer, head]:.0%} of its attention to "
        f"the other sentence. Even attention would give {found.even:.0%}; **{more} of {int(heads.sum())}** heads give "
        f"more. Separators get {float(found.separators.nanmean()):.0%} on average over all heads. By layer, most "
        f"attention crosses in layer {int(layers.argmax())} ({layers.max():.0%}), least in layer "
        f"{int(layers.argmin())} ({layers.min():.0%})."
    )


def _given() -> tuple[str, str, str]:
    """The controls: the model, both sentences, and ways to swap the second one."""
    with layout.control_bar():
        name = inputs.model_name()
        first = st.text_input(
            "First sentence", words.FIRST_SENTENCE, key=FIRST_KEY, bind="query-params", max_chars=LONGEST_LINE
        )
        second = st.text_input(
            "Second sentence", words.FOLLOWS, key=SECOND_KEY, bind="query-params", max_chars=LONGEST_LINE
        )
    with layout.control_bar():
        st.button("One that follows", on_click=_take, args=(words.FIRST_SENTENCE, words.FOLLOWS))
        st.button("One that does not", on_click=_take, args=(words.FIRST_SENTENCE, words.FOLLOWS_NOT))
        st.button("Other first", icon=":material/swap_horiz:", on_click=_take, args=(second, first))
    return name, first, second


def _take(first: str, second: str) -> None:
    st.session_state[FIRST_KEY], st.session_state[SECOND_KEY] = first, second


def _next_sentence(name: str, first: str, second: str) -> dict[str, float]:
    """The probability that the second follows, beside what it is with something else in its place."""
    model = inputs.masked_model(name)
    if model.next_sentence is None:
        st.info(words.NO_NEXT_SENTENCE.format(title=layout.plain(model.title)), icon=":material/info:")
        return {}
    answers = {
        words.AS_GIVEN: compute.follows(name, first, second),
        words.TURNED: compute.follows(name, second, first),
        words.UNRELATED: compute.follows(name, first, words.FOLLOWS_NOT),
        words.ITSELF: compute.follows(name, first, first),
    }
    if model.tells_segments:
        answers[words.NO_SEGMENTS] = compute.follows(name, first, second, segments=False)
    look = layout.look()
    hues = [look.palette.accent, *[look.palette.map] * (len(answers) - 1)]
    charts.chart(
        partial(prediction_bars, list(answers), list(answers.values()), look=look, hues=hues),
        name="pair-follows",
        alt="Probability that the second sentence follows: "
        + ", ".join(f"{label} {value:.1%}" for label, value in answers.items()),
        table=pd.DataFrame({"input": list(answers), "probability that it follows": list(answers.values())}),
    )
    return answers


def _input(name: str, pair: Pair) -> SegmentLengths | None:
    """Each token with its segment and its position."""
    model, tokens = inputs.masked_model(name), pair.tokens
    lengths = compute.segment_lengths(name)
    if not model.tells_segments and not layout.is_presented():
        st.caption(words.NO_SEGMENTS_TOLD.format(title=layout.plain(model.title)))
    cell_map(
        1 + np.array([tokens.segments]),
        key="pair_input",
        x="token",
        y="",
        tell="“{column}” belongs to the {value}",
        rows=["segment"],
        columns=[layout.readable(label) for label in tokens.labels],
        kinds=words.SEGMENT_KINDS,
        hues=HUES[:2],
        alt=f"{tokens.segments.count(0)} tokens of the first sentence and {tokens.segments.count(1)} of the second",
        name="pair-input",
        height=110,
    )
    if not layout.is_presented():
        st.markdown(words.INPUT_TOLD, width=layout.PROSE)
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
    layout.heading("Which heads look across?")
    found = pair.crossing
    measures = {OTHER: found.other, SEPARATORS: found.separators, FIRST: found.first}
    with layout.control_bar():
        name = controls.choice("Attention to", list(measures), key="across")
        values = measures[name].numpy()
        most = np.unravel_index(int(np.nanargmax(found.other.numpy())), values.shape)
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


def _formula(pair: Pair, answers: Mapping[str, float]) -> None:
    st.latex(r"x_t=E_{\mathrm{tok}}(w_t)+E_{\mathrm{seg}}(s_t)+E_{\mathrm{pos}}(t)")
    st.markdown(words.PAIR_FORMULA)
    st.latex(r"c=\tanh(W_p\,h_{\mathtt{[CLS]}}+b_p)")
    st.latex(r"p(\text{follows})=\mathrm{softmax}(W c+b)_0")
    if answers:
        st.latex(rf"p(\text{{follows}})={next(iter(answers.values())):.4f}")
    tokens = pair.tokens
    own = [segment for segment, special in zip(tokens.segments, tokens.special, strict=True) if not special]
    first, second = own.count(0), own.count(1)
    st.latex(
        rf"\mathrm{{even}}=\frac{{2\cdot{first}\cdot{second}}}{{({first}+{second})\cdot{len(tokens)}}}="
        rf"{pair.crossing.even:.3f}"
    )
    layout.caption(words.EVEN_TOLD)
