"""The gated recurrent unit (Cho et al. 2014, section 2.3): two gates, and no cell beside the state.

r, z = sigmoid(W x_t + U h_(t-1) + b)            reset and update gate, each with its own W, U and b
n    = tanh(W x_t + b + r * (U h_(t-1) + b'))    the candidate
h_t  = (1 - z) * n + z * h_(t-1)                 as long as z is 1, the state stays as it is
"""

from jaxtyping import Float
from torch import Tensor, nn


class GRU(nn.Module):
    """Layers of gated states, one step after another."""

    def __init__(self, width: int, layers: int):
        super().__init__()
        self.width = width
        self.recurrence = nn.GRU(width, width, layers, batch_first=True)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        return self.recurrence(x)[0]
