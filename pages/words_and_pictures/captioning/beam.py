"""The beam: what was considered while a caption was written, step by step."""

from functools import partial

import streamlit as st

from core.zoo.captioners import LONGEST
from dashboard import theme, typeset
from dashboard.figures.beam_tree import beam_tree
from dashboard.frame import layout
from dashboard.inputs import controls, picture_input
from dashboard.number_format import compare
from dashboard.output import charts, search_tree
from dashboard.output.data_table import data_table
from dashboard.theme import HUES
from pages.words_and_pictures.captioning import compute, inputs
from pages.words_and_pictures.captioning.compute import Written
from pages.words_and_pictures.captioning.prose import PAGE

SECTION = PAGE.section("The beam")
COLUMNS = (4, 6, 10)  # steps of the tree; the first fits a phone


def show() -> None:
    """The caption, the tree up to a step, the candidates of that step."""
    main, settings = layout.bar_with_settings()
    with main:
        chosen = picture_input.choose()
        width = inputs.beam()
    with settings:
        kind = inputs.kind()
        columns = controls.choice("Steps drawn", COLUMNS, key="beam_columns", first=COLUMNS[1])
    written = compute.write(inputs.captioner_for(chosen, kind), chosen, width)
    decoded = written.decoded
    with main:
        count = len(decoded.best.tokens)
        step = 1 + controls.number("Step", count, key="beam_step", first=count - 1)
    picture, tree = st.columns([1, 3], gap="large")
    with picture:
        st.image(written.prepared.photograph, width=240, alt="The picture that is described")
        st.markdown(f"**{typeset.plain(written.text)}**")
    with tree:

        def label(token: int) -> str:
            return typeset.readable(written.model.tokens([token]).labels[0])

        nodes = search_tree.nodes_of(decoded, label, last=step, columns=columns)
        table = search_tree.table(decoded.steps[step - 1], search_tree.winning_places(decoded).get(step), label)
        figure = partial(beam_tree, nodes, look=theme.look(), hue=HUES[0], chosen=step)
        charts.chart(figure, name="caption-tree", alt=f"The tree of the beam search up to step {step}", table=table)
        layout.place_notice()
        layout.caption(search_tree.about_drawing(decoded, step, beam=width, longest=LONGEST + 1))
    with st.expander(f"All {len(table)} candidates of step {step}"):
        numbers = {name: st.column_config.NumberColumn(format="%.3f") for name in ("log p", "total", "score")}
        data_table(table, hide_index=True, column_config=numbers)
    layout.notes(
        SECTION,
        notice=noticed(written, step),
        numbers={
            "log_probability": decoded.best.log_probability,
            "words": len(decoded.best.tokens),
            "score": decoded.best.score(0.6),
        },
    )


def noticed(written: Written, step: int) -> tuple[str, ...]:
    """How the beam came to its caption, and what it preferred it to."""
    decoded = written.decoded
    sentences = [search_tree.about_candidates(decoded, step)]
    if len(decoded.hypotheses) > 1:
        other = decoded.hypotheses[1]
        text = typeset.plain(written.model.text(other.tokens))
        gap = decoded.best.score(0.6) - other.score(0.6)
        below = f"{gap:.2f} below in its score" if compare(gap, 0.0, margin=0.005) == "more" else "with the same score"
        sentences.append(f"The second best caption is “{text}”, {below}.")
    else:
        sentences.append("No other caption was complete when the search ended.")
    return tuple(sentences)
