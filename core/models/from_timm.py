"""Networks of the timm library, from a folder in timm's hub format (config.json and model.safetensors)."""

from math import ceil
from pathlib import Path
from typing import Any

from torch import nn

from ..errors import ModelError
from .attention_heads import has_heads
from .meta_outlines import outlining


def outline(folder: Path) -> nn.Module:
    """The network on the meta device, without weights."""
    import timm

    with outlining():
        return timm.create_model(f"local-dir:{folder}", pretrained=False)


def load_network(folder: Path) -> nn.Module:
    """The network in single precision."""
    import timm

    try:
        return timm.create_model(f"local-dir:{folder}", pretrained=True).float()
    except RuntimeError as error:
        if "loading state_dict" not in str(error):
            raise
        raise ModelError("The network that its config.json describes is not the one of its weights.") from error


def grid_of(network: Any, size: tuple[int, int]) -> tuple[int, int]:
    """Rows and columns of the finest grid of patches that a picture of `size` (rows, columns) becomes.

    For a convolutional network, which has no patches, those of its last feature map.
    """
    embedding: Any = getattr(network, "patch_embed", None)
    if hasattr(embedding, "dynamic_feat_size"):  # for `size`, which may differ from that of the config
        return tuple(embedding.dynamic_feat_size(size))
    if grid := getattr(embedding, "grid_size", None):
        return tuple(grid)
    reduction = network.feature_info[0 if has_heads(network) else -1]["reduction"]
    return ceil(size[0] / reduction), ceil(size[1] / reduction)


def prefix_of(network: nn.Module) -> tuple[str, ...]:
    """Labels of the tokens before the patches: class, distilled, registers."""
    count = getattr(network, "num_prefix_tokens", 0)
    attributes = {"class": "cls_token", "distilled": "dist_token"}
    labels = [label for label, token in attributes.items() if getattr(network, token, None) is not None][:count]
    return (*labels, *(f"register {number}" for number in range(1, count - len(labels) + 1)))


def classes_of(network: nn.Module) -> tuple[str, ...]:
    """Readable names of the classes; () if there is no head."""
    from timm.data import ImageNetInfo, infer_imagenet_subset

    count = getattr(network, "num_classes", 0)
    if not count:
        return ()
    config = getattr(network, "pretrained_cfg", {})
    names, descriptions = config.get("label_names"), config.get("label_descriptions") or {}
    if names and len(names) == count:
        return tuple(str(descriptions.get(name, name)) if isinstance(descriptions, dict) else name for name in names)
    subset = infer_imagenet_subset(network)
    if subset:
        info = ImageNetInfo(subset)
        return tuple(info.index_to_description(number) for number in range(count))
    return tuple(f"class {number}" for number in range(count))
