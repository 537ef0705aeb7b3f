"""The simple recurrent network (Elman 1990, "Finding Structure in Time"): one vector holds all characters so far.

    h_t = tanh(W x_t + U h_(t-1) + b)

The contribution of a character is multiplied by U and passes tanh once for each later character; so does its gradient,
which therefore shrinks (or explodes) with the distance (Bengio et al. 1994).
"""

from jaxtyping import Float
from torch import Tensor, nn


class RNN(nn.Module):
    """Layers of h_t = tanh(W x_t + U h_(t-1) + b), one step after another."""

    def __init__(self, width: int, layers: int):
        super().__init__()
        self.width = width
        self.recurrence = nn.RNN(width, width, layers, nonlinearity="tanh", batch_first=True)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        return self.recurrence(x)[0]
