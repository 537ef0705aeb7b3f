"""Models are kept for all visitors, and opened by those who may."""

import pytest
from streamlit.testing.v1 import AppTest

from core import zoo
from core.errors import ModelError
from dashboard import visitor
from dashboard.cache import memo, models, waiting
from tests.core import saved_models

REFUSED = "Folders can be opened only in an app that you run yourself"


@pytest.fixture
def folder(tmp_path):
    yield str(saved_models.save_text_model("gpt2", tmp_path / "gpt2"))
    memo.clear()


def page():
    from dashboard.frame import error_messages, layout
    from dashboard.inputs import model_name
    from dashboard.recordings.watched import watch_text

    with error_messages.as_sentences():
        name = model_name.model("text")
        layout.st.write(f"{watch_text(name, 'Who listens?').model.parameters} parameters")


def visit(**query):
    app = AppTest.from_function(page, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def test_what_is_kept_for_the_owner_is_not_answered_to_a_visitor(folder, monkeypatch):
    opened = (models.text_model, models.long_text_model, lambda name: models.inspect_model(name, "text"))
    for ask in opened:
        assert ask(folder)
    monkeypatch.setattr(models, "permission", zoo.Permission)
    for ask in (*opened, models.image_model, models.named_translator):
        with pytest.raises(ModelError, match=REFUSED):
            ask(folder)


def test_on_a_page_as_well(folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(visitor, "is_at_home", lambda: True)
        assert "parameters" in visit(model=folder).markdown[0].value
    app = visit(model=folder)  # the same model and text, both of them kept
    assert REFUSED in app.warning[0].value
    assert not app.markdown


def test_a_visitor_chooses_from_the_list_what_the_page_can_read(monkeypatch):
    monkeypatch.setenv("ATLAS_MODELS", "owner/listed, vit_tiny_patch16_224")
    app = visit()
    assert app.selectbox(key="model").options == [*zoo.TEXT, "owner/listed"]
    assert "`owner/listed`, `vit_tiny_patch16_224`" in app.selectbox(key="model").help


@pytest.mark.parametrize("name", ["gpt2", "owner/private", "https://huggingface.co/owner/private"])
def test_a_name_outside_the_list_is_one_sentence(name):
    app = visit(model=name)
    assert "is not on the list of this server" in app.warning[0].value
    assert not app.markdown


def test_who_does_not_want_to_wait_for_the_hub_cancels_and_has_a_model(monkeypatch):
    import streamlit as st

    def inspect(*_, progress, **__):
        progress(1, 15)
        st.stop()  # as when somebody clicks: the run of the page ends at a report

    monkeypatch.setattr(waiting, "PATIENCE", 0.0)
    monkeypatch.setenv("ATLAS_MODELS", "owner/listed")
    with monkeypatch.context() as slow:
        slow.setattr(zoo, "inspect", inspect)
        app = visit(model="owner/listed")
    assert [button.label for button in app.button] == ["Cancel"]
    app.button[0].click().run()
    assert app.selectbox(key="model").value == "gpt-books"
    assert "parameters" in app.markdown[0].value
