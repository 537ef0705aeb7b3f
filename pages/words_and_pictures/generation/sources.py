"""Who told it: for any part of a picture, the words and the earlier parts that it was made from."""

from collections.abc import Iterator

import numpy as np
import torch

from core.zoo import dalles
from dashboard import typeset
from dashboard.cache.memo import cached
from dashboard.cache.models import dalle
from dashboard.components.source_maps import SourceLayer, SourceScene, source_maps
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.picture_input import PictureInput
from pages.words_and_pictures.generation import compute, growing, inputs
from pages.words_and_pictures.generation.compute import DrawingAttention, DrawRequest
from pages.words_and_pictures.generation.pictures import enlarged
from pages.words_and_pictures.generation.prose import PAGE

SECTION = PAGE.section("Who told it?")
DRAWN, SCENE_OR_PHOTOGRAPH = "drawn from the sentence", "a scene or photograph"
MASKS = {
    "full": "all earlier parts",
    "row": "one row back",
    "column": "its column",
    "convolution": "the square around it",
}


def show() -> None:
    """The picture, what each part was made from, the notes."""
    with layout.control_bar():
        world, text = inputs.world_and_sentence(dalles.available())
        which = controls.menu("Picture", (DRAWN, SCENE_OR_PHOTOGRAPH), key="looked_at", width=205)
        with layout.settings():
            request = inputs.request(world, text)
            rank = inputs.candidate(request.count)
            inputs.again()
    dalle(world).encode(text)
    bar = layout.control_bar()
    with bar:
        picture_input = inputs.picture(world) if which == SCENE_OR_PHOTOGRAPH else None
    if picture_input is not None:
        with layout.waiting_place():
            attention = compute.look_at(request.world, request.text, picture_input)
            scene = scene_at(request.world, request.text, picture_input)
    else:
        drawn = growing.drawn(compute.draw, request)
        if drawn is None:
            return
        number = drawn.order[rank]
        with layout.waiting_place():
            attention, scene = compute.look(request, number), scene_of(request, number)
    source_maps(scene, key="sources", name="sources")
    layout.place_notice()
    if picture_input:
        layout.caption(SECTION.text("A scene or photograph"))
    layout.prose(SECTION.text("Attention of a part"))
    config = dalle(world).network.config
    numbers = {
        "width": config.width // config.heads,
        "context": config.context,
        "masks": ", ".join(f"{number} {MASKS[mask]}" for number, mask in enumerate(config.masks)),
    }
    layout.notes(SECTION, notice=noticed(attention), numbers=numbers)


@cached()
def scene_of(request: DrawRequest, number: int) -> SourceScene:
    """What the view shows of a picture that was drawn."""
    return view_of(compute.look(request, number), request.text, request.world)


@cached()
def scene_at(world: str, text: str, picture_input: PictureInput) -> SourceScene:
    """What the view shows of a picture that is there."""
    return view_of(compute.look_at(world, text, picture_input), text, world)


def view_of(attention: DrawingAttention, title: str, world: str) -> SourceScene:
    """Words and parts with what was read of them."""
    config = dalle(world).network.config
    empty = f"{config.context - len(attention.words)} empty places"
    labels = [label.strip() for label in attention.words.labels]
    layers = tuple(
        SourceLayer(str(number), MASKS[look.mask], look.words.numpy(), look.codes.numpy())
        for number, look in enumerate(attention.layers)
    )
    return SourceScene(
        enlarged(attention.picture, 4),
        (config.grid, config.grid),
        (*labels, empty),
        (*attention.words.special, True),
        tuple(attention.codes.tolist()),
        layers,
        start=first_part(attention, config.grid),
        title=title,
    )


def first_part(attention: DrawingAttention, grid: int) -> int:
    """The part that read most of the words, the first row aside, where there is little else to read."""
    shares = mean_words(attention)[grid:, own_words(attention)].sum(dim=-1)
    return grid + int(shares.argmax())


def mean_words(attention: DrawingAttention) -> torch.Tensor:
    """What each part took of each word, the mean of all heads of all layers: (place, word)."""
    return torch.stack([look.words.mean(dim=0) for look in attention.layers]).mean(dim=0)


def own_words(attention: DrawingAttention) -> list[int]:
    """The places of the words that somebody wrote."""
    return [place for place, special in enumerate(attention.words.special) if not special]


def noticed(attention: DrawingAttention) -> tuple[str, ...]:
    """What went to words in which layer, to which word most, and which neighbours were read."""
    parts = (_tell_layers(attention), _tell_words(attention), _tell_neighbours(attention))
    return tuple(sentence for part in parts for sentence in part)


def _tell_layers(attention: DrawingAttention) -> Iterator[str]:
    shares = [float(look.words.sum(dim=-1).mean()) for look in attention.layers]
    low, high = int(np.argmin(shares)), int(np.argmax(shares))
    mean = sum(shares) / len(shares)
    on_average = f"On average **{mean:.0%}** of the attention goes to the sentence, special tokens and padding included"
    if f"{shares[low]:.0%}" == f"{shares[high]:.0%}":
        yield f"{on_average}: as much in every layer."
        return
    yield (
        f"{on_average}: from {shares[low]:.0%} in layer {low} ({MASKS[attention.layers[low].mask]}) to "
        f"{shares[high]:.0%} in layer {high} ({MASKS[attention.layers[high].mask]})."
    )


def _tell_words(attention: DrawingAttention) -> Iterator[str]:
    """The word that was read most, and the part that read most of it; marks are no words."""
    weights, own = mean_words(attention), own_words(attention)
    if not own:
        return
    shares = weights[:, own].mean(dim=0)
    most = own[int(shares.argmax())]
    label = typeset.plain(attention.words.labels[most].strip())
    side = int(len(attention.codes) ** 0.5)
    row, column = divmod(int(weights[:, most].argmax()), side)
    yield (
        f"Of the words, **“{label}”** gets most attention, {float(shares.max()):.1%} on average; the part in row "
        f"{row}, column {column} attends to it most, {float(weights[:, most].max()):.0%}."
    )


def _tell_neighbours(attention: DrawingAttention) -> Iterator[str]:
    """What the parts just to the left and just above got, where there are both."""
    side = int(len(attention.codes) ** 0.5)
    mean = torch.stack([look.codes.mean(dim=0) for look in attention.layers]).mean(dim=0)
    inner = [row * side + column for row in range(1, side) for column in range(1, side)]
    left = float(np.mean([mean[place, place - 1] for place in inner]))
    above = float(np.mean([mean[place, place - side] for place in inner]))
    yield f"The part just to the left gets {left:.0%} of the attention on average, the one just above {above:.0%}."
