"""The command `attention-atlas`: what it refuses, and where it opens a model."""

from urllib.parse import urlencode

import pytest

from core.errors import ModelError
from dashboard.hosting import command
from tests.core import saved_models


def test_a_text_model_opens_in_explore_text(tmp_path):
    folder = str(saved_models.save_text_model("gpt2", tmp_path))
    assert command.address_of(folder) == f"text?{urlencode({'model': folder})}"


@pytest.mark.parametrize(
    ("save", "kind"), [(saved_models.save_timm_model, "vit"), (saved_models.save_vision_model, "vit")]
)
def test_a_model_of_pictures_opens_in_explore_image(save, kind, tmp_path):
    folder = str(save(kind, tmp_path))
    assert command.address_of(folder) == f"image?{urlencode({'network': folder})}"


def test_a_folder_without_a_model_is_refused_in_the_words_of_the_pages(tmp_path):
    with pytest.raises(ModelError, match=r"has no config\.json"):
        command.address_of(str(tmp_path))


def test_a_folder_that_is_not_there_is_refused_in_a_sentence(capsys):
    assert command.main(["--model", "no/such/folder"]) == 2
    out, err = capsys.readouterr()
    assert err == "'no/such/folder' is not a folder. Name the one that holds config.json and model.safetensors.\n"
    assert not out


def test_without_the_app_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(command, "find_spec", lambda _: None)
    assert command.main([]) == 2
    assert "pip install 'attention-atlas[app]'" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--port", "many"], ["--port", "0"], ["--port", "65536"], ["--modle", "x"]])
def test_what_cannot_be_read_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        command.read(arguments)
    assert stopped.value.code == 2
    assert "attention-atlas: error:" in capsys.readouterr().err


def test_without_a_word_it_serves_where_make_run_does():
    options = command.read([])
    assert (options.model, options.port) == (None, 8501)
