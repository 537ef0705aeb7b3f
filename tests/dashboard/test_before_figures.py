"""Tables and labels of the page "Before attention"."""

import pytest

from core.costs.complexity import Sizes
from core.costs.layer_costs import LAYERS
from core.models.character import BODIES
from dashboard.numbers import large, with_power
from pages.foundations.before_attention import ways_section
from pages.foundations.before_attention.measured_layers import LAYER_HUES
from pages.foundations.before_attention.models import HUE, TITLES


def test_every_model_and_every_layer_has_a_name_and_a_hue_of_its_own():
    assert list(TITLES) == list(BODIES)
    assert len(set(HUE.values())) == len(BODIES)
    assert set(LAYER_HUES) == set(LAYERS)


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (1, "1"),
        (65_536, "65,536"),
        (9_999_999, "9,999,999"),
        (134_217_728, "1.34\u00a0×\u00a010⁸"),
        (10**14, "1.00\u00a0×\u00a010¹⁴"),
    ],
)
def test_large_numbers_are_written_as_people_write_them(number, written):
    assert large(number) == written


def test_small_numbers_have_a_raised_power():
    assert with_power(2.3e-9, digits=1) == "2\u00a0×\u00a010⁻⁹"


def test_the_table_has_the_smallest_number_of_each_column_in_bold():
    cells = ways_section.table(Sizes(n=1000, d=512, k=10, r=100))
    assert cells.loc["Restricted self-attention", "operations"] == "$O(r\\,n\\,d)$\u2003**5.12\u00a0×\u00a010⁷**"
    assert cells.loc["Self-attention", "operations"] == "$O(n^2\\,d)$\u20035.12\u00a0×\u00a010⁸"
    assert cells.loc["Recurrent", "sequential steps"] == "$O(n)$\u20031,000"
    assert cells.loc["Self-attention", "path length"] == "$O(1)$\u2003**1**"
    assert cells.loc["Dilated convolution", "path length"] == "$O(\\log_k n)$\u20033"
