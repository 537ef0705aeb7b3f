"""Swap it: other weights of attention in the trained network, and whether the verdict stays."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from core.results.sentiment_results import Results
from core.results.swapped_attention_results import SwappedAttention
from core.sentiment.swapped_attention import MAX_DIVERGENCE, TRIES
from dashboard import theme, typeset
from dashboard.components.tinted_lines import Line, tinted_lines
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare, points
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.language.sentiment import compute_swap as compute
from pages.language.sentiment import reviews
from pages.language.sentiment.compute_swap import Exchanged, Tried
from pages.language.sentiment.figures import measured_dots, verdict_bars
from pages.language.sentiment.prose import PAGE

SECTION = PAGE.section("Swap it")
KINDS = {
    "own": "As it is",
    "permuted": "Permuted",
    "uniform": "Uniform",
    "different": "Most different",
    "trained": "Trained uniform",
}
TINTED = 600  # words
MOVES = (0.001, 0.01, 0.05, 0.1)


def show() -> None:
    """The text tinted by each kind of weights, the verdict under each, and the same over held-out texts."""
    text, name, main, menu = reviews.choose(attending=True)
    with main:
        seed = controls.number_box("Draw", 0, 9999, 0, key="swap_seed", width=130, help=SECTION.text("Draw"))
    with menu:
        allowed = st.select_slider(
            "May move the prediction by",
            MOVES,
            value=0.01,
            key="swap_allowed",
            bind="query-params",
            format_func=lambda share: f"{share:.1%}",
            width=controls.WIDTH,
            help=SECTION.text("Allowed change"),
        )
    with layout.waiting_place():
        trial = compute.tried(name, text, int(seed), float(allowed))
    typeset.show_cut_notice(trial.tokens)
    _tinted(trial)
    layout.place_notice()
    layout.heading("Its prediction under each set of weights")
    _bars(trial)
    measured = _measured(reviews.language_of(name))
    st.markdown(SECTION.text("What follows from it"), width=theme.PROSE)
    layout.notes(
        SECTION,
        notice=(about_different(trial), about_permuted(trial), *((about_measured(measured),) if measured else ())),
        numbers={
            "kind": KINDS["different"].lower(),
            "divergence": trial.exchanged["different"].divergence,
            "tries": TRIES,
            "moved": _moved(trial.exchanged["own"], trial.exchanged["different"], trial.classes),
            "allowed": float(allowed),
        },
    )


# The text.


def _tinted(trial: Tried) -> None:
    # One scale for all rows: the network's own largest weight.
    largest = float(trial.exchanged["own"].weights[:TINTED].max())
    lines = [_line(kind, trial, largest) for kind in trial.exchanged]
    tinted_lines(
        [label.replace("\n", "↵\n") for label in trial.labels[:TINTED]],
        lines,
        key="swap_words",
        odd=[],
        odd_means="",
        scale="Weight of a word, up to the largest that the network itself gives",
        ticks=((0, "0"), (1, f"{largest:.0%} or more")),
        after="divergence",
        of="token",
    )


def _line(kind: str, trial: Tried, largest: float) -> Line:
    exchange, title = trial.exchanged[kind], KINDS[kind]
    weights = exchange.weights[:TINTED].tolist()
    tells = [
        f"{title}: “{typeset.readable(label).strip()}” has {weight:.2%} of the weight."
        for label, weight in zip(trial.labels, weights, strict=False)
    ]
    return Line(
        title,
        [min(1.0, weight / largest) for weight in weights],
        tells,
        [("divergence", f"{exchange.divergence:.2f}")],
        f"{title}: divergence {exchange.divergence:.2f} from the network's own weights",
    )


def about_different(trial: Tried) -> str:
    """How far away the most different weights are, and what they do to the verdict."""
    own, other = trial.exchanged["own"], trial.exchanged["different"]
    verdict = typeset.plain(trial.classes[trial.target])
    if len(own.weights) == 1:
        return (
            "With a single word there is nothing to exchange: it has all the weight, and the prediction is "
            f"**{verdict}**."
        )
    return (
        f"With very different weights, the probability of “{verdict}” goes from {own.probabilities[trial.target]:.1%} "
        f"to **{other.probabilities[trial.target]:.1%}**. These weights share **{other.shared:.0%}** with the "
        f"network's own (divergence {other.divergence:.2f} of at most {MAX_DIVERGENCE:.2f})."
    )


def about_permuted(trial: Tried) -> str:
    """How often a permutation changes the verdict, and by how much the middle one moves it."""
    if len(trial.exchanged["own"].weights) == 1:
        return "A single word has all the weight in every order, so no permutation can change the prediction."
    return (
        f"**{trial.flips} of {trial.draws}** permutations of the weights change the predicted class; the median one "
        f"moves its probability by {trial.median_change:.1%}. Uniform weights move it by "
        f"{trial.exchanged['uniform'].change:.1%}."
    )


# The verdicts.


def _bars(trial: Tried) -> None:
    exchanges = {KINDS[kind]: exchange for kind, exchange in trial.exchanged.items()}
    exchanges[KINDS["trained"]] = trial.trained
    values = np.stack([exchange.probabilities.numpy() for exchange in exchanges.values()])
    charts.chart(
        partial(verdict_bars, tuple(exchanges), trial.classes, values, look=theme.look()),
        name="sentiment-swapped",
        alt="; ".join(
            f"{title}: {trial.classes[trial.target]} {exchange.probabilities[trial.target]:.1%}"
            for title, exchange in exchanges.items()
        ),
        table=pd.DataFrame(values, columns=list(trial.classes)).assign(
            weights=list(exchanges), divergence=[exchange.divergence for exchange in exchanges.values()]
        ),
    )


# Over held-out texts.


def _measured(language: str) -> dict[str, SwappedAttention]:
    rows = compute.measured(language)
    layout.heading("Over held-out texts")
    overall = {row.kind: row for row in rows if row.part == "all"}
    st.markdown(about_needed(compute.trained()[language]), width=theme.PROSE)
    titles = [KINDS[kind] for kind in overall]
    table = pd.DataFrame(
        {
            "weights": titles,
            "texts": [row.texts for row in overall.values()],
            "right": [row.accuracy for row in overall.values()],
            "predictions that flip": [row.flips for row in overall.values()],
            "median change": [row.change for row in overall.values()],
            "change in one of ten": [row.large_change for row in overall.values()],
            "median divergence": [row.divergence for row in overall.values()],
        }
    )
    percent = {name: st.column_config.NumberColumn(format="percent") for name in table.columns[2:6]}
    data_table(table, hide_index=True, column_config=percent)
    layout.caption(SECTION.text("Held-out texts", trained=KINDS["trained"]))
    parts = {part: {row.kind: row for row in rows if row.part == part} for part in ("lowest", "middle", "highest")}
    charted_kinds = {kind: KINDS[kind] for kind in ("permuted", "uniform")}
    charts.chart(
        partial(
            measured_dots,
            tuple(parts),
            {title: [by_kind[kind].change for by_kind in parts.values()] for kind, title in charted_kinds.items()},
            x="texts by their largest weight of attention: thirds",
            y="median change of the output",
            look=theme.look(),
        ),
        name="sentiment-swapped-thirds",
        alt="; ".join(
            f"{KINDS[kind]}, {part}: {by_kind[kind].change:.2%}"
            for kind in charted_kinds
            for part, by_kind in parts.items()
        ),
        table=pd.DataFrame(
            {kind: [by_kind[kind].change for by_kind in parts.values()] for kind in charted_kinds}
        ).assign(third=list(parts)),
    )
    return overall


def about_needed(results: Results) -> str:
    """Whether attention was of use for the task: the network beside the one trained without it, on all test texts."""
    own, without = results.models["rnn"].accuracy, results.models["rnn-uniform"].accuracy
    # Two shares of the same texts, where one network is mostly right when the other is: at most this standard error.
    doubt = 2 * ((own * (1 - own) + without * (1 - without)) / results.test) ** 0.5
    apart = own - without
    conclusion = {
        "more": f"attention is worth **{points(apart)}**",
        "less": f"attention costs **{points(-apart).removeprefix('+')}**",
    }.get(compare(apart, 0.0, margin=doubt), "**no gain from attention can be seen**")
    return (
        f"The network is right on {own:.1%} of {results.test:,} held-out texts, and on {without:.1%} when it was "
        f"trained with uniform weights. Two trainings can differ by up to {doubt * 100:.1f} points by chance, so "
        f"{conclusion} here."
    )


def about_measured(by_kind: dict[str, SwappedAttention]) -> str:
    """How far away weights can be on average, and how often permuting flips."""
    far, permuted = by_kind["different"], by_kind["permuted"]
    return (
        f"Over {far.texts:,} held-out texts, the most different weights reach a median divergence of "
        f"**{far.divergence:.2f}** (at most {MAX_DIVERGENCE:.2f}); the search keeps every prediction. A permutation "
        f"flips **{permuted.flips:.1%}** of the predictions."
    )


# How it is computed.


def _moved(own: Exchanged, other: Exchanged, classes: Sequence[str]) -> str:
    """Half the sum of the absolute differences of all probabilities, as LaTeX."""
    apart = [abs(float(own.probabilities[place] - other.probabilities[place])) for place in range(len(classes))]
    return rf"\tfrac12({' + '.join(f'{gap:.4f}' for gap in apart)}) = {sum(apart) / 2:.4f}"
