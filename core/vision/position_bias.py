"""The relative position bias of Swin's attention scores: a table, or a small network.

Swin (Liu et al. 2021, equation 4) learned a table: a number for each head and each distance in rows and columns.
SwinV2 (Liu et al. 2022, sections 3.2 and 3.3) computes it, 16 sigmoid(MLP(log-spaced distance)), and compares
queries and keys by their cosine, times a learned scale for each head.
"""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..attention.positional_encodings import window_index
from ..errors import ModelError
from .windows import WindowLayer

LARGEST = 16.0  # of SwinV2's biases: a sigmoid times this
LARGEST_SCALE = 100.0  # of SwinV2's cosines


@dataclass(frozen=True, eq=False)
class ContinuousBias:
    """The continuous position bias of SwinV2: the input and output of its network."""

    coordinates: Float[Tensor, "row column 2"]  # sign(d) log2(1 + 8 |d| / (window - 1)) / log2(8)
    network_output: Float[Tensor, "head row column"]  # before 16 sigmoid
    scale: Float[Tensor, " head"]  # the factor of the cosines


@dataclass(frozen=True, eq=False)
class PositionBias:
    """The biases of one block. In the table rows and columns are distances, query minus key, from the most negative."""

    window: tuple[int, int]
    table: Float[Tensor, "head row column"]
    continuous: ContinuousBias | None  # of SwinV2

    @property
    def index(self) -> Int[Tensor, "query key"]:
        """The index into the flattened table for each pair of positions of a window."""
        return window_index(*self.window)

    @property
    def matrix(self) -> Float[Tensor, "head query key"]:
        """The biases that are added to the scores of a window."""
        return self.table.flatten(1)[:, self.index]

    def distance(self, query: int, key: int) -> tuple[int, int]:
        """Rows and columns from the key to the query, both positions in the window."""
        (row, column), (other_row, other_column) = divmod(query, self.window[1]), divmod(key, self.window[1])
        return row - other_row, column - other_column


def position_bias_of(network: nn.Module, layer: WindowLayer) -> PositionBias:
    """The biases of one block. Raises ModelError if the model does not store them in a known way."""
    module = attention_of(network, layer)
    rows, columns = (2 * side - 1 for side in layer.window)
    continuous = None
    with torch.inference_mode():
        if (bias_network := _bias_network(module)) is not None:
            coordinates = module.relative_coords_table[0]
            network_output = bias_network(coordinates).movedim(-1, 0).float()
            table = LARGEST * torch.sigmoid(network_output)
            continuous = ContinuousBias(coordinates.float(), network_output, scale_of(module))
        else:
            table = _table_of(module).T.unflatten(1, (rows, columns)).float()
    if tuple(table.shape[1:]) != (rows, columns):
        raise _unknown_bias_error(layer)
    return PositionBias(layer.window, table, continuous)


def attention_of(network: nn.Module, layer: WindowLayer) -> Any:
    """The module that holds the biases of a block and makes its queries and keys."""
    for path, module in network.named_modules():
        inside = path == layer.path or path.startswith(f"{layer.path}.") or layer.path.startswith(f"{path}.")
        if inside and (_bias_network(module) is not None or hasattr(module, "q_proj") or _has_table(module)):
            return module
    raise _unknown_bias_error(layer)


def scale_of(module: Any) -> Float[Tensor, " head"]:
    """The learned factor of SwinV2's cosines for each head, at most 100."""
    return module.logit_scale.exp().clamp(max=LARGEST_SCALE).flatten().float()


def _bias_network(module: Any) -> nn.Module | None:
    return getattr(module, "cpb_mlp", None) or getattr(module, "continuous_position_bias_mlp", None)


def _has_table(module: Any) -> bool:
    return hasattr(module, "qkv") and hasattr(module, "relative_position_bias_table")


def _table_of(module: Any) -> Float[Tensor, "_ head"]:
    holder = getattr(module, "relative_position_bias", module)
    return holder.relative_position_bias_table


def _unknown_bias_error(layer: WindowLayer) -> ModelError:
    return ModelError(f"The position bias of '{layer.path}' is kept in a way that is not known. Choose another model.")
