"""Files of visitors that several servers share: kept for an hour, within a budget, found after a server has ended."""

import os
import time

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.cache import memo
from dashboard.cache.shared_files import AGE, SharedFiles
from dashboard.cache.store import Store
from dashboard.inputs import uploads
from tests.dashboard.test_uploads import give, page_output, photograph, picture_page, text_page

SESSION = "test session id"  # of each AppTest


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> SharedFiles:
    files = SharedFiles(tmp_path, budget=10_000)
    monkeypatch.setattr(memo, "SHARED_FILES", files)
    monkeypatch.setattr(memo, "_store", Store(10**9))
    return files


@pytest.fixture
def next_server(monkeypatch):
    """Have this process be another server, to which a page comes that was in SESSION before."""

    def begin():
        monkeypatch.setattr(memo, "_store", Store(10**9))
        monkeypatch.setattr(uploads, "_session_before", lambda: SESSION)

    return begin


def make_older(files: SharedFiles, seconds: float) -> None:
    for path in files.folder.iterdir():
        os.utime(path, (time.time() - seconds,) * 2)


def test_another_server_reads_a_text_that_was_uploaded_to_one_that_has_ended(next_server):
    give(AppTest.from_function(text_page).run(), b"A text of mine.", "mine.txt")
    next_server()
    app = AppTest.from_function(text_page).run()
    assert page_output(app) == "A text of mine."
    assert page_output(app.run()) == "A text of mine."


def test_another_server_shows_a_photograph_only_where_the_address_says_that_it_was_in_view(next_server):
    content = photograph((30, 20))
    give(AppTest.from_function(picture_page).run(), content, "mine.png")
    next_server()
    assert page_output(AppTest.from_function(picture_page).run()) != f"{len(content)} bytes"
    app = AppTest.from_function(picture_page)
    app.query_params["own"] = "1"
    assert page_output(app.run()) == f"{len(content)} bytes"


def test_a_file_that_was_removed_does_not_come_back(next_server):
    app = give(AppTest.from_function(text_page).run(), b"A text of mine.", "mine.txt")
    (remove,) = (button for button in app.button if button.label.startswith("Remove"))
    remove.click().run()
    next_server()
    assert page_output(AppTest.from_function(text_page).run()) != "A text of mine."


def test_another_session_gets_no_file(next_server, monkeypatch):
    give(AppTest.from_function(text_page).run(), b"A text of mine.", "mine.txt")
    next_server()
    for session in ("", "another session id", "../../etc/passwd"):
        monkeypatch.setattr(uploads, "_session_before", lambda session=session: session)
        assert page_output(AppTest.from_function(text_page).run()) != "A text of mine."


def test_a_file_is_gone_after_an_hour_and_its_page_says_so(files, next_server):
    give(AppTest.from_function(text_page).run(), b"A text of mine.", "mine.txt")
    make_older(files, AGE + 1)
    next_server()
    app = AppTest.from_function(text_page).run()
    assert page_output(app) != "A text of mine."
    assert app.info
    files.drop_old()
    assert [path for path in files.folder.iterdir() if path.suffix == ".file"] == []


def test_the_time_of_a_file_goes_on_at_another_server(files):
    files.put("digest", b"content")
    make_older(files, AGE - 100)
    content, remaining = files.get("digest")
    assert content == b"content"
    assert remaining == pytest.approx(100, abs=5)


def test_the_oldest_files_go_first_where_there_is_no_room(files):
    for number in range(5):
        files.put(str(number), b"x" * 2_400)
        os.utime(files.folder / f"{number}.file", (time.time() - 10 + number,) * 2)
    files.drop_old()
    assert [files.get(str(number)) is not None for number in range(5)] == [False, True, True, True, True]
