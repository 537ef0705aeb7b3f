"""Growth by least squares, against numpy's and scipy's own lines, and on a law that is known."""

import math

import numpy as np
import pytest
from scipy import stats

from core.scaling.growth import fit_growth

YEARS = np.random.default_rng(3).uniform(2010, 2025, 80)


def test_a_known_doubling_time_is_found():
    fitted = fit_growth(YEARS, 3e4 * 2 ** ((YEARS - 2010) / 0.75))
    assert fitted.doubling == pytest.approx(0.75)
    assert fitted.line(np.array([2010.0]))[0] == pytest.approx(3e4)
    assert fitted.scatter == pytest.approx(0, abs=1e-9)


def test_rate_and_error_are_those_of_scipy():
    values = 10 ** (0.4 * (YEARS - 2000) + np.random.default_rng(4).normal(0, 0.8, len(YEARS)))
    fitted, other = fit_growth(YEARS, values), stats.linregress(YEARS, np.log10(values))
    assert (fitted.rate, fitted.error) == pytest.approx((other.slope, other.stderr))
    low, high = fitted.interval
    assert low < 0.4 < high
    quick, slow = fitted.doubling_interval
    assert quick < math.log10(2) / 0.4 < slow
    below, above = fitted.band(np.array([2015.0]))
    assert below[0] < fitted.line(np.array([2015.0]))[0] < above[0]


def test_the_interval_holds_the_truth_in_95_of_100_samples():
    random, inside = np.random.default_rng(5), 0
    for _ in range(400):
        low, high = fit_growth(YEARS[:12], 10 ** (0.2 * YEARS[:12] - 400 + random.normal(0, 1, 12))).interval
        inside += low < 0.2 < high
    assert 0.92 < inside / 400 < 0.98


def test_what_shrinks_has_a_negative_doubling_time_and_what_stands_has_no_interval():
    assert fit_growth(YEARS, 2.0 ** (2010 - YEARS)).doubling == pytest.approx(-1)
    hill = fit_growth(np.arange(2010.0, 2014.0), np.array([1.0, 10.0, 10.0, 1.0]))
    assert hill.doubling_interval is None


@pytest.mark.parametrize("years", [[], [2012.0, 2013.0], [2012.0] * 5])
def test_too_little_is_an_error(years):
    with pytest.raises(ValueError, match="three points of two years"):
        fit_growth(np.array(years), np.ones(len(years)))
