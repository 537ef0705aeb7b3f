"""A caption: both networks write what they see; for each word of one of them, where it looked."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.errors import InputError
from core.translation.decoding import END, Hypothesis
from core.zoo.captioners import LONGEST, PictureWriter
from core.zoo.transformers_captioners import NamedPictureWriter
from dashboard import theme, typeset
from dashboard.address import parameter
from dashboard.cache.memo import cached
from dashboard.cache.models import captioner
from dashboard.components.word_maps import WordScene, word_maps
from dashboard.frame import layout
from dashboard.inputs import picture_input
from dashboard.inputs.picture_input import PictureInput
from dashboard.output import streaming
from pages.words_and_pictures.captioning import compute, inputs
from pages.words_and_pictures.captioning.compute import Written
from pages.words_and_pictures.captioning.prose import PAGE
from pages.words_and_pictures.captioning.telling import formula, noticed
from pages.words_and_pictures.captioning.verdict import verdict
from pages.words_and_pictures.captioning.word_scene import scene_for

SECTION = PAGE.section("A caption")
BEGIN_KEY = "begin"  # in the address: the words that a visitor chose


def show() -> None:
    """The picture, both captions as they come, the maps of one, another word, the notes."""
    main, settings = layout.bar_with_settings()
    with main:
        chosen = picture_input.choose()
        kind = inputs.kind("Maps of")
    with settings:
        width = inputs.beam()
    names = inputs.titles(chosen)
    begin = _begun(chosen)
    captions = _write_both(names, chosen, width, begin)
    written = captions[inputs.captioner_for(chosen, kind)]
    scene = scene_of(written.model.name, chosen, width, _ids(written.model, begin))
    word_maps(scene, key="caption-maps", name="caption", on_word=lambda place: _ask(written, place))
    layout.place_notice()
    _other_word(written, chosen)
    if written.model.name.startswith("photographs-"):
        st.caption(SECTION.text("Networks for photographs"))
    layout.notes(
        SECTION,
        notice=noticed(written, chosen, [caption.text for caption in captions.values()]),
        formula=lambda: formula(written),
    )


def _begun(chosen: PictureInput) -> tuple[str, ...]:
    """The words that the visitor chose for this picture; another picture begins anew."""
    known = st.session_state.get("begun_for")
    if known is not None and known != chosen.identity:
        st.query_params.pop(BEGIN_KEY, None)
        st.session_state.pop("asked_word", None)
    st.session_state.begun_for = chosen.identity
    begin = tuple(parameter(BEGIN_KEY, str.split))
    if len(begin) > LONGEST:
        raise InputError(f"The address begins the caption with {len(begin)} words; a caption has at most {LONGEST}.")
    return begin


def _ids(model: PictureWriter | NamedPictureWriter, begin: Sequence[str]) -> tuple[int, ...]:
    """The numbers of words; those that a network does not know are left out."""
    known = model.tokenizer.get_vocab()
    return tuple(known[word] for word in begin if known.get(word, END) > END)


def _write_both(names: dict[str, str], chosen: PictureInput, width: int, begin: Sequence[str]) -> dict[str, Written]:
    places = {name: column.empty() for name, column in zip(names, st.columns(len(names), gap="large"), strict=True)}
    captions = {}
    for name, place in places.items():
        arguments = (name, chosen, width, _ids(captioner(name), begin))
        written = compute.write.peek(*arguments)
        if written is None:
            place.markdown(_card(names[name], "…", "waits for its turn"))
            looks_on = streaming.observer(place, partial(_unfinished, names[name], captioner(name)))
            written = compute.write(*arguments, observer=looks_on)
        captions[name] = written
        place.markdown(_card(names[name], typeset.plain(written.text) or "∅", verdict(written, chosen)))
    return captions


def _unfinished(title: str, model: PictureWriter, step: int, best: Hypothesis) -> str:
    return _card(title, f"{typeset.plain(model.text(best.tokens))} ▍", f"step {step}")


def _card(title: str, text: str, below: str) -> str:
    return f"**{title}:** {text}  \n:small[:gray[{below}]]"


@cached()
def scene_of(name: str, chosen: PictureInput, width: int, begin: tuple[int, ...]) -> WordScene:
    """What the view shows of a caption that was written."""
    return scene_for(compute.write(name, chosen, width, begin), chosen)


def _ask(written: Written, place: int) -> None:
    st.session_state.asked_word = (written.model.name, place)


def _other_word(written: Written, chosen: PictureInput) -> None:
    """What might have stood where the visitor clicked; one of it may be taken."""
    selection = st.session_state.get("asked_word")
    place = (
        selection[1] if selection and selection[0] == written.model.name and selection[1] < len(written.words) else None
    )
    if written.begin_count:
        with st.container(horizontal=True, vertical_alignment="center"):
            begin_text = " ".join(written.labels[: written.begin_count])
            count = written.begin_count
            begun = "The first word comes" if count == 1 else f"The first {count} words come"
            st.markdown(f"{begun} from you: “{typeset.plain(begin_text)}”. The network went on from there.")
            st.button("As it would begin itself", on_click=_forget, type="tertiary")
    if place is None or theme.is_presented():
        return
    before = written.words.ids[:place]
    offered = compute.next_words(written.model.name, chosen, tuple(before))
    label = written.words.labels[place].strip()
    remark = f":small[:gray[{SECTION.text('Another word')}]]"
    st.markdown(f"**Take another word** than “{typeset.plain(label)}” {remark}")
    with st.container(horizontal=True):
        for number, (word, chance) in enumerate(offered):
            if word == "[END]":
                continue
            st.button(
                f"{typeset.plain(word)} :gray[{chance:.0%}]",
                key=f"take_{number}",
                on_click=_take,
                args=([token_label.strip() for token_label in written.words.labels[:place]], word),
                disabled=word == label,
            )


def _take(before: list[str], word: str) -> None:
    st.query_params[BEGIN_KEY] = " ".join([*before, word])
    st.session_state.pop("asked_word", None)


def _forget() -> None:
    st.query_params.pop(BEGIN_KEY, None)
    st.session_state.pop("asked_word", None)
