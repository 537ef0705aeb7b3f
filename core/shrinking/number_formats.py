"""Networks that compute with fewer bits: 16 (bfloat16), 8 (int8, activations too) or 4 (int4 weights).

They are fast on processors with instructions for these formats; on others torch computes the same slowly.
"""

import copy

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..former_names import former_names
from .bits import round_matrix
from .layouts import matrices_of, put

FORMATS = ("float32", "bfloat16", "int8", "int4")
BITS = {"float32": 32, "bfloat16": 16, "int8": 8, "int4": 4}
GROUP = 64  # weights of a row that share a step in int4; 32 where rows cannot be cut into 64
_LEAST_STEP = 1e-12  # of a token of zeros

__getattr__ = former_names(__name__, {"in_format": "in_number_format", "bytes_of": "size_in_bytes"})


class Int8Linear(nn.Module):
    """x W^T + b in int8 with dynamic quantisation: W has a step for each output channel, x one for each token.

    Sums are exact (int32).
    """

    levels: Tensor
    step: Tensor

    def __init__(self, linear: nn.Linear):
        super().__init__()
        rounded = round_matrix(linear.weight.detach().float(), 8, "per output channel")
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.register_buffer("step", rounded.steps[:, 0].contiguous())
        levels = rounded.values / rounded.steps.clamp(min=_LEAST_STEP)
        self.register_buffer("levels", levels.round().to(torch.int8).t())  # (column, row), as the product wants it
        self.bias = linear.bias

    def forward(self, x: Float[Tensor, "*leading column"]) -> Float[Tensor, "*leading row"]:
        """The product, in float32."""
        tokens = x.reshape(-1, self.in_features)
        step = tokens.abs().amax(dim=-1, keepdim=True).clamp(min=_LEAST_STEP) / 127
        sums = torch._int_mm((tokens / step).round().to(torch.int8), self.levels)
        product = sums.float().mul_(step).mul_(self.step)
        if self.bias is not None:
            product = product.add_(self.bias)
        return product.view(*x.shape[:-1], self.out_features)


class Int4Linear(nn.Module):
    """x W^T + b with W in int4, a step for each group of weights in a row; x and the product in bfloat16."""

    levels: Tensor
    steps: Tensor

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.group = GROUP if linear.in_features % GROUP == 0 else 32
        rounded = round_matrix(linear.weight.detach().float(), 4, f"groups of {self.group}")
        levels = (rounded.values / rounded.steps.clamp(min=_LEAST_STEP)).round().to(torch.int32) + 8  # 1 to 15; 8 is 0
        self.register_buffer("levels", torch.ops.aten._convert_weight_to_int4pack_for_cpu(levels, 1))
        steps = rounded.steps[:, :: self.group].t()
        scales_and_zeros = torch.stack([steps, torch.zeros_like(steps)], dim=-1)
        self.register_buffer("steps", scales_and_zeros.to(torch.bfloat16).contiguous())
        self.bias = None if linear.bias is None else nn.Parameter(linear.bias.detach().bfloat16(), requires_grad=False)

    def forward(self, x: Float[Tensor, "*leading column"]) -> Float[Tensor, "*leading row"]:
        """The product, in bfloat16."""
        tokens = x.reshape(-1, self.in_features).bfloat16().contiguous()
        product = torch.ops.aten._weight_int4pack_mm_for_cpu(tokens, self.levels, self.group, self.steps)
        if self.bias is not None:
            product = product + self.bias
        return product.view(*x.shape[:-1], self.out_features)


def fits_int4(linear: nn.Linear) -> bool:
    """Whether torch's int4 product supports the shape of this matrix; if not, it stays in bfloat16."""
    return linear.in_features % 32 == 0 and linear.out_features % 16 == 0


@torch.no_grad()
def in_number_format(network: nn.Module, name: str) -> nn.Module:
    """A copy that computes in one of FORMATS; inputs and outputs of the whole network stay in float32.

    int8: all linear maps, the rest in float32. int4: all linear maps that `fits_int4`, the rest in bfloat16.
    """
    changed = copy.deepcopy(network)
    if name in ("int8", "int4"):
        for path, linear in matrices_of(changed).items():
            if name == "int8" or fits_int4(linear):
                put(changed, path, (Int8Linear if name == "int8" else Int4Linear)(linear))
    if name in ("bfloat16", "int4"):
        changed.bfloat16()
        changed.register_forward_pre_hook(lambda _, inputs: tuple(_as(torch.bfloat16, value) for value in inputs))
        changed.register_forward_hook(lambda _, __, output: _as(torch.float32, output))
    return changed


def _as(dtype: torch.dtype, value: object) -> object:
    """Cast a floating-point tensor, or those in a tuple, to `dtype`; anything else is returned unchanged."""
    if isinstance(value, Tensor):
        return value.to(dtype) if value.is_floating_point() else value
    if type(value) is tuple:
        return tuple(_as(dtype, part) for part in value)
    return value


def parameter_count(network: nn.Module) -> int:
    """The number of a network's parameters, in whatever format; shared ones count once.

    A matrix that was shared with an embedding and is quantised is not shared any more.
    """
    count = sum(weight.numel() for weight in network.parameters())
    rounded = (linear for linear in network.modules() if isinstance(linear, Int8Linear | Int4Linear))
    return count + sum(linear.in_features * linear.out_features for linear in rounded)


def size_in_bytes(network: nn.Module) -> int:
    """The bytes of a network's parameters and buffers in memory; shared ones count once."""
    tensors = {tensor.data_ptr(): tensor for tensor in (*network.parameters(), *network.buffers())}
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
