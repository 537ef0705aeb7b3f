"""What takes long says so and may be given up; what does not, says nothing; what was stopped is not kept."""

import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.cache import memo, turns, waiting


def slow():
    import streamlit as st

    from dashboard.cache import waiting

    def give_up():
        st.session_state.given_up = True

    with waiting.spinner("Reading …", unit="layers", alternative=("Cancel, and read less", give_up)) as report:
        for layer in range(3):
            report(layer + 1, 6)
        if not st.session_state.get("done"):
            st.stop()


def test_after_a_second_there_are_a_bar_and_a_way_out(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    app = AppTest.from_function(slow).run()
    assert [button.label for button in app.button] == ["Cancel, and read less"]
    app.button[0].click().run()
    assert app.session_state.given_up
    app.session_state.done = True
    assert not app.run().button


def test_before_it_nothing_is_shown(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 60.0)
    assert not AppTest.from_function(slow).run().button


def count_page():
    import streamlit as st

    from dashboard.cache import waiting

    def count(progress):
        for done in range(3):
            st.session_state.setdefault("counted", []).append(done)
            progress(done, 3)
            if done == 1 and not st.session_state.get("quickly"):
                st.stop()  # as when somebody clicks: the run of the page ends at a report

    waiting.offer("Count", count, unit="sheep", key="count")
    st.write("the rest of the page")


def test_what_is_asked_for_by_a_button_runs_below_it_and_can_be_cancelled():
    app = AppTest.from_function(count_page).run()
    assert [button.label for button in app.button] == ["Count"]
    app.button(key="count").click().run()
    assert [button.label for button in app.button] == ["Count", "Cancel"]
    assert app.session_state.counted == [0, 1]
    assert not app.markdown
    app.button[1].click().run()
    assert [button.label for button in app.button] == ["Count"]
    assert app.session_state.counted == [0, 1]


def test_what_was_asked_for_leaves_neither_bar_nor_button_when_it_is_done():
    app = AppTest.from_function(count_page)
    app.session_state.quickly = True
    app.run().button(key="count").click().run()
    assert app.session_state.counted == [0, 1, 2]
    assert [button.label for button in app.button] == ["Count"]
    assert app.markdown


def refused():
    import streamlit as st

    from core.errors import AtlasError
    from dashboard.cache import waiting

    def refuse(progress):
        progress(0, 9)
        raise AtlasError("It cannot be counted.")

    try:
        waiting.offer("Count", refuse, unit="sheep", key="count")
    except AtlasError as error:
        st.warning(str(error))


def test_who_waits_for_others_sees_the_place_and_can_cancel(monkeypatch):
    original_waits = waiting.Bar.waits

    def leave(bar: waiting.Bar, sentence: str) -> None:
        original_waits(bar, sentence)
        st.stop()  # as when somebody clicks while others are before

    monkeypatch.setattr(waiting.Bar, "waits", leave)
    monkeypatch.setattr(turns, "long_line", turns.Line(1))
    turns.long_line.enter(turns.Turn(turns.Visitor("another", "another")), lambda: None)
    app = AppTest.from_function(refused).run().button(key="count").click().run()
    (bar,) = app.get("progress")
    assert bar.proto.text == "1 visitor is before you."
    assert [button.label for button in app.button] == ["Count", "Cancel"]
    assert not turns.long_line.waiting
    app.button[1].click().run()
    assert not app.get("progress")


def test_what_cannot_be_had_leaves_a_sentence_and_nothing_to_cancel():
    app = AppTest.from_function(refused).run().button(key="count").click().run()
    assert [element.value for element in app.warning] == ["It cannot be counted."]
    assert [button.label for button in app.button] == ["Count"]
    assert not turns.long_line.running


def stopped():
    import streamlit as st

    from core.progress import Progress, no_progress
    from dashboard.cache.memo import cached

    @cached("Counting …", unit="sheep")
    def count(progress: Progress = no_progress) -> str:
        st.session_state.setdefault("counted", []).append(1)
        progress(1, 2)
        if len(st.session_state.counted) == 1:
            st.stop()  # as when somebody clicks while it is counted
        return "two"

    st.write(count())


def test_what_is_kept_is_waited_for_with_a_bar_and_what_was_stopped_is_made_again(monkeypatch):
    memo.clear()
    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    app = AppTest.from_function(stopped).run()
    assert not app.markdown
    assert len(app.get("progress")) == 1
    for _ in range(2):  # the third run finds it
        app.run()
        assert [text.value for text in app.markdown] == ["two"]
        assert not app.get("progress")
    assert len(app.session_state.counted) == 2
