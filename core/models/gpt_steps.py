"""What one attention layer of a GPT computes with: its tokens after the norm, and its weights."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.attention import Projection, Projections, Step, steps_from_tokens
from core.models.gpt import GPT


@dataclass(frozen=True)
class LayerInputs:
    """All that the attention of one layer needs; the same numbers as in the model, none of them copied by hand."""

    x: Float[Tensor, "token width"]  # the residual stream after the layer's own norm
    projections: Projections
    heads: int

    def steps(self, *, scale: bool = True, causal: bool = True, temperature: float = 1.0) -> tuple[Step, ...]:
        """The layer's attention, step by step. With the options as they are: exactly what the model does."""
        return steps_from_tokens(
            self.x, self.projections, heads=self.heads, scale=scale, causal=causal, temperature=temperature
        )


@torch.inference_mode()
def layer_inputs(model: GPT, tokens: Int[Tensor, " token"], layer: int) -> LayerInputs:
    """Run the model up to `layer` (counted from 0), and stop before its attention."""
    x = model.token_embedding(tokens) + model.position_embedding(torch.arange(len(tokens)))
    x = x[None]  # the blocks expect a batch
    for block in model.blocks[:layer]:
        x = block(x)
    block = model.blocks[layer]
    attention = block.attention
    joined = _projection(attention.qkv)  # W_Q, W_K and W_V side by side
    maps = zip(joined.weight.chunk(3, dim=1), joined.bias.chunk(3), strict=True)
    query, key, value = (Projection(weight, bias) for weight, bias in maps)
    return LayerInputs(
        x=block.attention_norm(x)[0],
        projections=Projections(query, key, value, output=_projection(attention.out)),
        heads=attention.heads,
    )


def _projection(linear: nn.Linear) -> Projection:
    return Projection(linear.weight.detach().T, linear.bias.detach())
