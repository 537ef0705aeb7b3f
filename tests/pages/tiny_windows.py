"""Tiny models with windows and random weights in folders, and windows without a model, for the tests of Swin."""

from pathlib import Path

import timm
import torch
from timm.models import save_for_hf

from core.vision.window_grid import cut, number_places, number_regions
from core.vision.windows import WindowLayer

SIZES = {"window_size": 4, "embed_dim": 8, "depths": (2, 2), "num_heads": (2, 2), "num_classes": 3}
KINDS = {
    "swin": ("swin_tiny_patch4_window7_224", {"img_size": 64}),
    "padded": ("swin_tiny_patch4_window7_224", {"img_size": 52}),  # grids of 13 x 13 and 7 x 7
    "v2": ("swinv2_tiny_window8_256", {"img_size": 72, "num_heads": (2, 4)}),  # of 18 x 18 and 9 x 9
}


def save_windowed(kind: str, folder: Path) -> str:
    """The folder, with far from even weights in it."""
    architecture, more = KINDS[kind]
    torch.manual_seed(0)
    network = timm.create_model(architecture, **SIZES | more)
    for name, weight in network.named_parameters():
        if "qkv" in name or "bias_table" in name:
            torch.nn.init.normal_(weight, std=0.7)
    save_for_hf(network, folder, model_args=SIZES | more, safe_serialization=True)
    return str(folder)


def layer_of(
    grid: tuple[int, int], window: tuple[int, int], shift: tuple[int, int], *, stage: int = 0, block: int = 0
) -> WindowLayer:
    """The windows of a block as transformers has them: the grid is padded first, then shifted."""
    places = number_places(grid, window, shift, pads_first=True)
    regions = number_regions((places.shape[0], places.shape[1]), window, shift)
    return WindowLayer("", stage, block, *grid, window, shift, 1, cut(places, window), cut(regions, window))
