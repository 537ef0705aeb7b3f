"""A visitor's own file: out of Streamlit's hands at once, kept for an hour, forgotten with a sentence."""

from io import BytesIO

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from dashboard.cache import memo
from dashboard.cache.store import Store
from dashboard.cache.upload import Upload
from dashboard.inputs import controls, uploads


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Nothing kept before, and a clock that the test moves."""
    clock = [0.0]
    monkeypatch.setattr(memo, "_store", Store(10**9, timer=lambda: clock[0]))
    return clock


def picture_page():
    import streamlit as st

    from dashboard.inputs import controls

    choice = controls.picture()
    st.write("shown: " + (choice if isinstance(choice, str) else f"{len(choice.content)} bytes"))


def text_page():
    import streamlit as st

    from dashboard.inputs import controls

    choice = controls.text()
    st.write("read: " + (choice if isinstance(choice, str) else choice.content.decode()))


def photograph(size: tuple[int, int]) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, "orange").save(file, "PNG")
    return file.getvalue()


def give(app: AppTest, content: bytes, name: str) -> AppTest:
    return app.file_uploader[0].set_value((name, content, "application/octet-stream")).run()


def page_output(app: AppTest) -> str:
    (line,) = (markdown.value for markdown in app.markdown if markdown.value.startswith(("shown: ", "read: ")))
    return line.split(": ", 1)[1]


@pytest.fixture
def mine() -> bytes:
    return photograph((30, 20))


def test_a_picture_that_was_given_is_shown_until_it_is_removed(mine):
    app = give(AppTest.from_function(picture_page).run(), mine, "mine.png")
    assert page_output(app) == f"{len(mine)} bytes"
    assert page_output(app.run()) == f"{len(mine)} bytes"
    (button,) = (button for button in app.button if button.label.startswith("Remove"))
    assert button.label == "Remove mine\\.png"
    assert page_output(button.click().run()) == controls.FIRST_PICTURE
    assert not app.info


def test_the_session_keeps_the_digest_and_not_the_file(mine):
    app = give(AppTest.from_function(picture_page).run(), mine, "mine.png")
    app.run()
    state = {key: app.session_state[key] for key in app.session_state}
    assert any(isinstance(value, uploads._StoredFile) for value in state.values())
    assert not any(mine in value for value in map(_content, state.values()))
    assert not any(isinstance(value, Upload) for value in state.values())


def _content(value: object) -> bytes:
    return value.getvalue() if hasattr(value, "getvalue") else repr(value).encode()


def test_a_second_picture_replaces_the_first(mine):
    app = give(AppTest.from_function(picture_page).run(), mine, "mine.png")
    other = photograph((300, 200))
    assert page_output(give(app, other, "other.png")) == f"{len(other)} bytes"
    assert [button.label for button in app.button] == ["Remove other\\.png"]


def test_what_the_camera_saw_is_taken_and_the_camera_is_closed(mine):
    app = AppTest.from_function(picture_page).run()
    app.toggle[0].set_value(True).run()
    app.camera_input[0].set_value(("now.jpg", mine, "image/jpeg")).run()
    assert page_output(app) == f"{len(mine)} bytes"
    assert not app.camera_input


def test_a_forgotten_picture_is_said_to_be_and_the_example_is_shown_until_the_visitor_goes_on(mine, clock):
    app = give(AppTest.from_function(picture_page).run(), mine, "mine.png")
    clock[0] = memo.AGE + 1
    for _ in range(2):  # another control does not take the sentence away
        assert page_output(app.run()) == controls.FIRST_PICTURE
        (message,) = (info.value for info in app.info)
        assert message == (
            "Your photograph is forgotten: files are kept for an hour at most, less if others need the room. Give it "
            "again under “Your own”, or go on with the example."
        )
    assert not app.exception
    assert page_output(give(app, mine, "mine.png")) == f"{len(mine)} bytes"
    assert not app.info


def test_who_chooses_an_example_is_no_longer_told_of_the_forgotten_picture(mine, clock):
    app = give(AppTest.from_function(picture_page).run(), mine, "mine.png")
    clock[0] = memo.AGE + 1
    app.run()
    app.selectbox[0].set_value("rocket").run()
    assert page_output(app) == "rocket"
    assert not app.info


def test_a_picture_goes_as_well_when_others_need_the_room(mine, monkeypatch):
    monkeypatch.setattr(memo, "_store", Store(100_000))
    app = give(AppTest.from_function(picture_page).run(), mine, "mine.png")
    memo.store_upload(b"x" * 98_000)
    assert page_output(app.run()) == controls.FIRST_PICTURE
    assert "less if others need the room" in app.info[0].value


def test_a_text_file_is_read_until_it_is_removed_or_forgotten(clock):
    app = give(AppTest.from_function(text_page).run(), b"A text of mine.", "a *bold* name.txt")
    assert page_output(app) == "A text of mine."
    assert page_output(app.button[0].click().run()) == controls.FIRST_TEXT
    assert page_output(give(app, b"Another.", "b.txt")) == "Another."
    clock[0] = memo.AGE + 1
    assert page_output(app.run()) == controls.FIRST_TEXT
    assert app.info[0].value.startswith("Your file is forgotten")
