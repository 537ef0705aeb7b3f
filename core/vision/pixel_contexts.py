"""Baselines of pixel prediction without a network: by counts of colours, and by the pixels to the left and above.

contexts = count_contexts(colours_of_training_pictures, palette, side=32)
contexts.bits(colours, strength=16.0)["left and above"]    # (batch, place)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

HISTOGRAM, LEFT_AND_ABOVE = "palette histogram", "left and above"
LEVELS = 4  # of red, green and blue, which group the colours into 64 boxes


@dataclass(frozen=True, eq=False)
class Contexts:
    """Counts of each colour in each context: anywhere, next to two boxes of colours, next to a colour and a box."""

    palette: Float[Tensor, "colour channel"]
    side: int
    counts: tuple[Float[Tensor, "_ colour"], ...]  # the coarsest contexts first

    def bits(
        self, colours: Int[Tensor, "batch place"], *, strength: float
    ) -> Mapping[str, Float[Tensor, "batch place"]]:
        """-log2 of the probability of each pixel, by HISTOGRAM and by LEFT_AND_ABOVE.

        The counts of each context are smoothed by the coarser one, with a weight of `strength` pixels (Dirichlet
        smoothing of language models: MacKay and Peto 1995).
        """
        number = len(self.palette)
        probabilities = torch.full(colours.shape, 1 / number, dtype=torch.double)
        bits_by_context = []
        for counts, context in zip(self.counts, contexts_of(colours, self.palette, self.side), strict=True):
            count = counts[context, colours].double()
            total = counts.sum(dim=1).double()[context]
            probabilities = (count + strength * probabilities) / (total + strength)
            bits_by_context.append(-probabilities.log2().float())
        return {HISTOGRAM: bits_by_context[0], LEFT_AND_ABOVE: bits_by_context[-1]}


def count_contexts(
    colours: Int[Tensor, "batch place"], palette: Float[Tensor, "colour channel"], *, side: int
) -> Contexts:
    """Count the colours of all pixels of these pictures by context."""
    number = len(palette)
    sizes = (1, (_boxes() + 1) ** 2, (number + 1) * (_boxes() + 1))
    counts = tuple(
        torch.bincount((context * number + colours).flatten(), minlength=size * number).view(size, number).float()
        for size, context in zip(sizes, contexts_of(colours, palette, side), strict=True)
    )
    return Contexts(palette, side, counts)


def contexts_of(
    colours: Int[Tensor, "batch place"], palette: Float[Tensor, "colour channel"], side: int
) -> tuple[Int[Tensor, "batch place"], ...]:
    """The number of each pixel's context, the coarsest first; beyond the edges there is an extra colour."""
    number = len(palette)
    box = F.pad(_box_of(palette), (0, 1), value=_boxes())
    picture = colours.unflatten(1, (side, -1))
    left = F.pad(picture[:, :, :-1], (1, 0), value=number).flatten(1)
    above = F.pad(picture[:, :-1], (0, 0, 1, 0), value=number).flatten(1)
    across = _boxes() + 1
    return torch.zeros_like(colours), box[left] * across + box[above], left * across + box[above]


def _boxes() -> int:
    return LEVELS**3


def _box_of(palette: Float[Tensor, "colour channel"]) -> Int[Tensor, " colour"]:
    red, green, blue = (palette * LEVELS).long().clamp(0, LEVELS - 1).unbind(dim=1)
    return (red * LEVELS + green) * LEVELS + blue
