"""Faithful?: words taken away in the order of an explanation, curves beside chance, and whether explanations agree."""

import math

import numpy as np
import streamlit as st

from core.attribution.agreement import Agreement, count_pairs
from core.attribution.deletion_curves import ranks_in
from core.attribution.token_methods import METHODS
from dashboard import typeset
from dashboard.components.cell_map import cell_map
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.figures.faithfulness import RANDOM, area_in_latex
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import in_latex, points
from dashboard.output import deletion_curves
from dashboard.theme import HUES
from pages.language.sentiment import compute_faithful as compute
from pages.language.sentiment import faithful_measured, reviews
from pages.language.sentiment import faithful_sentences as sentences
from pages.language.sentiment.compute_faithful import Curves, Explained, value_of
from pages.language.sentiment.prose import PAGE

SECTION = PAGE.section("Faithful?")
HUE = dict(zip(METHODS.values(), HUES, strict=False))
NAMES = {key: title[:1].lower() + title[1:] for key, title in METHODS.items()}  # inside a sentence
ORDER, HOW, PERCENT, RANKED, LONG = (
    "faithful_order",
    "faithful_how",
    "faithful_percent",
    "faithful_ranked",
    "faithful_long",
)
DELETE, KEEP = "struck out", "kept alone"
FOR_PREDICTION, STRENGTH = "what speaks for the verdict", "strength, for or against"
SLIDER = 190  # pixels
PATIENCE = 30  # seconds: what takes longer is measured when somebody asks for it
SIDES = {
    "deletion": ("words taken away", "Deletion: the lower, the more faithful"),
    "insertion": ("words put back", "Insertion: the higher, the more faithful"),
}


def show() -> None:
    """The text with words struck out, the curves of all explanations, what they gain, and how far they agree."""
    text, name, main, _ = reviews.choose()
    with main:
        percent = st.slider("Most important words, %", 0, 100, 20, key=PERCENT, bind="query-params", width=SLIDER)
    with layout.waiting_place():
        explained = compute.explained(name, text)
    typeset.show_cut_notice(explained.tokens)
    taken = _taken(explained, percent)
    curves = _measured_curves(explained)
    gained = faithful_measured.show(explained, curves, NAMES, HUE) if curves else ()
    alike = _agreement(explained)
    layout.notes(SECTION, notice=(taken, *gained, alike), formula=lambda: _formulas(explained, curves))


# Words struck out.


def _taken(explained: Explained, percent: int) -> str:
    """The text without the first words of an explanation, and what the model says of it, which is returned."""
    figure = st.container()
    with layout.control_bar():
        method = _method(explained)
        how = controls.choice("Its words", [DELETE, KEEP], key=HOW)
    keep, count = how == KEEP, percent * len(explained.words) // 100
    with layout.waiting_place():
        after = compute.taken(explained, method, count, keep=keep)
    now = float(after[explained.target])
    before = explained.probability
    sentence = sentences.about_taken(
        typeset.plain(explained.verdict.label),
        count,
        len(explained.words),
        before,
        now,
        keep=keep,
        now=typeset.plain(explained.model.classes[int(after.argmax())]),
    )
    text, says = figure.columns([2.6, 1], gap="large")
    with text:
        _words(explained, method, count, keep=keep)
    with says:
        st.metric(
            f"Probability of {typeset.plain(explained.verdict.label)}",
            f"{now:.1%}",
            # A hyphen for the minus: by it Streamlit knows which way its arrow points.
            points(now - before).replace("−", "-") if abs(now - before) >= 5e-4 else None,
            delta_color="off",
        )
        layout.place_notice()
        if not np.ptp(explained.scores[method].numpy()):
            st.caption(SECTION.text("Equal scores"))
    return sentence


def _method(explained: Explained) -> str:
    names = {METHODS[name]: name for name in explained.scores}
    return names[controls.choice("In the order of", names, key=ORDER)]


def _words(explained: Explained, method: str, count: int, *, keep: bool) -> None:
    """The words of the text, tinted by what they say for the verdict; those that are gone are struck out."""
    scores, order = explained.scores[method], explained.order(method)
    rank = ranks_in(order).tolist()
    most = max(float(scores.max()), 1e-12)
    picked = [
        PickedWord(
            label,
            f"“{typeset.readable(label)}” is word {place + 1:,} of {len(rank):,} in this order, with {score:.3g}.",
            strength=max(0.0, score / most),
            struck=(place < count) != keep,
        )
        for label, score, place in zip(explained.labels, scores.tolist(), rank, strict=True)
    ]

    def take(number: int) -> None:
        st.session_state[PERCENT] = min(100, math.ceil(100 * (rank[number] + 1) / len(rank)))

    word_picker(
        picked,
        key="faithful_words",
        on_click=take,
        label=f"The text; words are struck out in the order of {NAMES[method]}",
        hint=SECTION.text(f"Click on a word: {KEEP if keep else DELETE}"),
        scale=f"{METHODS[method]}, for the prediction",
        ticks=((0, "0"), (1, f"{most:.2g}")),
    )


# The curves.


def _measured_curves(explained: Explained) -> Curves | None:
    """Both figures and the areas; None while nobody has asked for what would take long."""
    layout.heading("Which explanation is most faithful?")
    if explained.waiting > PATIENCE:
        label = f"Measure the curves: takes about {explained.waiting:.0f} seconds"
        if not st.toggle(label, key=LONG, bind="query-params"):
            return None
    with layout.waiting_place():
        curves = compute.curves(explained)
    layout.prose(sentences.about_best(curves, NAMES), width="stretch")
    for place, side in zip(st.columns(2, gap="medium"), SIDES, strict=True):
        with place:
            _curves(explained, curves, side)
    layout.caption(SECTION.text("Curves", draws=len(curves.draws)))
    layout.prose(sentences.about_ends(curves, typeset.plain(explained.verdict.label)), width="stretch")
    return curves


def _curves(explained: Explained, curves: Curves, side: str) -> None:
    x, title = SIDES[side]
    named = {METHODS[name]: curve for name, curve in curves.explanations.items()} | {RANDOM: curves.random}
    deletion_curves.show(
        named,
        side,
        {name: value_of(curve, side) for name, curve in named.items()},
        curves.band(side),
        title=title,
        x=x,
        answer=explained.verdict.label,
        hues=HUE,
        name=f"sentiment-{side}",
    )


# Whether they agree.


def _agreement(explained: Explained) -> str:
    """How alike the explanations rank the words, as two matrices; what is to be noticed in the second."""
    layout.heading("Do the explanations agree?")
    ranked = controls.choice("Words ranked by", [FOR_PREDICTION, STRENGTH], key=RANKED)
    strength = ranked == STRENGTH
    agreement = compute.agreement(explained, strength=strength)
    layout.prose(sentences.about_agreement(agreement, NAMES), width="stretch")
    first = "word" if agreement.first == 1 else f"{agreement.first} words"
    for place, (values, title, low, tell, name) in zip(
        st.columns(2, gap="medium"),
        (
            (agreement.tau, "Kendall's τ, over all words", -1.0, "{row} and {column}: τ = {value}", "tau"),
            (agreement.shared, f"Shared among the first {first}", 0.0, "{row} and {column} share {value}", "shared"),
        ),
        strict=True,
    ):
        with place:
            _matrix(agreement, values, title, low, tell, name)
    faithful_measured.show_agreed(explained.model.name, NAMES, strength=strength)
    return sentences.about_first(agreement, NAMES)


def _matrix(agreement: Agreement, values: np.ndarray, title: str, low: float, tell: str, name: str) -> None:
    labels = [METHODS[method] for method in agreement.names]
    st.markdown(f"**{title}**")
    cell_map(
        values,
        key=f"faithful_{name}",
        x="explanation",
        y="explanation",
        tell=tell,
        rows=labels,
        columns=labels,
        limits=(low, 1.0),
        alt=f"{title}: each explanation with each",
        name=f"sentiment-{name}",
        height=300,
    )


# How it is computed.


def _formulas(explained: Explained, curves: Curves | None) -> None:
    """One area, comprehensiveness and sufficiency, with the numbers of this text."""
    if curves is None:
        return
    method = _chosen(explained)
    curve, name = curves.explanations[method], NAMES[method]
    st.markdown(SECTION.text("Area under the curve", name=name, area=area_in_latex(curve)))
    deletion, insertion = (heights[list(curve.bins)].tolist() for heights in (curve.deletion, curve.insertion))
    st.markdown(
        SECTION.text(
            "Comprehensiveness and sufficiency",
            name=name,
            all=curve.deletion[0].item(),
            without_first=deletion[0],
            without_most=deletion[-1],
            comprehensiveness=curve.comprehensiveness,
            first_alone=insertion[0],
            most_alone=insertion[-1],
            sufficiency=curve.sufficiency,
        )
    )
    others = [name for name in explained.scores if name != method]
    if others and len(explained.words) > 1:
        _formula_of_tau(explained, method, others[0])


def _formula_of_tau(explained: Explained, one: str, other: str) -> None:
    """Kendall's tau of two explanations, from counted pairs of words."""
    pairs = count_pairs(explained.scores[one], explained.scores[other])
    st.markdown(SECTION.text("Kendall's τ-b", one=NAMES[one], other=NAMES[other]))
    if pairs.tau is not None:
        counts = dict(zip(("c", "d", "t1", "t2"), map(in_latex, pairs.counts), strict=True))
        st.markdown(SECTION.text("Kendall's τ-b in numbers", tau=pairs.tau, **counts))


def _chosen(explained: Explained) -> str:
    """The explanation in whose order words are struck out."""
    names = {METHODS[name]: name for name in explained.scores}
    return names.get(st.session_state.get(ORDER, ""), next(iter(explained.scores)))
