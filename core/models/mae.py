"""A masked autoencoder: most patches are hidden, and predicted from the few visible ones (He et al. 2022).

x     = W patch_p + b + position_p              for visible patches only, behind a class token (section 3, "encoder")
x     = norm(blocks(x))                         a vision transformer without tokens for hidden patches
y     = (W' x where visible, a learned vector where hidden) + position_p              (section 3, "decoder")
pixels = norm(blocks(y)) W''                    a narrow, shallow transformer that is thrown away after pre-training
loss  = mean over hidden patches of |pixels - target|^2                               (section 3)

A target is a patch as it is, or with its own mean subtracted and divided by its standard deviation (table 1 d). This
network predicts both from the same last vectors: the second teaches more (the paper), the first can be displayed.

Its parts are those of transformers' ViTMAEForPreTraining, whose weights `core/models/mae_checkpoint.py` loads.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

STEADY = 1e-6  # added to the variance of a patch
TARGETS = ("plain", "normalised")


@dataclass(frozen=True)
class MAEConfig:
    """The sizes of both transformers; the encoder's are those of `vit-tiny-imagenet`, so the two can be compared."""

    side: int = 64
    patch: int = 8
    width: int = 256
    layers: int = 6
    heads: int = 4
    decoder_width: int = 128
    decoder_layers: int = 4
    decoder_heads: int = 4
    targets: tuple[str, ...] = TARGETS  # what is predicted of a hidden patch, in the order of the output
    epsilon: float = 1e-5  # of the norms

    def __post_init__(self):
        if not self.targets or set(self.targets) - set(TARGETS):
            raise ValueError(f"Targets are some of {', '.join(TARGETS)}, not {self.targets}.")
        if self.side % self.patch:
            raise ValueError(f"A picture of {self.side} pixels cannot be cut into patches of {self.patch}.")
        for width, heads in ((self.width, self.heads), (self.decoder_width, self.decoder_heads)):
            if width % heads:
                raise ValueError(f"{heads} heads cannot share {width} channels equally.")
            if width % 4:
                raise ValueError(
                    f"Positions take four channels each, for rows and columns: {width} is not divisible by 4."
                )

    @property
    def grid(self) -> int:
        """Patches on a side."""
        return self.side // self.patch

    @property
    def patches(self) -> int:
        """Patches of a picture."""
        return self.grid**2


class MaskedAutoencoder(nn.Module):
    """Pixels and a mask of hidden patches in; predicted values of every patch out."""

    def __init__(self, config: MAEConfig):
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        self.apply(_initialise)
        nn.init.normal_(self.encoder.class_token, std=0.02)
        nn.init.normal_(self.decoder.hidden, std=0.02)

    def forward(
        self, pixels: Float[Tensor, "batch channel row column"], hidden: Bool[Tensor, "batch patch"]
    ) -> Float[Tensor, "batch target patch patch_value"]:
        """Predicted values of each patch, for each of the config's targets.

        ValueError if the pictures of a batch hide different numbers of patches, or if all patches are hidden.
        """
        visible = visible_patches(hidden)
        return self.decoder(self.encoder(pixels, visible), visible)


class Encoder(nn.Module):
    """A vision transformer that reads the visible patches only."""

    positions: Float[Tensor, "token width"]

    def __init__(self, config: MAEConfig):
        super().__init__()
        self.patch = config.patch
        self.patches = nn.Linear(3 * config.patch**2, config.width)
        self.class_token = nn.Parameter(torch.zeros(config.width))
        self.register_buffer("positions", sine_positions(config.grid, config.width), persistent=False)
        self.blocks = nn.ModuleList(Block(config.width, config.heads, config.epsilon) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width, eps=config.epsilon)

    def forward(
        self, pixels: Float[Tensor, "batch channel row column"], visible: Int[Tensor, "batch visible"] | None = None
    ) -> Float[Tensor, "batch token width"]:
        """The vectors of the class token and of the patches numbered in `visible` (None: all), in that order."""
        patches = patches_of(pixels, self.patch)
        if visible is not None:  # before anything is computed of them: hidden patches cost nothing
            patches = patches.gather(1, visible[..., None].expand(-1, -1, patches.shape[-1]))
        positions = self.positions[1:] if visible is None else self.positions[1:][visible]
        x = self.patches(patches) + positions  # (batch, visible, width)
        class_token = (self.class_token + self.positions[0]).expand(len(x), 1, -1)
        x = torch.cat([class_token, x], dim=1)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


class Decoder(nn.Module):
    """A smaller transformer that reads the encoded patches, and one learned vector at every hidden place."""

    positions: Float[Tensor, "token width"]

    def __init__(self, config: MAEConfig):
        super().__init__()
        width = config.decoder_width
        self.narrow = nn.Linear(config.width, width)
        self.hidden = nn.Parameter(torch.zeros(width))
        self.register_buffer("positions", sine_positions(config.grid, width), persistent=False)
        self.blocks = nn.ModuleList(
            Block(width, config.decoder_heads, config.epsilon) for _ in range(config.decoder_layers)
        )
        self.norm = nn.LayerNorm(width, eps=config.epsilon)
        self.targets = len(config.targets)
        self.pixels = nn.Linear(width, self.targets * 3 * config.patch**2)

    def forward(
        self, x: Float[Tensor, "batch token width"], visible: Int[Tensor, "batch visible"]
    ) -> Float[Tensor, "batch target patch patch_value"]:
        x = self.narrow(x)
        patches = len(self.positions) - 1
        y = self.hidden.to(x.dtype).expand(len(x), patches, -1)
        y = y.scatter(1, visible[..., None].expand(-1, -1, x.shape[-1]), x[:, 1:])  # each patch at its own place
        y = torch.cat([x[:, :1], y], dim=1) + self.positions
        for block in self.blocks:
            y = block(y)
        return self.pixels(self.norm(y)[:, 1:]).unflatten(-1, (self.targets, -1)).transpose(1, 2)


class Block(nn.Module):
    """Self-attention, then an MLP, each with a norm before it and added to the residual stream (pre-norm)."""

    def __init__(self, width: int, heads: int, epsilon: float):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width, eps=epsilon)
        self.attention = SelfAttention(width, heads)
        self.mlp_norm = nn.LayerNorm(width, eps=epsilon)
        self.mlp = MLP(width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class SelfAttention(nn.Module):
    """Multi-head self-attention (Vaswani et al. 2017, section 3.2.2)."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)  # W_Q, W_K and W_V of all heads, one below the other
        self.out = nn.Linear(width, width)  # W_O

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        mixed = F.scaled_dot_product_attention(query, key, value)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))


class MLP(nn.Module):
    """GELU(x W1 + b1) W2 + b2, for each token on its own."""

    def __init__(self, width: int):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)

    def forward(self, x: Float[Tensor, "*leading width"]) -> Float[Tensor, "*leading width"]:
        return self.out(F.gelu(self.up(x)))


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)  # appendix A.1 of the paper
        nn.init.zeros_(module.bias)


def visible_patches(hidden: Bool[Tensor, "batch patch"]) -> Int[Tensor, "batch visible"]:
    """The numbers of the patches that are not hidden, in order.

    ValueError where pictures of a batch hide different numbers of patches, or where all patches are hidden.
    """
    counts = (~hidden).sum(dim=1)
    if counts.min() < 1:
        raise ValueError("All patches are hidden: at least one must be seen.")
    if counts.min() != counts.max():
        raise ValueError(
            f"Pictures of one batch show {int(counts.min())} and {int(counts.max())} patches, not as many."
        )
    return (~hidden).nonzero()[:, 1].view(len(hidden), -1)


def patches_of(pixels: Float[Tensor, "batch channel _ _"], patch: int) -> Float[Tensor, "batch patch patch_value"]:
    """The values of each patch: patches row by row; in each its pixels row by row, with their channels last."""
    batch, channels, height, width = pixels.shape
    rows, columns = height // patch, width // patch
    grid = pixels.reshape(batch, channels, rows, patch, columns, patch)
    return grid.permute(0, 2, 4, 3, 5, 1).reshape(batch, rows * columns, patch * patch * channels)


def pixels_of(patches: Float[Tensor, "batch patch patch_value"], patch: int) -> Float[Tensor, "batch channel _ _"]:
    """The square picture that these patches form; the inverse of `patches_of`."""
    side = round(patches.shape[1] ** 0.5)
    pixels = patches.reshape(len(patches), side, side, patch, patch, -1).permute(0, 5, 1, 3, 2, 4)
    return pixels.reshape(len(patches), -1, side * patch, side * patch)


def normalised(patches: Float[Tensor, "batch patch patch_value"]) -> Float[Tensor, "batch patch patch_value"]:
    """Each patch with mean 0 and standard deviation 1 (the unbiased one, as in the paper's code)."""
    mean, variance = patches.mean(dim=-1, keepdim=True), patches.var(dim=-1, keepdim=True)
    return (patches - mean) / (variance + STEADY).sqrt()


def denormalise(
    predicted: Float[Tensor, "batch patch patch_value"], patches: Float[Tensor, "batch patch patch_value"]
) -> Float[Tensor, "batch patch patch_value"]:
    """Normalised predictions, with the mean and standard deviation of the true `patches`; inverse of `normalised`."""
    mean, variance = patches.mean(dim=-1, keepdim=True), patches.var(dim=-1, keepdim=True)
    return predicted * (variance + STEADY).sqrt() + mean


def loss_of(
    predicted: Float[Tensor, "batch target patch patch_value"],
    pixels: Float[Tensor, "batch channel row column"],
    hidden: Bool[Tensor, "batch patch"],
    config: MAEConfig,
) -> Float[Tensor, ""]:
    """The mean squared error of the hidden patches, summed over the targets; visible patches do not count."""
    patches = patches_of(pixels, config.patch)
    losses = [
        (values - (patches if target == "plain" else normalised(patches))).square().mean(dim=-1)[hidden].mean()
        for target, values in zip(config.targets, predicted.unbind(dim=1), strict=True)
    ]
    return torch.stack(losses).sum()


def random_mask(
    batch: int, patches: int, share: float, generator: torch.Generator | None = None, device: str | torch.device = "cpu"
) -> Bool[Tensor, "batch patch"]:
    """A random mask for each picture, True at a `share` of its patches; at least one is visible and one is hidden."""
    count = min(patches - 1, max(1, round(share * patches)))
    order = torch.rand(batch, patches, generator=generator, device=device).argsort(dim=1)
    return order < count


def sine_positions(grid: int, width: int) -> Float[Tensor, "token width"]:
    """Fixed position vectors of patches: sines and cosines of falling frequencies, for columns, then for rows.

    The class token comes first, with zeros (appendix A.1; Vaswani et al. 2017, section 3.5).
    """
    frequencies = 1.0 / 10000 ** (np.arange(width // 4, dtype=np.float64) / (width / 4))
    row, column = np.divmod(np.arange(grid * grid), grid)
    angles = [np.outer(coordinate, frequencies) for coordinate in (column, row)]
    table = np.concatenate([part for angle in angles for part in (np.sin(angle), np.cos(angle))], axis=1)
    return torch.from_numpy(np.concatenate([np.zeros((1, width)), table])).float()
