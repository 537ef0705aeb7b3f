import numpy as np
import pytest
import torch
from scipy.linalg import sqrtm

from core.generation.quality import diversity, frechet_distance


def test_the_frechet_distance_of_a_crowd_from_itself_is_nothing_and_of_a_moved_one_the_square_of_the_way():
    crowd = torch.randn(200, 5, generator=torch.Generator().manual_seed(0))
    assert frechet_distance(crowd, crowd) == pytest.approx(0, abs=1e-9)
    assert frechet_distance(crowd, crowd + torch.tensor([3.0, 0, 4.0, 0, 0])) == pytest.approx(25, rel=1e-5)


def test_the_frechet_distance_agrees_with_the_root_of_a_product_of_matrices():
    generator = torch.Generator().manual_seed(1)
    one = torch.randn(50, 4, generator=generator) @ torch.randn(4, 4, generator=generator)
    other = torch.randn(70, 4, generator=generator) @ torch.randn(4, 4, generator=generator) + 1
    covariances = [np.cov(features.double().numpy(), rowvar=False) for features in (one, other)]
    apart = float((one.double().mean(0) - other.double().mean(0)).square().sum())
    expected = apart + np.trace(covariances[0] + covariances[1] - 2 * sqrtm(covariances[0] @ covariances[1]).real)
    assert frechet_distance(one, other) == pytest.approx(expected, rel=1e-6)
    assert frechet_distance(other, one) == pytest.approx(expected, rel=1e-6)


def test_diversity_is_the_mean_distance_of_pairs():
    pictures = torch.zeros(3, 3, 2, 2)
    pictures[1] = 0.5
    pictures[2] = 1.0
    assert diversity(pictures) == pytest.approx((0.5 + 1.0 + 0.5) / 3)
    assert diversity(torch.zeros(4, 3, 2, 2)) == 0
    with pytest.raises(ValueError, match="needs two"):
        diversity(torch.zeros(1, 3, 2, 2))
