"""Pixels as a sequence of tokens, the first row first: image-GPT (Chen et al. 2020).

i     = the nearest of 512 colours, for each pixel                        (section 3.1: a palette of 9 bits)
x     = C[i] + position                                                   positions know no rows, columns (section 2.3)
x     = x + attention(norm(x)); x = x + mlp(norm(x))                      the blocks of GPT-2 (section 2.3)
p(next colour) = softmax(norm(x) W)                                       after the pixels before it (equation 1), or
p(hidden colour) = softmax(norm(x) W)                                     from all visible pixels (equation 2)

The same network has two tasks. `causal`: after a start token, every token predicts the next pixel. Else hidden pixels
are replaced by that token, every pixel attends to all others, and the hidden ones are predicted.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .key_value_cache import Cache, LayerCache, causal_mask


@dataclass(frozen=True)
class ImageGPTConfig:
    """The sizes of an image-GPT: pictures of `side` x `side` pixels, a palette of `colours` colours."""

    colours: int = 512
    side: int = 32
    width: int = 128
    layers: int = 8
    heads: int = 4
    causal: bool = True

    def __post_init__(self):
        for name in ("colours", "side", "width", "layers", "heads"):
            if getattr(self, name) < 1:
                raise ValueError(f"An image-GPT needs at least 1 for '{name}', not {getattr(self, name)}.")
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")

    @property
    def context(self) -> int:
        """The number of tokens of a picture."""
        return self.side**2

    @property
    def blank(self) -> int:
        """The token that is no colour: the start of a picture, or a hidden pixel."""
        return self.colours


@dataclass(frozen=True, eq=False)
class ParallelTokens:
    """Tokens at one place of several pictures with a common beginning, computed as one sequence.

    The common beginning is computed, and cached, once. `visible`: the mask that shows each token the keys of its own
    picture.
    """

    place: int
    visible: Bool[Tensor, "query key"]


class ImageGPT(nn.Module):
    """Tokens in, a score (logit) for each colour out, at every place."""

    palette: Float[Tensor, "colour channel"]

    def __init__(self, config: ImageGPTConfig):
        super().__init__()
        self.config = config
        self.register_buffer("palette", torch.zeros(config.colours, 3))  # values 0 to 1
        self.colours = nn.Embedding(config.colours + 1, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Linear(config.width, config.colours, bias=False)
        self.apply(self._initialise)

    def forward(
        self, tokens: Int[Tensor, "batch token"], cache: Cache | None = None, parallel: ParallelTokens | None = None
    ) -> Float[Tensor, "batch token colour"]:
        """Logits of the next pixel, or, if not causal, of the pixel at the place itself.

        With a `cache` the tokens follow those that it holds; with `parallel` they are all at one place.
        ValueError for more tokens than a picture has.
        """
        return self.head(self.norm(self.features(tokens, self.config.layers, cache, parallel)))

    def features(
        self,
        tokens: Int[Tensor, "batch token"],
        layers: int,
        cache: Cache | None = None,
        parallel: ParallelTokens | None = None,
    ) -> Float[Tensor, "batch token width"]:
        """The residual stream after the first `layers` blocks, which a linear probe reads (section 2.5)."""
        first = parallel.place if parallel else cache.length if cache else 0
        last = first + (1 if parallel else tokens.shape[1])
        if last > self.config.context:
            raise ValueError(f"{last} tokens do not fit: a picture has {self.config.context} pixels.")
        x = self.colours(tokens) + self.positions.weight[first:last]  # (batch, token, width)
        for layer, block in enumerate(self.blocks[:layers]):
            x = block(x, cache.layers[layer] if cache else None, parallel)
        return x

    def read(self, pixels: Float[Tensor, "batch channel row column"]) -> Int[Tensor, "batch place"]:
        """The nearest colour of each pixel (values 0 to 1), row by row."""
        return nearest_colours(pixels.flatten(2).transpose(1, 2), self.palette)

    def paint(self, colours: Int[Tensor, "batch place"]) -> Float[Tensor, "batch channel row column"]:
        """The pixels of colour numbers, values 0 to 1."""
        return self.palette[colours].transpose(1, 2).unflatten(2, (self.config.side, self.config.side))

    def after_start(self, colours: Int[Tensor, "batch place"]) -> Int[Tensor, "batch token"]:
        """The input with which token k predicts pixel k: the start token, and all pixels but the last."""
        return F.pad(colours[:, :-1], (1, 0), value=self.config.blank)

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if isinstance(module, SelfAttention | MLP):
            # Every block adds two terms to the residual stream: keep its variance at 1 (GPT-2, section 2.3).
            nn.init.normal_(module.out.weight, std=0.02 / (2 * self.config.layers) ** 0.5)


class Block(nn.Module):
    """Attention, then an MLP, each added to its input (pre-norm: the norm is inside the branch)."""

    def __init__(self, config: ImageGPTConfig):
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = SelfAttention(config)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width)

    def forward(
        self,
        x: Float[Tensor, "batch token width"],
        cache: LayerCache | None = None,
        parallel: ParallelTokens | None = None,
    ) -> Float[Tensor, "batch token width"]:
        x = x + self.attention(self.attention_norm(x), cache, parallel)
        return x + self.mlp(self.mlp_norm(x))


class SelfAttention(nn.Module):
    """Multi-head self-attention (Vaswani et al. 2017, section 3.2.2), causal or not."""

    def __init__(self, config: ImageGPTConfig):
        super().__init__()
        self.heads, self.causal = config.heads, config.causal
        self.qkv = nn.Linear(config.width, 3 * config.width)  # W_Q, W_K and W_V of all heads, one below the other
        self.out = nn.Linear(config.width, config.width)  # W_O

    def forward(
        self,
        x: Float[Tensor, "batch token width"],
        cache: LayerCache | None = None,
        parallel: ParallelTokens | None = None,
    ) -> Float[Tensor, "batch token width"]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        if cache is None:
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        else:
            key, value = cache.extend(key, value)
            mask = (parallel.visible if parallel else causal_mask(query.shape[2], key.shape[2])).to(x.device)
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))


class MLP(nn.Module):
    """GELU(x W1 + b1) W2 + b2, for each token on its own."""

    def __init__(self, width: int):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        return self.out(F.gelu(self.up(x)))


def nearest_colours(
    values: Float[Tensor, "batch place channel"], palette: Float[Tensor, "colour channel"]
) -> Int[Tensor, "batch place"]:
    """The number of the nearest colour of each pixel by squared distance, the first of equally near ones."""
    # |v|^2 is the same for all colours and left out.
    return (palette.square().sum(dim=1) - 2 * values @ palette.t()).argmin(dim=-1)
