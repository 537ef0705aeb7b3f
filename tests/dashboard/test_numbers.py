"""Numbers are printed as books print them."""

import pytest

from dashboard.numbers import column, signed, small, square


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.0, "0"),
        (1.2345e-6, "1.2\u00a0×\u00a010⁻⁶"),
        (-1.2345e-6, "−1.2\u00a0×\u00a010⁻⁶"),
        (0.0341, "0.034"),
        (2.713, "2.71"),
        (-2.713, "−2.71"),
    ],
)
def test_small_numbers_keep_their_power_of_ten(value, printed):
    assert small(value) == printed


def test_there_is_no_minus_zero():
    assert signed(-0.001) == "0.00"
    assert square([[-0.001, 1.0]]) == r"\begin{pmatrix} 0.00 & 1.00 \end{pmatrix}"


def test_a_column_has_one_number_a_line():
    assert column(0.5, -1.0) == r"\begin{pmatrix} 0.50 \\ -1.00 \end{pmatrix}"
