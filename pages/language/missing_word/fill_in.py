"""Fill in: hide words of a text by clicking them, and see what the model puts there, and what it looks at."""

from functools import partial
from math import log

import numpy as np
import pandas as pd
import streamlit as st

from core.probing.masked_words.masked_places import HidingCurve, MaskedToken, PseudoLikelihood
from core.text import Tokens
from core.zoo.masked_language_models import MaskedLanguageModel
from dashboard import theme, typeset
from dashboard.components.cell_map import cell_map
from dashboard.components.word_picker import PickedWord, word_picker
from dashboard.figures.curves import curves
from dashboard.figures.predictions import prediction_bars
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.output import charts
from dashboard.output.explained_view import explained_view
from dashboard.recordings import notices
from pages.language.missing_word import compute_fill_in as compute
from pages.language.missing_word import hidden_words, inputs
from pages.language.missing_word.compute_fill_in import Filled
from pages.language.missing_word.fill_in_sentences import about_cost, about_guesses, about_looks, about_more, ordinal
from pages.language.missing_word.prose import PAGE

SECTION = PAGE.section("Fill in")
TOP = 8  # guesses that are shown
DEAREST = 12.0  # bits: a word that costs as much has full ink
TICKS = ((0, "0 bits"), (0.5, "6"), (1, "12 or more"))
DRAWS = 99


def show() -> None:
    """The text to click in, the guesses for a gap, what it looks at; then the whole text, and more and more hidden."""
    selection = inputs.selection()
    with layout.waiting_place():
        tokens = compute.read(selection.name, selection.text)
        typeset.show_cut_notice(tokens)
        text = compute.words_of(tokens)
        hidden = hidden_words.from_address(text)
        filled = compute.fill(selection.name, selection.text, tuple(sorted(hidden)))
    model = selection.model
    _picker(model, filled, hidden)
    place = _guesses(model, tokens, filled)
    layout.heading("All heads")
    explained_view(filled.watched, key="fill_view", token=place, masked=place)
    notices.show_unseen(filled.watched.record)
    scores = _pseudo_perplexity(selection, hidden)
    curve = _more_hidden(selection)
    gap = next((gap for gap in filled.gaps if gap.place == place), None)
    rows = {} if gap is None else compute.attends_to(filled.watched, gap.place)
    notice = (
        about_guesses(filled.gaps),
        *((about_looks(rows, gap.place, filled.watched.inputs),) if gap is not None else ()),
        about_cost(scores),
        *((about_more(curve),) if curve else ()),
    )
    numbers = {"nats": scores.total, "tokens": scores.tokens, "perplexity": scores.perplexity}
    layout.notes(SECTION, notice=notice, numbers=numbers)


def _picker(model: MaskedLanguageModel, filled: Filled, hidden: frozenset[int]) -> None:
    """The text; a click on a word hides it, or shows it again."""
    best = {gap.place: typeset.readable(model.label(int(gap.probabilities.argmax()))) for gap in filled.gaps}
    picked = []
    for number, word in enumerate(filled.words):
        name = typeset.readable(word.label)
        covered = number in hidden
        guess = " ".join(best[place] for place in word.places if place in best)
        tell = (
            f"“{name}” is masked: the model predicts “{guess}”. Click to show it."
            if covered
            else f"Click to mask “{name}”."
        )
        picked.append(PickedWord(word.label, tell, covered=covered, below=guess if covered else ""))
    word_picker(
        picked,
        key="fill_words",
        on_click=lambda place: hidden_words.to_address(hidden ^ {place}),
        label="The text; words can be masked",
        hint=SECTION.text("Words to mask"),
    )


def _guesses(model: MaskedLanguageModel, tokens: Tokens, filled: Filled) -> int | None:
    """The guesses for one gap and what it looks at in every head; the place of the gap, None where there is none."""
    if not filled.gaps:
        layout.place_notice()
        return None
    gap = filled.gaps[0]
    if len(filled.gaps) > 1:
        names = [f"{n}. {typeset.readable(tokens.labels[gap.place])}" for n, gap in enumerate(filled.gaps, start=1)]
        gap = filled.gaps[names.index(controls.choice("Mask", names, key="gap"))]
    guesses, attention = st.columns([2, 3], gap="large")
    with guesses:
        st.markdown("**What stands behind the mask?**")
        _bars(model, gap)
        layout.place_notice()
        if not theme.is_presented():
            st.button(
                "Show all words", icon=":material/undo:", on_click=hidden_words.to_address, args=((),), key="fill_undo"
            )
    with attention:
        st.markdown("**What does the mask attend to?** Each row is one head")
        _attention_rows(filled, gap.place)
    return gap.place


def _bars(model: MaskedLanguageModel, gap: MaskedToken) -> None:
    values, numbers = (tensor.tolist() for tensor in gap.probabilities.topk(min(TOP, len(gap.probabilities))))
    if gap.true is not None and gap.true not in numbers:
        values, numbers = [*values, gap.probability], [*numbers, gap.true]
    labels = [typeset.readable(model.label(number)) for number in numbers]
    look = theme.look()
    hues = [look.palette.accent if number == gap.true else look.palette.map for number in numbers]
    charts.chart(
        partial(prediction_bars, labels, values, look=look, hues=hues),
        name="fill-guesses",
        alt="Predictions: " + ", ".join(f"{label} {value:.1%}" for label, value in zip(labels, values, strict=True)),
        table=pd.DataFrame({"token": labels, "probability": values, "hidden": [n == gap.true for n in numbers]}),
    )
    if gap.true is not None:
        st.caption(SECTION.text("Masked word", ordinal=ordinal(gap.rank or 0)))


def _attention_rows(filled: Filled, place: int) -> None:
    """A row for each head: the whole of the gap's attention at once."""
    rows, tokens = compute.attends_to(filled.watched, place), filled.watched.inputs
    if not rows:
        return
    cell_map(
        np.stack(list(rows.values())),
        key="fill_looks",
        x="token",
        y="layer.head",
        tell="head {row}: the mask gives {value} to {column}",
        rows=list(rows),
        columns=[typeset.readable(label) for label in tokens.labels],
        limits=(0.0, 1.0),
        marked=[],
        alt=f"What the mask at token {place} attends to in each of {len(rows)} heads",
        name="fill-looks",
        height=420,
    )


def _pseudo_perplexity(selection: inputs.Selection, hidden: frozenset[int]) -> PseudoLikelihood:
    """The text with each word tinted by what it costs; a click hides it here as well."""
    layout.heading("Every word in turn")
    whole_word = st.toggle(
        "Mask the rest of the same word too", key="whole", bind="query-params", help=SECTION.text("Rest of a word")
    )
    with layout.waiting_place():
        scores = compute.pseudo(selection.name, selection.text, whole_word)
    costs = [cost / log(2) for cost in scores.by_word.tolist()]
    total = scores.total / log(2)
    word_picker(
        [
            PickedWord(
                word.label,
                f"“{typeset.readable(word.label)}” costs {cost:.2f} bits, {_share(cost, total)} of the text.",
                strength=min(cost / DEAREST, 1.0),
                marked=number in hidden,
            )
            for number, (word, cost) in enumerate(zip(scores.words, costs, strict=True))
        ],
        key="fill_costs",
        on_click=lambda place: hidden_words.to_address(hidden ^ {place}),
        label=f"The text, each word by what it costs; pseudo-perplexity {scores.perplexity:,.1f}",
        hint=SECTION.text("Cost of a word", perplexity=scores.perplexity),
        scale="What a word costs when it alone is masked",
        ticks=TICKS,
    )
    charts.download_table(partial(cost_table, scores), "fill-costs")
    return scores


def cost_table(scores: PseudoLikelihood) -> pd.DataFrame:
    """One row a word: how many tokens it has, what it costs, and its share of the text."""
    nats = scores.by_word.tolist()
    return pd.DataFrame(
        {
            "word": [word.label.strip() for word in scores.words],
            "tokens": [len(word.places) for word in scores.words],
            "bits": [value / log(2) for value in nats],
            "share": [value / scores.total if scores.total else 0.0 for value in nats],
        }
    )


def _more_hidden(selection: inputs.Selection) -> HidingCurve | None:
    """Two curves against the share of words that are hidden; None where there is only one word."""
    if len(compute.words_of(compute.read(selection.name, selection.text))) < 2:
        return None
    layout.heading("Mask more words at once")
    seed = controls.number_box("Draw", 0, DRAWS, 0, key="draw", width=130, help=SECTION.text("Draw"))
    with layout.waiting_place():
        curve = compute.harder(selection.name, selection.text, int(seed))
    table = more_table(curve)
    figure = partial(
        curves,
        table["words hidden"].tolist(),
        {
            "first prediction is right": table["right"].to_numpy(),
            "probability of the truth": table["probability"].to_numpy(),
        },
        look=theme.look(),
        x=f"words masked, of {curve.words}",
        y="share",
        tell="%{x} masked: %{fullData.name} %{y:.0%}",
        marks=True,
        y_range=(-0.02, 1.02),
        height=300,
    )
    charts.chart(
        figure,
        name="fill-more",
        alt="The share of right predictions and the probability of the truth as more words are masked",
        table=table,
    )
    layout.caption(SECTION.text("Several masked words", words=len(curve.answers[0])))
    return curve


def more_table(curve: HidingCurve) -> pd.DataFrame:
    """One row for each number of hidden words: the share of right guesses, and the mean probability of the truth."""
    return pd.DataFrame(
        {
            "words hidden": curve.hidden,
            "asked": [len(answers) for answers in curve.answers],
            "right": [answers.accuracy for answers in curve.answers],
            "probability": [answers.probability for answers in curve.answers],
        }
    )


def _share(part: float, total: float) -> str:
    return f"{part / total if total else 0.0:.1%}"
