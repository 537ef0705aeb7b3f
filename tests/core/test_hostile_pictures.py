"""Every file made to break the atlas, `benchmarks/hostile/pictures.py`, becomes a picture or a sentence."""

import re

import pytest

from benchmarks.hostile.pictures import cases, try_one

READ_RIGHT = {"every format and colour", "the wrong ending", "several pictures in one", "EXIF"}


@pytest.fixture(scope="module")
def outcomes():
    return [(case, try_one(case)) for case in cases()]


@pytest.mark.slow(seconds=13, guard="tests/core/test_images.py::test_what_cannot_be_read_is_one_sentence_with_the_rule")
def test_there_are_many_of_them_each_with_a_name_of_its_own(outcomes):
    assert len({(case.kind, case.name) for case, _ in outcomes}) == len(outcomes) > 300


@pytest.mark.slow(seconds=13, guard="tests/core/test_images.py::test_what_cannot_be_read_is_one_sentence_with_the_rule")
def test_each_is_a_picture_or_a_sentence_that_tells_nothing_of_the_server(outcomes):
    for case, outcome in outcomes:
        if outcome != "result":
            assert re.fullmatch(r"[A-Z].{20,300}\.", outcome), f"{case.name}: {outcome}"
            assert not re.search(r"Traceback|Error|/tmp|/home|\.py|<", outcome), f"{case.name}: {outcome}"


@pytest.mark.slow(seconds=13, guard="tests/core/test_images.py::test_what_cannot_be_read_is_one_sentence_with_the_rule")
def test_what_is_odd_but_whole_is_read(outcomes):
    refused = [(case.name, outcome) for case, outcome in outcomes if case.kind in READ_RIGHT and outcome != "result"]
    assert not refused


@pytest.mark.slow(seconds=13, guard="tests/core/test_images.py::test_what_cannot_be_read_is_one_sentence_with_the_rule")
def test_no_sentence_contradicts_itself(outcomes):
    """As "has 50 megapixels; at most 50 are read" did."""
    for case, outcome in outcomes:
        if match := re.search(r"has ([\d,]+) (?:bytes|pixels).*at most ([\d,]+)", outcome):
            has, most = (int(number.replace(",", "")) for number in match.groups())
            assert has > most, f"{case.name}: {outcome}"
