"""What Swin adds to the score of a pair of places because of where they lie: by a table, or by a small network.

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
class Continuous:
    """How SwinV2 came to its biases: the distances as its network sees them, and what that answers."""

    coordinates: Float[Tensor, "row column 2"]  # sign(d) log2(1 + 8 |d| / (window - 1)) / log2(8)
    answer: Float[Tensor, "head row column"]  # before 16 sigmoid
    scale: Float[Tensor, " head"]  # what the cosines are multiplied with


@dataclass(frozen=True, eq=False)
class PositionBias:
    """The biases of one block. In the table rows and columns are distances, query minus key, from the most negative."""

    window: tuple[int, int]
    table: Float[Tensor, "head row column"]
    continuous: Continuous | None  # of SwinV2

    @property
    def index(self) -> Int[Tensor, "query key"]:
        """Which number of the table, row by row, a pair of places of a window gets."""
        return window_index(*self.window)

    @property
    def added(self) -> Float[Tensor, "head query key"]:
        """What is added to the scores of a window."""
        return self.table.flatten(1)[:, self.index]

    def distance(self, query: int, key: int) -> tuple[int, int]:
        """Rows and columns from the key to the query, both positions in the window."""
        (row, column), (other_row, other_column) = divmod(query, self.window[1]), divmod(key, self.window[1])
        return row - other_row, column - other_column


def position_bias_of(network: nn.Module, layer: WindowLayer) -> PositionBias:
    """The biases of one of its blocks, by the model's own modules; ModelError if it keeps them in another way."""
    module = attention_of(network, layer)
    rows, columns = (2 * side - 1 for side in layer.window)
    continuous = None
    with torch.inference_mode():
        if (answers := _network_of(module)) is not None:
            coordinates = module.relative_coords_table[0]
            answer = answers(coordinates).movedim(-1, 0).float()
            table = LARGEST * torch.sigmoid(answer)
            continuous = Continuous(coordinates.float(), answer, scale_of(module))
        else:
            table = _table_of(module).T.unflatten(1, (rows, columns)).float()
    if tuple(table.shape[1:]) != (rows, columns):
        raise _not_understood(layer)
    return PositionBias(layer.window, table, continuous)


def attention_of(network: nn.Module, layer: WindowLayer) -> Any:
    """The module that holds the biases of a block and makes its queries and keys."""
    for path, module in network.named_modules():
        inside = path == layer.path or path.startswith(f"{layer.path}.") or layer.path.startswith(f"{path}.")
        if inside and (_network_of(module) is not None or hasattr(module, "q_proj") or _has_table(module)):
            return module
    raise _not_understood(layer)


def scale_of(module: Any) -> Float[Tensor, " head"]:
    """What SwinV2 multiplies the cosines of each head with: learned, at most 100."""
    return module.logit_scale.exp().clamp(max=LARGEST_SCALE).flatten().float()


def _network_of(module: Any) -> nn.Module | None:
    return getattr(module, "cpb_mlp", None) or getattr(module, "continuous_position_bias_mlp", None)


def _has_table(module: Any) -> bool:
    return hasattr(module, "qkv") and hasattr(module, "relative_position_bias_table")


def _table_of(module: Any) -> Float[Tensor, "_ head"]:
    holder = getattr(module, "relative_position_bias", module)
    return holder.relative_position_bias_table


def _not_understood(layer: WindowLayer) -> ModelError:
    return ModelError(f"The position bias of '{layer.path}' is kept in a way that is not known. Choose another model.")
