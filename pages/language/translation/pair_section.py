"""Your own pair: what the models look at when they are made to write a given translation, and who aligns it best."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from torch import Tensor

from core.text import read_text
from core.translation.alignment import Agreement, Direction, Link
from core.zoo import Aligned
from dashboard import charts, layout
from dashboard.components.alignment_view import AlignmentScene, Panel, alignment_view
from dashboard.figures.curves import curves
from pages.language.translation import compute as kept
from pages.language.translation import inputs, pair_links, pair_measures, pair_notices, word_maps
from pages.language.translation import words as page
from pages.language.translation import words_pair as said
from pages.language.translation.figures_agreement import agreement_bars
from pages.language.translation.models import HUE, HUE_OF_TITLE, TITLES
from pages.language.translation.word_maps import BestHead, Words

TRANSFORMER = "transformer"
ABOUT = {"attention": "attention weights", "influence": "influence by the gradient"}
VERB = {"attention": "looks at", "influence": "depends on"}
DIRECTIONS: dict[str, Direction] = {
    "each French word": "target",
    "each English word": "source",
    "both agree": "both",
    "either": "either",
}


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sentences, their words, and what each model made of them; `candidates` are the maps that are measured."""

    aligned: dict[str, Aligned]
    source: Words
    target: Words
    maps: dict[str, dict[str, Tensor]]
    candidates: dict[str, Tensor]
    best: BestHead | None


def show() -> None:
    """The sentences, the maps to click in, the measures."""
    english, french = _sentences()
    with layout.waiting_place(), st.spinner("The models write your sentence …"):
        pair = _pair(english, french)
    for tokens in (pair.aligned[TRANSFORMER].source, pair.aligned[TRANSFORMER].target):
        layout.say_what_was_cut(tokens)
    own = pair_links.given((english, french), pair.source.real, pair.target.real)
    _view(pair, own)
    direction = _tools(pair, own)
    found = pair_measures.found_links(pair.candidates, pair.target.real, pair.source.real, direction)
    agreements = pair_measures.compared(found, own)
    if own:
        _measures(agreements)
    else:
        st.info(said.PAIR_NO_LINKS, icon=":material/ads_click:")
    st.subheader("Which word surprises which model?", anchor=False)
    bits = {
        TITLES[name]: -np.array(word_maps.log_probabilities(aligned, pair.target)) / np.log(2)
        for name, aligned in pair.aligned.items()
    }
    _surprises(pair.target, bits)
    layout.notes(
        said.NOTES,
        notice=(*pair_notices.about_links(agreements, own), *pair_notices.about_surprises(pair.target, bits)),
        formula=lambda: _formula(agreements, own),
    )


def _sentences() -> tuple[str, str]:
    left, right = st.columns(2, gap="medium")
    with left:
        english = inputs.sentence()
        inputs.classic()
    with right:
        french = _french(english)
    return english, french


def _french(english: str) -> str:
    """The visitor's French sentence; until there is one, a good one, or the transformer's translation."""
    typed = st.session_state.get("french", st.query_params.get("french"))
    former = st.session_state.get(_PROPOSED)
    proposed = page.FRENCH.get(english, "")
    if typed in (None, former):  # nobody has typed anything: it follows the English sentence
        with layout.waiting_place(), st.spinner("The transformer proposes a translation …"):
            proposed = proposed or kept.translate(TRANSFORMER, english, beam=inputs.BEAM).text
        if typed is not None:
            st.session_state.french = proposed
    st.session_state[_PROPOSED] = proposed or None
    raw = st.text_area(
        "Your French sentence",
        proposed,
        key="french",
        bind="query-params",
        height=70,
        max_chars=inputs.LONGEST,
        placeholder="Type its translation into French",
    )
    return read_text(raw)


_PROPOSED = "_proposed_french"


def _pair(english: str, french: str) -> Pair:
    aligned = {name: kept.align(name, english, french) for name in TITLES}
    of_any = aligned[TRANSFORMER]
    source, target = word_maps.words_of(of_any.source), word_maps.words_of(of_any.target)
    maps = {name: word_maps.named_maps(each, target, source) for name, each in aligned.items()}
    best = _best_head()
    candidates = {
        f"{TITLES[name]}, {word_maps.MEAN}" if name == TRANSFORMER else TITLES[name]: next(iter(named.values()))
        for name, named in maps.items()
    }
    if best and (own := word_maps.map_of_head(of_any, best, target, source)) is not None:
        candidates[f"{TITLES[TRANSFORMER]}, {word_maps.head_name(best.layer, best.head)}"] = own
    return Pair(aligned, source, target, maps, candidates, best)


def _best_head() -> BestHead | None:
    found = kept.best_heads().get(TRANSFORMER)
    return BestHead(int(found["layer"]), int(found["head"]), int(found.get("shift", 0))) if found else None


def _view(pair: Pair, own: frozenset[Link]) -> None:
    panels = tuple(
        Panel(
            key=name,
            title=TITLES[name],
            about=ABOUT[aligned.measure],
            verb=VERB[aligned.measure],
            target=pair.target.labels,
            maps=word_maps.as_maps(pair.maps[name], pair.best if name == TRANSFORMER else None),
            log_probabilities=word_maps.log_probabilities(aligned, pair.target),
            hue=HUE[name],
        )
        for name, aligned in pair.aligned.items()
    )

    def switch(_: str, target: int, source: int) -> None:
        if target in pair.target.real and source in pair.source.real:
            pair_links.keep(own ^ {(source, target)})

    alignment_view(
        AlignmentScene(pair.source.labels, panels, source_name="English"),
        key="pair-view",
        name="pair",
        links=own,
        on_cell=switch,
    )


def _tools(pair: Pair, own: frozenset[Link]) -> Direction:
    """What the links can begin with, and which links of a model count."""
    beginning = layout.control_bar()
    direction = DIRECTIONS[
        st.segmented_control(
            "A model's links: the strongest of",
            list(DIRECTIONS),
            default="each French word",
            key="pair_direction",
            bind="query-params",
            required=True,
            wrap=True,
            help=page.DIRECTION_HELP,
        )
    ]
    found = pair_measures.found_links(pair.candidates, pair.target.real, pair.source.real, direction)
    with beginning:
        name = st.selectbox("Start from the strongest links of", list(found), index=1, key="pair_start", width=300)
        st.button("Take them", icon=":material/input:", on_click=lambda: pair_links.keep(found.get(name, set())))
        st.button("Clear", icon=":material/backspace:", disabled=not own, on_click=lambda: pair_links.keep(()))
    return direction


def _measures(agreements: Mapping[str, Agreement]) -> None:
    numbers = pair_measures.table(agreements)
    pale = frozenset(name for name in agreements if name.endswith(word_maps.MEAN))
    hues = {name: HUE_OF_TITLE[name.split(",")[0]] for name in agreements if name.split(",")[0] in HUE_OF_TITLE}
    figure = agreement_bars(agreements, look=layout.look(), hues=hues, pale=pale)
    shares = st.column_config.NumberColumn(format="percent")
    st.dataframe(
        numbers,
        hide_index=True,
        column_config=dict.fromkeys(("precision", "recall", "alignment error rate"), shares),
    )
    charts.chart(
        figure,
        name="pair-agreement",
        alt="Precision, recall and alignment error rate of the strongest links of each model against yours: "
        + "; ".join(f"{name} {each.error_rate:.0%} error" for name, each in agreements.items()),
        table=numbers,
    )


def _surprises(target: Words, bits: Mapping[str, np.ndarray]) -> None:
    labels = [layout.readable(label) for label in target.labels]
    figure = curves(
        np.arange(len(labels)),
        bits,
        look=layout.look(),
        x="",
        y="surprise (bits)",
        tell="%{fullData.name}: “%{x}” costs %{y:.1f} bits",
        hues=HUE_OF_TITLE,
        marks=True,
        labels=labels,
        height=layout.look().high(320),
    )
    figure.update_yaxes(rangemode="tozero")
    charts.chart(
        figure,
        name="pair-surprise",
        alt="How many bits each French word costs each model: minus the logarithm of its probability, given the "
        "English sentence and the words before it",
        table=pd.DataFrame({"word": labels, **bits}),
    )


def _formula(agreements: Mapping[str, Agreement], own: frozenset[Link]) -> None:
    st.latex(
        r"\begin{aligned} \text{precision} &= |A \cap S| \,/\, |A| \\ \text{recall} &= |A \cap S| \,/\, |S| \\ "
        r"\text{AER} &= 1 - \frac{2\,|A \cap S|}{|A| + |S|} \end{aligned}"
    )
    if own:
        name = (pair_measures.closest(agreements) or list(agreements))[0]
        each = agreements[name]
        st.markdown(f"For *{name}*, with your {len(own)} links:")
        st.latex(
            rf"\text{{AER}} = 1 - \frac{{2 \cdot {each.found_sure}}}{{{each.found} + {each.sure}}} = "
            rf"{each.error_rate:.2f}"
        )
    st.markdown(said.PAIR_FORMULA)
