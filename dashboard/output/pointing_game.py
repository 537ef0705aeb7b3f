"""The results of the pointing game, as all pages of words and pictures show them: figure, notices, table."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.results.grounding import ALL, BASELINE, PointingResult, grounded
from core.scenes.sentences import KINDS
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import CLEAR, compare
from dashboard.output import charts

METHODS = {
    "attention": "attention",
    "rollout": "rollout",
    "gradient": "gradient × attention",
    "relevance": "relevance (Chefer et al. 2021)",
    "occlusion": "occlusion",
}
BASELINES = {"random": "at random", "centre": "always at the middle"}
MEASURES = {"pointing game": "pointing", "share inside": "inside"}
ABOUT = (
    "Over 1,000 held-out scenes, each with a true sentence. **Pointing game**: how often the brightest place of a "
    "word's map lies on what the word means (of a place that is partly on it, that part). **Share inside**: how much "
    "of the map lies there. Lines: pointing at random, or always at the middle. Bars are two standard errors."
)


grounding_rows = cached()(grounded)


def show(prefix: str, titles: Mapping[str, str], *, name: str) -> tuple[str, ...]:
    """Draw the figure with its controls, and return the notices about it. `titles` name the networks of the table."""
    rows = grounding_rows(prefix)
    kinds = [kind for kind in (ALL, *KINDS) if any(row.kind == kind for row in rows)]
    with layout.control_bar():
        measure = controls.choice("Measured by", MEASURES, key=f"{name}_measure")
        kind = controls.choice("Words", kinds, key=f"{name}_kind")
    column = MEASURES[measure]
    scored = scored_of(rows, column, kind, titles)
    lines = {BASELINES[row.way]: getattr(row, column) for row in rows if row.model == BASELINE and row.kind == kind}
    figure = partial(grounding_points, scored, lines, look=theme.look(), x=measure, height=theme.look().high(360))
    charts.chart(
        figure,
        name=name,
        alt=f"{measure} of each way to tell: " + "; ".join(f"{row.model}, {row.way} {row.share:.0%}" for row in scored),
        table=partial(table_of, rows, titles),
    )
    layout.place_notice()
    layout.caption(ABOUT)
    return notices(scored, lines, measure, kind)


def scored_of(rows: Sequence[PointingResult], measure: str, kind: str, titles: Mapping[str, str]) -> list[Scored]:
    """The rows of one measure and kind of word, in the order of METHODS."""
    rows_of_models = [row for row in rows if row.model != BASELINE and row.kind == kind and row.model in titles]
    rows_of_models.sort(key=lambda row: (list(METHODS).index(row.way), list(titles).index(row.model)))
    return [
        Scored(titles[row.model], METHODS[row.way], getattr(row, measure), getattr(row, f"{measure}_error"), row.words)
        for row in rows_of_models
    ]


def table_of(rows: Sequence[PointingResult], titles: Mapping[str, str]) -> pd.DataFrame:
    """All rows, with the titles of networks and methods."""
    return pd.DataFrame(
        [
            (
                titles.get(row.model, row.model),
                METHODS.get(row.way, BASELINES.get(row.way, row.way)),
                row.kind,
                row.words,
                row.pointing,
                row.pointing_error,
                row.inside,
                row.inside_error,
            )
            for row in rows
        ],
        columns=[
            "network",
            "way",
            "words of kind",
            "words",
            "pointing game",
            "its standard error",
            "share inside",
            "its standard error ",
        ],
    )


def notices(scored: Sequence[Scored], lines: Mapping[str, float], measure: str, kind: str) -> tuple[str, ...]:
    """Notices: the best and the worst method, and the methods that are not clearly better than the baselines.

    A difference is clear if it is more than CLEAR standard errors.
    """
    if not scored:
        return ()
    words = "all words" if kind == ALL else f"words of the kind “{kind}”"
    sentences = [f"By the {measure}, over {words}, {_extremes(scored)}."]
    sentences += [_baseline_notice(scored, name, share) for name, share in lines.items()]
    for model in dict.fromkeys(row.model for row in scored):
        by_method = {row.way: row for row in scored if row.model == model}
        plain, other = (
            by_method.get(METHODS["attention"]),
            by_method.get(METHODS["relevance"]) or by_method.get(METHODS["gradient"]),
        )
        if plain and other:
            relation = {"more": "better than", "less": "worse than"}.get(
                _difference(other, plain), "not clearly different from"
            )
            sentences.append(
                f"{model}: {other.way} is {relation} the attention weights themselves, {other.share:.0%} and "
                f"{plain.share:.0%}."
            )
    return tuple(sentences)


def _extremes(scored: Sequence[Scored]) -> str:
    """A clause with the best method, those not clearly behind it, and the last one, if it is clearly behind."""
    best, *others = sorted(scored, key=lambda row: -row.share)
    first = f"**{best.way}** of {best.model}"
    if not others:
        return f"{first} gets **{best.share:.0%}**"
    close = [row for row in others if _difference(best, row) != "more"]
    if len(close) == len(others):
        return f"no way is clearly better than the others ({others[-1].share:.0%} to {best.share:.0%})"
    ahead = f", not clearly before {', '.join(f'{row.way} of {row.model}' for row in close)}" if close else ""
    last = f"**{others[-1].way}** of {others[-1].model} is last with {others[-1].share:.0%}"
    return f"{first} is best with **{best.share:.0%}**{ahead}; {last}"


def _baseline_notice(scored: Sequence[Scored], name: str, share: float) -> str:
    """A notice: the methods that are not clearly better than a baseline, and those that are worse."""
    weak, worse = [], []
    for row in scored:
        relation = compare(row.share, share, margin=CLEAR * row.error)
        if relation == "less":
            worse.append(f"{row.way} of {row.model}")
        elif relation != "more":
            weak.append(f"{row.way} of {row.model}")
    parts = [f"not clearly better than pointing {name} ({share:.0%}): {', '.join(weak)}"] if weak else []
    parts += [f"worse than pointing {name} ({share:.0%}): {', '.join(worse)}"] if worse else []
    sentence = "; ".join(parts) or f"all are clearly better than pointing {name} ({share:.0%})"
    return f"{sentence[0].upper()}{sentence[1:]}."


def _difference(first: Scored, other: Scored) -> str:
    return compare(first.share, other.share, margin=CLEAR * math.hypot(first.error, other.error))


def formula() -> None:
    """Write how both scores are computed."""
    st.latex(
        r"\begin{gathered} \text{pointing} = \big[\arg\max_p m(p) \in M\big] \\ \text{inside} = "
        r"\frac{\sum_{p \in M} m^+(p)}{\sum_p m^+(p)} \end{gathered}"
    )
    st.markdown(
        "*m* is the map of a word over the pixels, *M* the pixels that the word means, $m^+$ what is above 0. A "
        "relation such as “above” means the things on both sides; a negation means nothing, and is not asked."
    )
