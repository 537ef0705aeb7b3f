"""The quality of generated pictures as a set: distance to real pictures, and diversity."""

import torch
from jaxtyping import Float
from torch import Tensor


def frechet_distance(first: Float[Tensor, "batch feature"], second: Float[Tensor, "draw feature"]) -> float:
    """Fréchet distance of two sets of features as Gaussians: |m - m'|² + tr(C + C' - 2 √(C C')).

    Heusel et al. 2017 ("GANs trained by a two time-scale update rule", equation 6), there of Inception's features; 0
    for equal sets. Small sets have larger distances: compare only values of equally large sets.
    """
    first, second = first.double(), second.double()
    mean_difference = (first.mean(dim=0) - second.mean(dim=0)).square().sum()
    first_covariance, second_covariance = torch.cov(first.T), torch.cov(second.T)
    # tr √(C C') = tr √(√C C' √C), of a symmetric matrix.
    root = _root(first_covariance)
    root_trace = torch.linalg.eigvalsh(root @ second_covariance @ root).clamp_min(0).sqrt().sum()
    return max(0.0, float(mean_difference + first_covariance.trace() + second_covariance.trace() - 2 * root_trace))


def _root(matrix: Float[Tensor, "feature feature"]) -> Float[Tensor, "feature feature"]:
    """The symmetric square root of a covariance matrix."""
    values, vectors = torch.linalg.eigh(matrix)
    return vectors * values.clamp_min(0).sqrt() @ vectors.T


def diversity(pictures: Float[Tensor, "batch channel row column"]) -> float:
    """The root mean squared difference of pixels (values 0 to 1), averaged over all pairs of pictures."""
    if len(pictures) < 2:
        raise ValueError("One picture alone differs from none: diversity needs two.")
    flat = pictures.flatten(1)
    return float(torch.pdist(flat).mean() / flat.shape[1] ** 0.5)
