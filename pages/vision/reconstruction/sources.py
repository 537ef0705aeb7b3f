"""Who told it: for each hidden patch, which patches were read."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st
import torch

from core.attribution.masked_patch_sources import (
    DECODER,
    ENCODER,
    AutoencoderLayer,
    DecoderAttentionShares,
    encoder_attention_distance,
    rollout_through_layers,
)
from core.vision.patch_masks import stripe_hidden_patches
from dashboard import theme
from dashboard.cache.memo import cached
from dashboard.components.photo_maps import Dense, PhotoLayer, PhotoScene, photo_maps
from dashboard.components.photo_maps.packing import overview_of
from dashboard.frame import layout
from dashboard.output import charts
from pages.vision.reconstruction import compute_autoencoder, hidden
from pages.vision.reconstruction.compute_autoencoder import Read
from pages.vision.reconstruction.figures_autoencoder import shares_by_layer
from pages.vision.reconstruction.hidden import NOTHING_HIDDEN, Hidden, tell_hidden
from pages.vision.reconstruction.prose import PAGE

SECTION = PAGE.section("Who told it?")
BOTH = "encoder and decoder"


def show() -> None:
    """The maps, what hidden patches look at in each layer, the notes."""
    chosen = hidden.choose(*layout.bar_with_settings())
    if not chosen.places:
        st.info(NOTHING_HIDDEN, icon=":material/info:")
        return
    with layout.waiting_place():
        recording, scene = compute_autoencoder.read(chosen), scene_of(chosen)
    photo_maps(scene, key="gap-sources", name="reconstruction-sources")
    layout.place_notice()
    layout.caption(SECTION.text("Striped patches"))
    _shares(recording.shares)
    layout.notes(SECTION, notice=noticed(recording, chosen), numbers=numbers_of(recording, chosen))


@cached()
def scene_of(chosen: Hidden) -> PhotoScene:
    """Every layer of the encoder and of the decoder over the photograph, then all of them together by rollout."""
    recording, model = compute_autoencoder.read(chosen), chosen.model
    truth = compute_autoencoder.as_picture(compute_autoencoder.fill(chosen).truth)
    layers = [_layer(layer, chosen) for layer in recording.layers]
    for side, group in ((DECODER, DECODER), (None, BOTH)):
        layers.append(_rolled(rollout_through_layers(recording.layers, side), group, chosen))
    number, head = _most_told(recording.shares)
    first = len(layers) - 2 - len(recording.shares) + number
    scene = PhotoScene(
        stripe_hidden_patches(truth, chosen.mask, model.grid, model.grid),
        tuple(layers),
        title=model.title,
        start=(first, head),
        place=_middle(chosen),
    )
    overview_of(scene)  # computed here, once, and not for each visitor
    return scene


def _layer(layer: AutoencoderLayer, chosen: Hidden) -> PhotoLayer:
    return PhotoLayer(
        str(layer.number),
        len(layer.weights),
        chosen.model.grid,
        chosen.model.grid,
        Dense(lambda head: layer.weights[head].numpy()),
        ("class",),
        layer.path,
        layer.side,
        absent=chosen.places if layer.side == ENCODER else (),
    )


def _rolled(weights: torch.Tensor, group: str, chosen: Hidden) -> PhotoLayer:
    side, path = chosen.model.grid, "attention rollout through all layers"
    return PhotoLayer("all layers", 1, side, side, Dense(lambda _: weights.numpy()), ("class",), path, group)


def _most_told(shares: Sequence[DecoderAttentionShares]) -> tuple[int, int]:
    """Layer and head of the decoder in which hidden patches give most to visible ones."""
    strongest = torch.stack([layer.visible for layer in shares])
    layer, head = divmod(int(strongest.argmax()), strongest.shape[1])
    return layer, head


def _middle(chosen: Hidden) -> int:
    """The hidden patch nearest to the middle of the photograph."""
    side = chosen.model.grid
    return min(
        chosen.places,
        key=lambda place: (place // side - (side - 1) / 2) ** 2 + (place % side - (side - 1) / 2) ** 2,
    )


def _shares(shares: Sequence[DecoderAttentionShares]) -> None:
    st.subheader("What do hidden patches look at?", anchor=False)
    layout.prose(SECTION.text("Attention of hidden patches"))
    parts = {
        "visible patches": [float(layer.visible.mean()) for layer in shares],
        "other hidden patches": [float(layer.hidden.mean()) for layer in shares],
        "itself": [float(layer.own.mean()) for layer in shares],
        "the class token": [float(layer.class_token.mean()) for layer in shares],
    }
    alt = "; ".join(
        f"layer {number}: " + ", ".join(f"{values[number]:.0%} to {name}" for name, values in parts.items())
        for number in range(len(shares))
    )
    charts.chart(
        partial(shares_by_layer, parts, look=theme.look(), height=theme.look().high(320)),
        name="reconstruction-shares",
        alt=f"What hidden patches look at in the decoder, the mean of all heads. {alt}",
        table=pd.DataFrame(
            [
                (
                    layer.layer,
                    head,
                    *(float(part[head]) for part in (layer.visible, layer.hidden, layer.own, layer.class_token)),
                )
                for layer in shares
                for head in range(len(layer.visible))
            ],
            columns=["layer", "head", *parts],
        ),
    )


def noticed(recording: Read, chosen: Hidden) -> tuple[str, ...]:
    """What hidden patches look at in the decoder, how far, and how far visible ones look in the encoder."""
    mask = chosen.mask
    return (
        f"{tell_hidden(int(mask.sum()), len(mask))} {tell_shares(recording.shares, float((~mask).float().mean()))}",
        tell_heads(recording.shares),
        tell_reach(
            recording.shares,
            [float(distances.mean()) for distances in encoder_attention_distance(recording.layers, mask)],
        ),
    )


def tell_shares(shares: Sequence[DecoderAttentionShares], visible_share: float) -> str:
    """Where the attention of hidden patches goes, the mean of all layers and heads; `visible_share`: not hidden."""
    parts = [
        float(torch.stack(list(part)).mean())
        for part in zip(*((one.visible, one.hidden, one.own, one.class_token) for one in shares), strict=True)
    ]
    visible, others, own, class_token = parts
    patches = visible + others + own
    times = visible / patches / visible_share if patches else 0.0
    return (
        f"In the decoder a hidden patch gives on average **{visible:.0%}** of its attention to visible patches, "
        f"{others:.0%} to other hidden ones, {own:.0%} to itself and {class_token:.0%} to the class token. Of what "
        f"goes to patches, visible ones get {times:.1f} times their share of the picture."
    )


def tell_heads(shares: Sequence[DecoderAttentionShares]) -> str:
    """The heads in which hidden patches give most and least to visible ones."""
    heads = {(layer.layer, head): float(share) for layer in shares for head, share in enumerate(layer.visible)}
    most, least = max(heads, key=lambda one: heads[one]), min(heads, key=lambda one: heads[one])
    if len(heads) == 1 or f"{heads[most]:.0%}" == f"{heads[least]:.0%}":
        return f"In each of its heads visible patches get about as much, {heads[most]:.0%}."
    return (
        f"Visible patches get most in **layer {most[0]}, head {most[1]}** ({heads[most]:.0%}) and least in layer "
        f"{least[0]}, head {least[1]} ({heads[least]:.0%})."
    )


def tell_reach(shares: Sequence[DecoderAttentionShares], encoder: Sequence[float]) -> str:
    """How far patches look, in patches: hidden ones in the decoder, visible ones in the encoder."""
    far = [float(layer.distance.mean()) for layer in shares]
    near, wide = far.index(min(far)), far.index(max(far))
    if f"{far[near]:.1f}" == f"{far[wide]:.1f}":
        decoder = (
            f"What hidden patches look at in the decoder lies {far[near]:.1f} patches away on average in every layer"
        )
    else:
        decoder = (
            f"What hidden patches look at in the decoder lies {far[near]:.1f} patches away on average in layer {near} "
            f"and {far[wide]:.1f} in layer {wide}"
        )
    return (
        f"{decoder}; in the encoder visible patches look {encoder[0]:.1f} patches away in the first layer and "
        f"{encoder[-1]:.1f} in the last."
    )


def numbers_of(recording: Read, chosen: Hidden) -> dict[str, object]:
    """The numbers of the section's formula."""
    patches, hidden_count = chosen.model.patches, len(chosen.places)
    return {
        "encoder": sum(layer.side == ENCODER for layer in recording.layers),
        "tokens": 1 + patches - hidden_count,
        "visible": patches - hidden_count,
        "decoder": len(recording.shares),
        "all_tokens": 1 + patches,
        "hidden": hidden_count,
    }
