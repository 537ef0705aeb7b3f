"""The report of the networks that draw: what is there is installed and measured, and its file can be read."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import torch

from core.errors import ModelError
from core.models.dalle import DALLE, DALLEConfig
from core.models.discrete_vae import DiscreteVAE, DiscreteVAEConfig
from core.models.scene_reader import SceneReader
from core.models.stored_weights import save_weights
from core.results import dalle_results
from core.results.dalle_results import ALL, CHANCE, DIRECT, THROUGH, WHOLE_SENTENCE
from core.scenes.sentences import parse
from core.scenes.things import HELD_PAIRS, Scene, Thing
from core.scenes.truth import is_true
from core.zoo.dalles import PictureCoder, available, load_dalle
from training.common import drawn_statements
from training.common.scenes import scenes_tokenizer
from training.dalle import drawings, report


def runs_in(folder: Path) -> None:
    """Untrained networks, small ones, as the trainings leave them."""
    torch.manual_seed(0)
    tokenizer = scenes_tokenizer()
    coder = DiscreteVAEConfig(width=8, code_width=8, blocks=1, quantiser="nearest")
    drawer = DALLEConfig(words=tokenizer.get_vocab_size(), width=16, heads=2, masks=("row", "column"))
    for name, network, config in (
        ("discrete-vae/scenes", DiscreteVAE(coder), coder),
        ("dalle/scenes", DALLE(drawer), drawer),
    ):
        own = folder / name
        save_weights(network, own / "model.safetensors", eight_bits=True)
        story = {"plan": {"steps": 1, "learning_rate": 0.1}, "batch": 2, "sizes": asdict(config), "seconds": 60}
        story |= {"hardware": "a card"}
        (own / "run.json").write_text(json.dumps(story))
    tokenizer.save(str(folder / "dalle/scenes/tokenizer.json"))


@pytest.mark.parametrize("judged", [True, False])
def test_what_is_there_is_installed_measured_and_can_be_read(tmp_path, monkeypatch, judged):
    runs_in(tmp_path / "runs")
    if judged:
        save_weights(SceneReader(), tmp_path / "scene-reader" / "model.safetensors")
    monkeypatch.setattr(drawings, "PICTURES", 6)
    monkeypatch.setattr(report, "CANDIDATES", {"test": 2, "pairs": 1, "relations": 1})
    monkeypatch.setattr(drawings, "seconds_of", lambda _: 0.5)
    options = {"--runs": tmp_path / "runs", "--out": tmp_path / "dalle", "--readers": tmp_path, "--sentences": 3}
    monkeypatch.setattr(sys, "argv", ["report", *(str(part) for pair in options.items() for part in pair)])
    report.main()
    assert available(tmp_path) == ("scenes",)
    drawer = load_dalle("scenes", weights=tmp_path)
    assert drawer.network.config.masks == ("row", "column")
    results = dalle_results.results(tmp_path / "dalle")
    assert results.coders["scenes"].pictures == 6
    assert results.drawers["scenes"].seconds == {1: 0.5, 4: 0.5, 16: 0.5}
    card = (tmp_path / "dalle" / "CARD.md").read_text()
    assert "| DALL-E of drawn scenes |" in card
    if judged:
        assert set(results.held) == {"test", "pairs", "relations"}
        assert set(results.held["test"]) == {"1", "2", CHANCE, THROUGH, DIRECT}
        assert results.held["test"]["1"][WHOLE_SENTENCE].asked == 3
        assert "| test | best of 2 |" in card
        assert "\n3 sentences of each split" in card
    else:
        assert not results.held
        assert "Not measured: the reader was not there." in card


def test_results_that_are_wrong_or_missing_are_named(tmp_path):
    with pytest.raises(ModelError, match=r"python -m training\.dalle\.report"):
        dalle_results.results(tmp_path)
    (tmp_path / "results.json").write_text('{"coders": {}, "drawers": {}}')
    with pytest.raises(ModelError, match="nothing was measured"):
        dalle_results.results(tmp_path)
    (tmp_path / "results.json").write_text('{"coders": {"scenes": {"pictures": 0}}, "drawers": {}}')
    with pytest.raises(ModelError, match=r"'coders\.scenes\.pictures' is 0"):
        dalle_results.results(tmp_path)
    assert dalle_results.reader(tmp_path / "none") == {}
    one = {"whole": 0.9, "found": 0.99, "there": 0.98, "shape": 0.9}
    (tmp_path / "results.json").write_text(json.dumps({"asked": 1000, "read": {"test": one}}))
    assert dalle_results.reader(tmp_path)["test"].whole_scenes == 0.9


def test_sentences_are_true_and_those_of_pairs_name_one_that_was_never_joined():
    for split in ("test", "pairs", "relations"):
        examples = drawn_statements.scenes_with_sentences(split, 10)
        assert len(examples) == 10
        for scene, sentence in examples:
            assert is_true(sentence, scene)
            if split == "pairs":
                groups = [sentence.group, *([sentence.other] if sentence.other else [])]
                assert {(group.colour, group.shape) for group in groups} & HELD_PAIRS


def test_of_candidates_the_best_of_each_group_is_taken():
    scenes = [Scene((Thing("star", "red", "small", "plain", 20, 20 + place),)) for place in range(5)]
    scores = [0.1, 0.4, 0.3, 0.2, 0.9]
    assert drawn_statements.best_scenes(scenes, scores, 1) == scenes
    assert drawn_statements.best_scenes(scenes, scores, 2) == [scenes[1], scenes[2]]
    assert drawn_statements.best_scenes(scenes, scores, 4) == [scenes[1]]


def test_shares_are_means_over_words_of_means_over_pictures():
    red = Scene((Thing("star", "red", "small", "plain", 20, 20),))
    blue = Scene((Thing("star", "blue", "small", "plain", 20, 20),))
    shares = drawn_statements.shares_of([parse("a red star"), parse("a star")], [[red, blue], [blue, blue]])
    assert shares["colour"] == {"share": 0.5, "error": 0.0, "asked": 1}
    assert shares["shape"]["share"] == 1.0
    assert shares[WHOLE_SENTENCE]["share"] == 0.75
    assert shares[ALL]["asked"] == 3
    assert shares[ALL]["share"] == pytest.approx(2.5 / 3, abs=1e-4)
    values = [0.0, 0.5, 1.0, 1.0]
    own = drawn_statements.share_of(values)
    assert own["error"] == pytest.approx(np.std(values, ddof=1) / 2, abs=1e-4)


def test_the_error_of_an_autoencoder_and_the_use_of_its_codes():
    coder = PictureCoder("scenes", "codes", DiscreteVAE(DiscreteVAEConfig(width=8, code_width=8, blocks=1)))
    pixels = torch.rand(3, 3, 64, 64)
    measurements = report.measure_coder(coder, pixels)
    codes = coder.codes(pixels)
    painted = coder.paint(codes)
    assert measurements["error"] == pytest.approx(float(((painted - pixels) ** 2).mean()), abs=1e-5)
    assert measurements["used"] == len(set(codes.flatten().tolist()))
    shares = np.bincount(codes.flatten().numpy()) / codes.numel()
    shares = shares[shares > 0]
    assert measurements["perplexity"] == pytest.approx(float(np.exp(-(shares * np.log(shares)).sum())), abs=0.1)
