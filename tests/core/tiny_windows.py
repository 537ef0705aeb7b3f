"""Tiny models with windows and random weights, of all four families, in sizes that do not come out even."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from core.capture import Record, record_attention


@dataclass(frozen=True)
class Windowed:
    """A model to make, and the picture that it is shown: rows and columns of pixels."""

    library: str  # timm or transformers
    version: int
    size: tuple[int, int]
    made_for: tuple[int, int] | None = None  # another size than that of the picture
    always_partition: bool = False
    depths: tuple[int, ...] = (2, 2)

    def __str__(self) -> str:
        return f"{self.library}-v{self.version}-{self.size[0]}x{self.size[1]}" + "-always" * self.always_partition

    def network(self, seed: int = 0) -> nn.Module:
        """Windows of 4 x 4 places, patches of 4 x 4 pixels; far from even: every number is drawn at random."""
        torch.manual_seed(seed)
        made = self._timm() if self.library == "timm" else self._transformers()
        for weight in made.parameters():
            torch.nn.init.normal_(weight, std=0.3)
        return made.eval().requires_grad_(False)

    def _timm(self) -> nn.Module:
        from timm.models.swin_transformer import SwinTransformer
        from timm.models.swin_transformer_v2 import SwinTransformerV2

        kind = SwinTransformer if self.version == 1 else SwinTransformerV2
        return kind(
            img_size=self.made_for or self.size,
            patch_size=4,
            window_size=4,
            embed_dim=16,
            depths=self.depths,
            num_heads=tuple(2 * 2**stage for stage in range(len(self.depths))),
            num_classes=5,
            always_partition=self.always_partition,
            dynamic_img_size=self.made_for is not None,
        )

    def _transformers(self) -> nn.Module:
        from transformers import SwinConfig, SwinModel, Swinv2Config, Swinv2Model

        made, config = (SwinModel, SwinConfig) if self.version == 1 else (Swinv2Model, Swinv2Config)
        heads = [2 * 2**stage for stage in range(len(self.depths))]
        sizes = {"patch_size": 4, "window_size": 4, "embed_dim": 16, "depths": list(self.depths), "num_heads": heads}
        return made(config(image_size=list(self.made_for or self.size), **sizes))

    @property
    def pixels(self) -> Tensor:
        """A random picture."""
        return torch.randn(1, 3, *self.size, generator=torch.Generator().manual_seed(1))


def watched(network: nn.Module, pixels: Tensor) -> Record:
    """What the network attends to."""
    with torch.inference_mode(), record_attention(network) as record:
        network(pixels)
    return record


FAMILIES = (
    Windowed("timm", 1, (32, 32)),
    Windowed("timm", 1, (36, 52), depths=(2, 2, 2)),  # 9 x 13, 5 x 7 and 3 x 4 places
    Windowed("timm", 1, (36, 52), depths=(2, 2, 2), always_partition=True),
    Windowed("timm", 1, (44, 28), made_for=(32, 32), depths=(2, 2, 2), always_partition=True),
    Windowed("timm", 1, (44, 64), made_for=(32, 16)),  # made where one window is as wide as the grid
    Windowed("timm", 2, (32, 32)),
    Windowed("timm", 2, (36, 52), depths=(2, 2, 2)),
    Windowed("timm", 2, (44, 28), made_for=(32, 32), always_partition=True),
    Windowed("transformers", 1, (32, 32)),  # the last stage is one window: no shift
    Windowed("transformers", 1, (68, 84), depths=(2, 2, 2)),  # 17 x 21, 9 x 11 and 5 x 6 places
    Windowed("transformers", 1, (66, 81)),  # the picture itself is padded to whole patches
    Windowed("transformers", 2, (32, 32)),
    Windowed("transformers", 2, (36, 52), depths=(2, 2, 2)),
    Windowed("transformers", 2, (52, 36), made_for=(64, 64)),
)
