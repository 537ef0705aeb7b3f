"""With what a visitor changes a model: two words whose link is cut, the list of the cuts, heads to silence."""

from typing import cast

import streamlit as st
import torch

from core.translation.translator_maps import Head, Part
from core.zoo import Aligned
from dashboard import layout
from pages.language.translation import cuts, word_maps
from pages.language.translation import words_change as said
from pages.language.translation.compared import Compared
from pages.language.translation.cuts import CutLink
from pages.language.translation.word_maps import Words

PARTS: tuple[Part, ...] = ("cross", "encoder", "decoder")
WORD = 190  # pixels


def silenced_heads(aligned: Aligned) -> tuple[Head, ...]:
    """The heads of the transformer that the visitor has silenced."""
    names = [
        f"{part} {layer}.{head}"
        for part in PARTS
        for layer, maps in enumerate(aligned.maps[part])
        for head in range(len(maps))
    ]
    chosen = st.multiselect(
        "Silenced heads (part, layer.head)",
        names,
        key="change_silenced",
        bind="query-params",
        placeholder="none: choose heads that shall say nothing",
    )
    return tuple(_head(name) for name in chosen)


def _head(name: str) -> Head:
    part, _, numbers = name.partition(" ")
    layer, _, head = numbers.partition(".")
    return cast(Part, part), int(layer), int(head)


def strongest(aligned: Aligned, target: Words, source: Words) -> tuple[int, int]:
    """The strongest link between words of the mean map, (target word, source word)."""
    mean = next(iter(word_maps.named_maps(aligned, target, source).values()))
    # Signs and short words tell little: among the words of four letters and more, if there are any.
    long = [place for place in target.real if sum(map(str.isalpha, target.labels[place])) >= 4]
    rows = long or list(target.real) or list(range(len(target.spans)))
    columns = list(source.real) or list(range(len(source.spans)))
    best = mean[torch.tensor(rows)][:, torch.tensor(columns)].argmax()
    return rows[int(best) // len(columns)], columns[int(best) % len(columns)]


def choose_link(aligned: Aligned, target: Words, source: Words, cut: tuple[CutLink, ...]) -> None:
    """Two words, and what is to be cut between them."""
    to, of = strongest(aligned, target, source)
    with layout.control_bar():
        word = _word("French word", target, to, key="change_target")
        looked_at = _word("may not look at", source, of, key="change_source")
        st.button(
            "Cut this link",
            icon=":material/content_cut:",
            type="primary" if not cut else "secondary",
            disabled=any(each.covers(target.spans[word], looked_at) for each in cut),
            on_click=lambda: cuts.keep(cuts.switched(cut, target.spans[word], looked_at)),
        )
        whole = CutLink(looked_at)
        st.button(
            "Cut the English word for the whole translation",
            disabled=whole in cut,
            on_click=lambda: cuts.keep((*(each for each in cut if each.source != looked_at), whole)),
        )


def _word(label: str, words: Words, first: int, *, key: str) -> int:
    if not 0 <= (st.session_state.get(key) or 0) < len(words.spans):
        del st.session_state[key]
    return st.selectbox(
        label,
        range(len(words.spans)),
        index=first,
        format_func=lambda place: f"{layout.readable(words.labels[place])} ({place + 1})",
        key=key,
        width=WORD,
    )


def list_cuts(compared: Compared) -> None:
    """Every cut with the button that takes it back, and what a cut is bound to."""
    cut = compared.cut
    if not cut:
        return
    with st.container(horizontal=True):
        for each in cut:
            st.button(
                described(compared, each),
                key=f"take-back-{cuts.encode([each])}",
                icon=":material/close:",
                help="Take this cut back",
                on_click=lambda each=each: cuts.keep([other for other in cut if other != each]),
            )
        if len(cut) > 1:
            st.button("Take all back", icon=":material/undo:", type="tertiary", on_click=lambda: cuts.keep(()))
    if not all(each.is_whole for each in cut):
        st.caption(said.CHANGE_POSITION)


def described(compared: Compared, cut: CutLink) -> str:
    """A cut in words: the place, what stood there before and stands there now, and what it may not look at."""
    to = compared.source.quoted(cut.source)
    if cut.first is None or cut.last is None:
        return f"No word may look at {to}"
    place = f"piece {cut.first + 1}" if cut.first == cut.last else f"pieces {cut.first + 1}–{cut.last + 1}"
    words = [_there(each, cut.first) for each in (compared.first, compared.second)]
    there = words[0] if words[0] == words[1] else f"{words[0]}, now {words[1]}"
    return f"{there} ({place}) may not look at {to}"


def _there(words: Words, token: int) -> str:
    place = words.at(token)
    return "nothing" if place is None else words.quoted(place)
