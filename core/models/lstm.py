"""Long short-term memory (Hochreiter and Schmidhuber 1997; forget gate by Gers et al. 2000): a cell that can hold.

i, f, o = sigmoid(W x_t + U h_(t-1) + b)   input, forget and output gate, each with its own W, U and b
g       = tanh(W x_t + U h_(t-1) + b)      the candidate
c_t     = f * c_(t-1) + i * g              the cell: as long as f is 1 and i is 0, it does not change
h_t     = o * tanh(c_t)
"""

from jaxtyping import Float
from torch import Tensor, nn


class LSTM(nn.Module):
    """Layers of gated cells, one step after another."""

    def __init__(self, width: int, layers: int):
        super().__init__()
        self.width = width
        self.recurrence = nn.LSTM(width, width, layers, batch_first=True)
        for name, bias in self.recurrence.named_parameters():
            if "bias_ih" in name:
                # Forget gates are open at first (Jozefowicz et al. 2015). torch orders i, f, g, o.
                nn.init.ones_(bias.data[width : 2 * width])

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        return self.recurrence(x)[0]
