"""Tiny models with windows in folders, as timm saves them: their grids are no multiples of their windows."""

from pathlib import Path

import timm
import torch
from timm.models import save_for_hf

_SIZES = {
    "img_size": 72,
    "patch_size": 4,
    "window_size": 4,
    "embed_dim": 8,
    "depths": (2, 2),
    "num_heads": (2, 4),
    "num_classes": 4,
}
_KINDS = {"v1": "swin_tiny_patch4_window7_224", "v2": "swinv2_tiny_window8_256"}


def save_windowed(kind: str, folder: Path) -> Path:
    """Swin ("v1") or SwinV2 ("v2") with random weights, biases among them."""
    torch.manual_seed(0)
    network = timm.create_model(_KINDS[kind], **_SIZES)
    for name, weight in network.named_parameters():
        if "relative_position_bias_table" in name:
            torch.nn.init.normal_(weight, std=0.5)
        if name.endswith("qkv.weight"):  # so that content says something too
            torch.nn.init.normal_(weight, std=0.5)
    save_for_hf(network, folder, model_args=_SIZES, safe_serialization=True)
    return folder
