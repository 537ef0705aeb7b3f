"""Numbers are printed as books print them."""

import numpy as np
import pytest

from dashboard.numbers import column, large, signed, small, span, square, with_power


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


def test_a_span_leaves_out_what_is_not_known():
    assert span(np.array([[3.0, np.nan], [1.0, 9.0]])) == "1 to 9"
    assert span(np.array([0.25, 0.5]), "{:.0%}".format) == "25% to 50%"
    assert span(np.array([np.nan, np.nan])) == "no number"


def test_a_column_has_one_number_a_line():
    assert column(0.5, -1.0) == r"\begin{pmatrix} 0.50 \\ -1.00 \end{pmatrix}"


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


def test_powers_of_ten_have_as_many_digits_as_asked_for():
    assert with_power(2.3e-9, digits=1) == "2\u00a0×\u00a010⁻⁹"
