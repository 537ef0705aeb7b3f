"""Attention takes a set: shuffle the tokens and its results are shuffled, unless something tells the places apart."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from ..models.gpt import GPT, Block
from ..models.gpt import SelfAttention as GPTAttention

# A part of a model, with or without the causal mask: tokens in, tokens out. The flag is keyword-only.
Part = Callable[..., Float[Tensor, "token width"]]


@dataclass(frozen=True, eq=False)
class Taken:
    """A model taken apart before its first layer: what each token is, where it stands, and what comes after.

    `fixed` counts the tokens that keep their place in a shuffle (a picture's class token); `parts` are the layers.
    """

    content: Float[Tensor, "token width"]
    places: Float[Tensor, "token width"]
    fixed: int
    attention: tuple[Part, ...]  # the norm and the self-attention of each layer
    blocks: tuple[Part, ...]  # the whole layer: norms, attention, MLP, what is added

    def whole(self, x: Float[Tensor, "token width"], *, causal: bool) -> Float[Tensor, "token width"]:
        """All layers, one after the other."""
        for block in self.blocks:
            x = block(x, causal=causal)
        return x


@dataclass(frozen=True, eq=False)
class Shuffled:
    """The same part of a model on the tokens in their order, and on the tokens in another."""

    order: Int[Tensor, " token"]  # order[i]: which token stands at place i after the shuffle
    before: Float[Tensor, "token width"]  # f(x)
    after: Float[Tensor, "token width"]  # f(P x)

    @property
    def difference(self) -> Float[Tensor, "token width"]:
        """f(P x) - P f(x), in the shuffled order: zero for a function of sets."""
        return self.after - self.before[self.order]

    @property
    def largest(self) -> float:
        """The largest difference of any channel of any token."""
        return self.difference.abs().max().item()


def shuffle(length: int, seed: int, *, fixed: int = 0) -> Int[Tensor, " token"]:
    """An order of `length` tokens, the same for the same seed; the first `fixed` stay. Never the order they came in.

    With fewer than two tokens to move nothing can change.
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
    places: Float[Tensor, "token width"] | None = None,
    causal: bool = False,
) -> Shuffled:
    """Run a part on tokens and on the same tokens shuffled; `places` are added to both, each to its own place."""
    added = torch.zeros_like(content) if places is None else places
    before = part(content + added, causal=causal)
    after = part(content[order] + added, causal=causal)
    return Shuffled(order, before, after)


def take_gpt(model: GPT, tokens: Int[Tensor, " token"]) -> Taken:
    """A GPT whose attention may also look ahead: its causal mask is left to whoever runs the parts."""
    blocks = [block for block in model.blocks if isinstance(block, Block)]
    return Taken(
        content=model.token_embedding(tokens),
        places=model.position_embedding(torch.arange(len(tokens))),
        fixed=0,
        attention=tuple(_gpt_attention(block) for block in blocks),
        blocks=tuple(_gpt_block(block) for block in blocks),
    )


def take_vit(model: Any, pixels: Float[Tensor, "batch channel row column"]) -> Taken:
    """A timm VisionTransformer and the first picture; it has no mask of its own, and can be given one."""
    with torch.inference_mode():
        patches = model.patch_embed(pixels)  # (batch, row, column, width): the rows become one sequence
        placed, first = model._pos_embed(patches)[0], model.cls_token[0]
        content = torch.cat([first, patches[0].flatten(0, -2)])
    return Taken(
        content=content,
        places=placed - content,
        fixed=len(first),
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
    """`GPTAttention.forward` with the mask as a choice, on its own weights."""
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
