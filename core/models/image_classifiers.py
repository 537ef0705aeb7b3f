"""The image classifiers that come with the project, built from their config: five of timm's, one of our own.

Each takes pictures (batch, channel, row, column) and gives logits (batch, class). Sizes are those of the library's
constructor, so a config.json can be read beside its documentation.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import nn

from .efficientnet import EfficientNetFeatures


def make_image_classifier(architecture: str, sizes: dict[str, Any]) -> nn.Module:
    """The network that `architecture` (one of MAKERS) names, with random weights."""
    # All of timm at once: threads that import different parts of it first would deadlock.
    import timm  # noqa: F401

    return MAKERS[architecture](**sizes)


def patch_of(sizes: dict[str, Any]) -> int:
    """The number of pixels on a side of a patch, or of one place of a convolutional network's last feature map."""
    return sizes.get("patch_size", CONVOLVED)


def _vit(**sizes: Any) -> nn.Module:
    """A vision transformer (Dosovitskiy et al. 2020) whose positions are resized for larger pictures."""
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(**sizes, dynamic_img_size=True)


def _swin(**sizes: Any) -> nn.Module:
    """A shifted-window transformer (Liu et al. 2021) that takes pictures of other sizes than its own.

    `always_partition`: its windows shift even where one window fills the grid, so that larger pictures find every
    block as it was trained.
    """
    from timm.models.swin_transformer import SwinTransformer

    return SwinTransformer(**sizes, dynamic_img_size=True, always_partition=True)


def _resnet(**sizes: Any) -> nn.Module:
    """A residual network of basic blocks (He et al. 2015); for 64 pixels the pooling of its stem is left out."""
    from timm.models.resnet import BasicBlock, ResNet

    network = ResNet(block=BasicBlock, **sizes)  # type: ignore[arg-type]  # timm means the class, and says its instance
    network.maxpool = nn.Sequential()
    return network


def _efficientnet(variant: str, output_stride: int) -> nn.Module:
    """An EfficientNet (Tan and Le 2019); an `output_stride` of 16 dilates its last kernels, in place of halving."""
    import timm

    return timm.create_model(variant, output_stride=output_stride)


def _hybrid(variant: str, output_stride: int, **sizes: Any) -> nn.Module:
    """A vision transformer over a convolutional network's features (Dosovitskiy et al. 2020, section 3.1).

    A patch is one place of EfficientNet's last stage. From the class token the head tells what EfficientNet has before
    its own classifier, the mean of its last features, and has a copy of that classifier.
    """
    from timm.layers import HybridEmbed
    from timm.models.vision_transformer import VisionTransformer

    network: Any = _efficientnet(variant, output_stride)
    embedding = partial(
        HybridEmbed,
        backbone=EfficientNetFeatures(network),
        feature_size=sizes["img_size"] // output_stride,
        feature_ratio=output_stride,
    )
    hybrid = VisionTransformer(**sizes, patch_size=1, embed_layer=embedding)
    pooled = nn.Linear(hybrid.embed_dim, network.classifier.in_features)
    hybrid.head = nn.Sequential(pooled, nn.ReLU6(), network.classifier)  # type: ignore[arg-type, assignment]
    return hybrid


def _plain(**sizes: Any) -> nn.Module:
    from .plain_convolution import PlainConvolution

    return PlainConvolution(**sizes)


CONVOLVED = 16  # four stages halve a picture four times
MAKERS: dict[str, Callable[..., nn.Module]] = {
    "vit": _vit,
    "swin": _swin,
    "resnet": _resnet,
    "plain": _plain,
    "efficientnet": _efficientnet,
    "hybrid": _hybrid,
}
