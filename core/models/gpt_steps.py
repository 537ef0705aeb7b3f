"""The inputs of one attention layer of a GPT: its tokens after the norm, and its weights."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..attention.equations import Step
from ..attention.steps import Projection, Projections, steps_from_tokens
from .gpt import GPT, Block


@dataclass(frozen=True)
class LayerInputs:
    """The normed tokens and the projections of one attention layer, taken from the model."""

    x: Float[Tensor, "token width"]  # the residual stream after the layer's own norm
    projections: Projections
    heads: int

    def steps(self, *, scale: bool = True, causal: bool = True, temperature: float = 1.0) -> tuple[Step, ...]:
        """The layer's attention, step by step; with the default options it equals that of the model."""
        return steps_from_tokens(
            self.x, self.projections, heads=self.heads, scale=scale, causal=causal, temperature=temperature
        )


@torch.inference_mode()
def layer_inputs(model: GPT, tokens: Int[Tensor, " token"], layer: int) -> LayerInputs:
    """Run the model up to `layer` (counted from 0), and stop before its attention."""
    x = model.token_embedding(tokens) + model.position_embedding(torch.arange(len(tokens)))
    x = x[None]  # the blocks expect a batch
    blocks = [block for block in model.blocks if isinstance(block, Block)]
    for block in blocks[:layer]:
        x = block(x)
    block = blocks[layer]
    attention = block.attention
    # W_Q, W_K and W_V lie side by side in one matrix.
    maps = zip(attention.qkv.weight.detach().chunk(3), attention.qkv.bias.detach().chunk(3), strict=True)
    query, key, value = (Projection(weight.T, bias) for weight, bias in maps)
    return LayerInputs(
        x=block.attention_norm(x)[0],
        projections=Projections(query, key, value, output=_projection(attention.out)),
        heads=attention.heads,
    )


def _projection(linear: nn.Linear) -> Projection:
    return Projection(linear.weight.detach().T, linear.bias.detach())
