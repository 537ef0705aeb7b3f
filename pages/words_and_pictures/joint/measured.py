"""Measured: hidden words with three pictures, and lies that are noticed, two streams beside one."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from core.measured.joint import Joint, joint_results
from core.zoo.joint import JOINT
from dashboard import charts, controls, layout
from dashboard.figures.grounding import Scored, grounding_points
from dashboard.kept import keep
from pages.words_and_pictures.joint import words

SPLITS = {
    "test": "new scenes",
    "pairs": "a colour and a shape never joined before",
    "relations": "relations never said before",
    "four": "four things, one more than ever before",
}
ORDER = ("its picture", "another picture", "no picture")


@keep()
def measured() -> tuple[Joint, ...]:
    """What was measured of both networks."""
    return joint_results()


def show() -> None:
    """Both figures."""
    found = measured()
    with layout.control_bar():
        split = controls.choice("Scenes", [SPLITS[name] for name in SPLITS], key="joint_split")
        kinds = list(found[0].words["test"][ORDER[0]])
        kind = controls.choice("Words", ["all", *(each for each in kinds if each != "all")], key="joint_kind")
    name = next(key for key, title in SPLITS.items() if title == split)
    st.subheader("Is a hidden word guessed?", anchor=False)
    rows = guessed(found, name, kind)
    look = layout.look()
    charts.chart(
        partial(
            grounding_points, rows, {}, look=look, x="first guess is the word", height=look.high(300), unit="words"
        ),
        name="joint-words",
        alt="; ".join(f"{row.model}, {row.way} {row.share:.0%}" for row in rows),
        table=table_of(found),
    )
    if not layout.is_presented():
        st.caption(words.MEASURED_ABOUT)
    st.subheader("Is a lie noticed?", anchor=False)
    lies = noticed_lies(found, name)
    charts.chart(
        partial(
            grounding_points,
            lies,
            {"chance": 0.5},
            look=look,
            x="the true sentence matches better",
            height=look.high(340),
            unit="pairs at most",
        ),
        name="joint-match",
        alt="; ".join(f"{row.model}, {row.way} {row.share:.0%}" for row in lies),
    )
    if not layout.is_presented():
        st.caption(words.MATCH_ABOUT)
    layout.notes(words.MEASURED_NOTES, notice=noticed(found), formula=_formula)


def guessed(found: Sequence[Joint], split: str, kind: str) -> list[Scored]:
    """The share of hidden words of a kind that are guessed, by what was shown."""
    return [
        Scored(JOINT[each.name], words.SHOWN[shown], each.words[split][shown][kind], 0.0, 500)
        for shown in ORDER
        for each in found
        if kind in each.words[split][shown]
    ]


def noticed_lies(found: Sequence[Joint], split: str) -> list[Scored]:
    """How often the true sentence matches better, by the kind of the word that was exchanged."""
    kinds = dict.fromkeys(kind for each in found for kind in each.match[split])
    return [
        Scored(JOINT[each.name], kind, each.match[split][kind], 0.0, 500)
        for kind in kinds
        for each in found
        if kind in each.match[split]
    ]


def table_of(found: Sequence[Joint]) -> pd.DataFrame:
    """All shares."""
    return pd.DataFrame(
        [
            (JOINT[each.name], split, shown, kind, share)
            for each in found
            for split, by_shown in each.words.items()
            for shown, kinds in by_shown.items()
            for kind, share in kinds.items()
        ],
        columns=["network", "split", "shown", "kind", "guessed"],
    )


def noticed(found: Sequence[Joint]) -> tuple[str, ...]:
    """What the picture is worth, which kind needs it most, and which network is better."""
    told = []
    for each in found:
        own, other, none = (each.words["test"][shown]["all"] for shown in ORDER)
        told.append(
            f"**{JOINT[each.name]}** guesses {own:.0%} of the hidden words with the picture, {other:.0%} with "
            f"another one, "
            f"{none:.0%} without."
        )
        gains = {
            kind: share - each.words["test"][ORDER[2]].get(kind, 0.0)
            for kind, share in each.words["test"][ORDER[0]].items()
            if kind != "all"
        }
        kind = max(gains, key=lambda one: gains[one])
        told.append(f"Most depends on the picture for words of the kind “{kind}”: {gains[kind]:+.0%} of them.")
    if len(found) == 2:
        one, other = (each.words["test"][ORDER[0]]["all"] for each in found)
        gap = abs(one - other)
        better = found[0] if one > other else found[1]
        told.append(
            "The two are as good as one another."
            if gap < 0.01
            else f"{JOINT[better.name]} guesses {100 * gap:.0f} points more, with weights from one seed each."
        )
    return tuple(told)


def _formula() -> None:
    st.latex(r"\mathcal{L} = \mathcal{L}_{\text{words}} + \mathcal{L}_{\text{patches}} + \mathcal{L}_{\text{match}}")
    st.markdown(
        "Cross-entropy of hidden words, squared error of hidden patches, and whether both belong together (Lu et "
        "al. 2019, "
        "section 3.2). 30% of the words and 15% of the patches are hidden; half of the pairs do not match, and of "
        "those no "
        "word is asked."
    )
