"""The table of grounding as every page of words and pictures shows it: figure, sentences, numbers."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.results.grounding import ALL, BASELINE, Grounded, grounded
from core.scenes.sentences import KINDS
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import CLEAR, compare
from dashboard.output import charts

WAYS = {
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


rows = cached()(grounded)


def show(prefix: str, titles: Mapping[str, str], *, name: str) -> tuple[str, ...]:
    """The figure with its controls; what is to be noticed in it. `titles` name the networks of the table."""
    found = rows(prefix)
    kinds = [kind for kind in (ALL, *KINDS) if any(row.kind == kind for row in found)]
    with layout.control_bar():
        measure = controls.choice("Measured by", MEASURES, key=f"{name}_measure")
        kind = controls.choice("Words", kinds, key=f"{name}_kind")
    of = MEASURES[measure]
    scored = scored_of(found, of, kind, titles)
    lines = {BASELINES[row.way]: getattr(row, of) for row in found if row.model == BASELINE and row.kind == kind}
    figure = partial(grounding_points, scored, lines, look=theme.look(), x=measure, height=theme.look().high(360))
    charts.chart(
        figure,
        name=name,
        alt=f"{measure} of each way to tell: " + "; ".join(f"{row.model}, {row.way} {row.share:.0%}" for row in scored),
        table=partial(table_of, found, titles),
    )
    layout.caption(ABOUT)
    return noticed(scored, lines, measure, kind)


def scored_of(found: Sequence[Grounded], measure: str, kind: str, titles: Mapping[str, str]) -> list[Scored]:
    """The rows of one measure and kind of word, in the order of WAYS."""
    own = [row for row in found if row.model != BASELINE and row.kind == kind and row.model in titles]
    own.sort(key=lambda row: (list(WAYS).index(row.way), list(titles).index(row.model)))
    return [
        Scored(titles[row.model], WAYS[row.way], getattr(row, measure), getattr(row, f"{measure}_error"), row.words)
        for row in own
    ]


def table_of(found: Sequence[Grounded], titles: Mapping[str, str]) -> pd.DataFrame:
    """All rows, with the names that the page gives."""
    return pd.DataFrame(
        [
            (
                titles.get(row.model, row.model),
                WAYS.get(row.way, BASELINES.get(row.way, row.way)),
                row.kind,
                row.words,
                row.pointing,
                row.pointing_error,
                row.inside,
                row.inside_error,
            )
            for row in found
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


def noticed(scored: Sequence[Scored], lines: Mapping[str, float], measure: str, kind: str) -> tuple[str, ...]:
    """Which way is best and worst, and what is not clearly better than pointing without looking.

    A difference is told where it is more than CLEAR standard errors.
    """
    if not scored:
        return ()
    of = "all words" if kind == ALL else f"words of the kind “{kind}”"
    told = [f"By the {measure}, over {of}, {_tell_ends(scored)}."]
    told += [_tell_baseline(scored, name, share) for name, share in lines.items()]
    for model in dict.fromkeys(row.model for row in scored):
        own = {row.way: row for row in scored if row.model == model}
        plain, other = own.get(WAYS["attention"]), own.get(WAYS["relevance"]) or own.get(WAYS["gradient"])
        if plain and other:
            how = {"more": "better than", "less": "worse than"}.get(_beside(other, plain), "not clearly different from")
            told.append(
                f"{model}: {other.way} is {how} the attention weights themselves, {other.share:.0%} and "
                f"{plain.share:.0%}."
            )
    return tuple(told)


def _tell_ends(scored: Sequence[Scored]) -> str:
    """The best way, with those that are not clearly behind it, and the last one, where it is clearly behind."""
    best, *rest = sorted(scored, key=lambda row: -row.share)
    first = f"**{best.way}** of {best.model}"
    if not rest:
        return f"{first} gets **{best.share:.0%}**"
    near = [row for row in rest if _beside(best, row) != "more"]
    if len(near) == len(rest):
        return f"no way is clearly better than the others ({rest[-1].share:.0%} to {best.share:.0%})"
    ahead = f", not clearly before {', '.join(f'{row.way} of {row.model}' for row in near)}" if near else ""
    last = f"**{rest[-1].way}** of {rest[-1].model} is last with {rest[-1].share:.0%}"
    return f"{first} is best with **{best.share:.0%}**{ahead}; {last}"


def _tell_baseline(scored: Sequence[Scored], name: str, share: float) -> str:
    """What is clearly better than pointing without looking, and what is not, or is worse."""
    weak, worse = [], []
    for row in scored:
        how = compare(row.share, share, margin=CLEAR * row.error)
        if how == "less":
            worse.append(f"{row.way} of {row.model}")
        elif how != "more":
            weak.append(f"{row.way} of {row.model}")
    parts = [f"not clearly better than pointing {name} ({share:.0%}): {', '.join(weak)}"] if weak else []
    parts += [f"worse than pointing {name} ({share:.0%}): {', '.join(worse)}"] if worse else []
    told = "; ".join(parts) or f"all are clearly better than pointing {name} ({share:.0%})"
    return f"{told[0].upper()}{told[1:]}."


def _beside(one: Scored, other: Scored) -> str:
    return compare(one.share, other.share, margin=CLEAR * math.hypot(one.error, other.error))


def formula() -> None:
    """How both scores are computed."""
    st.latex(
        r"\begin{gathered} \text{pointing} = \big[\arg\max_p m(p) \in M\big] \\ \text{inside} = "
        r"\frac{\sum_{p \in M} m^+(p)}{\sum_p m^+(p)} \end{gathered}"
    )
    st.markdown(
        "*m* is the map of a word over the pixels, *M* the pixels that the word means, $m^+$ what is above 0. A "
        "relation such as “above” means the things on both sides; a negation means nothing, and is not asked."
    )
