"""A plain convolutional network: 3 x 3 convolutions without residual connections.

It is `resnet-tiny-imagenet` without its shortcuts (the "plain" networks of He et al. 2015, section 3.3).
"""

from collections.abc import Sequence

from jaxtyping import Float
from torch import Tensor, nn

SMALL_WIDTHS, SMALL_PATCH = (32, 64, 128), 8  # of `small_body`


class PlainConvolution(nn.Module):
    """Stages of 3 x 3 convolutions with batch normalisation and ReLU; each stage halves rows and columns.

    `widths`: the channels of each stage; `depth`: convolutions in each.
    """

    def __init__(self, widths: Sequence[int], depth: int, num_classes: int):
        super().__init__()
        self.stem = _convolve(3, widths[0], kernel=7, stride=2)
        stages, width_in = [], widths[0]
        for number, width in enumerate(widths):
            first = _convolve(width_in, width, stride=2 if number else 1)
            stages.append(nn.Sequential(first, *(_convolve(width, width) for _ in range(depth - 1))))
            width_in = width
        self.stages = nn.Sequential(*stages)
        self.head = nn.Linear(width_in, num_classes)

    def forward(self, pictures: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch class"]:
        """Logits: a linear layer of the mean over the places of the last stage."""
        return self.head(self.stages(self.stem(pictures)).mean(dim=(2, 3)))


def small_body() -> nn.Sequential:
    """Convolutions with one output place for every 8 x 8 pixels, and SMALL_WIDTHS[-1] channels."""
    body = PlainConvolution(SMALL_WIDTHS, depth=2, num_classes=1)
    return nn.Sequential(body.stem, body.stages)


def _convolve(width_in: int, width_out: int, *, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(width_in, width_out, kernel, stride, padding=kernel // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(width_out), nn.ReLU())
