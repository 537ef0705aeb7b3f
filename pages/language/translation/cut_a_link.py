"""Cut a link: what the model writes when it may not look at a word, or when some of its heads are silent."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core.translation.decoding import limit_of
from core.translation.translator_maps import Cell, Head, Part
from core.zoo import TRANSLATION as TITLES
from core.zoo import UNCHANGED, Aligned, Changes
from dashboard import theme, typeset
from dashboard.components.alignment_view import AlignmentScene, Map, Panel, alignment_view
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.number_format import signed
from dashboard.output import charts
from pages.language.translation import compute, cut_effects, cuts, inputs, word_maps
from pages.language.translation.cut_effects import Compared
from pages.language.translation.cuts import CutLink
from pages.language.translation.figures import HUE, by_word
from pages.language.translation.prose import PAGE
from pages.language.translation.word_maps import Words, words_of

SECTION = PAGE.section("Cut a link")
CUTTABLE = {TITLES[name]: name for name in ("bahdanau", "transformer")}
PARTS: tuple[Part, ...] = ("cross", "encoder", "decoder")
BEFORE, AFTER = "As it is", "Changed"
WORD = 125  # pixels


def show() -> None:
    """The sentence, what is to be cut, both translations and their maps."""
    with layout.control_bar():
        english = inputs.sentence()
        title = controls.choice("Model", CUTTABLE, key="change_model", about=SECTION.text("Models with links"))
        name = CUTTABLE[title]
        with layout.settings():
            beam = inputs.beam()
            inputs.classic()
            heads = st.container()
    with layout.waiting_place(), st.spinner(f"{title} translates …"):
        before = compute.translate(name, english, beam)
    source, first = words_of(before.source), words_of(before.target)
    most = limit_of(len(before.source))
    cut = cuts.read(len(source.spans), most)
    with heads:
        silenced = _silenced_heads(before.aligned) if name == "transformer" else ()
    changes = Changes(cuts.links(cut, source.spans, most), frozenset(silenced)) if cut or silenced else UNCHANGED
    with layout.waiting_place(), st.spinner(f"{title} translates again …"):
        after = compute.translate(name, english, beam, changes)
        again = compute.align_again(name, english, beam, changes)
    compared = Compared(name, before, after, again, source, first, words_of(after.target), cut, silenced)
    figure, beside = st.columns([2, 1], gap="large")
    with figure:
        _view(compared)
    with beside:
        layout.place_notice()
        _choose_link(before.aligned, first, source, cut)
        _list_cuts(compared)
        _sentences(compared)
    typeset.show_cut_notice(before.source)
    if compared.is_changed:
        _losses(compared)
    layout.notes(SECTION, notice=cut_effects.noticed(compared), formula=lambda: _row_in_numbers(compared))


def _silenced_heads(aligned: Aligned) -> tuple[Head, ...]:
    """The heads of the transformer that the visitor has silenced."""
    heads: dict[str, Head] = {
        f"{part} {layer}.{head}": (part, layer, head)
        for part in PARTS
        for layer, maps in enumerate(aligned.maps[part])
        for head in range(len(maps))
    }
    names = st.multiselect(
        "Ablated heads (part, layer.head)",
        list(heads),
        key="change_silenced",
        bind="query-params",
        placeholder="none: choose heads to ablate",
    )
    return tuple(heads[name] for name in names)


def _choose_link(aligned: Aligned, target: Words, source: Words, cut: tuple[CutLink, ...]) -> None:
    """Two words, and what is to be cut between them."""
    to, of, _ = cut_effects.link_to_cut(aligned, target, source)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = _word("French word", target, to, key="change_target")
        attended_word = _word("may not attend to", source, of, key="change_source")
        st.button(
            "Cut this link",
            icon=":material/content_cut:",
            disabled=any(link.covers(target.spans[word], attended_word) for link in cut),
            on_click=lambda: cuts.write(cuts.switched(cut, target.spans[word], attended_word)),
        )
        full_cut = CutLink(attended_word)
        st.button(
            "Cut the English word for the whole translation",
            disabled=full_cut in cut,
            on_click=lambda: cuts.write((*(link for link in cut if link.source != attended_word), full_cut)),
        )


def _word(label: str, among: Words, first: int, *, key: str) -> int:
    if not 0 <= (st.session_state.get(key) or 0) < len(among.spans):
        del st.session_state[key]
    return st.selectbox(
        label,
        range(len(among.spans)),
        index=first,
        format_func=among.numbered,
        key=key,
        width=WORD,
    )


def _list_cuts(compared: Compared) -> None:
    """Every cut with the button that takes it back, the last step undone or all, and what a cut is bound to."""
    cut = compared.cut
    with st.container(horizontal=True):
        for link in cut:
            st.button(
                cut_effects.described(compared, link),
                key=f"take-back-{cuts.encode([link])}",
                icon=":material/close:",
                help="Take this cut back",
                on_click=lambda link=link: cuts.write([other for other in cut if other != link]),
            )
        if cuts.can_undo():
            st.button("Undo", icon=":material/undo:", type="tertiary", on_click=cuts.undo)
        if cut:
            st.button("Clear all", icon=":material/clear_all:", type="tertiary", on_click=lambda: cuts.write(()))
    if not all(link.is_whole for link in cut):
        st.caption(SECTION.text("Position of a cut"))


def _sentences(compared: Compared) -> None:
    """Both translations, the words that changed marked, with their log-probabilities."""
    if not compared.is_changed:
        st.info(SECTION.text("No cut yet"), icon=":material/ads_click:")
        return
    if sentences := cut_effects.about_cuts(compared):
        st.markdown("\n\n".join(f"**{sentence}**" for sentence in sentences))
    changed = compared.difference
    for title, written, places, translated in (
        (BEFORE, compared.first, changed.gone, compared.before),
        (AFTER, compared.second, changed.new, compared.after),
    ):
        with st.container(border=True):
            layout.caption(f"{title}: log-probability {signed(translated.log_probability)}")
            st.markdown(_text(written, places, gone=title == BEFORE))


def _text(written: Words, places: Sequence[int], *, gone: bool) -> str:
    """The words without the end mark."""
    word_places = [place for place, label in enumerate(written.labels) if label != "</s>"]
    own = [number for number, place in enumerate(word_places) if place in places]
    return cut_effects.marked([written.labels[place] for place in word_places], own, gone=gone).strip() or "∅"


def _view(compared: Compared) -> None:
    changed = compared.difference
    before, after = (cuts.cells(compared.cut, text_words.spans) for text_words in (compared.first, compared.second))
    look: dict[str, Any] = {"about": f"{TITLES[compared.name]}, attention weights", "hue": HUE[compared.name]}
    first = word_maps.of_panel(compared.before.aligned, compared.first, compared.source)
    panels = [Panel("before", BEFORE, **look, **first, marked=changed.gone)]
    if compared.is_changed:
        second = word_maps.of_panel(compared.after.aligned, compared.second, compared.source)
        silent = {word_maps.head_name(layer, head) for part, layer, head in compared.silenced if part == "cross"}
        maps = [
            Map(
                attention_map.name,
                _closed(attention_map.weights, after),
                "ablated" if attention_map.name in silent else attention_map.note,
            )
            for attention_map in second["maps"]
        ]
        panels.append(Panel("after", AFTER, **look, **second | {"maps": tuple(maps)}, marked=changed.new))
    spans = {"before": compared.first.spans, "after": compared.second.spans}

    def switch(panel: str, target: int, source: int) -> None:
        cuts.write(cuts.switched(compared.cut, spans[panel][target], source))

    alignment_view(
        AlignmentScene(compared.source.labels, tuple(panels), source_name="English"),
        key=f"change-view-{compared.name}",
        name="cut",
        cut=_struck((before, len(compared.first.spans)), (after, len(compared.second.spans))),
        on_cell=switch,
    )


def _struck(*maps: tuple[frozenset[Cell], int]) -> frozenset[Cell]:
    """The cells to strike through in all maps, each given by its cut cells and its number of rows.

    Where translations differ, the same place may be cut in one and not in the other: then it is struck in neither.
    """
    every = frozenset(cell for cells, _ in maps for cell in cells)
    return frozenset(cell for cell in every if all(cell in cells or cell[0] >= rows for cells, rows in maps))


def _closed(weights: np.ndarray, forbidden: frozenset[Cell]) -> np.ndarray:
    """The map with the cells that are cut marked as what may not be looked at."""
    closed = weights.copy()
    for target, source in forbidden:
        closed[target, source] = np.nan
    return closed


def _losses(compared: Compared) -> None:
    st.subheader("How probable the first translation still is", anchor=False)
    labels = [typeset.readable(label) for label in compared.first.labels]
    lines = {
        title: np.array(compared.first.sums(aligned.log_probabilities))
        for title, aligned in ((BEFORE, compared.before.aligned), (AFTER, compared.again))
    }
    look, tell = theme.look(), "%{fullData.name}: log p(%{x}) = %{y:.2f}"
    hues = {BEFORE: look.palette.soft, AFTER: HUE[compared.name]}
    charts.chart(
        partial(by_word, labels, lines, look=look, y="log-probability", tell=tell, hues=hues),
        name="cut-loss",
        alt="The log-probability of each word of the first translation, for the model as it is and for the changed one",
        table=pd.DataFrame({"word": labels, **lines}),
    )


def _row_in_numbers(compared: Compared) -> None:
    """What is left of the first row that is cut, where nothing else changed it."""
    if numbers := cut_effects.shared_out(compared):
        st.markdown(numbers)
