"""What EfficientNet (Tan and Le 2019) sees at each place of a picture: the features of its last stage.

Captioners, the CLIP of photographs and the hybrid vision transformer attend to them; their weights come from others
(weights/efficientnet-lite0).
"""

from jaxtyping import Float
from torch import Tensor, nn

CHANNELS = 320  # of EfficientNet-Lite0's last stage


class EfficientNetFeatures(nn.Module):
    """The stages of a classifier of timm, without the last convolution and the head that name classes.

    With an `output_stride` of 16 a picture of 224 x 224 pixels becomes 320 channels at 14 x 14 places.
    """

    num_features = CHANNELS

    def __init__(self, classifier: nn.Module):
        super().__init__()
        self.conv_stem, self.bn1, self.blocks = classifier.conv_stem, classifier.bn1, classifier.blocks

    def forward(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width _ _"]:
        return self.blocks(self.bn1(self.conv_stem(pixels)))  # type: ignore[operator]  # modules, which timm has
