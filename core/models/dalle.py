"""A sentence and a picture as one sequence of tokens: DALL-E (Ramesh et al. 2021, section 2.2).

x     = words + position, with a learned vector of its own at each place where the sentence has ended;
        codes + row + column of the picture's grid, the first row first      (codes: those of a discrete autoencoder)
x     = x + attention(norm(x)); x = x + mlp(norm(x))      causal: each token attends to the words before it, and to the
                                                          codes that the mask of the layer allows (figure 11)
p(next word), p(next code) = softmax(norm(x) W), softmax(norm(x) W')
loss  = (CE(words) + 7 CE(codes)) / 8                     (section 2.2)
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from .key_value_cache import Cache, LayerCache

MASKS = ("full", "row", "column", "convolution")
# Rows, then columns in every fourth layer, and a convolution last (section 2.2).
PAPER = ("row", "column", "row", "row")
PICTURE_WEIGHT = 7  # of the codes in the loss, where words have 1
PAD = 0  # the number of the padding token of a sentence


@dataclass(frozen=True)
class DALLEConfig:
    """The sizes of a DALL-E; `masks`: one of MASKS for each layer, `kernel`: places on a side of the convolution."""

    words: int
    context: int = 24
    codes: int = 512
    grid: int = 16
    width: int = 160
    heads: int = 4
    masks: tuple[str, ...] = (*PAPER, "row", "convolution")
    kernel: int = 5

    def __post_init__(self):
        if self.width % self.heads:
            raise ValueError(f"{self.heads} heads cannot share {self.width} channels equally.")
        if not self.masks or set(self.masks) - set(MASKS):
            raise ValueError(f"Masks are some of {', '.join(MASKS)}, not {', '.join(self.masks) or 'none'}.")
        if self.kernel % 2 == 0:
            raise ValueError(f"A convolution has a middle: its kernel is 3, 5, 7 ... places wide, not {self.kernel}.")

    @property
    def layers(self) -> int:
        """The number of layers."""
        return len(self.masks)

    @property
    def places(self) -> int:
        """The number of tokens of a picture."""
        return self.grid**2

    @property
    def longest(self) -> int:
        """The number of tokens of the longest input: all but the last one of the picture."""
        return self.context + self.places - 1


@dataclass(frozen=True, eq=False)
class DALLEOutput:
    """Logits of the next word after each word but the last, and of the next code after the last word and each code."""

    words: Float[Tensor, "batch token word"]
    codes: Float[Tensor, "batch place code"]


class DALLE(nn.Module):
    """Words and codes in, logits of the next words and the next codes out."""

    def __init__(self, config: DALLEConfig):
        super().__init__()
        self.config = config
        width = config.width
        self.words = nn.Embedding(config.words, width)
        self.padding = nn.Embedding(config.context, width)  # for each place its own (section 2.2)
        self.word_positions = nn.Embedding(config.context, width)
        self.codes = nn.Embedding(config.codes, width)
        self.rows, self.columns = nn.Embedding(config.grid, width), nn.Embedding(config.grid, width)
        self.blocks = nn.ModuleList(Block(config) for _ in config.masks)
        self.norm = nn.LayerNorm(width)
        self.words_head = nn.Linear(width, config.words, bias=False)
        self.codes_head = nn.Linear(width, config.codes, bias=False)
        for mask in dict.fromkeys(config.masks):
            self.register_buffer(f"mask_{mask}", mask_of(config, mask), persistent=False)
        self.apply(self._initialise)

    def forward(self, words: Int[Tensor, "batch token"], codes: Int[Tensor, "batch place"]) -> DALLEOutput:
        """`words`: sentences padded with PAD to the context; `codes`: those so far, at most all but the last."""
        x = self.read(self.embed(words, codes))
        context = self.config.context
        return DALLEOutput(self.words_head(x[:, : context - 1]), self.codes_head(x[:, context - 1 :]))

    def embed(
        self, words: Int[Tensor, "batch token"], codes: Int[Tensor, "batch place"]
    ) -> Float[Tensor, "batch key width"]:
        """The vectors of a sentence and of the first codes of its picture."""
        if words.shape[1] != self.config.context:
            raise ValueError(f"A sentence is filled up to {self.config.context} places, not to {words.shape[1]}.")
        real = (words != PAD)[..., None]
        embedded = torch.where(real, self.words(words), self.padding.weight) + self.word_positions.weight
        return torch.cat([embedded, self.embed_codes(codes, first=0)], dim=1)

    def embed_codes(self, codes: Int[Tensor, "batch place"], *, first: int) -> Float[Tensor, "batch place width"]:
        """The vectors of codes that begin at place `first` of the picture."""
        last = first + codes.shape[1]
        if last > self.config.places - 1:
            raise ValueError(f"Nothing comes after the last of {self.config.places} codes, so {last} are not read.")
        places = torch.arange(first, last, device=codes.device)
        return self.codes(codes) + self.rows(places // self.config.grid) + self.columns(places % self.config.grid)

    def read(
        self, x: Float[Tensor, "batch query width"], cache: Cache | None = None
    ) -> Float[Tensor, "batch query width"]:
        """The normed output of the last block; with a `cache`, the tokens follow those that it holds."""
        first = cache.length if cache else 0
        last = first + x.shape[1]
        for layer, (block, mask) in enumerate(zip(self.blocks, self.config.masks, strict=True)):
            visible = getattr(self, f"mask_{mask}")[first:last, :last]
            x = block(x, visible, cache.layers[layer] if cache else None)
        return self.norm(x)

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)
        if isinstance(module, SelfAttention | MLP):
            # Every block adds two terms to the residual stream: keep its variance at 1 (GPT-2, section 2.3).
            nn.init.normal_(module.out.weight, std=0.02 / (2 * self.config.layers) ** 0.5)


def loss_of(
    output: DALLEOutput, words: Int[Tensor, "batch token"], codes: Int[Tensor, "batch place"]
) -> Float[Tensor, ""]:
    """The weighted mean of both cross-entropies (section 2.2); padding is ignored."""
    word_loss = F.cross_entropy(output.words.float().flatten(0, 1), words[:, 1:].flatten(), ignore_index=PAD)
    code_loss = F.cross_entropy(output.codes.float().flatten(0, 1), codes.flatten())
    return (word_loss + PICTURE_WEIGHT * code_loss) / (1 + PICTURE_WEIGHT)


def mask_of(config: DALLEConfig, mask: str) -> Bool[Tensor, "query key"]:
    """The causal mask (query, key) over the words, then the codes of the picture: True where attention is allowed.

    Codes attend to all words. Of codes: "full", to all before; "row", to the `grid` + 1 newest, so that the oldest is
    the one above (figure 11 a counts that one too); "column", to those above (b); "convolution", to those before in a
    square of `kernel` places, which goes on at the other side of the picture where it reaches over an edge (d).
    """
    context, grid = config.context, config.grid
    places = torch.arange(config.places - 1)
    query, key = places[:, None], places[None]
    if mask == "full":
        codes = key <= query
    elif mask == "row":
        codes = (key <= query) & (query - key <= grid)
    elif mask == "column":
        codes = (key <= query) & (query % grid == key % grid)
    else:
        half = config.kernel // 2
        # With wraparound, as in the paper: the square is one of distances in the sequence.
        back = query - key
        rows = torch.div(back + half, grid, rounding_mode="floor")
        codes = (key <= query) & (rows <= half) & ((back - rows * grid).abs() <= half)
    visible = torch.ones(config.longest, config.longest, dtype=torch.bool).tril()
    visible[context:, context:] = codes
    return visible


class Block(nn.Module):
    """Attention, then an MLP, each added to its input (pre-norm: the norm is inside the branch)."""

    def __init__(self, config: DALLEConfig):
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = SelfAttention(config.width, config.heads)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width)

    def forward(
        self,
        x: Float[Tensor, "batch query width"],
        visible: Bool[Tensor, "query key"],
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch query width"]:
        x = x + self.attention(self.attention_norm(x), visible, cache)
        return x + self.mlp(self.mlp_norm(x))


class SelfAttention(nn.Module):
    """Multi-head self-attention (Vaswani et al. 2017, section 3.2.2) under a mask."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)  # W_Q, W_K and W_V of all heads, one below the other
        self.out = nn.Linear(width, width)  # W_O

    def forward(
        self,
        x: Float[Tensor, "batch query width"],
        visible: Bool[Tensor, "query key"],
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch query width"]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key, value = cache.extend(key, value)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=visible)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))


class MLP(nn.Module):
    """GELU(x W1 + b1) W2 + b2, for each token on its own."""

    def __init__(self, width: int):
        super().__init__()
        self.up = nn.Linear(width, 4 * width)
        self.out = nn.Linear(4 * width, width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        return self.out(F.gelu(self.up(x)))
