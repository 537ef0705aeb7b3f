"""Measured: captions of photographs beside published ones, captions of scenes by whether they are true."""

from functools import partial

import pandas as pd
import streamlit as st

from core.measured import captioning_results
from core.measured.captioning_results import MEASURES, SCENES, CaptionScores, TrueCaptions
from core.published import CaptionResult, caption_results
from core.zoo.captioners import CAPTIONERS
from dashboard import charts, controls, layout, seen
from dashboard.data_table import data_table
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.kept import keep
from pages.words_and_pictures.captioning import words

SPLITS = seen.SPLITS | {"relations": "two things or three"}  # what is held out there are sentences
TRUE = "all captions"
MANY = 30  # captions: of fewer no worst kind is told

measured = keep()(captioning_results.results)


def show() -> None:
    """Both tables."""
    noticed: list[str] = []
    for part in (_photographs, _scenes):
        with layout.sentences():
            noticed += part()
    layout.notes(words.MEASURED_NOTES, notice=tuple(noticed), formula=_formula)


def _photographs() -> tuple[str, ...]:
    layout.heading("Photographs: how many words and runs of words do people write too?")
    scores, published = measured().scores, caption_results()
    table = table_of(scores, published)
    numbers = {name: st.column_config.NumberColumn(format="%.1f") for name in MEASURES}
    data_table(table, hide_index=True, column_config=numbers, width="content", placeholder="")
    if not layout.is_presented():
        layout.caption(words.ABOUT_BLEU)
        charts.download_table(table, "caption-scores")
    return about_scores(scores, published)


def table_of(scores: tuple[CaptionScores, ...], published: tuple[CaptionResult, ...]) -> pd.DataFrame:
    """Ours, baselines, then what is published."""
    rows = [
        {
            "captions by": CAPTIONERS.get(each.name, each.name.capitalize()),
            **dict(each.scores),
            "source": "measured here",
        }
        for each in scores
    ]
    for each in published:
        found = (each.bleu_1, each.bleu_2, each.bleu_3, each.bleu_4)
        bleu = dict(zip(MEASURES[:4], found, strict=True))
        rows.append({"captions by": each.model, **bleu, "source": each.source})
    return pd.DataFrame(rows, columns=["captions by", *MEASURES, "source"])


def about_scores(scores: tuple[CaptionScores, ...], published: tuple[CaptionResult, ...]) -> tuple[str, ...]:
    """The best of ours beside the best baseline and the best published figure, by BLEU-4."""
    ours = [each for each in scores if each.name in CAPTIONERS]
    others = [each for each in scores if each.name not in CAPTIONERS]
    if not ours or not others:
        return ()
    best = max(ours, key=lambda each: each.scores["BLEU-4"])
    base = max(others, key=lambda each: each.scores["BLEU-4"])
    told = [
        f"By BLEU-4 **{CAPTIONERS[best.name]}** is best of those here, **{best.scores['BLEU-4']:.1f}**; the best "
        f"baseline, {base.name}, has {base.scores['BLEU-4']:.1f}."
    ]
    if published:
        theirs = max(published, key=lambda each: each.bleu_4)
        told.append(
            f"{theirs.model} has {theirs.bleu_4:.1f} ({theirs.source}): it saw photographs with a network trained on "
            "the 1.3 million pictures of ImageNet, those here with one trained on 50,000 small ones."
        )
    return tuple(told)


def _scenes() -> tuple[str, ...]:
    layout.heading("Drawn scenes: is what they write true?")
    found = measured().true
    kinds = [TRUE, *dict.fromkeys(kind for each in found for kind in each.by_kind)]
    kind = controls.choice("Captions with a word of the kind", kinds, key="true_kind")
    rows = scored_of(found, kind)
    charts.chart(
        partial(
            grounding_points,
            rows,
            {},
            look=layout.look(),
            x="true captions",
            height=layout.look().high(330),
            unit="captions",
        ),
        name="caption-truth",
        alt="The share of true captions: " + "; ".join(f"{row.model}, {row.way}: {row.share:.0%}" for row in rows),
        table=truth_table(found),
    )
    if not layout.is_presented():
        layout.caption(f"{words.ABOUT_TRUTH} {SCENES} scenes of each split; bars are two standard errors.")
    return about_truth(found)


def scored_of(found: tuple[TrueCaptions, ...], kind: str) -> list[Scored]:
    """The shares of one kind of word (or of all captions), split by split."""
    rows = []
    for each in found:
        if kind == TRUE or kind in each.by_kind:
            share, error, count = each.share("" if kind == TRUE else kind)
            rows.append(Scored(CAPTIONERS[each.name], SPLITS.get(each.split, each.split), share, error, count))
    order = list(SPLITS.values())
    return sorted(rows, key=lambda row: order.index(row.way) if row.way in order else -1)


def truth_table(found: tuple[TrueCaptions, ...]) -> pd.DataFrame:
    """One row for each captioner and split."""
    return pd.DataFrame(
        [{"captioner": each.name, "split": each.split, "true": each.true, **each.by_kind} for each in found]
    )


def about_truth(found: tuple[TrueCaptions, ...]) -> tuple[str, ...]:
    """Which captioner is true more often, what is hardest, and which kind of word goes wrong."""
    tests = [each for each in found if each.split == "test"]
    if not tests:
        return ()
    best = max(tests, key=lambda each: each.true)
    told = [f"On new scenes **{CAPTIONERS[best.name]}** writes true captions in **{best.true:.0%}** of {SCENES}."]
    own = [each for each in found if each.name == best.name]
    worst = min(own, key=lambda each: each.true)
    if worst.split != "test":
        told.append(f"Its hardest split is “{SPLITS.get(worst.split, worst.split)}”, {worst.true:.0%}.")
    kinds = {kind: share for kind, share in best.by_kind.items() if best.captions[kind] >= MANY}
    if kinds and min(kinds.values()) < max(kinds.values()):
        kind = min(kinds, key=lambda each: kinds[each])
        told.append(f"Least often true are its captions with a {kind}: {kinds[kind]:.0%}.")
    said = [f"{each.captions.get('relation', 0)} by {CAPTIONERS[each.name]}" for each in tests]
    told.append(f"They do not take equal risks. Captions that state a relation, of {SCENES} each: {', '.join(said)}.")
    return tuple(told)


def _formula() -> None:
    st.latex(
        r"\begin{gathered} \text{BLEU-}n = b\, \Big(\prod_{k=1}^{n} p_k\Big)^{1/n} \\ "
        r"b = \min\big(1, e^{1 - r/c}\big) \end{gathered}"
    )
    st.markdown(
        "$p_k$: the share of all runs of *k* words in the captions that stand in a reference; *c*, *r*: words of all "
        "captions, and of the references that are nearest in length."
    )
