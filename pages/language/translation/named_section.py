"""Any model: a pretrained encoder-decoder by name or folder translates, and every one of its maps is shown."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.translation.decoding import Hypothesis
from core.translation.translator_maps import Part
from core.zoo import NamedTranslator
from dashboard import controls, layout
from dashboard.components.alignment_view import AlignmentScene, Map, Panel, alignment_view
from dashboard.components.attention_view import Scene, TextSequence, attention_view
from dashboard.numbers import signed
from dashboard.theme import HUES
from pages.language.translation import compute_named as kept
from pages.language.translation import inputs, named_choices
from pages.language.translation import named_notices as notices
from pages.language.translation import translate_maps as maps
from pages.language.translation import words as page
from pages.language.translation import words_named as said
from pages.language.translation.compute_named import Asked, NamedTranslation
from pages.language.translation.word_maps import MEAN

WORDS, PIECES = "Words", "Pieces"
PARTS: dict[str, Part] = {"Target to source": "cross", "Encoder": "encoder", "Decoder": "decoder"}
MOST = 1_000_000  # cells sent at once, of 2 bytes: above that, the heads of one layer
APART = 0.15  # seconds between two reports while a model writes


def show() -> None:
    """The name of a model; then the sentence, the translation as it comes, and the maps."""
    name = named_choices.name()
    if not name:
        st.markdown(said.NAMED_NOTHING, width=layout.PROSE)
        layout.notes(said.NOTES, notice=(said.NAMED_NOT_YET,), formula=_formula_in_general)
        return
    named_choices.ready(name)
    with layout.waiting_place():
        model = kept.translator(name)
    _say_what_it_is(model)
    told = named_choices.told(model)
    text, beam = inputs.sentence(), inputs.beam()
    translated = _translate(Asked(name, told.prefix + text, beam, told.source_language, told.target_language), model)
    layout.say_what_was_cut(translated.source)
    part, joined = _choices(translated)
    if part == "cross":
        alignment_view(_scene(translated, joined=joined), key="named_alignment", name=f"translation-{model.title}")
    else:
        attention_view(_self_attention(translated, part, joined=joined), key=f"named_{part}")
    layout.notes(said.NOTES, notice=notices.about(translated), formula=lambda: _formula(translated))


def _say_what_it_is(model: NamedTranslator) -> None:
    """Its size, and what it was not trained for."""
    st.caption(
        f"**{layout.plain(model.title)}** · {type(model.network).__name__} · {model.parameters / 1e6:,.1f} million "
        f"parameters"
    )
    if remark := said.NAMED_REMARKS.get(model.kind):
        st.info(remark, icon=":material/info:")


def _translate(asked: Asked, model: NamedTranslator) -> NamedTranslation:
    """The translation, appearing as it is written; what somebody has asked for before is there at once."""
    place = st.empty()
    translated = kept.known_translation(asked)
    if translated is None:
        place.markdown("…")
        with layout.waiting_place():
            translated = kept.translate(asked, _writer(place, model))
    total, count = translated.log_probability, len(translated.target)
    below = f"log-probability **{signed(total)}** · **{signed(total / count)}** per token · {count} tokens"
    if not translated.decoded.best.ended:
        below += f" · {page.NO_END}"
    place.markdown(f"{_shown(translated.text)}\n\n:small[:gray[{below}]]")
    return translated


def _writer(place: DeltaGenerator, model: NamedTranslator) -> Callable[[int, list[Hypothesis]], None]:
    last = 0.0

    def report(step: int, best: list[Hypothesis]) -> None:
        nonlocal last
        if time.monotonic() - last >= APART:
            last = time.monotonic()
            place.markdown(f"{_shown(model.text(best[0].tokens))} ▍\n\n:small[:gray[step {step}]]")

    return report


def _shown(text: str) -> str:
    """What a model wrote, in one line, exactly these characters."""
    return layout.plain(" ".join(text.split())) or "∅"


def _choices(translated: NamedTranslation) -> tuple[Part, bool]:
    """Which attention is shown, and between words or pieces."""
    there = [label for label, part in PARTS.items() if translated.aligned.maps[part]]
    with layout.control_bar():
        part = st.segmented_control(
            "Attention", there, default=there[0], key="named_part", bind="query-params", required=True
        )
        units = st.segmented_control(
            "Rows and columns",
            [WORDS, PIECES],
            default=WORDS,
            key="named_units",
            bind="query-params",
            required=True,
            help=page.UNITS_HELP,
        )
    return PARTS[part], units == WORDS


def _scene(translated: NamedTranslation, *, joined: bool) -> AlignmentScene:
    source = maps.units_of(translated.source, joined=joined, marks=True)
    target = maps.units_of(translated.target, joined=joined, marks=True)
    panel = Panel(
        key="named",
        title=translated.model.title,
        about="attention weights of the decoder",
        target=target.labels,
        maps=_sent(translated, maps.maps_of(translated.aligned, target, source)),
        log_probabilities=target.sums(translated.aligned.log_probabilities),
        hue=HUES[0],
    )
    return AlignmentScene(source.labels, (panel,))


def _sent(translated: NamedTranslation, every: tuple[Map, ...]) -> tuple[Map, ...]:
    """All maps, if they are not too many for a browser; else the means, and the heads of one layer."""
    if sum(each.weights.size for each in every) <= MOST:
        return every
    layer = controls.number("Heads of layer", len(translated.aligned.cross), key="named_layer")
    st.caption(f"This model has {len(every)} maps of this size: the means are all here, heads come a layer at a time.")
    return tuple(each for each in every if each.name.endswith(MEAN) or each.name.startswith(f"layer {layer}, "))


def _self_attention(translated: NamedTranslation, part: Part, *, joined: bool) -> Scene:
    """The heads of the encoder, or of the decoder, which begins with a token of its own in every model."""
    shown: Any = translated  # all that is read of it is in both kinds of translation
    scene = maps.self_attention(shown, part, joined=joined)
    if part == "encoder":
        return scene
    key = scene.sequences["key"]
    assert isinstance(key, TextSequence)
    begun = TextSequence((translated.begin, *key.labels[1:]), key.special)
    return replace(scene, sequences={**scene.sequences, "key": begun})


def _formula_in_general() -> None:
    st.latex(said.NAMED_LATEX.format(scores=_scores("d_k")))
    st.markdown(said.NAMED_FORMULA)


def _scores(width: int | str) -> str:
    return rf"\frac{{Q K^\top}}{{\sqrt{{{width}}}}}"


def _formula(translated: NamedTranslation) -> None:
    config, heads = translated.model.network.config, len(translated.aligned.cross[0])
    undivided = translated.model.kind.endswith("t5")
    width = getattr(config, "d_model", 0) // heads or "d_k"
    st.latex(said.NAMED_LATEX.format(scores=r"Q K^\top" if undivided else _scores(width)))
    st.markdown(said.NAMED_FORMULA_T5 if undivided else said.NAMED_FORMULA)
    values = translated.aligned.log_probabilities
    first = " ".join(signed(value) if value < 0 else "+ 0.00" for value in values[:3]).replace(" −", " − ")
    rest = " − …" if len(values) > 3 else ""
    st.markdown(f"$\\log p$ of the translation: {first}{rest} = **{signed(sum(values))}**.")
