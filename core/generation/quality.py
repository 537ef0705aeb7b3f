"""How good made pictures are as a crowd: how near they come to true ones, and how much they differ."""

import torch
from jaxtyping import Float
from torch import Tensor


def frechet_distance(one: Float[Tensor, "batch feature"], other: Float[Tensor, "draw feature"]) -> float:
    """Between Gaussians with the means and covariances of two crowds of features: |m - m'|² + tr(C + C' - 2 √(C C')).

    Heusel et al. 2017 ("GANs trained by a two time-scale update rule", equation 6), there of Inception's features; 0
    for equal crowds. Small crowds lie farther apart: compare only what was measured with equally many.
    """
    one, other = one.double(), other.double()
    apart = (one.mean(dim=0) - other.mean(dim=0)).square().sum()
    covariance, others = torch.cov(one.T), torch.cov(other.T)
    # tr √(C C') = tr √(√C C' √C), of a symmetric matrix.
    root = _root(covariance)
    shared = torch.linalg.eigvalsh(root @ others @ root).clamp_min(0).sqrt().sum()
    return max(0.0, float(apart + covariance.trace() + others.trace() - 2 * shared))


def _root(matrix: Float[Tensor, "feature feature"]) -> Float[Tensor, "feature feature"]:
    """The symmetric root of a covariance."""
    values, vectors = torch.linalg.eigh(matrix)
    return vectors * values.clamp_min(0).sqrt() @ vectors.T


def diversity(pictures: Float[Tensor, "batch channel row column"]) -> float:
    """The root of the mean squared difference of pixels (values 0 to 1), as a mean over all pairs of pictures."""
    if len(pictures) < 2:
        raise ValueError("One picture alone differs from none: diversity needs two.")
    flat = pictures.flatten(1)
    return float(torch.pdist(flat).mean() / flat.shape[1] ** 0.5)
