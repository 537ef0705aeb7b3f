"""The right region?: five ways to tell where a word looks, on one's own scene and over a thousand."""

import streamlit as st

from core.attribution.word_maps import WAYS
from core.text import Tokens
from dashboard.cache.memo import cached
from dashboard.cache.models import captioner
from dashboard.components.word_maps import MappedWord, WordMap, WordScene, word_maps
from dashboard.frame import layout
from dashboard.inputs import picture_input
from dashboard.inputs.picture_input import SCENES, PictureInput, masks_of, sentence_for
from dashboard.output import pointing_game
from pages.words_and_pictures.captioning import compute, inputs
from pages.words_and_pictures.captioning.inputs import KINDS
from pages.words_and_pictures.captioning.prose import PAGE

SECTION = PAGE.section("The right region?")
SAYS = {
    "attention": "“{word}” gives {share} of its attention",
    "rollout": "Rolled out, “{word}” gives {share}",
    "gradient": "By gradient × attention “{word}” owes {share}",
    "relevance": "By relevance “{word}” owes {share}",
    "occlusion": "Of what covering places costs “{word}”, {share} is due",
}
TITLES = {f"captioning/scenes-{kind}": title for kind, title in KINDS.items()}


def show() -> None:
    """A scene and a true sentence by all ways; then the table over many scenes."""
    with layout.control_bar():
        chosen = picture_input.choose((SCENES,))
        kind = inputs.kind()
    name = inputs.captioner_for(chosen, kind)
    scene = chosen.scene
    assert scene is not None
    text = sentence_for(scene)
    st.markdown(SECTION.text("A true sentence", sentence=text))
    with layout.waiting_place():
        view = scene_of(name, chosen, text)
    word_maps(view, key="grounded-maps", name="caption-ways")
    layout.place_notice()
    st.subheader("Over a thousand scenes", anchor=False)
    noticed = pointing_game.show("captioning/", TITLES, name="captioning-grounding")
    layout.notes(SECTION, notice=noticed, formula=pointing_game.formula)


@cached()
def scene_of(name: str, chosen: PictureInput, text: str) -> WordScene:
    """The words of a true sentence with a map by each way."""
    model = captioner(name)
    tokens: Tokens = model.encode(text)
    labels = tuple(label.strip() for label in tokens.labels[:-1])
    known = masks_of(chosen, labels)
    maps_by_way = compute.ways(name, chosen, tokens.ids)
    maps = tuple(
        WordMap(pointing_game.METHODS[way], maps_by_way[way][: len(labels)].numpy(), says=SAYS[way])
        for way in WAYS
        if way in maps_by_way
    )
    mapped_words = tuple(
        MappedWord(label, mask=mask, quiet=mask is None) for label, mask in zip(labels, known, strict=True)
    )
    start = next((place for place, mask in enumerate(known) if mask is not None), 0)
    return WordScene(
        compute.prepare(name, chosen).photograph, model.grid, mapped_words, maps, text, start, photo="colour"
    )
