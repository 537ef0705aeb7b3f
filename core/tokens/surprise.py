"""The surprise of a language model at each token of a text: its negative log-probability."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

ROWS = 256  # tokens at once: all log-probabilities of a text over a large vocabulary take gigabytes


def bits(logits: Float[Tensor, "token vocabulary"], tokens: Int[Tensor, " token"]) -> Float[Tensor, " token"]:
    """-log2 p of each token, given those before it (Hale 2001); NaN for the first, which has no prediction."""
    surprises = torch.full((len(tokens),), torch.nan)
    for first in range(0, len(tokens) - 1, ROWS):
        rows = logits[first : min(first + ROWS, len(tokens) - 1)].float()
        following = tokens[first + 1 : first + 1 + len(rows), None]
        log_probabilities = rows.log_softmax(dim=-1).gather(-1, following)[:, 0]
        surprises[first + 1 : first + 1 + len(rows)] = -log_probabilities / torch.log(torch.tensor(2.0))
    return surprises


def running_mean(values: Float[Tensor, " token"], width: int) -> Float[Tensor, " token"]:
    """The mean of the last `width` values up to each position, or of fewer at the beginning; NaN is ignored."""
    is_number, zero = ~values.isnan(), torch.zeros(1, dtype=torch.float64)
    sums = torch.cat((zero, values.nan_to_num().double().cumsum(0)))
    counts = torch.cat((zero, is_number.double().cumsum(0)))
    first = (torch.arange(1, len(values) + 1) - width).clamp(min=0)
    return ((sums[1:] - sums[first]) / (counts[1:] - counts[first])).float()
