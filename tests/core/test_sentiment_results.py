"""Results of the classifiers of reviews are read and checked; published rows are those of their source."""

import json

import pytest

from core.errors import ModelError
from core.published import sentiment_results as published
from core.results.behavioural_test_results import failures_by_model
from core.results.sentiment_results import LOGISTIC, MACHINE, results
from core.zoo.sentiment_classifiers import FOLDER, REVIEWERS


def test_every_network_and_both_baselines_have_results():
    for language, language_results in results().items():
        names = {f"{language}-{name}" for name in language_results.models} - {
            f"{language}-{baseline}" for baseline in (LOGISTIC, MACHINE)
        }
        assert names == set(REVIEWERS[language])
        assert language_results.models[LOGISTIC].epochs is None
        raw = json.loads((FOLDER / "results.json").read_text())
        assert language_results.models["rnn"].accuracy == raw[language]["rnn"]["accuracy"]
        assert language_results.test == raw["sizes"][language]["test"]


def test_published_rows_are_those_of_the_slides():
    rows = {(row.language, row.model): row for row in published()}
    english = {"1x bidirectional RNN": (0.8906, 338_291), "2x CNN 1D": (0.8718, 1_315_937)}
    english["1x transformer encoder"] = (0.8872, 327_206)
    for model, expected in english.items():
        assert (rows["English", model].accuracy, rows["English", model].parameters) == expected
    spanish = {"SVM on TF-IDF": 0.64, "1x bidirectional RNN": 0.63, "1x CNN 1D": 0.64, "1x transformer encoder": 0.62}
    assert {model: rows["Spanish", model].accuracy for model in spanish} == spanish


def test_a_result_that_makes_no_sense_is_named(tmp_path):
    with pytest.raises(ModelError, match="is not there"):
        results(tmp_path)
    raw = json.loads((FOLDER / "results.json").read_text())
    raw["spanish"]["cnn"]["accuracy"] = 50.4
    (tmp_path / "results.json").write_text(json.dumps(raw))
    with pytest.raises(ModelError, match=r"'spanish\.cnn\.accuracy' is 50\.4"):
        results(tmp_path)


def test_a_row_of_no_kind_is_named(tmp_path):
    file = tmp_path / "sentiment_fooled.csv"
    file.write_text(
        "language,model,kind,test,should,pairs,failed,right,unread,source\n"
        "english,english-rnn,magic,a test,change,3,1,4,0.0,by hand\n"
    )
    with pytest.raises(ModelError, match="'kind' is \"magic\""):
        failures_by_model(file)
