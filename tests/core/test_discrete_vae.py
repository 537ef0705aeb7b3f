import math

import pytest
import torch
from torch.distributions import Laplace

from core.models.discrete_vae import (
    EDGE,
    DiscreteVAE,
    DiscreteVAEConfig,
    DiscreteVAEOutput,
    divergence_from_uniform,
    loss_of,
    negative_log_likelihood,
    straight_through,
    unmap_values,
)

GUMBEL = DiscreteVAEConfig(side=16, grid=4, codes=12, code_width=6, width=8, blocks=1)
NEAREST = DiscreteVAEConfig(side=16, grid=4, codes=12, code_width=6, width=8, blocks=1, quantiser="nearest")


def made(config: DiscreteVAEConfig) -> DiscreteVAE:
    torch.manual_seed(0)
    return DiscreteVAE(config)


def test_the_nearest_code_is_the_nearest_by_distance():
    network = made(NEAREST)
    pixels = torch.rand(3, 3, 16, 16)
    encoded = network.encoder(2 * pixels - 1).permute(0, 2, 3, 1).reshape(-1, 6)
    expected = torch.cdist(encoded, network.codebook.weight).argmin(dim=1).view(3, 4, 4)
    assert torch.equal(network.codes(pixels), expected)


def test_the_gradient_passes_straight_through_the_quantiser():
    encoded = torch.randn(2, 6, 4, 4, requires_grad=True)
    chosen = torch.randn(2, 6, 4, 4, requires_grad=True)
    through = straight_through(encoded, chosen)
    assert torch.allclose(through, chosen)
    slope = torch.randn(2, 6, 4, 4)
    (through * slope).sum().backward()
    assert torch.equal(encoded.grad, slope)
    assert chosen.grad is None


def test_both_halves_of_the_distance_pull_where_they_should():
    network = made(NEAREST)
    pixels = torch.rand(2, 3, 16, 16)
    coded = network(pixels)
    encoded, chosen = coded.encoded.detach(), network.vectors(coded.codes).detach()
    flat = DiscreteVAEOutput(coded.location.detach(), coded.encoded, coded.codes)
    loss_of(network, pixels, flat).backward()
    # d/dC of the mean of |sg(l) - C_k|^2: twice what it is away, summed over the places that chose it.
    expected = torch.zeros(12, 6)
    away = 2 * (chosen - encoded) / encoded.numel()
    for code in range(12):
        expected[code] = away.permute(0, 2, 3, 1)[coded.codes == code].sum(dim=0)
    assert torch.allclose(network.codebook.weight.grad, expected, atol=1e-6)


def test_the_density_is_that_of_a_laplace_of_logits():
    pixels, location, log_spread = torch.rand(50), torch.randn(50), 0.3 * torch.randn(50)
    squeezed = (1 - 2 * EDGE) * pixels + EDGE
    # The density of y = logit(x), times |dy/dx|.
    expected = Laplace(location, log_spread.exp()).log_prob(squeezed.logit()) - (squeezed * (1 - squeezed)).log()
    assert torch.allclose(-negative_log_likelihood(pixels, location, log_spread), expected, atol=1e-5)
    assert torch.allclose(unmap_values(squeezed), pixels, atol=1e-6)


def test_codes_that_are_all_alike_likely_diverge_from_even_by_nothing_and_a_sure_one_by_the_log_of_their_number():
    even = divergence_from_uniform(torch.zeros(1, 12, 2, 2))
    assert torch.allclose(even, torch.zeros_like(even), atol=1e-6)
    logits = torch.zeros(1, 12, 2, 2)
    logits[:, 3] = 100
    assert torch.allclose(divergence_from_uniform(logits), torch.full((1, 2, 2), math.log(12)), atol=1e-5)


def test_a_cold_gumbel_softmax_draws_codes_as_often_as_the_softmax_says():
    logits = torch.tensor([0.0, 1.0, 2.0, -1.0])
    torch.manual_seed(0)
    drawn = torch.nn.functional.gumbel_softmax(logits.expand(20_000, 4), tau=1 / 16, dim=1)
    assert float(drawn.max(dim=1).values.median()) > 0.99
    shares = torch.bincount(drawn.argmax(dim=1), minlength=4) / 20_000
    assert torch.allclose(shares, logits.softmax(dim=0), atol=0.015)


@pytest.mark.parametrize("config", [GUMBEL, NEAREST])
def test_codes_are_painted_as_pictures_and_every_weight_learns(config: DiscreteVAEConfig):
    network = made(config)
    pixels = torch.rand(2, 3, 16, 16)
    painted = network.paint(network.codes(pixels))
    assert painted.shape == pixels.shape
    assert 0 <= float(painted.min()) <= float(painted.max()) <= 1
    loss_of(network, pixels, network(pixels)).backward()
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in network.parameters())


@pytest.mark.parametrize(("side", "grid"), [(64, 64), (64, 24), (60, 20)])
def test_a_grid_that_halving_never_reaches_is_refused(side: int, grid: int):
    with pytest.raises(ValueError, match=rf"A picture of {side} pixels is halved until {grid} tokens are left"):
        DiscreteVAEConfig(side=side, grid=grid)
