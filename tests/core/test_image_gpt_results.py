"""What is measured of image-GPT: the file is read as it is written, and what cannot be right is named."""

import json

import pytest

from core.errors import ModelError
from core.results.image_gpt_results import BY_NEIGHBOURS, FILLINGS, LEFT_AND_ABOVE, WAYS, results

MEAN = {"mean": 3.0, "error": 0.1}
BITS = {"pictures": 1000} | dict.fromkeys(WAYS, MEAN)
FILLED = {"pictures": 10, "pixels": 99, "share": 0.15, "right": 0.4, BY_NEIGHBOURS: 0.2, "bits": MEAN}
FILLED |= dict.fromkeys(FILLINGS, MEAN)
PROBE = {"train": 100, "test": 400, "pixels": 0.3, "next": {"0": {"right": 0.2}, "1": {"right": 0.5}}}


def written(folder, **parts):
    (folder / "results.json").write_text(json.dumps(parts))
    return folder


def test_what_was_measured_is_read_and_what_was_not_is_none(tmp_path):
    measurements = results(written(tmp_path, bits=BITS, probe=PROBE))
    assert measurements.bits.by_way[LEFT_AND_ABOVE].mean == 3.0
    assert measurements.filled is None
    assert measurements.probe.layers == {"next": (0.2, 0.5)}
    assert measurements.probe.error(0.5) == pytest.approx(0.025)
    assert results(written(tmp_path, filled=FILLED)).filled.by_neighbours == 0.2


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({}, "nothing in it was measured"),
        ({"bits": BITS | {LEFT_AND_ABOVE: {"mean": 3.0}}}, "error' is missing"),
        ({"filled": FILLED | {"right": 1.4}}, "right"),
        ({"probe": PROBE | {"next": {"1": {"right": 0.2}}}}, "not numbered from 0"),
    ],
)
def test_what_cannot_be_right_is_named_with_the_command_that_makes_it(tmp_path, parts, says):
    with pytest.raises(ModelError, match=r"training\.image_gpt\.report") as error:
        results(written(tmp_path, **parts))
    assert says in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match="is not there"):
        results(tmp_path)
