"""Who looks at whom?: every layer and head, words at patches and patches at words."""

from collections.abc import Iterator

import numpy as np
import streamlit as st
import torch

from core.models.vilbert import SingleStream
from dashboard import controls, layout
from dashboard.components.word_maps import SeenWord, WordMap, WordScene, word_maps
from dashboard.kept import keep
from dashboard.models import joint
from dashboard.seen import Seen, masks_of
from pages.words_and_pictures.joint import compute, inputs, words
from pages.words_and_pictures.joint.compute import Looked


def show() -> None:
    """The scene and the sentence, both directions, the notes."""
    name, chosen, text = inputs.scene_and_sentence()
    direction = controls.choice("Direction", (words.WORDS_LOOK, words.PICTURE_LOOKS), key="joint_direction")
    with layout.waiting_place():
        looked = compute.look(name, chosen, text)
        scene = scene_of(name, chosen, text, direction)
    word_maps(scene, key="joint-maps", name="joint")
    layout.notes(words.LOOKS_NOTES, notice=noticed(name, looked), formula=lambda: _formula(name, looked))


def blocks_of(name: str, looked: Looked, direction: str) -> list[torch.Tensor]:
    """For each layer (head, word, patch): what words give to patches, or patches to words; the whole picture aside."""
    count = len(looked.tokens)
    found = []
    for call in looked.record.calls:
        weights = torch.stack([call.weights(head) for head in range(call.heads)])
        if isinstance(joint(name).network, SingleStream):
            part = weights[:, :count, count + 1 :]
            back = weights[:, count + 1 :, :count].mT
            found.append(part if direction == words.WORDS_LOOK else back)
        elif direction == words.WORDS_LOOK and "words_look" in call.path:
            found.append(weights[:, :, 1:])
        elif direction == words.PICTURE_LOOKS and "picture_looks" in call.path:
            found.append(weights[:, 1:].mT)
    return found


@keep()
def scene_of(name: str, chosen: Seen, text: str, direction: str) -> WordScene:
    """What the view shows of one direction."""
    looked = compute.look(name, chosen, text)
    layers = blocks_of(name, looked, direction)
    labels = [label.strip() for label in looked.tokens.labels]
    known = (None, *masks_of(chosen, labels[1:-1]), None)
    shown = tuple(
        SeenWord(label, mask=mask, quiet=special)
        for label, mask, special in zip(labels, known, looked.tokens.special, strict=True)
    )
    says = words.SAYS[direction]
    mean = torch.stack([layer.mean(dim=0) for layer in layers]).mean(dim=0)
    maps = [WordMap(words.MEAN, mean.numpy(), "all layers", says)]
    for number, layer in enumerate(layers):
        maps += [
            WordMap(f"layer {number}, head {head}", own.numpy(), f"Layer {number}", says)
            for head, own in enumerate(layer)
        ]
    start = next((place for place, mask in enumerate(known) if mask is not None), 1)
    prepared = compute.prepare(name, chosen)
    return WordScene(prepared.shown, joint(name).grid, shown, tuple(maps), text, start, photo="colour")


def noticed(name: str, looked: Looked) -> tuple[str, ...]:
    """How much words give to the picture in each layer, and which head gives most."""
    told = (_tell_share(name, looked), _tell_back(name, looked))
    return tuple(sentence for part in told for sentence in part)


def _tell_share(name: str, looked: Looked) -> Iterator[str]:
    """Of one stream: what words give to patches; of two: what is not given to the token of the whole picture."""
    layers = blocks_of(name, looked, words.WORDS_LOOK)
    shares = [float(layer.sum(dim=-1).mean()) for layer in layers]
    low, high = int(np.argmin(shares)), int(np.argmax(shares))
    what = (
        "of all their attention" if isinstance(joint(name).network, SingleStream) else "of their looks at the picture"
    )
    yield (
        f"Words give patches {shares[low]:.0%} {what} in layer {low} and **{shares[high]:.0%}** in layer {high}; "
        f"the rest "
        + (
            "stays with words and the token of the whole picture."
            if "all" in what
            else "goes to the token of the whole picture."
        )
    )


def _tell_back(name: str, looked: Looked) -> Iterator[str]:
    """Which word patches look at most."""
    layers = blocks_of(name, looked, words.PICTURE_LOOKS)
    given = torch.stack([layer.mean(dim=(0, 2)) for layer in layers]).mean(dim=0)
    place = int(given.argmax())
    label = layout.plain(looked.tokens.labels[place].strip())
    what = "a mark, not a word" if looked.tokens.special[place] else "more than any other"
    share = float(given[place] / given.sum())
    yield f"Of what patches give to words, **“{label}”** gets {share:.0%}: {what}."


def _formula(name: str, looked: Looked) -> None:
    config = joint(name).network.config
    each = config.width // config.heads
    if isinstance(joint(name).network, SingleStream):
        st.latex(r"a_{ij} = \operatorname{softmax}_j \frac{q_i \cdot k_j}{\sqrt{%d}}" % each)  # noqa: UP031
        st.markdown(
            f"*i* and *j* run over {len(looked.tokens)} tokens of the sentence, the token of the whole picture and "
            f"{config.patches} patches."
        )
        return
    st.latex(
        r"a^{w}_{ip} = \operatorname{softmax}_p \frac{W_Q w_i \cdot W_K p}{\sqrt{d}}, \quad a^{p}_{ip} = "
        r"\operatorname{softmax}_i \frac{W'_Q p \cdot W'_K w_i}{\sqrt{d}}"
    )
    st.markdown(
        f"*d* = {each}; {len(looked.tokens)} tokens of the sentence, 1 + {config.patches} of the picture. Both "
        f"read what "
        "the other was before the layer (Lu et al. 2019, figure 2 b)."
    )
