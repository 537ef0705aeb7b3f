"""Patch embedding by a few convolutions, not one linear map (Xiao et al. 2021, "Early Convolutions Help ...")."""

from jaxtyping import Float
from torch import Tensor, nn


class ConvolutionalStem(nn.Sequential):
    """3 x 3 convolutions that each halve rows and columns until one place is one patch, then a linear map (section 4).

    The receptive field of a place overlaps its neighbours: small shapes are learned much earlier than by a linear map.
    """

    def __init__(self, width: int, patch: int):
        halvings = patch.bit_length() - 1
        if patch < 2 or 2**halvings != patch:
            raise ValueError(f"Convolutions halve a picture: a patch has 2, 4, 8 or 16 pixels on a side, not {patch}.")
        widths = [max(8, width >> level) for level in range(halvings - 1, -1, -1)]
        layers: list[nn.Module] = []
        for width_in, width_out in zip([3, *widths], widths, strict=False):
            convolution = nn.Conv2d(width_in, width_out, 3, stride=2, padding=1, bias=False)
            layers += [convolution, nn.BatchNorm2d(width_out), nn.ReLU()]
        super().__init__(*layers, nn.Conv2d(width, width, 1))

    def forward(self, x: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width _ _"]:
        return super().forward(x)
