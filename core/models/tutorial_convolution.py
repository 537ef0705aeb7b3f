"""The small convolutional network that the tutorials of PyTorch train on CIFAR-10: LeNet-5 with ReLU and max pooling.

LeCun et al. 1998, "Gradient-Based Learning Applied to Document Recognition", section II.B; 62,006 parameters.
"""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class TutorialConvolution(nn.Module):
    """Pictures of 32 x 32 pixels in, a score (logit) for each class out."""

    def __init__(self, classes: int = 10):
        super().__init__()
        self.first = nn.Conv2d(3, 6, 5)
        self.second = nn.Conv2d(6, 16, 5)
        self.wide = nn.Linear(16 * 5 * 5, 120)
        self.narrow = nn.Linear(120, 84)
        self.head = nn.Linear(84, classes)

    def forward(self, pictures: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch class"]:
        x = F.max_pool2d(self.first(pictures).relu(), 2)  # (batch, 6, 14, 14)
        x = F.max_pool2d(self.second(x).relu(), 2)  # (batch, 16, 5, 5)
        return self.head(self.narrow(self.wide(x.flatten(start_dim=1)).relu()).relu())
