"""Two heads of a block over the photograph: where their weights differ, and by how much."""

import numpy as np
from streamlit.delta_generator import DeltaGenerator

from dashboard.components.photo_maps import photo_maps
from dashboard.frame import layout
from dashboard.inputs import controls
from dashboard.inputs.photograph import Photograph
from pages.vision.swin import compute
from pages.vision.swin.blocks import choose_block, name_of, percent, place_of
from pages.vision.swin.compute import Compared, Windowed
from pages.vision.swin.prose import PAGE

SECTION = PAGE.section("Maps")
KEY = "maps"


def show(photograph: Photograph, windowed: Windowed, menu: DeltaGenerator) -> Compared:
    """The choice of a block and two of its heads in a menu, and the differences in the same view as the maps."""
    with menu:
        block = choose_block(windowed.layers, key=KEY)
        heads = windowed.watched.record.calls[block].heads
        first = controls.number("Head", heads, key=f"{KEY}_head")
        second = controls.number("Compared with head", heads, key=f"{KEY}_other", first=1)
    with layout.waiting_place():
        compared = compute.compare_heads(photograph, block, first, second)
    photo_maps(compared.scene, key="swin-maps-compared", name="swin-maps-compared")
    return compared


def about_heads_compared(compared: Compared) -> str:
    """By how much the two heads differ, in the mean over all places, and where most."""
    (first, second), layer = compared.heads, compared.layer
    both = f"Heads {first} and {second} of {name_of(layer)}"
    if first == second:
        return f"Head {first} of {name_of(layer)} is compared with itself: choose another."
    distances, places = compared.distances, compared.places
    if not distances.any():
        return f"{both} give the same weights at all {len(places):,} places."
    most = int(distances.argmax())
    row, column = divmod(int(places[most]), layer.columns)
    return (
        f"{both} give on average **{percent(float(distances.mean()))}** of their weight to different keys (the total "
        f"variation distance, over all {len(places):,} places). They differ most in row {row}, column {column}: "
        f"**{percent(float(distances[most]))}**."
    )


def formula(compared: Compared) -> str:
    """The total variation distance, with the numbers of the place where it is largest, as Markdown."""
    (first, second), most = compared.heads, int(np.argmax(compared.distances))
    return SECTION.text(
        "Total variation distance",
        first=first,
        second=second,
        place=place_of(compared.layer, int(compared.places[most])),
        largest=compared.distances[most],
        mean=compared.distances.mean(),
    )
