"""The maps of all windows as a file that numpy opens, with the places on which they lie."""

import numpy as np

from core.vision.windows import window_weights
from dashboard import export
from pages.vision.swin.compute import Windowed


def all_windows(windowed: Windowed) -> bytes:
    """The bytes of an NPZ file; for every layer n, counted from 0 at the input:

    `weights_n` (head, window, query, key) float16; `places_n` (window, position), the place of each position on the
    grid, row * columns + column, or -1 for padding; `regions_n` (window, position), what a query may look at: the
    positions of its own region; `grid_n` (rows, columns); `path_n`, the module. So a map is stitched by
    `grid.flat[places[window]] = weights[head, window, query]`, without the positions that are -1.
    """
    arrays: dict[str, np.ndarray] = {}
    for number, (layer, call) in enumerate(zip(windowed.layers, windowed.watched.record.calls, strict=True)):
        heads = [window_weights(call, head).numpy() for head in range(call.heads)]
        arrays[f"weights_{number}"] = np.stack(heads).astype(np.float16)
        arrays[f"places_{number}"] = layer.places.numpy().astype(np.int32)
        arrays[f"regions_{number}"] = layer.regions.numpy().astype(np.int32)
        arrays[f"grid_{number}"] = np.array([layer.rows, layer.columns], dtype=np.int32)
        arrays[f"path_{number}"] = np.array(layer.path)
    return export.npz(arrays)
