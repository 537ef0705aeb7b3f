"""A model with windows on a photograph: where they lie, what they hold, what they are made of, what they cost; kept."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from core.progress import Progress, no_progress
from core.vision.position_bias import PositionBias, attention_of, position_bias_of
from core.vision.window_cost import BlockSizes, Timing, measure
from core.vision.window_grid import PADDING
from core.vision.window_measures import WindowMeasures, measure_in_windows
from core.vision.window_parts import BiasShare, WindowParts, bias_share, record_window_parts
from core.vision.window_rollout import Block, blocks_of, rollout_by_block, rollout_spread_by_block
from core.vision.windows import WindowLayer, window_weights, windows_of
from dashboard.cache.memo import cached
from dashboard.components.photo_maps import PhotoLayer, PhotoScene, Windows
from dashboard.components.photo_maps.packing import overview_of
from dashboard.inputs.photograph import Photograph
from dashboard.recordings.watched import WatchedImage

Direction = Literal["back", "forth"]


@dataclass(frozen=True, eq=False)
class Windowed:
    """What a model attends to, and the windows in which it does. Shared by all visitors: never changed."""

    watched: WatchedImage
    layers: tuple[WindowLayer, ...]

    @property
    def by_cosine(self) -> bool:
        """Whether queries and keys are compared by their cosine, as in SwinV2."""
        return hasattr(attention_of(self.watched.model.network, self.layers[0]), "logit_scale")

    def pixels_of(self, layer: WindowLayer) -> tuple[int, int]:
        """Rows and columns of pixels of one place of a block; the last places may reach beyond the picture."""
        merged = math.prod({block.stage: block.merging for block in self.layers if block.stage <= layer.stage}.values())
        _, _, high, wide = self.watched.inputs.pixels.shape
        return merged * math.ceil(high / self.layers[0].rows), merged * math.ceil(wide / self.layers[0].columns)


@dataclass(frozen=True, eq=False)
class Scored:
    """What the scores are made of, block by block."""

    parts: WindowParts
    biases: tuple[PositionBias, ...]
    shares: tuple[BiasShare, ...]


@dataclass(frozen=True, eq=False)
class Mapped:
    """What the view shows, and a measure for each head of each layer."""

    windowed: Windowed
    scene: PhotoScene
    heads: tuple[tuple[WindowMeasures, ...], ...]


@dataclass(frozen=True, eq=False)
class Compared:
    """Two heads of a block: where their weights differ, and by how much at each place of the picture."""

    layer: WindowLayer
    heads: tuple[int, int]
    scene: PhotoScene  # of |weight of one - weight of the other|
    places: np.ndarray  # (place) row * columns + column
    distances: np.ndarray  # (place) total variation distance, 0 to 1


@cached("Finding the windows …")
def watch_windows(photograph: Photograph) -> Windowed:
    """Where the windows lie; ModelError if the model has none."""
    watched = photograph.watched()
    _, _, rows, columns = watched.inputs.pixels.shape
    return Windowed(watched, windows_of(watched.model.network, watched.record, (rows, columns)))


@cached("Taking the scores apart …")
def take_scores_apart(photograph: Photograph) -> Scored:
    """Content and place of every score, and what merging does; ModelError if the model has no windows."""
    windowed = watch_windows(photograph)
    network, layers = windowed.watched.model.network, windowed.layers
    parts = record_window_parts(network, windowed.watched.inputs.pixels, layers)
    biases = tuple(position_bias_of(network, layer) for layer in layers)
    return Scored(parts, biases, tuple(map(bias_share, parts.content, biases, layers)))


@cached("Looking into the windows …")
def watch_maps(photograph: Photograph) -> Mapped:
    """The maps of all heads over the photograph; ModelError if the model has no windows."""
    windowed = watch_windows(photograph)
    watched, numbers = windowed.watched, range(len(windowed.layers))
    heads = tuple(_measured(windowed, number) for number in numbers)
    # At first the head that is farthest from an even map, among the blocks that have several windows.
    several = [number for number in numbers if len(windowed.layers[number].places) > 1] or numbers
    start = max(
        ((number, head) for number in several for head in range(len(heads[number]))),
        key=lambda pair: heads[pair[0]][pair[1]].strength,
    )
    layers = tuple(_photo_layer(windowed, number) for number in numbers)
    scene = PhotoScene(watched.inputs.photograph, layers, watched.model.title, start)
    overview_of(scene)  # computed here, once, and not for each visitor
    return Mapped(windowed, scene, heads)


@cached("Comparing two heads …")
def compare_heads(photograph: Photograph, block: int, first: int, second: int) -> Compared:
    """The absolute differences of two heads of a block, by its number among all."""
    windowed = watch_windows(photograph)
    layer, call = windowed.layers[block], windowed.watched.record.calls[block]
    differences = (window_weights(call, first) - window_weights(call, second)).abs().numpy()
    answers, photo_layer = Windows(lambda _: differences, layer.places.numpy()), _photo_layer(windowed, block)
    label = f"{photo_layer.label}, |head {first} − head {second}|"
    picture, title = windowed.watched.inputs.photograph, windowed.watched.model.title
    scene = PhotoScene(picture, (replace(photo_layer, heads=1, answers=answers, label=label, difference=True),), title)
    real = layer.places.numpy() != PADDING
    return Compared(layer, (first, second), scene, layer.places.numpy()[real], differences.sum(axis=-1)[real] / 2)


@cached("Putting the windows together …")
def blocks(photograph: Photograph, head: int | None) -> tuple[Block, ...]:
    """Who takes how much from whom in the windows of every block, in one head or in the mean over all (None)."""
    windowed = watch_windows(photograph)
    return blocks_of(windowed.layers, windowed.watched.record, head)


@cached("Following the vision transformer …")
def rolled(watched: WatchedImage, head: int | None, token: int, direction: Direction) -> np.ndarray:
    """(layer, token): the rollout of one token after every block of a model in which all see all, or its spread."""
    follow = rollout_by_block if direction == "back" else rollout_spread_by_block
    return follow(watched.record.calls, token, head).numpy()


@cached(unit="rounds")
def timings(sizes: BlockSizes, progress: Progress = no_progress) -> tuple[Timing, ...]:
    """The time of one block with windows and of one without; all visitors share it, as they share the machine."""
    return measure(sizes, progress)


def _photo_layer(windowed: Windowed, number: int) -> PhotoLayer:
    layer, call = windowed.layers[number], windowed.watched.record.calls[number]
    return PhotoLayer(
        label=f"block {layer.block}" + (", shifted" if layer.shifted else ""),
        group=f"stage {layer.stage}",
        heads=call.heads,
        rows=layer.rows,
        columns=layer.columns,
        answers=Windows(lambda head: window_weights(call, head).numpy(), layer.places.numpy()),
        path=layer.path,
    )


def _measured(windowed: Windowed, number: int) -> tuple[WindowMeasures, ...]:
    layer, call = windowed.layers[number], windowed.watched.record.calls[number]
    high, wide = windowed.pixels_of(layer)
    weights = (window_weights(call, head) for head in range(call.heads))
    return tuple(measure_in_windows(head_weights, layer, (float(high), float(wide))) for head_weights in weights)
