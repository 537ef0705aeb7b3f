"""One step of the LSTM in numbers: scores, weights, gate, what is seen, what is written."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from dashboard import theme, typeset
from dashboard.components.word_maps import MappedWord, WordMap, WordScene, word_maps
from dashboard.figures.predictions import prediction_bars
from dashboard.figures.vector_rows import Row, vector_rows
from dashboard.frame import layout
from dashboard.inputs import controls, picture_input
from dashboard.number_format import compare
from dashboard.output import charts
from pages.words_and_pictures.captioning import compute, inputs
from pages.words_and_pictures.captioning.compute import Step, Written
from pages.words_and_pictures.captioning.prose import PAGE

SECTION = PAGE.section("One step")
EVEN = 0.1  # of an even share: a place that has no more above it is not singled out
TOP = 6  # channels of a score that are listed


def show() -> None:
    """The step, where it looks, the score of its brightest place taken apart, the gate, the next words."""
    with layout.control_bar():
        chosen = picture_input.choose()
        name = inputs.captioner_for(chosen, "lstm")
        written = compute.write(name, chosen, 3)
        first = min(1, len(written.words) - 1)  # before the first word there is little to look for
        place = controls.token([label.strip() for label in written.words.labels], first=first, label="Word")
    step = compute.step_of(name, chosen, written.words.ids, place)
    word = written.words.labels[place].strip()
    before = " ".join(label.strip() for label in written.words.labels[:place]) or "nothing yet"
    st.markdown(f"Written so far: {typeset.plain(before)} · this step writes **{typeset.plain(word)}**")
    rows, columns = written.model.grid
    view = WordScene(
        written.prepared.photograph,
        (rows, columns),
        (MappedWord(word, SECTION.text("Gate", gate=step.gate), bar=step.gate),),
        (
            WordMap("weights", step.weights.numpy()[None]),
            WordMap(
                "scores above the lowest",
                (step.scores - step.scores.min()).numpy()[None],
                says="Of all scores above the lowest, “{word}” gives {share}",
            ),
        ),
        photo="colour" if chosen.is_scene else "ink",
    )
    word_maps(view, key="step-maps", name="caption-step", address=False)
    layout.place_notice()
    layout.prose(SECTION.text("Numbers of the step"))
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("What may come next", anchor=False)
        _next(written, step, place)
    with right:
        st.subheader("What is seen, as far as the gate is open", anchor=False)
        _vectors(step)
    layout.notes(SECTION, notice=noticed(written, step, place), formula=lambda: _channels(written, step))


def _next(written: Written, step: Step, place: int) -> None:
    values, numbers = step.chances.topk(8)
    labels = [written.model.word(number) for number in numbers.tolist()]
    look = theme.look()
    chosen = written.words.ids[place]
    hues = [look.palette.map if number == chosen else look.palette.soft for number in numbers.tolist()]
    charts.chart(
        partial(prediction_bars, labels, values.tolist(), look=look, hues=hues),
        name="step-next",
        alt="The most probable words: "
        + "; ".join(f"{label} {value:.0%}" for label, value in zip(labels, values.tolist(), strict=True)),
        table=pd.DataFrame({"word": labels, "probability": values.tolist()}),
    )


def _vectors(step: Step) -> None:
    rows = [
        Row("<i>h</i> before", "state before", step.before.numpy()),
        Row("<i>z</i>, what is seen", "seen", step.context.numpy()),
        Row("<i>h</i> after", "state after", step.after.numpy()),
    ]
    table = pd.DataFrame(
        {"state before": pd.Series(step.before), "seen": pd.Series(step.context), "state after": pd.Series(step.after)}
    )
    charts.chart(
        partial(vector_rows, rows, look=theme.look(), one_scale=False),
        name="step-vectors",
        alt="The state before the step, what is seen, and the state after it, number by number",
        table=table,
    )


def noticed(written: Written, step: Step, place: int) -> tuple[str, ...]:
    """Where the step looks, how far the gate is open, how sure it is."""
    top = int(step.weights.argmax())
    row, column = divmod(top, written.model.grid[1])
    even = 1 / written.model.places
    chosen = float(step.chances[written.words.ids[place]])
    best = int(step.chances.argmax())
    name = typeset.plain(written.words.labels[place].strip())
    strongest = float(step.weights[top])
    sentences = [
        f"The strongest place is row {row}, column {column}, with {strongest:.1%} of the weight: "
        f"{strongest / even:.1f} times an even share."
        if compare(strongest, even, margin=EVEN * even) == "more"
        else f"It looks everywhere alike: no place has more than {strongest:.1%} of the weight, about an even share.",
        f"The gate lets in {step.gate:.1%} of what is seen: the length of *z* is {float(step.context.norm()):.2f}, "
        f"with an open gate it would be {float(step.weighted_sum.norm()):.2f}.",
    ]
    if best == written.words.ids[place]:
        sentences.append(f"“{name}” is the most probable word, with {chosen:.1%}.")
    else:
        other = typeset.plain(written.model.word(best))
        sentences.append(
            f"The beam writes “{name}” with {chosen:.1%} although “{other}” has {float(step.chances[best]):.1%}: it "
            "compares whole captions."
        )
    return tuple(sentences)


def _channels(written: Written, step: Step) -> None:
    """The score of the strongest place as a sum over channels, then its weight."""
    top = int(step.weights.argmax())
    channels = np.tanh((step.query + step.keys[top]).numpy())
    parts = step.vector.numpy() * channels
    order = np.abs(parts).argsort()[::-1][:TOP]
    lines = ["| *c* | $\\tanh(Wh + Ua)$ | $v$ | product |", "|--:|--:|--:|--:|"]
    for channel in order.tolist():
        numbers = (channels[channel], step.vector[channel], parts[channel])
        lines.append(f"| {channel} | " + " | ".join(f"{float(number):.2f}" for number in numbers) + " |")
    remainder = float(parts.sum() - parts[order].sum())
    lines.append(f"| {len(parts) - len(order)} others | | | {remainder:.2f} |")
    lines.append(f"| **sum** | | | **{float(parts.sum()):.2f}** |")
    st.markdown("\n".join(lines))
    largest = step.scores.max()
    total = float((step.scores - largest).exp().sum())
    st.markdown(SECTION.text("Softmax", places=written.model.places, total=total, weight=1 / total, gate=step.gate))
