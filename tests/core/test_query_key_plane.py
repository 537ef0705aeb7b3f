"""The plane of a query and a key, and that of most squared length, beside independent computations in numpy."""

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.attention.query_key_plane import (
    angles_between,
    is_plane,
    plane_of_most,
    plane_of_query,
    products_outside,
    squared_length_kept,
    turned,
)

NUMBERS = st.floats(-5, 5, width=32)
VECTOR = arrays(np.float64, 6, elements=NUMBERS)
VECTORS = st.integers(1, 7).flatmap(lambda count: arrays(np.float64, (count, 6), elements=NUMBERS))


def orthonormal(axes):
    return np.allclose(axes.T @ axes, np.eye(2), atol=1e-6)


@given(VECTOR, VECTOR)
def test_a_query_and_its_key_lie_in_their_plane_whatever_they_are(query, key):
    axes = plane_of_query(torch.from_numpy(query), torch.from_numpy(key)).numpy()
    assert orthonormal(axes)
    for vector in (query, key):
        np.testing.assert_allclose(axes @ (axes.T @ vector), vector, atol=1e-4)
    if np.linalg.norm(query) > 0:
        np.testing.assert_allclose(axes.T @ query, [np.linalg.norm(query), 0], atol=1e-6)


@given(VECTOR, VECTORS)
def test_dot_products_with_a_query_in_the_plane_are_exact(query, keys):
    axes = plane_of_query(torch.from_numpy(query), torch.from_numpy(keys[0])).numpy()
    np.testing.assert_allclose((keys @ axes) @ (axes.T @ query), keys @ query, atol=1e-4)


@given(VECTORS, arrays(np.float64, (6, 2), elements=NUMBERS))
def test_no_other_plane_keeps_more_than_that_of_most(vectors, other):
    basis, _ = np.linalg.qr(other)
    assume(orthonormal(basis))
    axes = plane_of_most(torch.from_numpy(vectors))
    assert orthonormal(axes.numpy())
    total = float((vectors**2).sum())
    share = squared_length_kept(torch.from_numpy(vectors), axes)
    if total == 0:
        assert math.isnan(share)
        return
    assert share >= float(((vectors @ basis) ** 2).sum()) / total - 1e-9
    values = np.linalg.eigvalsh(vectors.T @ vectors)  # of another kind than the singular values of the code
    assert share == pytest.approx(values[-2:].sum() / total, abs=1e-6)


@given(VECTOR, arrays(np.float64, (6, 2), elements=NUMBERS), st.floats(-180, 180))
def test_a_turn_is_a_rotation_in_the_plane_and_keeps_length_and_the_rest(query, other, degrees):
    axes, _ = np.linalg.qr(other)
    assume(orthonormal(axes))
    after = turned(torch.from_numpy(query), torch.from_numpy(axes), degrees).numpy()
    assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(query), abs=1e-6)
    before, now = (complex(*(axes.T @ vector)) for vector in (query, after))
    assert now == pytest.approx(before * np.exp(1j * np.deg2rad(degrees)), abs=1e-6)
    outside = np.eye(6) - axes @ axes.T
    np.testing.assert_allclose(outside @ after, outside @ query, atol=1e-6)


@given(VECTOR, VECTORS, arrays(np.float64, (6, 2), elements=NUMBERS), st.floats(-180, 180))
def test_no_turn_changes_the_part_of_a_dot_product_outside_of_the_plane(query, keys, other, degrees):
    axes, _ = np.linalg.qr(other)
    assume(orthonormal(axes))
    outside = products_outside(torch.from_numpy(query), torch.from_numpy(keys), torch.from_numpy(axes)).numpy()
    np.testing.assert_allclose(outside, keys @ (np.eye(6) - axes @ axes.T) @ query, atol=1e-6)
    after = turned(torch.from_numpy(query), torch.from_numpy(axes), degrees).numpy()
    np.testing.assert_allclose(outside + (keys @ axes) @ (axes.T @ after), keys @ after, atol=1e-6)


def test_a_quarter_turn_goes_from_the_first_axis_to_the_second():
    after = turned(torch.tensor([2.0, 0.0]), torch.eye(2), 90.0)
    torch.testing.assert_close(after, torch.tensor([0.0, 2.0]), atol=1e-6, rtol=0)


@pytest.mark.parametrize("channels", [1, 2])
def test_a_head_of_two_channels_is_its_own_plane(channels):
    vectors = torch.randn(4, channels, generator=torch.Generator().manual_seed(0))
    assert is_plane(vectors)
    assert not is_plane(torch.ones(4, 3))
    for axes in (plane_of_query(vectors[0], vectors[1]), plane_of_most(vectors)):
        torch.testing.assert_close(axes, torch.eye(channels, 2))
        assert squared_length_kept(vectors, axes) == 1


@given(VECTOR, VECTORS)
def test_angles_are_those_of_the_lengths_of_a_triangle(query, keys):
    angles = angles_between(torch.from_numpy(query), torch.from_numpy(keys)).numpy()
    for key, angle in zip(keys, angles, strict=True):
        sides = np.linalg.norm(query), np.linalg.norm(key), np.linalg.norm(query - key)
        if sides[0] == 0 or sides[1] == 0:
            assert np.isnan(angle)
        elif min(sides[:2]) > 1e-3:
            cosine = (sides[0] ** 2 + sides[1] ** 2 - sides[2] ** 2) / (2 * sides[0] * sides[1])
            assert math.cos(math.radians(angle)) == pytest.approx(cosine, abs=1e-5)
