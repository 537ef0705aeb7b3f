import base64

import numpy as np
import pandas as pd
import pytest

from dashboard.components.cell_map import LARGE, cell_of, pack
from dashboard.output import charts

PLAIN = {"rows": None, "columns": None, "limits": None, "marked": ()}


def numbers(message):
    return np.frombuffer(base64.b64decode(message["values"]), "<f4").reshape(message["shape"])


def test_values_travel_as_float32_with_what_is_no_number_and_what_is_infinite():
    values = np.array([[0.1, np.nan, -np.inf], [np.inf, -0.0, 1e-30]])
    sent = numbers(pack(values, **PLAIN))
    np.testing.assert_array_equal(sent, values.astype(np.float32))
    assert np.signbit(sent[1, 1])


def test_the_order_of_memory_does_not_matter():
    values = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(numbers(pack(values.T[:, ::-1], **PLAIN)), values.T[:, ::-1])


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([[0.2, 3.0]], [0.0, 3.0]),
        ([[-4.0, 3.0]], [-4.0, 4.0]),
        ([[np.nan, np.inf, 2.0]], [0.0, 2.0]),
        ([[0.0, 0.0]], [0.0, 1.0]),
        ([[np.nan, np.nan]], [0.0, 1.0]),
    ],
)
def test_without_limits_the_scale_ends_at_the_largest_and_is_symmetric_where_there_are_negative_values(values, ends):
    assert pack(np.array(values), **PLAIN)["limits"] == ends


def test_labels_and_limits_travel_as_they_are():
    labels = ["<img src=x onerror=alert(1)>", "=1+1"]
    message = pack(np.eye(2), **PLAIN | {"rows": labels, "limits": (-1, 2)})
    assert message["rows"] == labels
    assert message["limits"] == [-1.0, 2.0]


def test_values_of_numpy_in_marks_become_numbers_that_can_be_sent():
    message = pack(np.eye(2), **PLAIN | {"marked": {(np.int64(1), np.int64(0)), (0, 1)}})
    assert message["marked"] == [[0, 1], [1, 0]]
    assert all(type(place) is int for cell in message["marked"] for place in cell)


def test_large_values_that_the_browser_has_are_not_sent_again():
    large = np.random.default_rng(0).random((128, LARGE // 4 // 128 + 1))
    first = pack(large, **PLAIN)
    again = pack(large, **PLAIN | {"marked": [(0, 0)]}, have=first["digest"])
    assert again["values"] is None
    assert again["digest"] == first["digest"]
    assert pack(large.T, **PLAIN, have=first["digest"])["values"]
    assert pack(large[::-1], **PLAIN, have=first["digest"])["values"]


def test_small_values_are_always_sent():
    first = pack(np.eye(6), **PLAIN)
    assert pack(np.eye(6), **PLAIN, have=first["digest"]) == first


def test_kinds_travel_with_their_names_and_colours():
    message = pack(np.eye(2), **PLAIN | {"kinds": ["no link", "window"], "hues": ["#0072b2"]})
    assert (message["kinds"], message["hues"]) == (["no link", "window"], ["#0072b2"])


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"rows": ["one"]}, "1 labels do not fit 2 rows"),
        ({"columns": ["a", "b", "c"]}, "3 labels do not fit 2 columns"),
        ({"marked": [(2, 0)]}, r"2 × 2 cells, but \(2, 0\) is marked"),
        ({"marked": [(0, -1)]}, "is marked"),
        ({"kinds": ["none"]}, "none of the whole numbers below 1"),
        ({"kinds": ["none", "one"], "hues": ["#000000", "#ffffff"]}, "2 colours do not fit 2 kinds"),
    ],
)
def test_words_that_do_not_fit_the_matrix_are_an_error_that_says_which(wrong, sentence):
    with pytest.raises(ValueError, match=sentence):
        pack(np.eye(2), **PLAIN | wrong)


@pytest.mark.parametrize("values", [np.zeros(3), np.zeros((0, 4)), np.zeros((2, 2, 2))])
def test_what_is_no_matrix_is_an_error(values):
    with pytest.raises(ValueError, match="shape"):
        pack(values, **PLAIN)


def test_a_click_is_a_cell_of_the_map_or_nothing():
    assert cell_of({"row": 1, "column": 4, "have": "", "at": 3}, (2, 5)) == (1, 4)
    for broken in (None, "x", {}, {"row": 2, "column": 0}, {"row": 0, "column": -1}, {"row": 0.5, "column": 1}):
        assert cell_of(broken, (2, 5)) is None
    assert cell_of({"row": True, "column": "1"}, (2, 5)) is None


def test_texts_in_a_table_that_start_like_a_formula_get_an_apostrophe_and_numbers_stay_numbers():
    table = pd.DataFrame({"=head": ["=1+1", "@x", "-", "plain"], "loss": [-0.5, 1e-9, np.nan, 2]})
    assert charts.csv_of(table) == "'=head,loss\r\n'=1+1,-0.5\r\n'@x,1e-09\r\n'-,\r\nplain,2.0\r\n"
