"""GPT with rotary positions: the GPT of `gpt.py` for longer texts than it was trained on.

Instead of a learned vector for each position, every head turns its queries and keys by an angle that grows with the
position (Su et al. 2021, "RoFormer", section 3.2.2), so that a score depends on the distance alone. Beyond the length
of its training the rotation is slowed down, by NTK-aware scaling or by YaRN (Peng et al. 2023), as far as the length of
the text requires ("dynamic scaling", version 2, section 3.3).
"""

from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..attention.positional_encodings import apply_rotary, frequencies, ntk, yarn, yarn_sharpness
from .gpt import MLP, GPTConfig
from .key_value_cache import Cache, LayerCache, causal_mask, longest_cached

Extension = Literal["none", "ntk", "yarn"]
PIECE = 8192  # tokens that the MLP reads at once


@dataclass(frozen=True)
class RotaryGPTConfig(GPTConfig):
    """The sizes of a GPT with rotary positions; the defaults are those of `gpt-books-long`."""

    context: int = 131_072  # the longest text, in tokens
    trained: int = 1024  # the length of texts in training, in tokens
    extension: Extension = "yarn"  # for longer texts than those

    def __post_init__(self):
        super().__post_init__()
        if self.trained < 1:
            raise ValueError(f"A GPT needs at least 1 for 'trained', not {self.trained}.")
        if self.width // self.heads % 2:
            raise ValueError(f"Rotary positions turn pairs: {self.width // self.heads} channels a head is odd.")
        if self.extension not in ("none", "ntk", "yarn"):
            raise ValueError(f"'{self.extension}' is not an extension: choose none, ntk or yarn.")


class RotaryGPT(nn.Module):
    """Tokens in, a score (logit) for every possible next token out."""

    def __init__(self, config: RotaryGPTConfig):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocabulary, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)

    def forward(
        self, tokens: Int[Tensor, "batch token"], cache: Cache | None = None
    ) -> Float[Tensor, "batch token vocabulary"]:
        """With a `cache`, the tokens follow those that it holds, whose keys and values are not computed again."""
        # The output matrix is the token embedding again: the two are tied (Press and Wolf 2017).
        return F.linear(self.read(tokens, cache), self.token_embedding.weight)

    def read(
        self, tokens: Int[Tensor, "batch token"], cache: Cache | None = None
    ) -> Float[Tensor, "batch token width"]:
        """The output of the last norm, before the map to the vocabulary."""
        length = (cache.length if cache else 0) + tokens.shape[1]
        if length > self.config.context:
            raise ValueError(f"{length} tokens do not fit: this GPT's context holds {self.config.context}.")
        if cache and length > longest_cached(self):
            raise ValueError(f"{length} tokens do not fit: step by step this GPT reads {longest_cached(self)}.")
        x = self.token_embedding(tokens)
        for layer, block in enumerate(self.blocks):
            x = block(x, cache.layers[layer]) if cache else block(x)
        return self.norm(x)


class Block(nn.Module):
    """Attention, then an MLP, each added to its input (pre-norm: the norm is inside the branch)."""

    def __init__(self, config: RotaryGPTConfig):
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = RotarySelfAttention(config)
        self.mlp_norm = nn.LayerNorm(config.width)
        self.mlp = MLP(config.width)

    def forward(
        self, x: Float[Tensor, "batch token width"], cache: LayerCache | None = None
    ) -> Float[Tensor, "batch token width"]:
        x = x + self.attention(self.attention_norm(x), cache)
        # In pieces: the hidden layer of a whole book at once would take more memory than all else.
        return torch.cat([piece + self.mlp(self.mlp_norm(piece)) for piece in x.split(PIECE, dim=1)], dim=1)


class RotarySelfAttention(nn.Module):
    """Causal multi-head self-attention whose queries and keys are rotated by their positions."""

    def __init__(self, config: RotaryGPTConfig):
        super().__init__()
        self.heads, self.trained, self.extension = config.heads, config.trained, config.extension
        self.qkv = nn.Linear(config.width, 3 * config.width)  # W_Q, W_K and W_V of all heads, one below the other
        self.out = nn.Linear(config.width, config.width)  # W_O

    def forward(
        self, x: Float[Tensor, "batch token width"], cache: LayerCache | None = None
    ) -> Float[Tensor, "batch token width"]:
        query, key, value = (self._split(part) for part in self.qkv(x).chunk(3, dim=-1))
        first = cache.length if cache else 0
        query, key = self._rotate(query, first), self._rotate(key, first)
        if cache is None:
            mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            key, value = cache.extend(key, value)  # rotated keys are cached
            mask = causal_mask(query.shape[2], key.shape[2]).to(x.device)
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))

    def _rotate(
        self, x: Float[Tensor, "batch head token head_dim"], first: int
    ) -> Float[Tensor, "batch head token head_dim"]:
        tokens, head_dim = x.shape[-2:]
        speeds, sharpness = rotation_speeds(head_dim, first + tokens, self.trained, self.extension)
        return sharpness * apply_rotary(x, torch.arange(first, first + tokens, device=x.device), speeds)

    def _split(self, x: Float[Tensor, "batch token width"]) -> Float[Tensor, "batch head token head_dim"]:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def rotation_speeds(
    head_dim: int, length: int, trained: int, extension: Extension
) -> tuple[Float[Tensor, " pair"], float]:
    """The rotation of each pair of channels in radians per token, and the factor of queries and keys.

    `length`: tokens of the text; up to `trained` tokens no extension changes anything.
    """
    stretch = max(1.0, length / trained)
    if extension == "ntk":
        return ntk(head_dim, stretch), 1.0
    if extension == "yarn":
        return yarn(head_dim, stretch, trained), yarn_sharpness(stretch)
    return frequencies(head_dim), 1.0
