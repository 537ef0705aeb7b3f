"""How surprised a model is by each token of a text: the negative logarithm of the probability that it gave it."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

ROWS = 256  # tokens at once: the probabilities of a whole text over a large vocabulary take gigabytes


def bits(logits: Float[Tensor, "token vocabulary"], tokens: Int[Tensor, " token"]) -> Float[Tensor, " token"]:
    """-log2 p of each token, given those before it (Hale 2001); NaN for the first, of which nothing was expected."""
    found = torch.full((len(tokens),), torch.nan)
    for first in range(0, len(tokens) - 1, ROWS):
        rows = logits[first : min(first + ROWS, len(tokens) - 1)].float()
        following = tokens[first + 1 : first + 1 + len(rows), None]
        chances = rows.log_softmax(dim=-1).gather(-1, following)[:, 0]
        found[first + 1 : first + 1 + len(rows)] = -chances / torch.log(torch.tensor(2.0))
    return found


def running_mean(values: Float[Tensor, " token"], width: int) -> Float[Tensor, " token"]:
    """At each place the mean of the last `width` numbers up to it, or of those that there are; NaN does not count."""
    known, zero = ~values.isnan(), torch.zeros(1, dtype=torch.float64)
    sums = torch.cat((zero, values.nan_to_num().double().cumsum(0)))
    counts = torch.cat((zero, known.double().cumsum(0)))
    first = (torch.arange(1, len(values) + 1) - width).clamp(min=0)
    return ((sums[1:] - sums[first]) / (counts[1:] - counts[first])).float()
