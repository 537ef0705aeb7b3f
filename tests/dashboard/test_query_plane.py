import math

import numpy as np
import pytest
import torch

from core.attention.query_key_plane import plane_of_most, plane_of_query, turned
from dashboard.components.query_plane import pack, turn_of


def test_a_turn_in_a_message_is_a_whole_number_of_degrees_and_nothing_else_is_one():
    assert [turn_of({"turn": turn, "at": 1}) for turn in (0, 180, 360)] == [(0,), (180,), (360,)]
    for message in (None, [], {}, {"turn": 361}, {"turn": -1}, {"turn": 1.5}, {"turn": True}, {"turn": "9"}):
        assert turn_of(message) is None


def test_a_query_without_keys_and_a_divisor_of_zero_are_refused():
    query, keys, axes = torch.ones(2), torch.ones(3, 2), torch.eye(2)
    with pytest.raises(ValueError, match="of 3 keys it may attend to none"):
        pack(query, keys, torch.zeros(3, dtype=torch.bool), axes, divisor=1.0)
    with pytest.raises(ValueError, match=r"not by 0\.0"):
        pack(query, keys, torch.ones(3, dtype=torch.bool), axes, divisor=0.0)


@pytest.mark.parametrize("channels", [1, 2, 3, 16])
@pytest.mark.parametrize("degrees", [-180.0, -73.0, 0.0, 5.0])
def test_two_axes_and_a_fixed_part_are_enough_for_the_dot_products_of_all_channels(channels, degrees):
    generator = torch.Generator().manual_seed(channels)
    query, keys = torch.randn(channels, generator=generator), torch.randn(7, channels, generator=generator)
    for axes in (plane_of_query(query, keys[0]), plane_of_most(torch.cat([query[None], keys]))):
        message = pack(query, keys, torch.ones(7, dtype=torch.bool), axes, divisor=1.0)
        place = complex(*message["query"]) * np.exp(1j * math.radians(degrees))
        products = np.array(message["keys"]) @ [place.real, place.imag] + message["fixed"]
        if channels > 1:
            np.testing.assert_allclose(products, keys @ turned(query, axes, degrees), atol=1e-5)
        else:  # a line is no plane: the turned part beside it meets no key
            np.testing.assert_allclose(products, keys[:, 0] * float(query) * math.cos(math.radians(degrees)), atol=1e-5)
