"""The page Long text with the model that comes along: it opens with the head that it should."""

import pytest

from dashboard.long_text import readings
from dashboard.long_text.books import book_text
from pages.explore.long_text import book_map, compute, inputs


@pytest.mark.slow(seconds=4, guard="tests/pages/test_long_text.py::test_the_map_opens_with_the_first_book")
def test_the_first_map_is_that_of_the_head_with_the_strongest_far_link():
    reading = readings.open_reading(inputs.FIRST_MODEL, book_text("The Time Machine"), inputs.FIRST_LENGTH)
    reading.wait()
    layer, head, measured = max(compute.all_heads(reading), key=lambda entry: entry[2].strongest_far)
    assert f"{layer}.{head}" == book_map.FIRST_HEAD
    assert measured.strongest_far > 0.5
