"""Three translators: one English sentence, three translations, and what each looked at as it wrote."""

import streamlit as st

from core.translation.translator_maps import Part
from dashboard import export, layout
from dashboard.components.alignment_view import AlignmentScene, alignment_view
from dashboard.components.attention_view import attention_view
from pages.language.translation import compute as kept
from pages.language.translation import inputs
from pages.language.translation import translate_maps as maps
from pages.language.translation import translate_notices as notices
from pages.language.translation import words as page
from pages.language.translation import words_translate as said
from pages.language.translation.compute import Translated
from pages.language.translation.translate_formula import show_row
from pages.language.translation.translating import say_what_was_read, translate_all
from pages.language.translation.word_maps import BestHead

WORDS, PIECES = "Words", "Pieces"
PARTS: dict[str, Part] = {"Target to source": "cross", "Encoder": "encoder", "Decoder": "decoder"}


def show() -> None:
    """The sentence, the translations as they come, the maps, and what is to be seen in them."""
    sentence, width = st.columns([3, 1], gap="medium")
    with width:
        beam = inputs.beam()
        inputs.classic()
    with sentence:
        text = inputs.sentence()
    translations = translate_all(text, beam)
    first = translations["transformer"]
    say_what_was_read(text, first.source, first.model)
    part, joined, marks = _choices()
    best = best_head()
    # The notes tell of the maps between target and source, whichever are shown.
    if part == "cross":
        _show_alignment(maps.alignment(translations, joined=joined, marks=marks, best=best))
    else:
        _show_self_attention(first, part, joined=joined)
    if not layout.is_presented():
        export.download_arrays(
            "All maps (NPZ)", lambda: maps.arrays(translations), name="translation", about=said.ARRAYS
        )
    layout.notes(
        said.NOTES,
        notice=notices.about(translations, best),
        formula=lambda: show_row(translations["bahdanau"], text, beam),
    )


def best_head() -> BestHead | None:
    """The head of the transformer that aligns best, where that was measured."""
    found = kept.best_heads().get("transformer")
    return BestHead(int(found["layer"]), int(found["head"]), int(found.get("shift", 0))) if found else None


def _choices() -> tuple[Part, bool, bool]:
    """Which attention is shown, between words (or pieces), and whether those are shown that are no words."""
    with layout.control_bar():
        part = st.segmented_control(
            "Attention",
            list(PARTS),
            default="Target to source",
            key="translate_part",
            bind="query-params",
            required=True,
            help=said.PARTS_HELP,
        )
        units = st.segmented_control(
            "Rows and columns",
            [WORDS, PIECES],
            default=WORDS,
            key="translate_units",
            bind="query-params",
            required=True,
            help=page.UNITS_HELP,
        )
        marks = st.toggle(
            "Punctuation and end mark",
            value=True,
            key="translate_marks",
            bind="query-params",
            disabled=part != "Target to source",
            help=said.MARKS_HELP,
        )
    return PARTS[part], units == WORDS, marks


def _show_alignment(scene: AlignmentScene) -> None:
    alignment_view(scene, key="translate_alignment", name="translation")


def _show_self_attention(translated: Translated, part: Part, *, joined: bool) -> None:
    if not layout.is_presented():
        st.markdown(said.ABOUT_PART[part], width=layout.PROSE)
    attention_view(maps.self_attention(translated, part, joined=joined), key=f"translate_{part}")
