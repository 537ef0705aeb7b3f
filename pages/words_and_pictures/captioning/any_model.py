"""Any model: a pretrained captioner by name or folder describes a picture; every head's map for every word."""

import streamlit as st

from core.translation.decoding import Hypothesis
from core.zoo.offers import check_offer
from core.zoo.transformers_captioners import NamedPictureWriter
from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import named_captioner
from dashboard.components.word_maps import WordScene, word_maps
from dashboard.frame import layout
from dashboard.inputs import model_name, picture_input
from dashboard.inputs.picture_input import PHOTOGRAPHS, SCENES, PictureInput
from dashboard.output import streaming
from pages.words_and_pictures.captioning import compute, inputs, own
from pages.words_and_pictures.captioning.compute import Written
from pages.words_and_pictures.captioning.prose import PAGE
from pages.words_and_pictures.captioning.telling import noticed as noticed_of
from pages.words_and_pictures.captioning.verdict import verdict
from pages.words_and_pictures.captioning.word_scene import scene_for

SECTION = PAGE.section("Any model")


def show() -> None:
    """The name of a model, the picture, the caption as it comes or one's own, the maps."""
    model = model_name.named_model(
        "captioner",
        "both",
        lambda offer: check_offer(offer, "caption"),
        named_captioner,
        placeholder="Salesforce/blip-image-captioning-base, or a folder",
        about="A BLIP, a GIT, or a vision transformer with a GPT-2, by its name on the hub or by its folder.",
        empty_text=SECTION.text("Before a model is named"),
        without_hub="the small networks of the other sections",
    )
    if model is None:
        layout.notes(SECTION, notice=("No model is named yet, so there is nothing to notice.",))
        return
    main, settings = layout.bar_with_settings()
    with main:
        chosen = picture_input.choose((PHOTOGRAPHS, SCENES), first=PHOTOGRAPHS)
    with settings:
        width = inputs.beam()
        label = "Your own caption (empty: what it writes itself)"
        text = st.text_input(label, "", key="named_caption", bind="query-params", max_chars=300).strip()
    written = compute.look_by_name(model.name, chosen, text) if text else _write(model, chosen, width)
    scene = scene_of(model.name, chosen, width, text)
    word_maps(scene, key="named-maps", name=f"caption-{model.title}")
    layout.place_notice()
    sentences = own.noticed(written, chosen) if text else noticed_of(written, chosen, [])
    layout.notes(SECTION, notice=sentences)


def _write(model: NamedPictureWriter, chosen: PictureInput, width: int) -> Written:
    """The caption, appearing as it is written; what somebody has asked for before is there at once."""
    place = st.empty()
    written = compute.write_by_name.peek(model.name, chosen, width)

    def so_far(step: int, best: Hypothesis) -> str:
        return f"{typeset.plain(model.text(best.tokens))} ▍  \n:small[:gray[step {step}]]"

    if written is None:
        written = compute.write_by_name(model.name, chosen, width, streaming.observer(place, so_far))
    place.markdown(f"**{typeset.plain(written.text) or '∅'}**  \n:small[:gray[{verdict(written, chosen)}]]")
    return written


@cached()
def scene_of(name: str, chosen: PictureInput, width: int, text: str) -> WordScene:
    """What the view shows of a caption of the model's own, or of somebody's."""
    written = compute.look_by_name(name, chosen, text) if text else compute.write_by_name(name, chosen, width)
    return scene_for(written, chosen)
