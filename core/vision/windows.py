"""The windows of a Swin transformer on the picture, and its maps stitched together with the shift undone.

Liu et al. 2021, section 3.2: attention stays inside windows of w x w places; every second block moves them by half a
window, and places from opposite edges that a cyclic shift brings together are masked. Supported are Swin and SwinV2 of
timm and of transformers, which differ in whether padding or shift comes first.

    layers = windows_of(model.network, record, (64, 64))     # one for each of record.calls
    stitch_mean(record.calls[3], layers[3], head=0)          # (row, column): the mean attention to each place
    stitch_query(record.calls[3], layers[3], 0, place=17)    # the attention of place 17
"""

import math
import re
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..capture import AttentionCall, Record
from ..errors import CaptureError, ModelError
from .window_grid import PADDING, cut, number_places, number_regions, stitch

# The blocks of the four families, by the names of their classes.
_OF_TIMM = ("SwinTransformerBlock", "SwinTransformerV2Block")
_OF_TRANSFORMERS = ("SwinLayer", "Swinv2Layer")
_STAGE = re.compile(r"(?:^|\.)layers\.(\d+)\.blocks\.(\d+)$")


@dataclass(frozen=True, eq=False)
class WindowLayer:
    """The windows of one attention call, in the order of the record's items; counted in places of the stage's grid."""

    path: str
    stage: int
    block: int  # within its stage
    rows: int  # of the grid, without padding
    columns: int
    window: tuple[int, int]  # rows and columns
    shift: tuple[int, int]
    merging: int  # places of the previous stage merged into one, on each side; 1 without merging
    places: Int[Tensor, "window position"]  # row * columns + column, or PADDING
    regions: Int[Tensor, "window position"]  # a query may attend to the keys of its own region only

    @property
    def shifted(self) -> bool:
        """Whether the windows of this block are shifted."""
        return any(self.shift)

    @property
    def allowed(self) -> Bool[Tensor, "window query key"]:
        """True where the query may attend to the key."""
        return self.regions[:, :, None] == self.regions[:, None, :]

    @property
    def padded(self) -> int:
        """The number of positions of the windows that are padding."""
        return int((self.places == PADDING).sum())

    @property
    def windows_per_axis(self) -> tuple[int, int]:
        """The number of windows along the rows and along the columns of the grid."""
        return math.ceil(self.rows / self.window[0]), math.ceil(self.columns / self.window[1])

    def find(self, place: int) -> tuple[int, int]:
        """The window of a place of the grid, and its position there."""
        window, position = (self.places == place).nonzero()[0].tolist()
        return window, position


def windows_of(network: nn.Module, record: Record, size: tuple[int, int]) -> tuple[WindowLayer, ...]:
    """The windows of each of `record.calls`; `size`: the rows and columns of pixels of the recorded picture.

    Raises ModelError if the network has no windows, or if the recorded calls do not have the expected windows.
    """
    blocks = {path: module for path, module in network.named_modules() if _family(module) and _STAGE.search(path)}
    if not blocks:
        raise no_windows_error()
    grids = _grids(network, blocks, size)
    layers = tuple(_layer(_path_in(blocks, call), blocks, call, grids) for call in record.calls)
    for layer, call in zip(layers, record.calls, strict=True):
        if tuple(layer.places.shape) != (call.batch_size, call.query_length):
            windows, positions = layer.places.shape
            raise ModelError(
                f"'{call.path}' was recorded with {call.batch_size:,} windows of {call.query_length:,} places, where "
                f"a picture of {size[0]} x {size[1]} pixels has {windows:,} of {positions:,}. Choose another model."
            )
    return layers


def no_windows_error() -> ModelError:
    """The error for a model without shifted windows."""
    return ModelError(
        "This model has no shifted windows: choose a Swin or SwinV2 of timm or transformers here, or look at this one "
        "on the page Vision transformer."
    )


def window_weights(call: AttentionCall, head: int | None = None) -> Float[Tensor, "window query key"]:
    """The maps of all windows of a call at once, of one head or the mean over all (None).

    Raises CaptureError for a head that does not exist, and for weights below 0.
    """
    call.check_not_negative()
    if head is not None and not 0 <= head < call.heads:
        raise CaptureError(f"'{call.path}' has no head {head}: they are numbered 0 to {call.heads - 1}.")
    heads = range(call.heads) if head is None else [head]
    if call.written is not None and set(call.written.heads) == set(range(call.heads)):
        weights = call.written.weights.detach()[:, list(heads)]
    elif call.product is not None and call.written is None:
        weights = call.product.masked_scores(slice(None), list(heads)).softmax(dim=-1)
    else:
        items = [torch.stack([call.weights(number, item) for number in heads]) for item in range(call.batch_size)]
        weights = torch.stack(items)
    return weights.float().mean(dim=1)


def stitch_query(call: AttentionCall, layer: WindowLayer, head: int, place: int) -> Float[Tensor, "row column"]:
    """The attention of one place (row * columns + column), on the grid; NaN outside of its window."""
    window, position = layer.find(place)
    weights = call.weights(head, item=window, queries=position)
    return stitch(weights.float(), layer.places[window][None], (layer.rows, layer.columns))


def stitch_mean(call: AttentionCall, layer: WindowLayer, head: int) -> Float[Tensor, "row column"]:
    """The mean attention to each place from the queries of its window, without padding."""
    return stitch(mean_received(window_weights(call, head), layer.places), layer.places, (layer.rows, layer.columns))


def stitch_same_place(call: AttentionCall, layer: WindowLayer, head: int, position: int) -> Float[Tensor, "row column"]:
    """The attention of the query at one position of each window; NaN in windows that have padding there."""
    rows = [call.weights(head, item=window, queries=position)[0] for window in range(call.batch_size)]
    is_place = layer.places[:, position] != PADDING
    return stitch(torch.stack(rows)[is_place].float(), layer.places[is_place], (layer.rows, layer.columns))


def mean_received(
    weights: Float[Tensor, "window query key"], places: Int[Tensor, "window position"]
) -> Float[Tensor, "window key"]:
    """The mean over the queries of each window, without padding; 0 in a window of padding only."""
    is_place = places != PADDING
    return torch.where(is_place[:, :, None], weights, 0).sum(1) / is_place.sum(1, keepdim=True).clamp(min=1)


def _layer(path: str, blocks: dict[str, nn.Module], call: AttentionCall, grids: list[tuple[int, int]]) -> WindowLayer:
    block, family = blocks[path], _family(blocks[path])
    match = _STAGE.search(path)
    assert match
    stage, number = int(match[1]), int(match[2])
    grid = grids[stage]
    window, shift = _window_and_shift(block, family, grid)
    places = number_places(grid, window, shift, pads_first=family in _OF_TRANSFORMERS)
    return WindowLayer(
        path=call.path,
        stage=stage,
        block=number,
        rows=grid[0],
        columns=grid[1],
        window=window,
        shift=shift,
        merging=2 if stage and grids[stage] != grids[stage - 1] else 1,
        places=cut(places, window),
        regions=cut(number_regions((places.shape[0], places.shape[1]), window, shift), window),
    )


def _window_and_shift(block: Any, family: str, grid: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The window and shift of a block for this grid.

    transformers' Swin sets both in its forward pass (`SwinLayer.set_shift_and_window_size`): a grid that is no larger
    than a window is not shifted. The other three are constructed for the size of their grid.
    """
    window, shift = _as_pair(block.window_size), _as_pair(block.shift_size)
    if family == "SwinLayer" and min(grid) <= window[0]:
        return (min(grid), min(grid)), (0, 0)
    return window, shift


def _grids(network: nn.Module, blocks: dict[str, nn.Module], size: tuple[int, int]) -> list[tuple[int, int]]:
    """Rows and columns of each stage: merging joins 2 x 2 places, an odd side is padded by one."""
    stages = {}
    for path in blocks:
        stage = path.rsplit(".", 2)[0]
        stages[int(stage.rsplit(".", 1)[1])] = network.get_submodule(stage)
    merges_last = any(_family(block) in _OF_TRANSFORMERS for block in blocks.values())
    grid, grids = _first_grid(network, size), []
    for number in range(len(stages)):
        merges = _merges(stages[number])
        if merges and not merges_last:
            grid = _halve(grid)
        grids.append(grid)
        if merges and merges_last:
            grid = _halve(grid)
    return grids


def _merges(stage: nn.Module) -> bool:
    """Whether a stage has patch merging: at its beginning in timm, at its end in transformers."""
    downsample = getattr(stage, "downsample", None)
    return downsample is not None and not isinstance(downsample, nn.Identity)


def _halve(grid: tuple[int, int]) -> tuple[int, int]:
    return (grid[0] + 1) // 2, (grid[1] + 1) // 2


def _first_grid(network: nn.Module, size: tuple[int, int]) -> tuple[int, int]:
    """The grid of patches: timm drops incomplete patches, transformers pads the picture to whole patches."""
    for module in network.modules():
        patch: Any = getattr(module, "patch_size", None)
        if hasattr(module, "dynamic_feat_size") and patch is not None:
            rows, columns = module.dynamic_feat_size(size)  # type: ignore[operator]  # a method of timm's PatchEmbed
            return int(rows), int(columns)
        if hasattr(module, "maybe_pad") and hasattr(module, "projection") and patch is not None:
            return math.ceil(size[0] / patch[0]), math.ceil(size[1] / patch[1])
    raise no_windows_error()


def _path_in(blocks: dict[str, nn.Module], call: AttentionCall) -> str:
    for path in blocks:
        if call.path.startswith(f"{path}."):
            return path
    raise ModelError(
        f"'{call.path}' attends outside of any window, which is not understood here. Choose another model."
    )


def _family(module: nn.Module) -> str:
    """The name of the block's class among those known, by inheritance; "" if it is no block with windows."""
    names = [kind.__name__ for kind in type(module).__mro__]
    return next((name for name in names if name in (*_OF_TIMM, *_OF_TRANSFORMERS)), "")


def _as_pair(length: Any) -> tuple[int, int]:
    return (int(length[0]), int(length[1])) if isinstance(length, (tuple, list)) else (int(length), int(length))
