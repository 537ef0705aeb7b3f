"""Masked autoencoders: that of the project, and the ViT-MAEs of transformers by name or folder.

model = load_autoencoder("mae")                          # or "facebook/vit-mae-base", a folder: `inspect` it first
prepared = model.prepare(picture)                        # a PIL picture
with record_attention(model.network) as record:
    predicted = model.run(prepared.pixels, hidden)       # hidden: (patch), row by row
predicted["plain"]                                       # (channel, row, column), values 0 to 1
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float
from PIL import Image
from torch import Tensor

from ..errors import ModelError
from ..hub.failures import as_model_error
from ..hub.permissions import AT_HOME, Permission
from ..images import Patches
from ..models.mae import MAEConfig, MaskedAutoencoder, denormalise, patches_of, pixels_of
from ..models.mae_checkpoint import load_mae
from ..models.stored_weights import load_weights
from .embedded import WEIGHTS, read_settings
from .image_models import Framing, PreparedPicture
from .loading import load_autoencoder_parts

AUTOENCODERS = {"mae": "Masked autoencoder, trained on Tiny ImageNet"}
PLAIN, NORMALISED = "plain", "normalised"
CLASS = "class"  # the label of the class token
CLOSE = 1e-3  # the largest difference from the library's own output, in standardised values


@dataclass(frozen=True, eq=False)
class AutoencoderReader:
    """A masked autoencoder with its preprocessing. Threads may share it: it is immutable."""

    name: str
    title: str
    network: MaskedAutoencoder
    framing: Framing
    warnings: tuple[str, ...] = ()
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def grid(self) -> int:
        """The number of patches on a side."""
        return self.network.config.grid

    @property
    def patches(self) -> int:
        """The number of patches of a picture."""
        return self.network.config.patches

    @property
    def patch(self) -> int:
        """The number of pixels on a side of a patch."""
        return self.network.config.patch

    @property
    def targets(self) -> tuple[str, ...]:
        """The targets of its predictions: PLAIN, NORMALISED or both."""
        return self.network.config.targets

    def prepare(self, picture: Image.Image) -> PreparedPicture:
        """The middle of an RGB picture, as the network takes it."""
        with as_model_error(self.name, "prepare this picture"):
            cut = Patches(self.grid, self.grid, prefix=(CLASS,))
            return PreparedPicture(self.framing.pixels(picture), self.framing.crop(picture), cut)

    @torch.no_grad()
    def run(
        self, pixels: Float[Tensor, "batch channel row column"], hidden: Bool[Tensor, " patch"]
    ) -> Mapping[str, Float[Tensor, "channel row column"]]:
        """The predicted patches of the first picture, as a picture for each target; values from 0 to 1.

        Predictions of NORMALISED patches get the mean and standard deviation of the true ones, which the network does
        not know where they are hidden. ValueError if all patches are hidden.
        """
        output = self.network(pixels, hidden[None])[0]  # (target, patch, patch_value)
        true = patches_of(pixels, self.patch)
        predicted = {
            target: patches[None] if target == PLAIN else denormalise(patches[None], true)
            for target, patches in zip(self.targets, output, strict=True)
        }
        return {target: self.colours(pixels_of(patches, self.patch)[0]) for target, patches in predicted.items()}

    def colours(self, pixels: Float[Tensor, "channel row column"]) -> Float[Tensor, "channel row column"]:
        """Standardised pixels as values from 0 to 1; values beyond are clamped."""
        mean, deviation = (torch.tensor(values)[:, None, None] for values in (self.framing.mean, self.framing.std))
        return (pixels * deviation + mean).clamp(0, 1)


def load_autoencoder(name: str, *, permission: Permission = AT_HOME, weights: Path = WEIGHTS) -> AutoencoderReader:
    """The model of a name in AUTOENCODERS, or a ViT-MAE of the hub (fetched if it is not here) or of a folder."""
    if name in AUTOENCODERS:
        return _load_ours(name, weights)
    with load_autoencoder_parts(name, permission=permission) as parts:
        config = parts.network.config
        side = config.image_size
        if parts.framing.input_size != (3, side, side):
            rows, columns = parts.framing.input_size[1:]
            raise ModelError(
                f"It reads pictures of {side} × {side} pixels, and its processor makes {rows} × {columns}."
            )
        for width, inner in (
            (config.hidden_size, config.intermediate_size),
            (config.decoder_hidden_size, config.decoder_intermediate_size),
        ):
            if inner != 4 * width:
                raise ModelError(
                    f"Its MLPs have {inner:,} channels between vectors of {width:,}; here it is four times."
                )
        network = load_mae(
            parts.network.state_dict(),
            heads=(config.num_attention_heads, config.decoder_num_attention_heads),
            side=side,
            target=NORMALISED if config.norm_pix_loss else PLAIN,
            epsilon=config.layer_norm_eps,
        )
        _check_same(parts.network, network)
        return AutoencoderReader(name, parts.title, network, parts.framing, parts.warnings)


def _load_ours(name: str, weights: Path) -> AutoencoderReader:
    file = weights / name / "model.safetensors"
    settings = read_settings(file)
    config = MAEConfig(**settings["sizes"] | {"targets": tuple(settings["sizes"]["targets"])})
    network = load_weights(lambda: MaskedAutoencoder(config), file)
    framing = Framing((3, config.side, config.side), tuple(settings["mean"]), tuple(settings["deviation"]))
    return AutoencoderReader(name, AUTOENCODERS[name], network, framing)


@torch.no_grad()
def _check_same(theirs: Any, ours: MaskedAutoencoder) -> None:
    """ModelError unless both have the same output for a picture of noise: a config may have options that ours lacks.

    Weights that are NaN pass: a warning names them.
    """
    side, patches = ours.config.side, ours.config.patches
    generator = torch.Generator().manual_seed(0)
    output = theirs(
        torch.randn(1, 3, side, side, generator=generator).clone(), noise=torch.rand(1, patches, generator=generator)
    )
    generator = torch.Generator().manual_seed(0)
    logits = ours(torch.randn(1, 3, side, side, generator=generator), output.mask.bool())[:, 0]
    difference = float((logits - output.logits).abs().max())
    if difference > CLOSE:
        raise ModelError(f"What it says here is not what transformers says: they are {difference:.2g} apart.")
