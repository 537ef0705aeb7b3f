"""Image models, whatever their library: prepare a picture, run the network, read its predictions."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from math import ceil, isfinite
from typing import ClassVar, Literal

import numpy as np
import torch
from jaxtyping import Float, UInt8
from PIL import Image
from torch import Tensor, nn

from ..capture import AttentionCall
from ..errors import ModelError
from ..hub.failures import as_model_error
from ..images import Patches
from ..models.attention_heads import has_heads
from .text_models import Prediction, best

LARGEST_SHOWN = 1024  # pixels on the longest side of a picture for display
LARGEST_READ = 2048  # pixels on a side that a model may ask for
MOST_PATCHES = 16_384  # as many as tokens of a text


@dataclass(frozen=True)
class Framing:
    """The preprocessing of a model's pictures, in timm's terms (`timm.data.resolve_model_data_config`)."""

    input_size: tuple[int, int, int]  # channel, row, column
    mean: tuple[float, ...]
    std: tuple[float, ...]
    interpolation: str = "bicubic"
    crop_pct: float = 1.0
    crop_mode: str = "center"  # or "squash" (both sides at their own scale) or "border" (padded, nothing lost)

    def __post_init__(self):
        channels, *sides = self.input_size
        if (
            channels != 3
            or len(sides) != 2
            or not all(type(side) is int and 1 <= side <= LARGEST_READ for side in sides)
        ):
            raise ModelError(
                f"It wants pictures of {' × '.join(map(str, self.input_size))[:60]} (channels, rows, columns); here "
                f"they have 3 channels and at most {LARGEST_READ:,} pixels on a side."
            )
        for statistic, values in (("mean", self.mean), ("standard deviation", self.std)):
            if len(values) != 3 or not all(isinstance(value, int | float) and isfinite(value) for value in values):
                raise ModelError(f"The {statistic} of its pictures is not three numbers.")
        if not all(value > 0 for value in self.std):
            raise ModelError("The standard deviation of its pictures is not above 0.")
        if not all(0 <= value <= 1 for value in self.mean):
            raise ModelError("The mean of its pictures is not between 0 and 1.")
        if not (isinstance(self.crop_pct, int | float) and 0.25 <= self.crop_pct <= 4):
            raise ModelError("It crops pictures to less than a quarter of a side, or to more than four times it.")
        if self.crop_mode not in ("center", "squash", "border"):
            raise ModelError("It crops pictures in a way that is not known here.")

    def pixels(self, picture: Image.Image) -> Float[Tensor, "batch channel row column"]:
        """The picture after timm's own evaluation transform."""
        # All of timm at once: threads that import different parts of it first wait for one another.
        import timm  # noqa: F401
        from timm.data import create_transform

        return create_transform(**vars(self), is_training=False)(self._limit_ratio(picture))[None]

    def crop(self, picture: Image.Image) -> UInt8[np.ndarray, "row column channel"]:
        """The part that the model reads, at the photograph's own resolution (up to LARGEST_SHOWN)."""
        picture = self._limit_ratio(picture)
        (wide, high), (_, rows, columns) = self._resized(picture), self.input_size
        across, down = picture.width / wide, picture.height / high  # pixels of the picture for one of the model's
        left, top = round((wide - columns) / 2) * across, round((high - rows) / 2) * down
        right, bottom = left + columns * across, top + rows * down
        inside = max(left, 0.0), max(top, 0.0), min(right, picture.width), min(bottom, picture.height)

        scale = min(1.0, LARGEST_SHOWN / max(right - left, bottom - top))
        sheet = Image.new("RGB", _size(right - left, bottom - top, scale), tuple(round(255 * m) for m in self.mean))
        part = picture.resize(
            _size(inside[2] - inside[0], inside[3] - inside[1], scale), Image.Resampling.LANCZOS, box=inside
        )
        sheet.paste(part, (round((inside[0] - left) * scale), round((inside[1] - top) * scale)))
        return np.array(sheet)

    def _resized(self, picture: Image.Image) -> tuple[int, int]:
        """The width and height to which timm resizes the picture before it crops the middle."""
        _, rows, columns = self.input_size
        rows, columns = int(rows / self.crop_pct), int(columns / self.crop_pct)
        across, down = picture.width / columns, picture.height / rows
        if self.crop_mode == "squash":
            return columns, rows
        ratio = max(across, down) if self.crop_mode == "border" else min(across, down)
        is_square = rows == columns and self.crop_mode == "center"  # torchvision truncates where timm rounds
        to_integer = int if is_square else round
        return to_integer(picture.width / ratio), to_integer(picture.height / ratio)

    def _limit_ratio(self, picture: Image.Image) -> Image.Image:
        """A very long picture would become huge, or less than a pixel wide: crop, or widen, it before resizing."""
        (short, long), narrow = sorted(picture.size), min(self.input_size[1:])
        if self.crop_mode == "center" and long > 4 * short:
            left, top = (max(0, (side - 4 * short) // 2) for side in picture.size)
            return picture.crop((left, top, picture.width - left, picture.height - top))
        if self.crop_mode == "border" and long > narrow * short:
            return picture.resize((max(picture.width, ceil(long / narrow)), max(picture.height, ceil(long / narrow))))
        return picture


def _size(width: float, height: float, scale: float) -> tuple[int, int]:
    return max(1, round(width * scale)), max(1, round(height * scale))


@dataclass(frozen=True, eq=False)
class PreparedPicture:
    """A picture as the model takes it, and the same part of it for display."""

    pixels: Float[Tensor, "batch channel row column"]
    photograph: UInt8[np.ndarray, "_ _ channel"]  # at its own resolution
    patches: Patches


@dataclass(frozen=True, eq=False)
class ImageRun:
    """The output: logits of the classes, None without a head. `sequences`: all grids that calls may have."""

    logits: Float[Tensor, "class"] | None
    sequences: dict[str, Patches]


@dataclass(frozen=True, eq=False)
class ImageModel:
    """A network with its preprocessing. Threads may share it: it is immutable.

    Of a `foreign` one, which does not come with the project, all errors while it prepares or runs are ModelErrors.
    """

    reads: ClassVar[Literal["text", "picture"]] = "picture"
    question: ClassVar[str] = "What does it take the picture for?"
    is_causal: ClassVar[bool] = False

    name: str
    title: str
    network: nn.Module
    framing: Framing
    patch: tuple[int, int]  # rows and columns of pixels
    prefix: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    resolutions: tuple[int, ...] = ()  # square sizes in pixels that may be chosen; empty where the size is fixed
    warnings: tuple[str, ...] = ()  # sentences for the user
    foreign: bool = False
    parameters: int = field(init=False)
    attends: bool = field(init=False)  # False for convolutional networks

    def __post_init__(self):
        object.__setattr__(self, "attends", has_heads(self.network))
        # No parameter requires a gradient, so `run` needs no torch.no_grad.
        self.network.eval().requires_grad_(False)
        object.__setattr__(self, "parameters", sum(weight.numel() for weight in self.network.parameters()))
        sides = self.framing.input_size[1:]
        if len(self.patch) != 2 or not all(
            type(size) is int and 1 <= size <= side for size, side in zip(self.patch, sides, strict=True)
        ):
            raise ModelError("Its patches are not as many whole pixels high and wide as its pictures could hold.")
        if (sides[0] // self.patch[0]) * (sides[1] // self.patch[1]) > MOST_PATCHES:
            raise ModelError(f"It cuts a picture into more than {MOST_PATCHES:,} patches.")

    def prepare(self, picture: Image.Image, *, resolution: int | None = None) -> PreparedPicture:
        """The middle of an RGB picture; a higher resolution gives more patches, where the model allows it."""
        framing = self.framing
        if resolution is not None and resolution != framing.input_size[1]:
            if resolution not in self.resolutions:
                raise ValueError(f"{self.title} takes {self.resolutions or framing.input_size[1]}, not {resolution}.")
            framing = replace(framing, input_size=(3, resolution, resolution))
        _, rows, columns = framing.input_size
        patches = Patches(rows // self.patch[0], columns // self.patch[1], self.prefix)
        with self._foreign_errors("prepare this picture"):
            return PreparedPicture(framing.pixels(picture), framing.crop(picture), patches)

    def run(self, prepared: PreparedPicture) -> ImageRun:
        """One forward pass."""
        with self._foreign_errors("run on this picture"):
            return self._run(prepared)

    @torch.no_grad()
    def try_once(self) -> None:
        """Run on a grey picture; any exception where the model cannot be used at all."""
        run = self._run(self.prepare(Image.new("RGB", self.framing.input_size[:0:-1], "grey")))
        if run.logits is not None and run.logits.shape != (len(self.classes),):
            raise ModelError(f"It has names for {len(self.classes)} classes, and not as many scores.")

    def _foreign_errors(self, action: str) -> AbstractContextManager:
        return as_model_error(self.name, action) if self.foreign else nullcontext()

    def _run(self, prepared: PreparedPicture) -> ImageRun:
        output = self.network(prepared.pixels)
        output = output if isinstance(output, Tensor) else getattr(output, "logits", None)
        logits = output[0] if output is not None and self.classes else None
        return ImageRun(logits, _grids(prepared.patches))

    def predictions(self, run: ImageRun, top: int = 5) -> tuple[Prediction, ...]:
        """The most probable classes."""
        if run.logits is None:
            return ()
        return best(self.probabilities(run), top, self.label)

    def targets(
        self,
        prepared: PreparedPicture,  # noqa: ARG002
        logits: Float[Tensor, "batch class"],
    ) -> tuple[Tensor, Tensor]:
        """The rows of the logits that a loss is the mean of, and the target of each: the model's own first answers."""
        return torch.arange(len(logits)), logits.argmax(dim=-1)

    def run_again(self, prepared: PreparedPicture, run: ImageRun) -> Tensor:  # noqa: ARG002
        """The logits of another forward pass over the same picture, which may be edited meanwhile."""
        logits = self.run(prepared).logits
        assert logits is not None
        return logits

    def with_network(self, network: nn.Module, *, name: str, title: str) -> "ImageModel":
        """Another network of the same kind, with this way of cutting pictures and these classes."""
        return replace(self, name=name, title=title, network=network)

    def label(self, number: int) -> str:
        """The name of a class."""
        return self.classes[number]

    def probabilities(self, run: ImageRun) -> Float[Tensor, "class"]:
        """The probability of each class."""
        assert run.logits is not None
        return run.logits.float().softmax(dim=-1)

    def sequences_of(self, call: AttentionCall, run: ImageRun) -> tuple[str, str] | None:
        """The names of the sequences that a recorded call has as queries and as keys; None for anything but a picture.

        Such are windows (Swin), which come as a batch of many small pictures, channels (XCiT), and parts of a map
        (`call.partial`).
        """
        if call.batch_size != 1 or call.over == "channel" or call.partial:
            return None
        lengths = {len(patches): name for name, patches in reversed(run.sequences.items())}
        query, key = lengths.get(call.query_length), lengths.get(call.key_length)
        return (query, key) if query and key else None


def _grids(patches: Patches) -> dict[str, Patches]:
    """The model's own grid; then those that other layers may have: no prefix, the prefix alone, coarser grids."""
    grids = {"patches": patches}
    if patches.prefix:
        grids["prefix"] = replace(patches, rows=0, columns=0)
    for factor in (1, 2, 4, 8, 16, 32):
        if patches.rows % factor or patches.columns % factor:
            break
        rows, columns = patches.rows // factor, patches.columns // factor
        if min(rows, columns) > 1 and (factor > 1 or patches.prefix):
            grids[f"{rows} × {columns} patches"] = Patches(rows, columns)
    return grids
