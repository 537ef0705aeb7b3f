"""Read: what every classifier says of a text, which words each explanation names, and the text sentence by sentence."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st
from jaxtyping import Float
from torch import Tensor

from core.attribution.token_methods import METHODS, by_word, replacement_of, words_of
from core.zoo.sentiment_classifiers import REVIEWERS
from dashboard import theme, typeset
from dashboard.components.tinted_lines import Line, tinted_lines
from dashboard.frame import layout
from dashboard.output import charts
from dashboard.output.data_table import data_table
from dashboard.recordings.watched import Text
from pages.language.sentiment import compute, reviews
from pages.language.sentiment.compute import Verdict
from pages.language.sentiment.figures import verdict_bars
from pages.language.sentiment.figures_classes import class_bars
from pages.language.sentiment.prose import PAGE
from pages.language.sentiment.read_sentences import (
    about_against,
    about_first,
    about_sentences,
    about_unknown,
    about_verdicts,
    quoted,
    shares_of,
    tell,
    word_scores,
)

SECTION = PAGE.section("Read")
MOST_CLASSES = 8  # bars of a network with classes of its own
TINTED = 600  # words: a longer text could not be overlooked
SHARED = "integrated"  # the explanation whose scores add up to the whole, so that a sentence has a share


def show() -> None:
    """Bars of all classifiers, the text tinted by each explanation, then its sentences."""
    text, name, *_ = reviews.choose(shows_model=True)
    offered = tuple(REVIEWERS[reviews.language_of(name)])
    with layout.waiting_place():
        verdict = compute.verdict(name, text)
        verdicts = compute.verdicts(text, offered if name in offered else (*offered, name))
    typeset.show_cut_notice(verdict.tokens)
    classes = verdicts[0].model.classes  # of ours, which stand first
    _bars(verdicts, classes)
    layout.place_notice()
    layout.heading("Which words it rests on")
    with layout.waiting_place():
        scores = {
            method: by_word(compute.explanation(text, name, method, verdict.target), verdict.tokens)
            for method in compute.methods(name)
        }
    labels = tuple("".join(verdict.tokens.labels[place] for place in span) for span in words_of(verdict.tokens))
    st.markdown(about_first(scores, labels), width=theme.PROSE)
    _tinted(verdict, scores, labels)
    alone = _sentences(text, verdict)
    probability = float(verdict.probabilities[verdict.target])
    layout.notes(
        SECTION,
        notice=(about_verdicts(verdicts, name, classes), about_against(scores, labels, verdict.label), *alone),
        numbers={"probability": probability, "rest": 1 - probability, "odds": verdict.odds},
        formula=lambda: _formulas(text, verdict, scores, labels),
    )


# What they say.


def _bars(verdicts: Sequence[Verdict], classes: Sequence[str]) -> None:
    """Those that know `classes` together; one that has others below them, with its own."""
    known = [
        (verdict.model.title, shares) for verdict in verdicts if (shares := shares_of(verdict, classes)) is not None
    ]
    titles = [title for title, _ in known]
    table = pd.DataFrame([shares.tolist() for _, shares in known], columns=list(classes))
    charts.chart(
        partial(verdict_bars, tuple(titles), classes, table.to_numpy(), look=theme.look()),
        name="sentiment-verdicts",
        alt="; ".join(f"{title}: {classes[int(shares.argmax())]} {shares.max():.1%}" for title, shares in known),
        table=pd.concat([pd.DataFrame({"model": titles}), table], axis=1),
    )
    for verdict in verdicts:
        if shares_of(verdict, classes) is None:
            _own_bars(verdict)


def _own_bars(verdict: Verdict) -> None:
    best = verdict.probabilities.topk(min(MOST_CLASSES, len(verdict.probabilities)))
    names = [verdict.model.classes[number] for number in best.indices.tolist()]
    more = len(verdict.probabilities) - len(names)
    title = f"**{typeset.plain(verdict.model.title)}**"
    st.markdown(f"{title}, the {len(names)} likeliest of {more + len(names)} classes" if more else title)
    charts.chart(
        partial(class_bars, tuple(names), best.values.numpy(), look=theme.look()),
        name="sentiment-own-classes",
        alt=f"{verdict.model.title}: {names[0]} {best.values[0]:.1%}",
        table=pd.DataFrame({"class": list(verdict.model.classes), "probability": verdict.probabilities.tolist()}),
    )


# Which words.


def _tinted(verdict: Verdict, scores: Mapping[str, Float[Tensor, " word"]], labels: Sequence[str]) -> None:
    tinted_lines(
        [label.replace("\n", "↵\n") for label in labels[:TINTED]],
        [_line(verdict, method, method_scores.tolist(), labels) for method, method_scores in scores.items()],
        key="sentiment_words",
        odd=[],
        odd_means="",
        scale=f"Words for or against “{verdict.label}”. Each row is scaled to its strongest word.",
        ticks=((0, "against"), (0.5, "0"), (1, "for the prediction")),
        after="",
        of="token",
        signed=True,
    )
    if len(labels) > TINTED:
        st.caption(SECTION.text("First words", tinted=TINTED, words=len(labels)))
    layout.caption(SECTION.text("Signs of the scores") + _unknown(verdict, len(labels)))
    charts.download_table(pd.DataFrame(word_scores(scores, labels)), "sentiment-words")


def _unknown(verdict: Verdict, words_read: int) -> str:
    """What is to be said of words that the tokenizer has no number for; "" where it spells every word."""
    sign = getattr(verdict.model.tokenizer.model, "unk_token", None)
    number = verdict.model.tokenizer.token_to_id(sign) if sign else None
    if not sign or number is None:
        return ""
    return about_unknown(verdict.tokens.ids.count(number), words_read, sign)


def _line(verdict: Verdict, method: str, scores: Sequence[float], labels: Sequence[str]) -> Line:
    largest = max(map(abs, scores), default=0.0) or 1.0
    title = METHODS[method]
    first = typeset.readable(labels[max(range(len(scores)), key=lambda place: scores[place])]).strip()
    scored_words = list(zip(labels, scores, strict=True))[:TINTED]
    return Line(
        title,
        [score / largest for _, score in scored_words],
        [tell(label, score, method, verdict.label) for label, score in scored_words],
        [("first", f"“{first}”")],
        f"{title}: the word that it puts first for {verdict.label} is {first}",
    )


# Sentence by sentence.


def _sentences(text: Text, verdict: Verdict) -> tuple[str, ...]:
    layout.heading("Sentence by sentence")
    name = verdict.model.name
    with layout.waiting_place():
        sentences = compute.sentences(name, text, verdict.target)
        if len(sentences) < 2:
            st.caption(SECTION.text("Single sentence"))
            return ()
        if SHARED not in compute.methods(name):
            layout.caption(SECTION.text("Sentences without shares"))
            return ()
        scores = compute.explanation(text, name, SHARED, verdict.target)
    shares = [float(scores[sentence.places.start : sentence.places.stop].sum()) for sentence in sentences]
    table = pd.DataFrame(
        {
            "number": range(1, len(sentences) + 1),
            "verdict": [sentence.label for sentence in sentences],
            "alone": [sentence.probability for sentence in sentences],
            "in the whole": shares,
            "sentence": [sentence.text.strip() for sentence in sentences],
        }
    )
    data_table(
        table,
        hide_index=True,
        column_config={
            "number": st.column_config.NumberColumn("no.", width=40),
            "verdict": st.column_config.TextColumn("read alone", width=84),
            "alone": st.column_config.ProgressColumn(
                f"{verdict.label}, read alone", min_value=0.0, max_value=1.0, format="percent", width=150
            ),
            "in the whole": st.column_config.NumberColumn("adds to the whole", format="%+.2f", width=120),
        },
    )
    layout.caption(SECTION.text("Columns of the table", method=METHODS[SHARED].lower()))
    charts.download_table(table, "sentiment-sentences")
    return (about_sentences(sentences, shares, verdict.label),)


# How it is computed.


def _formulas(
    text: Text, verdict: Verdict, scores: Mapping[str, Float[Tensor, " word"]], labels: Sequence[str]
) -> None:
    """Each explanation that the network has, with its numbers for this text."""
    headings = {"attention": "Attention", "rollout": "Rollout", "gradient": "Gradient × input"}
    for method, heading in headings.items():
        if method in scores:
            st.markdown(SECTION.text(heading))
    if "integrated" in scores:
        name, target = verdict.model.name, verdict.target
        total = float(compute.explanation(text, name, "integrated", target).sum())
        rise = verdict.odds - compute.baseline_log_odds(name, text, target)
        st.markdown(SECTION.text("Integrated gradients", total=total, rise=rise))
    best = int(scores["occlusion"].argmax())
    lost = float(scores["occlusion"][best])
    st.markdown(
        SECTION.text(
            "Occlusion",
            nothing=typeset.plain(verdict.model.tokenizer.id_to_token(replacement_of(verdict.model)) or ""),
            word=quoted(labels[best]),
            odds=verdict.odds,
            without=verdict.odds - lost,
            lost=lost,
        )
    )
