"""Pictures as tokens of a learned codebook: the discrete autoencoder of DALL-E (Ramesh et al. 2021, section 2.1).

l      = encoder(pixels)                                     a logit for every code, at each place of a coarse grid
g      = softmax((l - log(-log u)) / t)                      Gumbel softmax: nearly one code as t falls (appendix A.2)
z      = sum_k g_k C_k                                       a vector of the codebook, or nearly
m      = decoder(z)                                          the middle of a logit-Laplace of spread b (appendix A.3)
loss   = -log p(pixels | m, b) + beta KL(softmax(l) | even)  the evidence lower bound, with a weight beta

The paper's decoder also says b, for each value. Here b is one learned number for each channel: else small things would
be given up as uncertain, beside grounds that are easily told to the last digit.

The "nearest" variant (van den Oord et al. 2017) takes the nearest vector of the codebook and lets the gradient pass
straight through: loss = -log p + |sg(l) - C_k|^2 + 0.25 |l - sg(C_k)|^2 (equation 3).
"""

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

EDGE = 0.1  # values 0 to 1 are squeezed to EDGE .. 1 - EDGE: a logit has no end (appendix A.3)
COMMITMENT = 0.25  # of the encoder to the vector that it chose (van den Oord et al. 2017, equation 3)


@dataclass(frozen=True)
class DiscreteVAEConfig:
    """The sizes of a discrete autoencoder: pictures of `side` pixels, a grid of `grid` x `grid` tokens of `codes`."""

    side: int = 64
    grid: int = 16
    codes: int = 512
    each: int = 48  # values of a vector of the codebook
    width: int = 96
    blocks: int = 2
    quantiser: Literal["gumbel", "nearest"] = "gumbel"

    def __post_init__(self):
        if self.grid < 1 or self.side % self.grid or (self.side // self.grid).bit_count() != 1 or self.halvings < 1:
            raise ValueError(
                f"A picture of {self.side} pixels is halved until {self.grid} tokens are left on a side: the one must "
                "be 2, 4, 8 ... times the other."
            )
        if self.quantiser not in ("gumbel", "nearest"):
            raise ValueError(f"The quantiser is gumbel or nearest, not {self.quantiser}.")

    @property
    def halvings(self) -> int:
        """How often the encoder halves a picture."""
        return (self.side // self.grid).bit_length() - 1

    @property
    def tokens(self) -> int:
        """The tokens of a picture."""
        return self.grid**2


@dataclass(frozen=True, eq=False)
class Coded:
    """A picture after the way through: the middle of its likelihood, and what the encoder said.

    `said`: logits of codes (gumbel), or the vectors before they were exchanged for codes (nearest).
    """

    middle: Float[Tensor, "batch channel row column"]
    said: Float[Tensor, "batch each down across"]
    codes: Int[Tensor, "batch down across"]


class DiscreteVAE(nn.Module):
    """Pixels (0 to 1) to codes, and codes to pixels."""

    def __init__(self, config: DiscreteVAEConfig):
        super().__init__()
        self.config = config
        gumbel = config.quantiser == "gumbel"
        self.encoder = encoder(config, config.codes if gumbel else config.each)
        self.codebook = nn.Embedding(config.codes, config.each)
        self.decoder = decoder(config)
        self.log_spread = nn.Parameter(torch.zeros(3, 1, 1))  # b of each channel
        nn.init.normal_(self.codebook.weight, std=1.0 if gumbel else 0.5)

    def forward(self, pixels: Float[Tensor, "batch channel row column"], temperature: float = 1.0) -> Coded:
        """As it is trained: codes are drawn (gumbel, at a temperature), or the nearest; gradients reach the encoder."""
        said = self.encoder(2 * pixels - 1)
        if self.config.quantiser == "gumbel":
            codes = said.argmax(dim=1)
            shares = F.gumbel_softmax(said.float(), tau=temperature, dim=1)
            vectors = torch.einsum("bkrc,ke->berc", shares, self.codebook.weight)
        else:
            codes = self._nearest(said)
            vectors = straight_through(said, self.vectors(codes))
        return Coded(self.decoder(vectors).float(), said, codes)

    def codes(self, pixels: Float[Tensor, "batch channel row column"]) -> Int[Tensor, "batch down across"]:
        """The most probable code, or the nearest, at each place."""
        said = self.encoder(2 * pixels - 1)
        return said.argmax(dim=1) if self.config.quantiser == "gumbel" else self._nearest(said)

    def paint(self, codes: Int[Tensor, "batch down across"]) -> Float[Tensor, "batch channel row column"]:
        """The picture (0 to 1) that codes stand for: the middle of its likelihood."""
        return unsqueezed(self.decoder(self.vectors(codes)).float().sigmoid())

    def vectors(self, codes: Int[Tensor, "batch down across"]) -> Float[Tensor, "batch each down across"]:
        """The vectors of the codebook for codes."""
        return self.codebook(codes).permute(0, 3, 1, 2)

    def _nearest(self, said: Float[Tensor, "batch each down across"]) -> Int[Tensor, "batch down across"]:
        book = self.codebook.weight
        # |said|^2 is the same for all codes and left out.
        away = book.square().sum(dim=1)[:, None, None] - 2 * torch.einsum("berc,ke->bkrc", said.float(), book)
        return away.argmin(dim=1)


def straight_through(
    said: Float[Tensor, "batch each down across"], chosen: Float[Tensor, "batch each down across"]
) -> Float[Tensor, "batch each down across"]:
    """The chosen vectors, whose gradient goes to what was said as if nothing had been exchanged."""
    return said + (chosen - said).detach()


def loss_of(
    network: DiscreteVAE, pixels: Float[Tensor, "batch channel row column"], coded: Coded, beta: float = 1.0
) -> Float[Tensor, ""]:
    """What is minimised, in nats for each value of a picture; `beta` weighs the divergence from even codes."""
    unlikely = unlikeliness(pixels, coded.middle, network.log_spread).mean()
    values = pixels[0].numel()
    if network.config.quantiser == "gumbel":
        return unlikely + beta * divergence_from_even(coded.said.float()).sum(dim=(1, 2)).mean() / values
    chosen = network.vectors(coded.codes)
    said = coded.said.float()
    apart = F.mse_loss(chosen, said.detach()) + COMMITMENT * F.mse_loss(said, chosen.detach())
    return unlikely + beta * apart


def unlikeliness(
    pixels: Float[Tensor, "*leading"], middle: Float[Tensor, "*leading"], log_spread: Float[Tensor, "..."]
) -> Float[Tensor, "*leading"]:
    """-log of the logit-Laplace density of values 0 to 1, squeezed away from the ends (appendix A.3, equation 2)."""
    squeezed = (1 - 2 * EDGE) * pixels + EDGE
    away = (squeezed.logit() - middle).abs() * (-log_spread).exp()
    return away + log_spread + (2 * squeezed * (1 - squeezed)).log()


def unsqueezed(values: Float[Tensor, "*leading"]) -> Float[Tensor, "*leading"]:
    """Values EDGE to 1 - EDGE back at 0 to 1; what lies beyond is cut."""
    return ((values - EDGE) / (1 - 2 * EDGE)).clamp(0, 1)


def divergence_from_even(
    logits: Float[Tensor, "batch code down across"],
) -> Float[Tensor, "batch down across"]:
    """KL(softmax(logits) | even): log of the number of codes, less the entropy."""
    logs = logits.log_softmax(dim=1)
    return torch.tensor(float(logits.shape[1])).log() + (logs.exp() * logs).sum(dim=1)


def encoder(config: DiscreteVAEConfig, width_out: int) -> nn.Sequential:
    """Convolutions that halve a picture until one place is one token, then residual blocks."""
    widths = [min(config.width, max(32, config.width >> left)) for left in range(config.halvings - 1, -1, -1)]
    parts: list[nn.Module] = []
    for width_in, width in zip([3, *widths], widths, strict=False):
        parts += [nn.Conv2d(width_in, width, 4, stride=2, padding=1), nn.ReLU()]
    parts += [ResidualBlock(config.width) for _ in range(config.blocks)]
    return nn.Sequential(*parts, nn.ReLU(), nn.Conv2d(config.width, width_out, 1))


def decoder(config: DiscreteVAEConfig) -> nn.Sequential:
    """The way back: residual blocks, then places doubled until they are pixels."""
    widths = [min(config.width, max(32, config.width >> right)) for right in range(1, config.halvings + 1)]
    parts: list[nn.Module] = [nn.Conv2d(config.each, config.width, 3, padding=1)]
    parts += [ResidualBlock(config.width) for _ in range(config.blocks)]
    for width_in, width in zip([config.width, *widths], widths, strict=False):
        parts += [nn.ReLU(), nn.ConvTranspose2d(width_in, width, 4, stride=2, padding=1)]
    return nn.Sequential(*parts, nn.ReLU(), nn.Conv2d(widths[-1], 3, 1))


class ResidualBlock(nn.Module):
    """x + conv(relu(conv(relu(x)))): a little of the neighbours, added."""

    def __init__(self, width: int):
        super().__init__()
        self.look = nn.Conv2d(width, width // 2, 3, padding=1)
        self.out = nn.Conv2d(width // 2, width, 1)

    def forward(self, x: Float[Tensor, "batch width row column"]) -> Float[Tensor, "batch width row column"]:
        return x + self.out(F.relu(self.look(F.relu(x))))
