"""Where the windows of a Swin transformer lie on the picture, and its maps put back there, the shift undone.

Liu et al. 2021, section 3.2: attention stays inside windows of w x w places; every second block moves them by half a
window, and what a cyclic shift brings together from opposite edges may not look at one another. Known are Swin and
SwinV2 of timm and of transformers: they agree on the windows, not on what happens first, padding or shift.

    layers = windows_of(model.network, record, (64, 64))     # one for each of record.calls
    stitch_mean(record.calls[3], layers[3], head=0)          # (row, column): what each place receives
    stitch_query(record.calls[3], layers[3], 0, place=17)    # what place 17 looks at
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
    rows: int  # of the grid, before anything is padded
    columns: int
    window: tuple[int, int]  # rows and columns
    shift: tuple[int, int]
    merging: int  # places of the stage before that became one, on each side; 1 where the stage begins without merging
    places: Int[Tensor, "window position"]  # row * columns + column, or PADDING
    regions: Int[Tensor, "window position"]  # a query may look at the keys of its own region only

    @property
    def shifted(self) -> bool:
        """Whether the windows of this block are moved."""
        return any(self.shift)

    @property
    def allowed(self) -> Bool[Tensor, "window query key"]:
        """Which query may look at which key."""
        return self.regions[:, :, None] == self.regions[:, None, :]

    @property
    def padded(self) -> int:
        """How many of the windows' positions are padding."""
        return int((self.places == PADDING).sum())

    @property
    def across(self) -> tuple[int, int]:
        """How many windows stand below one another, and side by side."""
        return math.ceil(self.rows / self.window[0]), math.ceil(self.columns / self.window[1])

    def find(self, place: int) -> tuple[int, int]:
        """The window of a place of the grid, and its position there."""
        window, position = (self.places == place).nonzero()[0].tolist()
        return window, position


def windows_of(network: nn.Module, record: Record, size: tuple[int, int]) -> tuple[WindowLayer, ...]:
    """One for each of `record.calls`; `size`: the rows and columns of pixels of the one picture that was recorded.

    ModelError if the network has no windows, or if what was recorded are not the windows that follow from it.
    """
    blocks = {path: module for path, module in network.named_modules() if _family(module) and _STAGE.search(path)}
    if not blocks:
        raise no_windows()
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


def no_windows() -> ModelError:
    """What to say of any other model."""
    return ModelError(
        "This model has no shifted windows: choose a Swin or SwinV2 of timm or transformers here, or look at this one "
        "on the page Vision transformer."
    )


def window_weights(call: AttentionCall, head: int | None = None) -> Float[Tensor, "window query key"]:
    """The maps of all windows of a call at once, of one head or the mean over all (None).

    Raises CaptureError for a head that is not there, and for weights below 0, which a mean could hide.
    """
    call.check_not_negative()
    if head is not None and not 0 <= head < call.heads:
        raise CaptureError(f"'{call.path}' has no head {head}: they are numbered 0 to {call.heads - 1}.")
    heads = range(call.heads) if head is None else [head]
    if call.written is not None and set(call.written.heads) == set(range(call.heads)):
        found = call.written.weights.detach()[:, list(heads)]
    elif call.product is not None and call.written is None:
        found = call.product.masked_scores(slice(None), list(heads)).softmax(dim=-1)
    else:
        items = [torch.stack([call.weights(each, item) for each in heads]) for item in range(call.batch_size)]
        found = torch.stack(items)
    return found.float().mean(dim=1)


def stitch_query(call: AttentionCall, layer: WindowLayer, head: int, place: int) -> Float[Tensor, "row column"]:
    """What one place (row * columns + column) looks at, where it lies on the grid; NaN outside of its window."""
    window, position = layer.find(place)
    weights = call.weights(head, item=window, queries=position)
    return stitch(weights.float(), layer.places[window][None], (layer.rows, layer.columns))


def stitch_mean(call: AttentionCall, layer: WindowLayer, head: int) -> Float[Tensor, "row column"]:
    """What each place receives on average from the queries of its window; padding looks too, but does not count."""
    return stitch(received(window_weights(call, head), layer.places), layer.places, (layer.rows, layer.columns))


def stitch_same_place(call: AttentionCall, layer: WindowLayer, head: int, position: int) -> Float[Tensor, "row column"]:
    """What the query at one position of each window looks at; NaN in windows that have padding there."""
    rows = [call.weights(head, item=window, queries=position)[0] for window in range(call.batch_size)]
    asked = layer.places[:, position] != PADDING
    return stitch(torch.stack(rows)[asked].float(), layer.places[asked], (layer.rows, layer.columns))


def received(
    weights: Float[Tensor, "window query key"], places: Int[Tensor, "window position"]
) -> Float[Tensor, "window key"]:
    """The mean over those queries of each window that are no padding; 0 in a window of padding only."""
    real = places != PADDING
    return torch.where(real[:, :, None], weights, 0).sum(1) / real.sum(1, keepdim=True).clamp(min=1)


def _layer(path: str, blocks: dict[str, nn.Module], call: AttentionCall, grids: list[tuple[int, int]]) -> WindowLayer:
    block, family = blocks[path], _family(blocks[path])
    found = _STAGE.search(path)
    assert found
    stage, number = int(found[1]), int(found[2])
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
    """As the block had them when it saw this grid.

    transformers' Swin sets both while it runs (`SwinLayer.set_shift_and_window_size`): a grid that is no larger than
    a window is not shifted. The other three were told the size of their grid when they were made.
    """
    window, shift = _both(block.window_size), _both(block.shift_size)
    if family == "SwinLayer" and min(grid) <= window[0]:
        return (min(grid), min(grid)), (0, 0)
    return window, shift


def _grids(network: nn.Module, blocks: dict[str, nn.Module], size: tuple[int, int]) -> list[tuple[int, int]]:
    """Rows and columns of each stage: merging takes 2 x 2 places together, an odd side is padded by one."""
    stages = {}
    for path in blocks:
        stage = path.rsplit(".", 2)[0]
        stages[int(stage.rsplit(".", 1)[1])] = network.get_submodule(stage)
    merges_last = any(_family(block) in _OF_TRANSFORMERS for block in blocks.values())
    grid, grids = _first_grid(network, size), []
    for number in range(len(stages)):
        merges = _merges(stages[number])
        if merges and not merges_last:
            grid = _halved(grid)
        grids.append(grid)
        if merges and merges_last:
            grid = _halved(grid)
    return grids


def _merges(stage: nn.Module) -> bool:
    """timm merges at the beginning of a stage, transformers at the end of the one before."""
    downsample = getattr(stage, "downsample", None)
    return downsample is not None and not isinstance(downsample, nn.Identity)


def _halved(grid: tuple[int, int]) -> tuple[int, int]:
    return (grid[0] + 1) // 2, (grid[1] + 1) // 2


def _first_grid(network: nn.Module, size: tuple[int, int]) -> tuple[int, int]:
    """timm takes whole patches, transformers pads the picture to whole patches."""
    for module in network.modules():
        patch: Any = getattr(module, "patch_size", None)
        if hasattr(module, "dynamic_feat_size") and patch is not None:
            rows, columns = module.dynamic_feat_size(size)  # type: ignore[operator]  # a method of timm's PatchEmbed
            return int(rows), int(columns)
        if hasattr(module, "maybe_pad") and hasattr(module, "projection") and patch is not None:
            return math.ceil(size[0] / patch[0]), math.ceil(size[1] / patch[1])
    raise no_windows()


def _path_in(blocks: dict[str, nn.Module], call: AttentionCall) -> str:
    for path in blocks:
        if call.path.startswith(f"{path}."):
            return path
    raise ModelError(
        f"'{call.path}' attends outside of any window, which is not understood here. Choose another model."
    )


def _family(module: nn.Module) -> str:
    """The name of the class that it is, or that it comes from; "" if it is no block with windows."""
    names = [kind.__name__ for kind in type(module).__mro__]
    return next((name for name in names if name in (*_OF_TIMM, *_OF_TRANSFORMERS)), "")


def _both(length: Any) -> tuple[int, int]:
    return (int(length[0]), int(length[1])) if isinstance(length, (tuple, list)) else (int(length), int(length))
