"""Cut a link: what the model writes when it may not look at a word, or when some of its heads are silent."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from core.translation.decoding import limit_of
from core.translation.translator_maps import Cell
from core.zoo import UNCHANGED, Aligned, Changes
from dashboard import charts, layout
from dashboard.components.alignment_view import AlignmentScene, Map, Panel, alignment_view
from dashboard.figures.curves import curves
from dashboard.numbers import signed
from pages.language.translation import change_notices, change_tools, cuts, inputs, word_maps
from pages.language.translation import compute as kept
from pages.language.translation import words_change as said
from pages.language.translation.compared import Compared
from pages.language.translation.models import HUE, TITLES
from pages.language.translation.word_difference import marked
from pages.language.translation.word_maps import Words

CUTTABLE = {TITLES[name]: name for name in ("bahdanau", "transformer")}
BEFORE, AFTER = "As it is", "Changed"


def show() -> None:
    """The sentence, what is to be cut, both translations and their maps."""
    english = inputs.sentence()
    with layout.control_bar():
        title = st.segmented_control(
            "Model",
            list(CUTTABLE),
            default=next(iter(CUTTABLE)),
            key="change_model",
            bind="query-params",
            required=True,
            help=said.CHANGE_WITHOUT,
        )
        name = CUTTABLE[title]
        beam = inputs.beam()
        inputs.classic()
    with layout.waiting_place(), st.spinner(f"{TITLES[name]} translates …"):
        before = kept.translate(name, english, beam=beam)
    layout.say_what_was_cut(before.source)
    source, first = word_maps.words_of(before.source), word_maps.words_of(before.target)
    most = limit_of(len(before.source))
    cut = cuts.given(len(source.spans), most)
    silenced = change_tools.silenced_heads(before.aligned) if name == "transformer" else ()
    changes = Changes(cuts.links(cut, source.spans, most), frozenset(silenced)) if cut or silenced else UNCHANGED
    with layout.waiting_place(), st.spinner(f"{TITLES[name]} translates again …"):
        after = kept.translate(name, english, beam=beam, changes=changes)
        again = kept.align_again(name, english, beam, changes)
    second = word_maps.words_of(after.target)
    compared = Compared(name, before, after, again, source, first, second, cut, silenced)
    change_tools.choose_link(before.aligned, first, source, cut)
    change_tools.list_cuts(compared)
    _sentences(compared)
    _view(compared)
    if compared.is_changed:
        _losses(compared)
    layout.notes(
        said.NOTES,
        notice=change_notices.about(compared),
        formula=lambda: change_notices.formula(compared),
    )


def _sentences(compared: Compared) -> None:
    """Both translations, the words that changed marked, with their log-probabilities."""
    if not compared.is_changed:
        st.info(said.CHANGE_NOTHING, icon=":material/ads_click:")
        return
    changed = compared.difference
    left, right = st.columns(2, gap="large")
    for column, title, words, places, translated in (
        (left, BEFORE, compared.first, changed.gone, compared.before),
        (right, AFTER, compared.second, changed.new, compared.after),
    ):
        with column.container(border=True, height="stretch"):
            st.caption(f"{title}: log-probability {signed(translated.log_probability)}")
            st.markdown(_text(words, places, gone=title == BEFORE))


def _text(words: Words, places: Sequence[int], *, gone: bool) -> str:
    """The words without the end mark."""
    kept_words = [place for place in range(len(words.labels)) if words.labels[place] != "</s>"]
    own = [number for number, place in enumerate(kept_words) if place in places]
    return marked([words.labels[place] for place in kept_words], own, gone=gone).strip() or "∅"


def _view(compared: Compared) -> None:
    changed, before, after = compared.difference, compared.before.aligned, compared.after.aligned
    cells = {
        BEFORE: cuts.cells(compared.cut, compared.first.spans),
        AFTER: cuts.cells(compared.cut, compared.second.spans),
    }
    panels = [
        _panel(BEFORE, compared, before, compared.first, marked_words=changed.gone if compared.is_changed else ())
    ]
    if compared.is_changed:
        panels.append(_panel(AFTER, compared, after, compared.second, marked_words=changed.new, forbidden=cells[AFTER]))
    words = {BEFORE: compared.first, AFTER: compared.second}

    def switch(panel: str, target: int, source: int) -> None:
        cuts.keep(cuts.switched(compared.cut, words[_TITLE_OF[panel]].spans[target], source))

    alignment_view(
        AlignmentScene(compared.source.labels, tuple(panels), source_name="English"),
        key=f"change-view-{compared.name}",
        name="cut",
        cut=_struck((cells[BEFORE], len(compared.first.spans)), (cells[AFTER], len(compared.second.spans))),
        on_cell=switch,
    )


def _struck(*maps: tuple[frozenset[Cell], int]) -> frozenset[Cell]:
    """The cells to strike through in all maps, each given by its cut cells and its number of rows.

    Where translations differ, the same place may be cut in one and not in the other: then it is struck in neither.
    """
    every = frozenset(cell for cells, _ in maps for cell in cells)
    return frozenset(cell for cell in every if all(cell in cells or cell[0] >= rows for cells, rows in maps))


_KEY_OF = {BEFORE: "before", AFTER: "after"}
_TITLE_OF = {key: title for title, key in _KEY_OF.items()}


def _panel(
    title: str,
    compared: Compared,
    aligned: Aligned,
    target: Words,
    *,
    marked_words: tuple[int, ...],
    forbidden: frozenset[Cell] = frozenset(),
) -> Panel:
    maps = word_maps.as_maps(word_maps.named_maps(aligned, target, compared.source))
    silent = {word_maps.head_name(layer, head) for part, layer, head in compared.silenced if part == "cross"}
    return Panel(
        key=_KEY_OF[title],
        title=title,
        about=f"{TITLES[compared.name]}, attention weights",
        target=target.labels,
        maps=tuple(
            Map(
                each.name,
                _closed(each.weights, forbidden),
                "silenced" if title == AFTER and each.name in silent else "",
            )
            for each in maps
        ),
        log_probabilities=word_maps.log_probabilities(aligned, target),
        marked=marked_words,
        hue=HUE[compared.name],
    )


def _closed(weights: np.ndarray, forbidden: frozenset[Cell]) -> np.ndarray:
    """The map with the cells that are cut marked as what may not be looked at."""
    closed = weights.copy()
    for target, source in forbidden:
        closed[target, source] = np.nan
    return closed


def _losses(compared: Compared) -> None:
    st.subheader("What the first translation has lost", anchor=False)
    labels = [layout.readable(label) for label in compared.first.labels]
    lines = {
        BEFORE: np.array(word_maps.log_probabilities(compared.before.aligned, compared.first)),
        AFTER: np.array(word_maps.log_probabilities(compared.again, compared.first)),
    }
    figure = curves(
        np.arange(len(labels)),
        lines,
        look=layout.look(),
        x="",
        y="log-probability",
        tell="%{fullData.name}: log p(%{x}) = %{y:.2f}",
        hues={BEFORE: layout.look().palette.soft, AFTER: HUE[compared.name]},
        marks=True,
        labels=labels,
        height=layout.look().high(300),
    )
    charts.chart(
        figure,
        name="cut-loss",
        alt="The log-probability of each word of the first translation, for the model as it is and for the changed one",
        table=pd.DataFrame({"word": labels, **lines}),
    )
