"""Who leads, by a margin: ties are named together, and what is no number takes no part."""

import pytest

from dashboard.output.comparisons import join_names, leading

NAN = float("nan")


@pytest.mark.parametrize(
    ("values", "most", "least"),
    [
        ({"a": 1.0, "b": 3.0}, ["b"], ["a"]),
        ({"a": 3.0, "b": 1.0}, ["a"], ["b"]),
        ({"a": 1.0, "b": 1.05, "c": 0.0}, ["a", "b"], ["c"]),
        ({"a": 1.0, "b": 1.0}, ["a", "b"], ["a", "b"]),
        ({"a": NAN, "b": -2.0}, ["b"], ["b"]),
        ({"a": NAN, "b": float("inf")}, [], []),
        ({}, [], []),
    ],
)
def test_those_within_the_margin_of_the_best_lead(values, most, least):
    assert leading(values, 0.1) == most
    assert leading(values, 0.1, least=True) == least


def test_names_are_listed_as_in_a_sentence():
    assert [join_names(list("ABC"[:count])) for count in (1, 2, 3)] == ["A", "A and B", "A, B and C"]
    assert [join_names(list("ABC"[:count]), bold=True) for count in (1, 3)] == ["**A**", "**A**, **B** and **C**"]
