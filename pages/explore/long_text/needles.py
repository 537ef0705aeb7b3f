"""A needle in a book: which heads look at it, where it is still used, and what is lost without these heads."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.long_context.needles import Probe, Retrieval
from core.text import read_text, read_tokens
from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.figures.score_bars import Column, score_bars
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.long_text.books import BOOKS
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.output.export import download_arrays, npz
from pages.explore.long_text import compute_needles, needles_measured, needles_sentences
from pages.explore.long_text.compute_needles import Planting
from pages.explore.long_text.figures_needles import heads_table
from pages.explore.long_text.prose import PAGE

SECTION = PAGE.section("Needles")
MODELS = ("gpt-books-long", "gpt-books")
DEPTH = 50  # percent, of the opening
LONGEST = 300  # characters of a sentence
WIDTH = 360  # pixels of its field: so all controls stand in one row
# Kamradt 2023.
NEEDLE = "The best thing to do in San Francisco is eat a sandwich and sit in Dolores Park on a sunny day."
CUE = 9  # words of it: "The best thing to do in San Francisco is"
SHARE, SCORE, COPY = "attention to the needle", "retrieval score", "weight on the token to copy"
NEIGHBOURS = 12  # tokens of the book on both sides of the needle that are written out


def show() -> None:
    """The controls, the map of heads and the answer's tokens, then all depths and lengths, and the ablation."""
    with layout.control_bar():
        sentence = st.text_input("Needle", NEEDLE, key="needle", bind="query-params", max_chars=LONGEST, width=WIDTH)
        lengths_place = st.container(width="content")  # they depend on the model, whose control stands in the menu
        depth = st.slider("Depth", 0, 100, DEPTH, 5, key="needle_depth", bind="query-params", format="%d%%", width=140)
        menu = layout.settings()
    name = model_name.model("text", offered=MODELS, menu=menu)
    model = compute_needles.reader(name)
    with lengths_place:
        length = controls.choice("Tokens", compute_needles.lengths(model), key="needle_length")
    with menu:
        planting = _planting(name, read_text(sentence))
        measure = controls.menu("Map of heads", (SHARE, SCORE, COPY), key="needle_map")
    maps, answer = st.columns([3, 2], gap="large")
    with maps:
        figure = st.container()
        layout.place_notice()
        waiting_here = st.container()
    with waiting_here, layout.waiting_place():
        probe = compute_needles.probe(planting, length, depth)
    retrieval = probe.retrievals[0]
    with figure:
        _map(retrieval, measure)
    with answer:
        _answer(planting, probe)
    grid_side, ablation_side = st.columns(2, gap="large")
    with grid_side:
        layout.heading("At every depth and length")
        grid = needles_measured.grid(planting, length)
    with ablation_side:
        layout.heading("Without the best heads")
        ablation = needles_measured.ablation(planting, probe, length, depth)
    _downloads(retrieval)
    layout.notes(
        SECTION,
        notice=(
            f"{needles_sentences.about_gain(probe)} {needles_sentences.about_heads(retrieval)}",
            needles_sentences.about_shares(retrieval),
            needles_sentences.about_grid(grid),
            needles_sentences.about_ablation(probe, ablation),
        ),
        numbers={
            "without": float(probe.bits_without.sum()),
            "planted": float(retrieval.bits.sum()),
            "saved": float(probe.gains().sum()),
        },
        formula=lambda: _score_of_best(retrieval),
    )


def _planting(name: str, sentence: str) -> Planting:
    """What is planted, with the controls of the book, the cue and the question."""
    book = controls.menu("Book", BOOKS, key="needle_book")
    question = st.text_input(
        "Question before the cue",
        "",
        key="needle_question",
        bind="query-params",
        max_chars=LONGEST,
        help=SECTION.text("Question"),
    )
    words = sum(any(map(str.isalnum, word)) for word in sentence.split())
    most, key = max(1, words - 1), "needle_cue"
    first = CUE if sentence == NEEDLE else max(1, most // 2)
    if (st.session_state.get(key) or 0) > most:  # another needle may have fewer words
        st.session_state[key] = first
    cue = controls.number_box("Words of the cue", 0, most, first, key=key, help=SECTION.text("Cue"))
    return Planting(name, book, sentence, int(cue), question.strip() and read_text(question))


def _map(retrieval: Retrieval, measure: str) -> None:
    values, tell = {
        SHARE: (retrieval.heads.shares, "{value}% of its attention to the needle"),
        SCORE: (retrieval.heads.scores, "the largest weight on the token to copy in {value}% of cases"),
        COPY: (retrieval.heads.copies, "{value}% of its attention to the token to copy"),
    }[measure]
    st.markdown(f"**{measure[:1].upper()}{measure[1:]}**, percent")
    cell_map(
        100 * values.numpy(),
        key="needle_heads_map",
        x="head",
        y="layer",
        tell=f"layer {{row}}, head {{column}}: {tell}",
        marked=retrieval.ranked[:1],
        mark="the best by retrieval score",
        alt=f"The {measure} of each head: up to {float(np.nanmax(values.numpy())):.0%}",
        name="needle-heads",
        height=theme.look().high(300),
    )


def _answer(planting: Planting, probe: Probe) -> None:
    """The bits of each token of the answer, with and without the needle, and the text around the needle."""
    planted, bits = probe.retrievals[0].planted, probe.retrievals[0].bits
    labels = [typeset.in_word(planted.tokens, position) for position in planted.answer]
    table = pd.DataFrame({"token": labels, "without": probe.bits_without.numpy(), "with": bits.numpy()})
    st.markdown("**Cost of the answer**, bits a token")
    tell = "%{customdata}: %{x:.2f} bits "
    charts.chart(
        partial(
            score_bars,
            labels,
            [
                Column("with the needle", table["with"].to_numpy(), tell + "with the needle"),
                Column("without", table["without"].to_numpy(), tell + "without it", colour=theme.look().palette.soft),
            ],
            look=theme.look().sized(-1),
        ),
        name="needle-answer",
        alt="The cost of each token of the answer with and without the needle",
        table=table,
    )
    cue = read_tokens(planting.model.tokenizer, planted.tokens.ids[planted.prompt.start : planted.prompt.stop])
    before = range(max(0, planted.needle.start - NEIGHBOURS), planted.needle.start)
    after = range(planted.needle.stop, min(planted.needle.stop + NEIGHBOURS, planted.prompt.start))
    layout.caption(
        f"Token {planted.needle.start:,} of {len(planted.tokens):,}: … {_text(planted.tokens.labels, before)} "
        f"**{_text(planted.tokens.labels, planted.needle)}** {_text(planted.tokens.labels, after)} … At the end: "
        f"{_text(cue.labels, range(len(cue)))} **…**"
    )


def _text(labels: Sequence[str], positions: range) -> str:
    return typeset.plain(" ".join("".join(labels[position] for position in positions).split()))


def _downloads(retrieval: Retrieval) -> None:
    """All heads as a table and as arrays."""
    with st.expander("All heads"):
        table = heads_table(retrieval)
        shares = [column for column in table.columns if column not in ("layer", "head")]
        data_table(
            table,
            hide_index=True,
            column_config={column: st.column_config.NumberColumn(format="percent") for column in shares},
        )
        scores = retrieval.heads
        download_arrays(
            "Scores of all heads (NPZ)",
            lambda: npz(
                {
                    "shares": scores.shares.numpy(),
                    "copies": scores.copies.numpy(),
                    "scores": scores.scores.numpy(),
                    "elsewhere": retrieval.elsewhere.numpy(),
                    "bits": retrieval.bits.numpy(),
                }
            ),
            name="needle-heads",
            about="Scores of each layer and head, and the bits of the answer's tokens",
        )


def _score_of_best(retrieval: Retrieval) -> None:
    """The retrieval score of the best head, if any head has a map, beside that of attention to a token at random."""
    if not retrieval.ranked:
        return
    best, count = retrieval.ranked[0], len(retrieval.bits)
    score = float(retrieval.heads.scores[best])
    text = SECTION.text(
        "Score of the best head",
        head=needles_sentences.named(best),
        hits=round(score * count),
        tokens=count,
        score=score,
        even=retrieval.even_score,
    )
    st.markdown(text)
