"""Your own pair: what the models look at when they are made to write a given translation, and who aligns it best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
import torch
from torch import Tensor

from core.text import read_text
from core.translation.alignment import Agreement, Direction, Link, agreement, diagonal, links_of
from core.zoo import TRANSLATION as TITLES
from core.zoo import Aligned
from dashboard import theme, typeset
from dashboard.components.alignment_view import AlignmentScene, Panel, alignment_view
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import compare, signed
from dashboard.output import charts
from dashboard.output.alignment_table import DIRECTION_HELP, DIRECTIONS
from dashboard.output.data_table import data_table
from pages.language.translation import compute, inputs, own_links, word_maps
from pages.language.translation.figures import HUE, HUE_OF_TITLE, agreement_bars, by_word
from pages.language.translation.prose import PAGE
from pages.language.translation.word_maps import Words

SECTION = PAGE.section("Your own pair")
# Translations as a person writes them.
FRENCH = {
    inputs.SENTENCE: "Mon frère a acheté une petite voiture rouge parce qu'elle n'était pas chère.",
    inputs.CLASSIC: "L'accord sur la zone économique européenne a été signé en août 1992.",
}
MAPS = {"attention": "attention weights", "influence": "influence by the gradient"}
TRANSFORMER = "transformer"
DIAGONAL = "Diagonal, no model"
_PROPOSED = "_proposed_french"  # in the session
FEW = 5  # links of the visitor's: with fewer, one link more can turn the order of the models round
ALIKE = 0.5  # bits: sentences whose costs differ by less are as probable


@dataclass(frozen=True, eq=False)
class Pair:
    """Two sentences, their words, and what each model made of them."""

    aligned: dict[str, Aligned]
    source: Words
    target: Words
    panels: dict[str, Panel]

    @property
    def candidates(self) -> dict[str, Tensor]:
        """The maps that are measured: of each model the only one or the mean, and that of the head that aligns best."""
        maps = {TITLES[name]: panel.maps[0] for name, panel in self.panels.items() if name != TRANSFORMER}
        heads = self.panels[TRANSFORMER].maps
        maps[f"{TITLES[TRANSFORMER]}, {word_maps.MEAN}"] = heads[0]
        if best := word_maps.best_of(heads):
            maps[f"{TITLES[TRANSFORMER]}, {heads[best].name}"] = heads[best]
        return {name: torch.from_numpy(attention_map.weights) for name, attention_map in maps.items()}


def show() -> None:
    """The sentences, the maps to click in, the measures."""
    with layout.control_bar():
        english = inputs.sentence()
        french = _french(english)
        with layout.settings():
            inputs.classic()
    with layout.waiting_place(), st.spinner("The models write your sentence …"):
        pair = pair_of(english, french)
    remarks = st.container()
    figure = st.container()
    layout.place_notice()
    for tokens in (pair.aligned[TRANSFORMER].source, pair.aligned[TRANSFORMER].target):
        typeset.show_cut_notice(tokens)
    with remarks:
        own = own_links.from_address((english, french), pair.source.real, pair.target.real)
    with figure:
        _view(pair, own)
    model_links = _found_links(pair, own)
    agreements = {name: agreement(links, own) for name, links in model_links.items()}
    if own:
        _measures(agreements)
    else:
        st.info(SECTION.text("No links yet"), icon=":material/ads_click:")
    st.subheader("Which word surprises which model?", anchor=False)
    bits = {
        TITLES[name]: -np.array(pair.target.sums(aligned.log_probabilities)) / np.log(2)
        for name, aligned in pair.aligned.items()
    }
    _surprises(pair.target, bits)
    layout.notes(
        SECTION,
        notice=(*about_links(agreements, own), *about_surprises(pair.target, bits)),
        formula=lambda: _error_rate(agreements) if own else None,
    )


def _french(english: str) -> str:
    """The visitor's French sentence; until there is one, a good one, or the transformer's translation."""
    typed = st.session_state.get("french", st.query_params.get("french"))
    former = st.session_state.get(_PROPOSED)
    proposed = FRENCH.get(english, "")
    if typed in (None, former):  # nobody has typed anything: it follows the English sentence
        with layout.waiting_place(), st.spinner("The transformer proposes a translation …"):
            proposed = proposed or compute.translate(TRANSFORMER, english, inputs.BEAM).text
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


def pair_of(english: str, french: str) -> Pair:
    """What each model makes of two sentences."""
    aligned = {name: compute.align(name, english, french) for name in TITLES}
    source, target = (
        word_maps.words_of(tokens) for tokens in (aligned[TRANSFORMER].source, aligned[TRANSFORMER].target)
    )
    best = compute.best_head()
    panels = {}
    for name, alignment in aligned.items():
        own = word_maps.of_panel(alignment, target, source, best if name == TRANSFORMER else None)
        panels[name] = Panel(name, TITLES[name], MAPS[alignment.measure], hue=HUE[name], **own)
    return Pair(aligned, source, target, panels)


def _view(pair: Pair, own: frozenset[Link]) -> None:
    def switch(_: str, target: int, source: int) -> None:
        if target in pair.target.real and source in pair.source.real:
            own_links.to_address(own ^ {(source, target)})

    alignment_view(
        AlignmentScene(pair.source.labels, tuple(pair.panels.values()), source_name="English"),
        key="pair-view",
        name="pair",
        links=own,
        on_cell=switch,
    )


def _found_links(pair: Pair, own: frozenset[Link]) -> dict[str, set[Link]]:
    """The links of each model that count, as the visitor chooses; and what the own links may begin with."""
    beginning = layout.control_bar()
    side = controls.choice("A model's links: the strongest of", DIRECTIONS, key="pair_direction", about=DIRECTION_HELP)
    model_links = strongest_links(pair.candidates, pair.target.real, pair.source.real, DIRECTIONS[side])
    with beginning:
        name = st.selectbox(
            "Start from the strongest links of", list(model_links), index=1, key="pair_start", width=300
        )
        st.button(
            "Take them", icon=":material/input:", on_click=lambda: own_links.to_address(model_links.get(name, set()))
        )
        st.button("Clear", icon=":material/backspace:", disabled=not own, on_click=lambda: own_links.to_address(()))
    return model_links


def strongest_links(
    maps: Mapping[str, Tensor], targets: Sequence[int], sources: Sequence[int], direction: Direction
) -> dict[str, set[Link]]:
    """The strongest links of each map between the words at these places, and those of the diagonal.

    End marks are no words: what they get is left out before the strongest is looked for.
    """
    rows, columns = torch.tensor(targets), torch.tensor(sources)
    model_links = {name: links_of(one[rows][:, columns], direction) for name, one in maps.items()}
    model_links[DIAGONAL] = diagonal(len(sources), len(targets))
    return {
        name: {(sources[source], targets[target]) for source, target in links} for name, links in model_links.items()
    }


def _measures(agreements: Mapping[str, Agreement]) -> None:
    """How many links each model found, how many of them are right, and the three measures: a table and bars."""
    measures = ("precision", "recall", "alignment error rate")
    table = pd.DataFrame(
        [
            (name, scores.predicted, scores.predicted_sure, scores.precision, scores.recall, scores.error_rate)
            for name, scores in agreements.items()
        ],
        columns=["", "links", "right", *measures],
    )
    shares = st.column_config.NumberColumn(format="percent")
    data_table(table, hide_index=True, column_config=dict.fromkeys(measures, shares))
    pale = frozenset(name for name in agreements if name.endswith(word_maps.MEAN))
    hues = {name: HUE_OF_TITLE[name.split(",")[0]] for name in agreements if name.split(",")[0] in HUE_OF_TITLE}
    charts.chart(
        partial(agreement_bars, agreements, look=theme.look(), hues=hues, pale=pale),
        name="pair-agreement",
        alt="Precision, recall and alignment error rate of the strongest links of each model against yours: "
        + "; ".join(f"{name} {scores.error_rate:.0%} error" for name, scores in agreements.items()),
        table=table,
    )


def _surprises(target: Words, bits: Mapping[str, np.ndarray]) -> None:
    labels = [typeset.readable(label) for label in target.labels]
    tell = "%{fullData.name}: “%{x}” costs %{y:.1f} bits"
    charts.chart(
        partial(
            by_word,
            labels,
            bits,
            look=theme.look(),
            y="surprise (bits)",
            tell=tell,
            hues=HUE_OF_TITLE,
            from_zero=True,
        ),
        name="pair-surprise",
        alt="How many bits each French word costs each model: minus the logarithm of its probability, given the "
        "English sentence and the words before it",
        table=pd.DataFrame({"word": labels, **bits}),
    )


def closest(agreements: Mapping[str, Agreement]) -> list[str]:
    """Those with the smallest error rate; several if they are equal, none without links."""
    rates = {name: scores.error_rate for name, scores in agreements.items() if scores.error_rate == scores.error_rate}
    return [name for name, rate in rates.items() if rate <= min(rates.values()) + 1e-9]


def about_links(agreements: Mapping[str, Agreement], own: frozenset[Link]) -> tuple[str, ...]:
    """Whose links come closest to the visitor's, and whether that is better than a straight line."""
    if not own:
        return ("No link is chosen yet: click the cells of words that belong together.",)
    best = closest(agreements)
    rate, line = agreements[best[0]].error_rate, agreements[DIAGONAL].error_rate
    verb = "comes" if len(best) == 1 else "come"
    links = "link" if len(own) == 1 else "links"
    names = " and ".join(f"**{name}**" for name in best)
    nearest = f"{names} {verb} closest to your {len(own)} {links}: error rate **{rate:.0%}**."
    beaten = [name for name, scores in agreements.items() if name != DIAGONAL and not scores.error_rate < line]
    verdict = f"No better than that: {'; '.join(beaten)}." if beaten else "Every model is better."
    if len(own) < FEW:
        verdict += f" With fewer than {FEW} links one more can turn that round."
    return (nearest, f"A straight diagonal, which knows no words at all, has {line:.0%}. {verdict}")


def about_surprises(target: Words, bits: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """The word that costs each model most, and what the whole sentence costs."""
    surprises = ", ".join(
        f"{name} by {target.quoted(int(values.argmax()))} ({values.max():.1f} bits)" for name, values in bits.items()
    )
    totals = {name: float(values.sum()) for name, values in bits.items()}
    least, *others = sorted(totals, key=lambda name: totals[name])
    equal = others and compare(totals[others[0]], totals[least], margin=ALIKE) == "as much"
    names = f"**{least}** and **{others[0]}** find" if equal else f"**{least}** finds"
    costs = ", ".join(f"{name} {total:.0f}" for name, total in totals.items())
    return (
        f"What surprises each most: {surprises}.",
        f"The whole French sentence costs, in bits: {costs}. {names} it most probable (log p = "
        f"{signed(-totals[least] * float(np.log(2)))}).",
    )


def _error_rate(agreements: Mapping[str, Agreement]) -> None:
    """The alignment error rate of the model that comes closest, in numbers."""
    name = closest(agreements)[0]
    scores = agreements[name]
    numbers = {
        "right": scores.predicted_sure,
        "strongest": scores.predicted,
        "sure": scores.sure,
        "rate": scores.error_rate,
    }
    st.markdown(SECTION.text("Error rate of the closest model", name=name, **numbers))
