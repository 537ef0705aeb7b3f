"""A small causal transformer with one of six kinds of positions, all else being equal.

none        no positions: order enters by the causal mask alone
learned     a vector for each position is added to the token (Radford et al. 2019)
sinusoidal  waves are added to the token (Vaswani et al. 2017, section 3.5)
rotary      queries and keys are rotated by their position (Su et al. 2021)
alibi       distance is subtracted from the scores (Press et al. 2022)
relative    a learned bias for each bucket of distances is added to the scores (Raffel et al. 2020)
"""

from typing import Literal, get_args

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ..attention.positional_encodings import alibi, distances, relative_buckets, rotary, sinusoidal
from .gpt import MLP

Positions = Literal["none", "learned", "sinusoidal", "rotary", "alibi", "relative"]

BUCKETS = 32  # of T5's relative biases


class SelfAttention(nn.Module):
    """Layers of causal self-attention, each followed by an MLP."""

    def __init__(self, width: int, layers: int, heads: int, context: int, positions: Positions = "learned"):
        super().__init__()
        if positions not in get_args(Positions):
            raise ValueError(
                f"'{positions}' is not a way to give positions: choose from {', '.join(get_args(Positions))}."
            )
        self.width, self.context, self.positions = width, context, positions
        if positions == "learned":
            self.position_embedding = nn.Embedding(context, width)
            nn.init.normal_(self.position_embedding.weight, std=0.02)
        self.layers = nn.ModuleList(Layer(width, heads, positions) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        length = x.shape[1]
        if self.positions == "learned":
            if length > self.context:
                raise ValueError(f"{length} tokens do not fit: only {self.context} positions were learned.")
            x = x + self.position_embedding.weight[:length]
        if self.positions == "sinusoidal":
            x = x + sinusoidal(length, self.width).to(x.dtype)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class Layer(nn.Module):
    """Attention, then an MLP, each added to its input (pre-norm)."""

    def __init__(self, width: int, heads: int, positions: Positions):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads, positions)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = MLP(width)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class Attention(nn.Module):
    """Causal multi-head self-attention (Vaswani et al. 2017, section 3.2.2) with one kind of positions."""

    def __init__(self, width: int, heads: int, positions: Positions):
        super().__init__()
        if width % heads:
            raise ValueError(f"{heads} heads cannot share {width} channels equally.")
        self.heads, self.positions = heads, positions
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        if positions == "relative":
            self.relative = nn.Embedding(BUCKETS, heads)
            nn.init.zeros_(self.relative.weight)

    def forward(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch token width"]:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)
        )
        if self.positions == "rotary":
            indices = torch.arange(x.shape[1])
            query, key = rotary(query, indices), rotary(key, indices)
        bias = self._bias(x.shape[1])
        mixed = F.scaled_dot_product_attention(
            query, key, value, attn_mask=None if bias is None else bias.to(query.dtype), is_causal=bias is None
        )
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))

    def _bias(self, length: int) -> Float[Tensor, "head query key"] | None:
        """The bias of the scores by positions, -inf where the causal mask forbids; None for kinds without a bias."""
        if self.positions == "alibi":
            bias = alibi(self.heads, length, length)
        elif self.positions == "relative":
            buckets = relative_buckets(distances(length, length), buckets=BUCKETS, bidirectional=False)
            bias = self.relative(buckets).permute(2, 0, 1)
        else:
            return None
        return bias.masked_fill(distances(length, length) > 0, -torch.inf)
