"""Permutation equivariance of attention: shuffled tokens give shuffled outputs, without positions and causal mask."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ..models.gpt import GPT, Block
from ..models.gpt import SelfAttention as GPTAttention

# A function of a model's tokens, with or without the causal mask (`causal`, keyword-only).
Part = Callable[..., Float[Tensor, "token width"]]


@dataclass(frozen=True, eq=False)
class ModelParts:
    """The embeddings of an input and the layers of a model, as separate functions.

    `content` are token or patch embeddings without `positions`, the position embeddings; `fixed` is the number of
    leading tokens that a shuffle does not move (a picture's class token).
    """

    content: Float[Tensor, "token width"]
    positions: Float[Tensor, "token width"]
    fixed: int
    attention: tuple[Part, ...]  # norm and self-attention of each layer
    blocks: tuple[Part, ...]  # each layer: norms, attention, MLP and residual connections

    def all_layers(self, x: Float[Tensor, "token width"], *, causal: bool) -> Float[Tensor, "token width"]:
        """All layers, one after the other."""
        for block in self.blocks:
            x = block(x, causal=causal)
        return x


@dataclass(frozen=True, eq=False)
class Shuffled:
    """The output of a part of a model for tokens in their order, and for shuffled tokens."""

    order: Int[Tensor, " token"]  # order[i]: index of the token at position i after the shuffle
    before: Float[Tensor, "token width"]  # f(x)
    after: Float[Tensor, "token width"]  # f(P x)

    @property
    def difference(self) -> Float[Tensor, "token width"]:
        """f(P x) - P f(x), in the shuffled order: zero for a permutation-equivariant function."""
        return self.after - self.before[self.order]

    @property
    def largest(self) -> float:
        """The largest difference of any channel of any token."""
        return self.difference.abs().max().item()


def shuffle(length: int, seed: int, *, fixed: int = 0) -> Int[Tensor, " token"]:
    """A random permutation of `length` tokens that keeps the first `fixed` in place; never the identity.

    With fewer than two tokens to move it is the identity.
    """
    generator = torch.Generator().manual_seed(seed)
    order = torch.arange(length)
    if length - fixed < 2:
        return order
    while torch.equal(order, torch.arange(length)):
        order = torch.cat([torch.arange(fixed), fixed + torch.randperm(length - fixed, generator=generator)])
    return order


@torch.inference_mode()
def compare(
    part: Part,
    content: Float[Tensor, "token width"],
    order: Int[Tensor, " token"],
    *,
    positions: Float[Tensor, "token width"] | None = None,
    causal: bool = False,
) -> Shuffled:
    """Run a part on tokens and on the same tokens shuffled; `positions` are added to both, after the shuffle."""
    offsets = torch.zeros_like(content) if positions is None else positions
    before = part(content + offsets, causal=causal)
    after = part(content[order] + offsets, causal=causal)
    return Shuffled(order, before, after)


def split_gpt(model: GPT, tokens: Int[Tensor, " token"]) -> ModelParts:
    """The parts of a GPT; its causal mask is the caller's choice."""
    blocks = [block for block in model.blocks if isinstance(block, Block)]
    return ModelParts(
        content=model.token_embedding(tokens),
        positions=model.position_embedding(torch.arange(len(tokens))),
        fixed=0,
        attention=tuple(_gpt_attention(block) for block in blocks),
        blocks=tuple(_gpt_block(block) for block in blocks),
    )


def split_vit(model: Any, pixels: Float[Tensor, "batch channel row column"]) -> ModelParts:
    """The parts of a timm VisionTransformer for the first picture; a causal mask is the choice of the caller."""
    with torch.inference_mode():
        patches = model.patch_embed(pixels)  # (batch, row, column, width): the rows become one sequence
        with_positions, class_tokens = model._pos_embed(patches)[0], model.cls_token[0]
        content = torch.cat([class_tokens, patches[0].flatten(0, -2)])
    return ModelParts(
        content=content,
        positions=with_positions - content,
        fixed=len(class_tokens),
        attention=tuple(_vit_attention(block) for block in model.blocks),
        blocks=tuple(_vit_block(block) for block in model.blocks),
    )


def _gpt_attention(block: Block) -> Part:
    def attention(x: Float[Tensor, "token width"], *, causal: bool) -> Float[Tensor, "token width"]:
        return _attend(block.attention, block.attention_norm(x), causal=causal)

    return attention


def _gpt_block(block: Block) -> Part:
    def layer(x: Float[Tensor, "token width"], *, causal: bool) -> Float[Tensor, "token width"]:
        x = x + _attend(block.attention, block.attention_norm(x), causal=causal)
        return x + block.mlp(block.mlp_norm(x)[None])[0]

    return layer


def _attend(attention: GPTAttention, x: Float[Tensor, "token width"], *, causal: bool) -> Float[Tensor, "token width"]:
    """`GPTAttention.forward` with an optional causal mask."""
    query, key, value = (
        part.unflatten(-1, (attention.heads, -1)).transpose(0, 1) for part in attention.qkv(x).chunk(3, dim=-1)
    )
    mixed = F.scaled_dot_product_attention(query[None], key[None], value[None], is_causal=causal)[0]
    return attention.out(mixed.transpose(0, 1).flatten(start_dim=1))


def _vit_attention(block: Any) -> Part:
    def attention(x: Float[Tensor, "token width"], *, causal: bool) -> Float[Tensor, "token width"]:
        return block.attn(block.norm1(x[None]), is_causal=causal)[0]

    return attention


def _vit_block(block: Any) -> Part:
    def layer(x: Float[Tensor, "token width"], *, causal: bool) -> Float[Tensor, "token width"]:
        return block(x[None], is_causal=causal)[0]

    return layer
