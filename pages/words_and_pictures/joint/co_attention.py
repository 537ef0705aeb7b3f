"""Who looks at whom?: every layer and head, words at patches and patches at words."""

from collections.abc import Iterator, Sequence

import numpy as np
import streamlit as st
import torch

from core.text import Tokens
from core.zoo.image_models import PreparedPicture
from core.zoo.joint import WordPatchAttention
from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import joint
from dashboard.components.word_maps import MappedWord, WordMap, WordScene, word_maps
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import PictureInput, masks_of
from dashboard.number_format import compare
from pages.words_and_pictures.joint import compute, inputs
from pages.words_and_pictures.joint.compute import JointAttention
from pages.words_and_pictures.joint.prose import PAGE

SECTION = PAGE.section("Who looks at whom?")
WORDS_LOOK, PICTURE_LOOKS = "words look at patches", "patches look at words"
SAYS = {
    WORDS_LOOK: "“{word}” gives {share} of what it gives to patches",
    PICTURE_LOOKS: "Of what all patches give to “{word}”, {share} belongs",
}
CLOSE = 0.01  # of attention: shares that differ by no more count as equal


def show() -> None:
    """The scene and the sentence, both directions, the notes."""
    with layout.control_bar():
        chosen, text = inputs.scene_and_sentence()
        way = direction()
        with layout.settings():
            name = inputs.network()
    name, chosen, text = inputs.settled(chosen, text, name)
    with layout.waiting_place():
        attention = compute.look(name, chosen, text)
        scene = scene_of(name, chosen, text, way)
    word_maps(scene, key="joint-maps", name="joint")
    layout.place_notice()
    one_stream = joint(name).one_stream
    layout.notes(
        SECTION,
        notice=noticed(attention, one_stream=one_stream),
        formula=lambda: _formula(name, attention),
    )


def direction() -> str:
    """The direction of attention, by the visitor's choice."""
    return controls.menu("Direction", (WORDS_LOOK, PICTURE_LOOKS), key="joint_direction", width=185)


@cached()
def scene_of(name: str, chosen: PictureInput, text: str, way: str) -> WordScene:
    """What the view shows of one direction."""
    attention = compute.look(name, chosen, text)
    labels = [label.strip() for label in attention.tokens.labels]
    known = (None, *masks_of(chosen, labels[1:-1]), None)
    return view_of(attention, compute.prepare(name, chosen), joint(name).grid, way, text, known, photo="colour")


def view_of(
    attention: JointAttention,
    prepared: PreparedPicture,
    grid: tuple[int, int],
    way: str,
    text: str,
    known: Sequence[np.ndarray | None],
    *,
    photo: str,
) -> WordScene:
    """The words with their maps: the mean of all heads first, then each head; `known`: what each token means."""
    layers = _maps(attention.layers, way)
    mapped_words = tuple(
        MappedWord(label, mask=mask, quiet=special)
        for label, mask, special in zip(_labels(attention.tokens), known, attention.tokens.special, strict=True)
    )
    says = SAYS[way]
    mean = torch.stack([layer.mean(dim=0) for layer in layers]).mean(dim=0)
    maps = [WordMap("mean of all heads", mean.numpy(), "all layers", says)]
    for number, layer in enumerate(layers):
        maps += [
            WordMap(f"layer {number}, head {head}", own.numpy(), f"Layer {number}", says)
            for head, own in enumerate(layer)
        ]
    start = next((place for place, mask in enumerate(known) if mask is not None), min(1, len(mapped_words) - 1))
    return WordScene(prepared.photograph, grid, mapped_words, tuple(maps), text, start, photo=photo)


def _maps(layers: Sequence[WordPatchAttention], way: str) -> list[torch.Tensor]:
    return [layer.words if way == WORDS_LOOK else layer.patches for layer in layers]


def _labels(tokens: Tokens) -> list[str]:
    return [label.strip() for label in tokens.labels]


def noticed(attention: JointAttention, *, one_stream: bool) -> tuple[str, ...]:
    """How much words give to the picture in each layer, and which word patches look at most."""
    parts = (_tell_share(attention, one_stream=one_stream), _tell_back(attention))
    return tuple(sentence for part in parts for sentence in part)


def _tell_share(attention: JointAttention, *, one_stream: bool) -> Iterator[str]:
    """Of one stream: what words give to patches; of two: what is not given to the token of the whole picture."""
    shares = [float(layer.words.sum(dim=-1).mean()) for layer in attention.layers]
    low, high = int(np.argmin(shares)), int(np.argmax(shares))
    of, remainder = (
        ("all their attention", "stays with words and with the token of the whole picture")
        if one_stream
        else ("their attention to the picture", "goes to the token of the whole picture")
    )
    if f"{shares[low]:.0%}" == f"{shares[high]:.0%}":
        yield f"Words put **{shares[low]:.0%}** of {of} on patches, in every layer; the rest {remainder}."
        return
    yield (
        f"Words put {shares[low]:.0%} of {of} on patches in layer {low} and **{shares[high]:.0%}** in layer {high}; "
        f"the rest {remainder}."
    )


def _tell_back(attention: JointAttention) -> Iterator[str]:
    """Which token patches attend to most, beside an even share; tokens within CLOSE of it are named together."""
    weights = torch.stack([layer.patches.mean(dim=(0, 2)) for layer in attention.layers]).mean(dim=0)
    shares, even = (weights / weights.sum()).tolist(), 1 / len(weights)
    high = max(shares)
    if compare(high, even, margin=CLOSE) != "more":
        yield f"Patches attend to all {len(weights)} tokens about as much, {even:.0%} each."
        return
    most = [place for place, share in enumerate(shares) if compare(share, high, margin=CLOSE) == "as much"]
    labels = [f"**“{typeset.plain(_labels(attention.tokens)[place])}”**" for place in most]
    mark = " (a special token, no word)" if len(most) == 1 and attention.tokens.special[most[0]] else ""
    yield (
        f"Patches attend most to {' and '.join(labels)}{mark}: {high:.0%}{' each' if len(most) > 1 else ''} of their "
        f"attention to the sentence; an even share would be {even:.0%}."
    )


def _formula(name: str, attention: JointAttention) -> None:
    config = joint(name).network.config
    streams = "One stream" if joint(name).one_stream else "Two streams"
    st.markdown(
        SECTION.text(streams, width=config.width // config.heads, tokens=len(attention.tokens), patches=config.patches)
    )
