"""How well a pixel can be told without a network: by how common its colour is, or by the pixels to its left and above.

known = count_contexts(colours_of_training_pictures, palette, side=32)
known.bits(colours, strength=16.0)["left and above"]       # (batch, place)
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

HISTOGRAM, TWO = "palette histogram", "left and above"
LEVELS = 4  # of red, green and blue, by which colours are taken together: 64 boxes


@dataclass(frozen=True, eq=False)
class Contexts:
    """How often each colour stood in each context: anywhere, beside two boxes of colours, beside a colour and a box."""

    palette: Float[Tensor, "colour channel"]
    side: int
    counts: tuple[Float[Tensor, "_ colour"], ...]  # the coarsest contexts first

    def bits(
        self, colours: Int[Tensor, "batch place"], *, strength: float
    ) -> Mapping[str, Float[Tensor, "batch place"]]:
        """-log2 of the probability of each pixel, by HISTOGRAM and by TWO.

        Each context adds its counts to those of the coarser one, which weigh as much as `strength` pixels (Dirichlet
        smoothing, as of language models: MacKay and Peto 1995).
        """
        number = len(self.palette)
        chances = torch.full(colours.shape, 1 / number, dtype=torch.double)
        found = []
        for counts, context in zip(self.counts, contexts_of(colours, self.palette, self.side), strict=True):
            here = counts[context, colours].double()
            total = counts.sum(dim=1).double()[context]
            chances = (here + strength * chances) / (total + strength)
            found.append(-chances.log2().float())
        return {HISTOGRAM: found[0], TWO: found[-1]}


def count_contexts(
    colours: Int[Tensor, "batch place"], palette: Float[Tensor, "colour channel"], *, side: int
) -> Contexts:
    """Counts of all pixels of these pictures."""
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
    """The number of each pixel's context, the coarsest first; beyond the edges lies a colour of its own."""
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
