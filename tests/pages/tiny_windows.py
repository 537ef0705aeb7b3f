"""Tiny models with windows and random weights in folders, for the tests of the page Swin."""

from pathlib import Path

import timm
import torch
from timm.models import save_for_hf

SIZES = {"window_size": 4, "embed_dim": 8, "depths": (2, 2), "num_heads": (2, 2), "num_classes": 3}
KINDS = {
    "swin": ("swin_tiny_patch4_window7_224", {"img_size": 64}),
    "padded": ("swin_tiny_patch4_window7_224", {"img_size": 52}),  # grids of 13 x 13 and 7 x 7
}


def save_windowed(kind: str, folder: Path) -> str:
    """The folder, with far from even weights in it."""
    architecture, more = KINDS[kind]
    torch.manual_seed(0)
    network = timm.create_model(architecture, **SIZES, **more)
    for name, weight in network.named_parameters():
        if "qkv" in name or "bias_table" in name:
            torch.nn.init.normal_(weight, std=0.7)
    save_for_hf(network, folder, model_args=SIZES | more, safe_serialization=True)
    return str(folder)
