"""Magnitude pruning: weights set to zero one by one or neuron by neuron, and neurons removed.

Magnitude pruning (Han et al. 2015, "Learning both Weights and Connections for Efficient Neural Networks", section 3).
"""

from copy import deepcopy

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import prune

from .layouts import hidden_layers, matrices_of, put, some_columns, some_rows


def with_zeros(network: nn.Module, share: float) -> nn.Module:
    """A copy in which the smallest `share` of the weights, over all matrices together, is set to zero."""
    changed = deepcopy(network)
    linears = list(matrices_of(changed).values())
    if share > 0:
        prune.global_unstructured([(linear, "weight") for linear in linears], prune.L1Unstructured, amount=share)
        for linear in linears:
            prune.remove(linear, "weight")
    return changed.requires_grad_(False)


def with_silent_neurons(network: nn.Module, share: float) -> nn.Module:
    """A copy in which the `share` of neurons with the shortest incoming weights is zero, in each feed-forward layer."""
    changed = deepcopy(network)
    for layer in hidden_layers(changed):
        weak = ~strongest(layer.module.get_submodule(layer.into[-1]).weight, share)  # type: ignore[arg-type]
        for name in layer.into:
            linear = layer.module.get_submodule(name)
            prune.custom_from_mask(linear, "weight", (~weak)[:, None].expand_as(linear.weight))  # type: ignore[arg-type]
            prune.remove(linear, "weight")
            if linear.bias is not None:
                prune.custom_from_mask(linear, "bias", ~weak)
                prune.remove(linear, "bias")
    return changed.requires_grad_(False)


def without_neurons(network: nn.Module, share: float) -> nn.Module:
    """A copy without the `share` of neurons with the shortest incoming weights, in each feed-forward layer.

    Smaller matrices, and the same outputs as `with_silent_neurons`, since GELU, ReLU and SiLU of 0 are 0.
    """
    smaller = deepcopy(network)
    for layer in hidden_layers(smaller):
        neurons = strongest(layer.module.get_submodule(layer.into[-1]).weight, share).nonzero()[:, 0]  # type: ignore[arg-type]
        for name in layer.into:
            put(layer.module, name, some_rows(layer.module.get_submodule(name), neurons))  # type: ignore[arg-type]
        put(layer.module, layer.out_of, some_columns(layer.module.get_submodule(layer.out_of), neurons))  # type: ignore[arg-type]
    return smaller.requires_grad_(False)


def strongest(weights: Float[Tensor, "row column"], share: float) -> Tensor:
    """True for the neurons (rows) that remain when the `share` with the shortest rows is removed; at least one."""
    removed = min(round(share * len(weights)), len(weights) - 1)
    stays = torch.ones(len(weights), dtype=torch.bool)
    if removed:
        holder = nn.ParameterDict({"weight": nn.Parameter(weights.detach().clone())})
        prune.ln_structured(holder, "weight", amount=removed, n=2, dim=0)
        stays = holder.weight_mask[:, 0] > 0  # type: ignore[operator, index]
    return stays


class SparseLinear(nn.Module):
    """x W^T + b with W as a sparse matrix in CSR format."""

    ends: Tensor
    columns: Tensor
    values: Tensor

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        rows = linear.weight.detach().to_sparse_csr()
        self.register_buffer("ends", rows.crow_indices().int())
        self.register_buffer("columns", rows.col_indices().int())
        self.register_buffer("values", rows.values())
        self.bias = linear.bias

    def forward(self, x: Float[Tensor, "*leading column"]) -> Float[Tensor, "*leading row"]:
        """The product."""
        shape = (self.out_features, self.in_features)
        matrix = torch.sparse_csr_tensor(self.ends, self.columns, self.values, shape, check_invariants=False)
        product = (matrix @ x.reshape(-1, self.in_features).t()).t()
        if self.bias is not None:
            product = product + self.bias
        return product.reshape(*x.shape[:-1], self.out_features)


def as_sparse(network: nn.Module) -> nn.Module:
    """A copy whose linear maps are sparse (CSR)."""
    changed = deepcopy(network)
    for path, linear in matrices_of(changed).items():
        put(changed, path, SparseLinear(linear))
    return changed


def share_of_zeros(network: nn.Module) -> float:
    """The share of zeros among the weights of all linear maps."""
    weights = [linear.weight for linear in matrices_of(network).values()]
    return sum(int((weight == 0).sum()) for weight in weights) / max(1, sum(weight.numel() for weight in weights))


def bytes_packed(network: nn.Module) -> int:
    """The bytes of a network on disk if its matrices are stored as a bitmap and their non-zero weights (float32)."""
    matrices = {id(linear.weight): linear.weight for linear in matrices_of(network).values()}
    size = sum(weight.numel() * 4 for weight in network.parameters() if id(weight) not in matrices)
    return size + sum(4 * int((matrix != 0).sum()) + (matrix.numel() + 7) // 8 for matrix in matrices.values())
