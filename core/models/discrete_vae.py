"""Pictures as tokens of a learned codebook: the discrete autoencoder of DALL-E (Ramesh et al. 2021, section 2.1).

l      = encoder(pixels)                                     a logit for every code, at each place of a coarse grid
g      = softmax((l - log(-log u)) / t)                      Gumbel softmax: nearly one code as t falls (appendix A.2)
z      = sum_k g_k C_k                                       a vector of the codebook, or nearly
m      = decoder(z)                                          the location of a logit-Laplace of scale b (appendix A.3)
loss   = -log p(pixels | m, b) + beta KL(softmax(l) | uniform)    the evidence lower bound, with a weight beta

The paper's decoder also predicts b, for each value. Here b is one learned number for each channel: else the decoder
would declare small objects uncertain, and fit plain backgrounds to the last digit.

The "nearest" variant (van den Oord et al. 2017) takes the nearest vector of the codebook and lets the gradient pass
straight through: loss = -log p + |sg(l) - C_k|^2 + 0.25 |l - sg(C_k)|^2 (equation 3).
"""

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

EDGE = 0.1  # values 0 to 1 are squeezed to EDGE .. 1 - EDGE: the logits of 0 and 1 are infinite (appendix A.3)
COMMITMENT = 0.25  # of the encoder to the vector that it chose (van den Oord et al. 2017, equation 3)


@dataclass(frozen=True)
class DiscreteVAEConfig:
    """The sizes of a discrete autoencoder: pictures of `side` pixels, a grid of `grid` x `grid` tokens of `codes`."""

    side: int = 64
    grid: int = 16
    codes: int = 512
    code_width: int = 48  # values of a vector of the codebook
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
        """How many times the encoder halves a picture."""
        return (self.side // self.grid).bit_length() - 1

    @property
    def tokens(self) -> int:
        """The number of tokens of a picture."""
        return self.grid**2


@dataclass(frozen=True, eq=False)
class DiscreteVAEOutput:
    """`location` of the reconstruction's logit-Laplace likelihood, the encoder's output, and its codes.

    `encoded`: logits of codes (gumbel), or the vectors before quantisation (nearest).
    """

    location: Float[Tensor, "batch channel row column"]
    encoded: Float[Tensor, "batch code_width down across"]
    codes: Int[Tensor, "batch down across"]


class DiscreteVAE(nn.Module):
    """Pixels (0 to 1) to codes, and codes to pixels."""

    def __init__(self, config: DiscreteVAEConfig):
        super().__init__()
        self.config = config
        gumbel = config.quantiser == "gumbel"
        self.encoder = encoder(config, config.codes if gumbel else config.code_width)
        self.codebook = nn.Embedding(config.codes, config.code_width)
        self.decoder = decoder(config)
        self.log_spread = nn.Parameter(torch.zeros(3, 1, 1))  # b of each channel
        nn.init.normal_(self.codebook.weight, std=1.0 if gumbel else 0.5)

    def forward(self, pixels: Float[Tensor, "batch channel row column"], temperature: float = 1.0) -> DiscreteVAEOutput:
        """The training pass: codes are drawn (gumbel, at a temperature) or nearest; gradients reach the encoder."""
        encoded = self.encoder(2 * pixels - 1)
        if self.config.quantiser == "gumbel":
            codes = encoded.argmax(dim=1)
            shares = F.gumbel_softmax(encoded.float(), tau=temperature, dim=1)
            vectors = torch.einsum("bkrc,ke->berc", shares, self.codebook.weight)
        else:
            codes = self._nearest(encoded)
            vectors = straight_through(encoded, self.vectors(codes))
        return DiscreteVAEOutput(self.decoder(vectors).float(), encoded, codes)

    def codes(self, pixels: Float[Tensor, "batch channel row column"]) -> Int[Tensor, "batch down across"]:
        """The most probable code (gumbel), or the nearest, at each place."""
        encoded = self.encoder(2 * pixels - 1)
        return encoded.argmax(dim=1) if self.config.quantiser == "gumbel" else self._nearest(encoded)

    def paint(self, codes: Int[Tensor, "batch down across"]) -> Float[Tensor, "batch channel row column"]:
        """The picture that codes decode to, values 0 to 1."""
        return unmap_values(self.decoder(self.vectors(codes)).float().sigmoid())

    def vectors(self, codes: Int[Tensor, "batch down across"]) -> Float[Tensor, "batch code_width down across"]:
        """The vectors of the codebook for codes."""
        return self.codebook(codes).permute(0, 3, 1, 2)

    def _nearest(self, encoded: Float[Tensor, "batch code_width down across"]) -> Int[Tensor, "batch down across"]:
        book = self.codebook.weight
        # |encoded|^2 is the same for all codes and left out.
        distances = book.square().sum(dim=1)[:, None, None] - 2 * torch.einsum("berc,ke->bkrc", encoded.float(), book)
        return distances.argmin(dim=1)


def straight_through(
    encoded: Float[Tensor, "batch code_width down across"], chosen: Float[Tensor, "batch code_width down across"]
) -> Float[Tensor, "batch code_width down across"]:
    """The values of `chosen` with the gradient of `encoded` (straight-through estimator)."""
    return encoded + (chosen - encoded).detach()


def loss_of(
    network: DiscreteVAE,
    pixels: Float[Tensor, "batch channel row column"],
    output: DiscreteVAEOutput,
    beta: float = 1.0,
) -> Float[Tensor, ""]:
    """The training loss in nats for each value of a picture; `beta` weighs the divergence from uniform codes."""
    reconstruction = negative_log_likelihood(pixels, output.location, network.log_spread).mean()
    values = pixels[0].numel()
    if network.config.quantiser == "gumbel":
        divergence = divergence_from_uniform(output.encoded.float()).sum(dim=(1, 2)).mean()
        return reconstruction + beta * divergence / values
    chosen = network.vectors(output.codes)
    encoded = output.encoded.float()
    quantisation = F.mse_loss(chosen, encoded.detach()) + COMMITMENT * F.mse_loss(encoded, chosen.detach())
    return reconstruction + beta * quantisation


def negative_log_likelihood(
    pixels: Float[Tensor, "*leading"], location: Float[Tensor, "*leading"], log_spread: Float[Tensor, "..."]
) -> Float[Tensor, "*leading"]:
    """-log of the logit-Laplace density of values 0 to 1, squeezed to EDGE .. 1 - EDGE (appendix A.3, equation 2)."""
    squeezed = (1 - 2 * EDGE) * pixels + EDGE
    distance = (squeezed.logit() - location).abs() * (-log_spread).exp()
    return distance + log_spread + (2 * squeezed * (1 - squeezed)).log()


def unmap_values(values: Float[Tensor, "*leading"]) -> Float[Tensor, "*leading"]:
    """Values EDGE to 1 - EDGE mapped back to 0 to 1; values beyond are clamped."""
    return ((values - EDGE) / (1 - 2 * EDGE)).clamp(0, 1)


def divergence_from_uniform(
    logits: Float[Tensor, "batch code down across"],
) -> Float[Tensor, "batch down across"]:
    """KL(softmax(logits) | uniform): log of the number of codes, less the entropy."""
    log_probabilities = logits.log_softmax(dim=1)
    return torch.tensor(float(logits.shape[1])).log() + (log_probabilities.exp() * log_probabilities).sum(dim=1)


def encoder(config: DiscreteVAEConfig, width_out: int) -> nn.Sequential:
    """Convolutions that halve a picture until one place is one token, then residual blocks."""
    widths = [min(config.width, max(32, config.width >> level)) for level in range(config.halvings - 1, -1, -1)]
    modules: list[nn.Module] = []
    for width_in, width in zip([3, *widths], widths, strict=False):
        modules += [nn.Conv2d(width_in, width, 4, stride=2, padding=1), nn.ReLU()]
    modules += [ResidualBlock(config.width) for _ in range(config.blocks)]
    return nn.Sequential(*modules, nn.ReLU(), nn.Conv2d(config.width, width_out, 1))


def decoder(config: DiscreteVAEConfig) -> nn.Sequential:
    """The reverse of `encoder`: residual blocks, then transposed convolutions that double rows and columns."""
    widths = [min(config.width, max(32, config.width >> level)) for level in range(1, config.halvings + 1)]
    modules: list[nn.Module] = [nn.Conv2d(config.code_width, config.width, 3, padding=1)]
    modules += [ResidualBlock(config.width) for _ in range(config.blocks)]
    for width_in, width in zip([config.width, *widths], widths, strict=False):
        modules += [nn.ReLU(), nn.ConvTranspose2d(width_in, width, 4, stride=2, padding=1)]
    return nn.Sequential(*modules, nn.ReLU(), nn.Conv2d(widths[-1], 3, 1))


class ResidualBlock(nn.Module):
    """x + conv(relu(conv(relu(x))))."""

    def __init__(self, width: int):
        super().__init__()
        self.look = nn.Conv2d(width, width // 2, 3, padding=1)
        self.out = nn.Conv2d(width // 2, width, 1)

    def forward(self, x: Float[Tensor, "batch width row column"]) -> Float[Tensor, "batch width row column"]:
        return x + self.out(F.relu(self.look(F.relu(x))))
