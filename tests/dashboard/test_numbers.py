"""Numbers are printed as books print them."""

from math import inf, isnan, nan

import numpy as np
import pytest

from dashboard.number_format import (
    column,
    compare,
    compare_shares,
    compare_times,
    large,
    share_error,
    signed,
    small,
    span,
    square,
    with_power,
)


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


@pytest.mark.parametrize(
    ("value", "other", "margin", "expected"),
    [
        (2.0, 1.0, 0.0, "more"),
        (1.0, 2.0, 0.0, "less"),
        (1.0, 1.0, 0.0, "as much"),
        (1.0, 1.5, 0.5, "as much"),
        (1.0, 1.6, 0.5, "less"),
        (inf, inf, 0.0, "as much"),
        (inf, 1.0, 0.5, "more"),
        (nan, 1.0, 0.5, "unknown"),
        (1.0, nan, 0.5, "unknown"),
        (1.0, 2.0, nan, "unknown"),
    ],
)
def test_a_comparison_has_a_sign_a_margin_and_a_word_for_what_is_not_known(value, other, margin, expected):
    assert compare(value, other, margin=margin) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((1, 1), (0, 1), "as much"),  # one case tells nothing
        ((60, 100), (50, 100), "as much"),  # 10 points, 1.4 standard errors
        ((600, 1000), (500, 1000), "more"),  # the same 10 points of ten times as many cases
        ((500, 1000), (600, 1000), "less"),
        ((10, 10), (10, 10), "as much"),
        ((0, 0), (1, 2), "unknown"),
    ],
)
def test_shares_differ_only_by_more_than_two_standard_errors(first, second, expected):
    assert compare_shares(*first, *second) == expected


@pytest.mark.parametrize(
    ("seconds", "other", "expected"),
    [(1.0, 1.05, "as much"), (1.0, 1.2, "less"), (1.2, 1.0, "more"), (0.0, 1.0, "unknown"), (nan, 1.0, "unknown")],
)
def test_times_within_the_noise_of_a_machine_are_as_much(seconds, other, expected):
    assert compare_times(seconds, other) == expected


def test_the_error_of_a_share_falls_with_the_root_of_the_cases():
    assert share_error(0.5, 100) == pytest.approx(0.05)
    assert share_error(0.5, 400) == pytest.approx(0.025)
    assert isnan(share_error(0.5, 0))
