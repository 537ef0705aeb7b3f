"""The command line of the scripts of training/: what there is, which options, and what is said without data."""

import importlib
import re
import sys
from pathlib import Path

import pytest
import torch

from training import __main__ as command
from training.common import data_sets
from training.common.command_line import CommandLine, with_or_without_emoji
from training.common.data_sets import DataSet
from training.tiny_imagenet.train import FIRST_STEPS, RECIPES, Training, trainings
from training.tiny_imagenet.train import command_line as tiny_imagenet

MODELS = command.steps_of_models()
NAMES = sorted(command.chosen(MODELS, [model, step])[0] for model, steps in MODELS.items() for step in steps)
SCRIPTS = {module: importlib.import_module(module) for module in NAMES}
NO_DATA = {
    "training.common.eight_bits",
    "training.efficientnet_lite0.convert",
    "training.minilm.convert",
    "training.measurements.pointing_game",
    "training.scene_reader.train",
    "training.small_tasks.train",
    "training.vilbert.report",
    "training.vilbert.train",
}


@pytest.fixture
def _threads():
    """PyTorch's threads are as before afterwards."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_every_script_prints_its_help_with_its_own_command():
    assert len(SCRIPTS) >= 48
    for module, script in SCRIPTS.items():
        text = script.command_line().format_help()
        assert text.count("--help") == 1
        assert f"python -m {module}" in text, module


def test_no_script_has_a_parser_of_its_own():
    for module, script in SCRIPTS.items():
        assert type(script.command_line()) is CommandLine, module
        assert "ArgumentParser" not in Path(str(script.__file__)).read_text(), module


def test_an_option_that_scripts_share_means_the_same_in_all_of_them():
    kinds = {"data": (Path, None), "seed": (int, 0), "device": (None, "cpu"), "steps": (int, ...), "only": (None, None)}
    for module, script in SCRIPTS.items():
        options = {action.dest: action for action in script.command_line()._actions}
        for name, (kind, default) in kinds.items():
            if name in options:
                assert options[name].type is kind, module
                assert default is ... or options[name].default == default, module
        if "threads" in options:
            assert options["threads"].default in (1, torch.get_num_threads()), module


def test_every_script_but_those_that_need_none_names_its_data():
    assert {module for module, script in SCRIPTS.items() if not script.command_line().data} == NO_DATA


def test_every_data_set_has_files_and_an_address_where_anyone_gets_it():
    sets = [value for value in vars(data_sets).values() if isinstance(value, DataSet)]
    sets += data_sets.PUBLISHED
    assert len(sets) >= 18
    for one in sets:
        assert all(one.files)
        assert re.search(r"\b[\w-]+\.(com|org|edu|ai)\b", one.origin), one


def test_without_data_one_sentence_says_which_and_where_from(monkeypatch, capsys):
    for module, script in SCRIPTS.items():
        if not any(action.required and action.dest == "data" for action in script.command_line()._actions):
            continue
        options = {"training.tiny_imagenet.train": ["vit"], "training.mae.fine_tuning": ["--labels", "10"]}
        monkeypatch.setattr("sys.argv", [module, *options.get(module, [])])
        with pytest.raises(SystemExit) as stop:
            script.main()
        message = capsys.readouterr().err
        assert stop.value.code == 2
        assert message.count("\n") == 1
        assert "--data PATH" in message
        for one in script.command_line().data:
            assert all(file in message for file in one.files), module
            assert one.origin in message, module


def test_files_of_a_data_set_may_lie_in_a_folder_of_their_own():
    assert str(DataSet(("a.gz", "b.gz"), "example.org").below("c")) == "`c/a.gz` and `c/b.gz` (example.org)"


@pytest.mark.usefixtures("_threads")
def test_reading_the_options_sets_the_threads(monkeypatch):
    monkeypatch.setattr("sys.argv", ["train", "--threads", "1"])
    assert CommandLine("Train.", threads="all").read().threads == 1
    assert torch.get_num_threads() == 1
    monkeypatch.setattr("sys.argv", ["train"])
    assert CommandLine("Train.").parse_args([]).__dict__ == {}
    assert CommandLine("Train.", threads="one").parse_args([]).threads == 1


def test_emoji_are_trained_where_there_are_data_and_asked_for_in_vain_without():
    parser = CommandLine("Train.", emoji=True, only=("scenes", "emoji"))
    worlds = ("scenes", "scenes-gumbel", "emoji")
    assert with_or_without_emoji(parser.parse_args([]), worlds) == ["scenes", "scenes-gumbel"]
    assert with_or_without_emoji(parser.parse_args(["--data", "x"]), worlds) == list(worlds)
    assert with_or_without_emoji(parser.parse_args(["--data", "x", "--only", "emoji"]), worlds) == ["emoji"]
    with pytest.raises(SystemExit, match=r"emoji_image_text"):
        with_or_without_emoji(parser.parse_args(["--only", "emoji"]), worlds)


def test_a_model_is_trained_if_no_step_is_named():
    assert command.chosen(MODELS, ["gpt-books-long"]) == ("training.gpt_books_long.train", [])
    assert command.chosen(MODELS, ["clip", "--data", "x"]) == ("training.clip.train", ["--data", "x"])
    assert command.chosen(MODELS, ["mae", "fine-tuning", "--labels", "10"]) == (
        "training.mae.fine_tuning",
        ["--labels", "10"],
    )
    assert command.chosen(MODELS, ["vit-tiny-imagenet", "--data", "x"]) == (
        "training.tiny_imagenet.train",
        ["vit", "--data", "x"],
    )


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["bert"], "bert-books"),
        (["clip", "rapport"], "train, report"),
        (["measurements"], "grammar-heads"),
        (["bert-books", "report"], "train"),
        (["swin-tiny-imagenet", "report"], "train"),
    ],
)
def test_a_name_that_is_none_is_answered_with_those_that_are(words, names):
    with pytest.raises(SystemExit, match=names):
        command.chosen(MODELS, words)


def test_all_models_are_listed_with_their_steps(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["training"])
    command.main()
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines.keys() == {*MODELS, *command.IMAGE_CLASSIFIERS}
    assert lines["mae"] == "train, fine-tuning, report"


def test_a_step_is_run_with_the_options_that_are_left(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["training", "tiny-imagenet", "report", "--help"])
    with pytest.raises(SystemExit):
        command.main()
    assert "--enlarged" in capsys.readouterr().out
    assert sys.argv == ["python -m training.tiny_imagenet.report", "--help"]


def test_every_image_classifier_has_a_name_of_its_own():
    assert {RECIPES[network].name for network in RECIPES} == command.IMAGE_CLASSIFIERS.keys()
    assert set(command.IMAGE_CLASSIFIERS.values()) == RECIPES.keys()


def test_the_vision_transformer_is_trained_twice_unless_one_training_is_asked_for():
    def planned(*words: str) -> list[Training]:
        arguments = tiny_imagenet().parse_args([*words, "--data", "x"])
        return trainings(RECIPES[arguments.model], arguments)

    first, second = planned("vit")
    assert (first.steps, first.start, first.teacher) == (FIRST_STEPS, None, None)
    assert (second.steps, second.teacher) == (RECIPES["vit"].plan.steps, "resnet")
    assert second.start is not None
    assert first.run != second.run
    assert [training.steps for training in planned("vit", "--steps", "7")] == [7]
    assert [training.teacher for training in planned("vit", "--teacher", "plain")] == ["plain"]
    assert planned("swin") == [Training(RECIPES["swin"].plan.steps, Path("runs/swin-tiny-imagenet"))]
