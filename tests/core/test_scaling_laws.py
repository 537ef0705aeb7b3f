"""Fitted laws find the coefficients that made the data, and agree with what others found in the same points."""

import numpy as np
import pytest

from core.errors import InputError
from core.published import chinchilla_runs
from core.scaling import Chinchilla, ComputeFrontier, Kaplan, Law, Points, bootstrap, frontier

TRUE: tuple[Law, ...] = (
    Chinchilla(1.7, 400.0, 1500.0, 0.34, 0.29),
    Kaplan(8.8e13, 5.4e13, 0.076, 0.095),
)


def made_by(law: Law, *, noise: float = 0.0, seed: int = 0, count: int = 120) -> Points:
    random = np.random.default_rng(seed)
    parameters, tokens = 10 ** random.uniform(7, 10.5, count), 10 ** random.uniform(8.5, 12, count)
    return Points(parameters, tokens, law.loss(parameters, tokens) * np.exp(noise * random.standard_normal(count)))


@pytest.mark.parametrize("law", TRUE, ids=lambda law: type(law).__name__)
def test_a_fit_recovers_the_coefficients_of_synthetic_data(law):
    fitted = type(law).fit(made_by(law))
    assert fitted.values() == pytest.approx(law.values(), rel=2e-2)


def test_the_frontier_of_compute_recovers_its_coefficients():
    law = ComputeFrontier(1.6, 2e19, 0.155)
    assert ComputeFrontier.fit(made_by(law)).values() == pytest.approx(law.values(), rel=1e-3)


@pytest.mark.parametrize("law", TRUE, ids=lambda law: type(law).__name__)
def test_exponents_survive_noise_within_their_interval(law):
    resampled = bootstrap(type(law), made_by(law, noise=0.003), draws=40)
    for name, (low, high) in resampled.intervals(0.99).items():
        if name.startswith(("alpha", "beta")):
            assert low <= getattr(law, name) <= high


def test_the_chinchilla_points_give_the_law_of_the_replication():
    # Besiroglu et al. 2024, "Chinchilla Scaling: A replication attempt": they leave out five outliers.
    runs = sorted(chinchilla_runs(), key=lambda run: run.loss)[:-5]
    parameters = np.array([run.parameters for run in runs])
    flops = np.array([run.training_flops for run in runs])
    fitted = Chinchilla.fit(Points(parameters, flops / 6 / parameters, np.array([run.loss for run in runs])))
    assert fitted.irreducible == pytest.approx(1.8172, abs=1e-3)
    assert fitted.alpha == pytest.approx(0.3478, abs=2e-3)
    assert fitted.beta == pytest.approx(0.3658, abs=3e-3)
    assert fitted.parameter_scale == pytest.approx(482.01, rel=0.02)
    assert fitted.token_scale == pytest.approx(2085.43, rel=0.04)


def test_the_optimal_split_is_the_lowest_of_all_splits_that_cost_the_same():
    law = Chinchilla(1.8, 480.0, 2100.0, 0.35, 0.37)
    flops = 1e21
    parameters, tokens = law.optimal(np.array([flops]))
    assert 6 * parameters * tokens == pytest.approx(flops)
    others = parameters * np.geomspace(0.2, 5, 801)
    losses = law.loss(others, flops / 6 / others)
    assert others[losses.argmin()] == pytest.approx(parameters, rel=0.01)


@pytest.mark.parametrize("law", [*TRUE, ComputeFrontier(1.6, 2e19, 0.155)], ids=lambda law: type(law).__name__)
def test_the_lowest_loss_is_that_of_the_best_of_many_splits(law):
    flops, sizes = np.array([1e18, 1e20, 1e22]), np.geomspace(1e4, 1e15, 20_000)
    tried = [law.loss(sizes, budget / 6 / sizes).min() for budget in flops]
    assert law.lowest(flops) == pytest.approx(tried, rel=1e-5)


def test_the_frontier_is_what_no_other_run_beats():
    random = np.random.default_rng(1)
    points = Points(random.uniform(1, 9, 60), random.uniform(1, 9, 60), random.uniform(1, 3, 60))
    by_definition = [
        not any(points.flops[j] <= points.flops[i] and points.loss[j] < points.loss[i] for j in range(60))
        for i in range(60)
    ]
    assert frontier(points).tolist() == by_definition


def test_a_band_is_narrow_where_there_are_points_and_wide_far_away():
    law = TRUE[0]
    resampled = bootstrap(Chinchilla, made_by(law, noise=0.005), draws=40)
    low, high = resampled.band(np.array([1e20, 1e29]))
    assert (low <= high).all()
    assert high[1] / low[1] > 2 * high[0] / low[0] - 1


def test_too_few_runs_are_an_error_with_both_numbers():
    with pytest.raises(InputError, match=r"5 numbers needs more than 5 runs .* here are 5"):
        Chinchilla.fit(made_by(TRUE[0], count=5))
    with pytest.raises(InputError, match="here are 1"):
        ComputeFrontier.fit(Points(np.ones(4), np.ones(4), np.ones(4)))


def test_progress_is_told_of_every_draw():
    reports: list[tuple[int, int]] = []
    bootstrap(Kaplan, made_by(TRUE[1], noise=0.01), draws=3, progress=lambda done, of: reports.append((done, of)))
    assert reports == [(1, 3), (2, 3), (3, 3)]
