"""Hostile texts end in a result or a sentence, and the table of what was tried counts what really happened."""

import pytest

from benchmarks.hostile import __main__ as written
from benchmarks.hostile import attempts, texts

CASES = list(texts.cases())


@pytest.mark.parametrize("kind", sorted({case.kind for case in CASES}))
def test_every_hostile_text_ends_in_a_result_or_a_sentence(kind):
    for case in (case for case in CASES if case.kind == kind):
        outcome = texts.try_one(case)
        assert outcome == "result" or outcome.endswith("."), case.name


def test_there_are_hundreds_of_texts_and_they_are_always_the_same():
    assert len(CASES) >= 300
    assert [case.content for case in texts.cases()] == [case.content for case in CASES]


CRASHES = """
import os, time
from benchmarks.hostile import Case
from core.errors import InputError

def cases():
    for name in ("well", "refused", "raised", "hangs", "died", "well again"):
        yield Case("odd", name, name)

def try_one(case):
    if case.name == "refused":
        raise InputError("No.")
    if case.name == "raised":
        raise KeyError("what")
    if case.name == "hangs":
        time.sleep(1000)
    if case.name == "died":
        os._exit(1)
    return "result"
"""


def test_what_hangs_or_dies_is_a_failure_and_the_rest_is_tried_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "crashing_room.py").write_text(CRASHES)
    monkeypatch.syspath_prepend(tmp_path)
    tried = list(attempts.try_all("crashing_room", deadline=5))
    assert {one.name: (one.end, one.message) for one in tried} == {
        "well": (attempts.RESULT, "result"),
        "refused": (attempts.SENTENCE, "No."),
        "raised": (attempts.FAILURE, "KeyError: 'what'"),
        "hangs": (attempts.FAILURE, "no end within 5 seconds"),
        "died": (attempts.FAILURE, "the process died"),
        "well again": (attempts.RESULT, "result"),
    }
    assert written.table({"odd things": tried}).splitlines()[2:] == [
        "| **odd things** | 6 | 2 | 1 | 3 |",
        "| odd | 6 | 2 | 1 | 3 |",
        "| **all** | 6 | 2 | 1 | 3 |",
    ]


def test_the_table_replaces_the_one_before_it_and_nothing_else():
    document = f"before\n{written.BEGIN}old\n{written.END}after\n"
    once = written.with_table(document, "new\n")
    assert once == f"before\n{written.BEGIN}\nnew\n\n{written.END}after\n"
    assert written.with_table(once, "new\n") == once
    with pytest.raises(ValueError, match="two comments"):
        written.with_table("no place for it", "new\n")
