"""Image-GPT (Chen et al. 2020) for each of its tasks: the next pixel, and hidden pixels.

reader = load_image_gpt("next")                          # one of IMAGE_GPTS
prepared = reader.prepare(picture)                       # a PIL picture
prepared.colours                                         # 1,024 numbers of the palette, row by row
record = reader.record(prepared.colours)                   # the attention with which each pixel is predicted
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int, UInt8
from PIL import Image
from torch import Tensor

from ..capture import Record, record_attention
from ..models.image_gpt import ImageGPT, ImageGPTConfig
from ..models.stored_weights import load_weights
from .embedded import WEIGHTS, read_settings
from .image_models import Framing

NEXT, HIDDEN = "next", "hidden"
IMAGE_GPTS = {NEXT: "Image-GPT, next pixel", HIDDEN: "Image-GPT, hidden pixels"}
FOLDER = WEIGHTS / "image-gpt"


@dataclass(frozen=True, eq=False)
class PixelPicture:
    """A picture as image-GPT reads it, and at its own resolution; pixels have values 0 to 1."""

    colours: Int[Tensor, " place"]  # numbers of the palette
    painted: Float[Tensor, "channel row column"]  # the pixels of those colours
    pixels: Float[Tensor, "channel row column"]  # before quantisation to the palette
    photograph: UInt8[np.ndarray, "_ _ channel"]  # the same part at its own resolution


@dataclass(frozen=True, eq=False)
class PixelReader:
    """An image-GPT with its preprocessing. Threads may share it: it is immutable."""

    name: str
    title: str
    network: ImageGPT
    parameters: int = field(init=False)

    def __post_init__(self):
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))

    @property
    def side(self) -> int:
        """The number of rows, and of columns, of pixels."""
        return self.network.config.side

    @property
    def framing(self) -> Framing:
        """Its preprocessing: the middle square, resized; values 0 to 1."""
        return Framing((3, self.side, self.side), (0.0,) * 3, (1.0,) * 3)

    def prepare(self, picture: Image.Image) -> PixelPicture:
        """The middle of an RGB picture, as the network reads it."""
        return self.read(self.framing.pixels(picture)[0], self.framing.crop(picture))

    def read(
        self, pixels: Float[Tensor, "channel row column"], photograph: UInt8[np.ndarray, "_ _ channel"]
    ) -> PixelPicture:
        """A picture whose `pixels` have the size of the network already."""
        colours = self.network.read(pixels[None])[0]
        return PixelPicture(colours, self.network.paint(colours[None])[0], pixels, photograph)

    @torch.inference_mode()
    def record(self, colours: Int[Tensor, " place"]) -> Record:
        """The attention of a pass that predicts each pixel of a picture after those before it."""
        with record_attention(self.network) as record:
            self.network(self.network.after_start(colours[None]))
        return record


def load_image_gpt(name: str, *, folder: Path = FOLDER) -> PixelReader:
    """The model of a name in IMAGE_GPTS; ModelError where its weights are missing."""
    file = folder / f"{name}.safetensors"
    config = ImageGPTConfig(**read_settings(file)[name])
    return PixelReader(name, IMAGE_GPTS[name], load_weights(lambda: ImageGPT(config), file))


def as_picture(pixels: Float[Tensor, "channel row column"], *, enlarged: int = 1) -> UInt8[np.ndarray, "_ _ channel"]:
    """Pixels (0 to 1) as 8-bit values, each repeated `enlarged` times in both directions."""
    values = (pixels.clamp(0, 1) * 255).round().byte().permute(1, 2, 0)
    return values.repeat_interleave(enlarged, dim=0).repeat_interleave(enlarged, dim=1).numpy()
