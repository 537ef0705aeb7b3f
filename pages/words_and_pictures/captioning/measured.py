"""Measured: captions of photographs beside published ones, captions of scenes by whether they are true."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.published import CaptionResult, caption_results
from core.results import captioning_results
from core.results.captioning_results import MEASURES, SCENES, CaptionScores, Gates, TrueCaptions
from core.zoo.captioners import CAPTIONERS
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.frame import error_messages, layout
from dashboard.inputs import controls, picture_input
from dashboard.number_format import compare, compare_shares
from dashboard.output import charts
from dashboard.output.data_table import data_table
from pages.words_and_pictures.captioning.prose import PAGE

SECTION = PAGE.section("Measured")
SPLITS = picture_input.SPLITS | {"relations": "two things or three"}  # what is held out there are sentences
TRUE = "all captions"
MANY = 30  # captions: of fewer no worst kind is told
POINT = 1.0  # of BLEU: a smaller difference of single runs counts as none
ALIKE = 0.05  # of an open gate

measured = cached()(captioning_results.results)


def show() -> None:
    """Both tables."""
    noticed: list[str] = []
    for part in (_photographs, _scenes):
        with error_messages.as_sentences():
            noticed += part()
    layout.notes(SECTION, notice=tuple(noticed))


def _photographs() -> tuple[str, ...]:
    layout.heading("Photographs: how many words and runs of words do people write too?")
    scores, published = measured().scores, caption_results()
    table = table_of(scores, published)
    numbers = {name: st.column_config.NumberColumn(format="%.1f") for name in MEASURES}
    data_table(table, hide_index=True, column_config=numbers, width="content", placeholder="")
    layout.place_notice()
    layout.caption(SECTION.text("BLEU and CIDEr"))
    charts.download_table(table, "caption-scores")
    return (*about_scores(scores, published), *about_gates(measured().gates))


def table_of(scores: tuple[CaptionScores, ...], published: tuple[CaptionResult, ...]) -> pd.DataFrame:
    """Ours, baselines, then what is published."""
    rows = [
        {
            "captions by": CAPTIONERS.get(captioner.name, captioner.name.capitalize()),
            **dict(captioner.scores),
            "source": "measured here",
        }
        for captioner in scores
    ]
    for publication in published:
        bleu_scores = (publication.bleu_1, publication.bleu_2, publication.bleu_3, publication.bleu_4)
        bleu = dict(zip(MEASURES[:4], bleu_scores, strict=True))
        rows.append({"captions by": publication.model, **bleu, "source": publication.source})
    return pd.DataFrame(rows, columns=["captions by", *MEASURES, "source"])


def about_scores(scores: tuple[CaptionScores, ...], published: tuple[CaptionResult, ...]) -> tuple[str, ...]:
    """The best of ours beside the others, the best baseline and the best published figure, by BLEU-4.

    Differences of up to POINT count as none; by CIDEr ours may stand in another order, which is said.
    """
    ours = [captioner for captioner in scores if captioner.name in CAPTIONERS]
    others = [captioner for captioner in scores if captioner.name not in CAPTIONERS]
    if not ours or not others:
        return ()
    best = max(ours, key=lambda captioner: captioner.scores["BLEU-4"])
    sentences = [
        _tell_first(best, ours),
        _tell_baseline(best, max(others, key=lambda captioner: captioner.scores["BLEU-4"])),
    ]
    if published:
        theirs = max(published, key=lambda publication: publication.bleu_4)
        sentences.append(
            f"{theirs.model} has {theirs.bleu_4:.1f} ({theirs.source}): it, too, saw with a network that had learned "
            "on ImageNet."
        )
    return tuple(sentences)


def _tell_first(best: CaptionScores, ours: Sequence[CaptionScores]) -> str:
    """Whether the best of ours by BLEU-4 is clearly so."""
    title, own = CAPTIONERS[best.name], best.scores["BLEU-4"]
    others = [captioner for captioner in ours if captioner is not best]
    if not others:
        return f"By BLEU-4 **{title}** has **{own:.1f}**."
    second = max(others, key=lambda captioner: captioner.scores["BLEU-4"])
    other, beside = second.scores["BLEU-4"], CAPTIONERS[second.name]
    if compare(own, other, margin=POINT) == "more":
        return f"By BLEU-4 **{title}** is best of those here, **{own:.1f}** against {other:.1f} of {beside}."
    leads = f" (by CIDEr {beside} leads)" if second.scores["CIDEr"] > best.scores["CIDEr"] else ""
    return (
        f"**{title}** and **{beside}** lie less than a point of BLEU-4 apart, {own:.1f} and {other:.1f}: one run each "
        f"does not tell which is better{leads}."
    )


def _tell_baseline(best: CaptionScores, base: CaptionScores) -> str:
    own, other = best.scores["BLEU-4"], base.scores["BLEU-4"]
    beside = {"more": "beats", "less": "is behind", "as much": "does no better than", "unknown": "stands beside"}
    how = beside[compare(own, other, margin=POINT)]
    return f"The better of them {how} the best baseline, {base.name}, which has {other:.1f}."


def about_gates(gates: Gates | None) -> tuple[str, ...]:
    """How far the gate of the LSTM stands open for small words, beside all words; up to ALIKE counts as none."""
    if gates is None:
        return ()
    named = ", ".join(f"{share:.0%} for “{word}”" for word, share in gates.of.items())
    least = compare(min(gates.of.values()), gates.mean, margin=ALIKE)
    says = {
        "less": "It closes somewhat for small words",
        "more": "It is more open for small words than for others",
        "as much": "It does not close for small words",
        "unknown": "Whether it closes for small words is not known",
    }[least]
    return (
        f"The gate of the LSTM for photographs is open {gates.mean:.0%} on average, {named}. {says}; less than half "
        f"open it was for {gates.half:,} of {gates.words:,} words ({gates.photographs} test photographs).",
    )


def _scenes() -> tuple[str, ...]:
    layout.heading("Drawn scenes: is what they write true?")
    measurements = measured().true
    kinds = [TRUE, *dict.fromkeys(kind for measurement in measurements for kind in measurement.by_kind)]
    kind = controls.choice("Captions with a word of the kind", kinds, key="true_kind")
    rows = scored_of(measurements, kind)
    charts.chart(
        partial(
            grounding_points,
            rows,
            {},
            look=theme.look(),
            x="true captions",
            height=theme.look().high(330),
            unit="captions",
        ),
        name="caption-truth",
        alt="The share of true captions: " + "; ".join(f"{row.model}, {row.way}: {row.share:.0%}" for row in rows),
        table=truth_table(measurements),
    )
    layout.caption(SECTION.text("True captions", scenes=SCENES))
    return about_truth(measurements)


def scored_of(measurements: tuple[TrueCaptions, ...], kind: str) -> list[Scored]:
    """The shares of one kind of word (or of all captions), split by split."""
    rows = []
    for measurement in measurements:
        if kind == TRUE or kind in measurement.by_kind:
            share, error, count = measurement.share("" if kind == TRUE else kind)
            rows.append(
                Scored(
                    CAPTIONERS[measurement.name], SPLITS.get(measurement.split, measurement.split), share, error, count
                )
            )
    order = list(SPLITS.values())
    return sorted(rows, key=lambda row: order.index(row.way) if row.way in order else -1)


def truth_table(measurements: tuple[TrueCaptions, ...]) -> pd.DataFrame:
    """One row for each captioner and split."""
    return pd.DataFrame(
        [
            {"captioner": measurement.name, "split": measurement.split, "true": measurement.true, **measurement.by_kind}
            for measurement in measurements
        ]
    )


def about_truth(measurements: tuple[TrueCaptions, ...]) -> tuple[str, ...]:
    """Which captioner is true more often, what is hardest, which kind of word goes wrong, and who says relations.

    A difference is told where it is more than two standard errors.
    """
    tests = [measurement for measurement in measurements if measurement.split == "test"]
    if not tests:
        return ()
    best = max(tests, key=lambda test: test.true)
    sentences = [_tell_truest(best, [test for test in tests if test is not best])]
    worst = min(
        (measurement for measurement in measurements if measurement.name == best.name),
        key=lambda measurement: measurement.true,
    )
    if compare_shares(round(worst.true * SCENES), SCENES, round(best.true * SCENES), SCENES) == "less":
        sentences.append(f"Its hardest split is “{SPLITS.get(worst.split, worst.split)}”, {worst.true:.0%}.")
    kinds = {kind: share for kind, share in best.by_kind.items() if best.captions[kind] >= MANY}
    kind = min(kinds, key=lambda kind: kinds[kind], default="")
    if kind and _is_below(best, kind):
        sentences.append(f"Least often true are its captions with a {kind}: {kinds[kind]:.0%}.")
    if len(tests) > 1:
        sentences.append(_tell_relations(tests))
    return tuple(sentences)


def _tell_truest(best: TrueCaptions, others: Sequence[TrueCaptions]) -> str:
    title, share = f"**{CAPTIONERS[best.name]}**", f"**{best.true:.0%}** of {SCENES}"
    near = [
        other
        for other in others
        if compare_shares(round(best.true * SCENES), SCENES, round(other.true * SCENES), SCENES) != "more"
    ]
    if near:
        named = " and ".join(f"{CAPTIONERS[other.name]} ({other.true:.0%})" for other in near)
        return f"On new scenes {title} writes true captions in {share}, which cannot be told from {named}."
    listing = ", ".join(f"{CAPTIONERS[other.name]} in {other.true:.0%}" for other in others)
    return f"On new scenes {title} writes true captions in {share}" + (f", {listing}." if listing else ".")


def _is_below(best: TrueCaptions, kind: str) -> bool:
    """Whether captions with a word of a kind are true clearly less often than all."""
    count = best.captions[kind]
    return compare_shares(round(best.by_kind[kind] * count), count, round(best.true * SCENES), SCENES) == "less"


def _tell_relations(tests: Sequence[TrueCaptions]) -> str:
    """How many captions state a relation, which is a risk: by it more can be false."""
    counts = [test.captions.get("relation", 0) for test in tests]
    listing = ", ".join(f"{count} by {CAPTIONERS[test.name]}" for count, test in zip(counts, tests, strict=True))
    sentence = f"Captions that state a relation, of {SCENES} each: {listing}"
    differ = compare_shares(max(counts), SCENES, min(counts), SCENES) == "more"
    return f"They do not take equal risks. {sentence}." if differ else f"{sentence}."
