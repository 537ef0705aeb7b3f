"""A scene of one's own: by a sentence, by chance, by hand; what cannot be drawn is said, and nothing is lost."""

import pytest
from streamlit.testing.v1 import AppTest

from core.scenes.codes import code_of, read_code
from core.scenes.sentences import parse
from core.scenes.things import MOST, Scene, Thing
from core.scenes.truth import is_true
from dashboard.inputs.scene_builder import FIRST_SCENE, SENTENCES


def page():
    import streamlit as st

    from core.errors import AtlasError
    from dashboard.inputs import scene_builder

    try:
        st.text(scene_builder.choose())
    except AtlasError as error:
        st.error(str(error))


@pytest.fixture
def app():
    app_test = AppTest.from_function(page, default_timeout=30).run()
    assert not app_test.exception
    return app_test


def scene_of(app: AppTest) -> Scene:
    assert not app.exception
    assert not app.error
    return read_code(app.text[0].value)


def press(app: AppTest, label: str) -> AppTest:
    (button,) = [button for button in app.button if button.label == label]
    return button.click().run()


def test_it_starts_with_the_first_scene(app):
    assert app.text[0].value == FIRST_SCENE == code_of(scene_of(app))


@pytest.mark.parametrize("name", SENTENCES)
def test_an_example_gets_a_scene_of_which_it_is_true(app, name):
    app.pills[0].set_value(name).run()
    assert is_true(parse(SENTENCES[name]), scene_of(app))


def test_another_scene_for_the_same_sentence_is_another_and_true(app):
    app.text_input(key="scene_sentence").set_value("a red star above a blue circle").run()
    first = scene_of(app)
    second = scene_of(press(app, "Another scene"))
    assert first != second
    assert is_true(parse("a red star above a blue circle"), first)
    assert is_true(parse("a red star above a blue circle"), second)


def test_a_sentence_that_cannot_be_read_is_answered_and_the_scene_stays(app):
    app.text_input(key="scene_sentence").set_value("a turquoise star").run()
    assert "“turquoise” is not a word" in app.warning[0].value
    assert code_of(scene_of(app)) == FIRST_SCENE
    press(app, "Add a thing")
    assert not app.warning  # what was wrong is no more on the page


def test_things_are_added_up_to_the_most_and_taken_away_down_to_one(app):
    counts = [len(scene_of(app).things)]
    while counts[-1] < MOST:
        counts.append(len(scene_of(press(app, "Add a thing")).things))
    assert counts == list(range(3, MOST + 1))
    (add,) = [button for button in app.button if button.label == "Add a thing"]
    assert add.disabled
    while counts[-1] > 1:
        counts.append(len(scene_of(press(app, "Remove")).things))
    (away,) = [button for button in app.button if button.label == "Remove"]
    assert away.disabled


def test_a_thing_changes_in_one_part_alone(app):
    before = scene_of(app)
    app.selectbox(key="scene_thing").set_value(1).run()
    app.selectbox(key="scene_colour").set_value("green").run()
    after = scene_of(app)
    assert after.things[1].colour == "green"
    assert [thing for place, thing in enumerate(after.things) if place != 1] == [before.things[0], before.things[2]]


def test_a_thing_that_would_have_no_room_stays_as_it_is(app):
    crowded = Scene(
        (Thing("circle", "red", "small", "plain", 20, 20), Thing("circle", "blue", "large", "plain", 20, 40))
    )
    app.text_input(key="scene").set_value(code_of(crowded)).run()
    app.selectbox(key="scene_thing").set_value(0).run()
    app.selectbox(key="scene_size").set_value("large").run()
    assert app.warning
    assert scene_of(app) == crowded


def test_a_text_that_is_no_scene_gets_a_sentence(app):
    app.text_input(key="scene").set_value("5-1~star").run()
    assert len(app.error) == 1
