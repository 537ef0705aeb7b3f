"""The report of the attention GANs: what is there is installed and measured beside DALL-E, and its file can be read."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from core.errors import ModelError
from core.generation.quality import frechet_distance
from core.models.attention_gan import AttentionGANConfig, Generator
from core.models.dalle import DALLE, DALLEConfig
from core.models.damsm import Matching
from core.models.discrete_vae import DiscreteVAE, DiscreteVAEConfig
from core.models.scene_reader import SceneReader
from core.models.stored_weights import save_weights
from core.results import attention_gan_results
from core.results.attention_gan_results import CROWDS, TRUE
from core.results.dalle_results import CHANCE, DIRECT, WHOLE_SENTENCE
from core.zoo.attention_gans import WORD_ATTENTION, StagePainter, available
from core.zoo.dalles import PictureCoder, PictureDrawer
from training.attention_gan import crowds, report
from training.common.scenes import scenes_tokenizer

WORDS = scenes_tokenizer()
SIZES = AttentionGANConfig(words=WORDS.get_vocab_size(), text=8, condition=4, noise=3, width=4, judge=4)


def runs_in(folder: Path) -> None:
    """Untrained networks, small ones, as the training leaves them."""
    torch.manual_seed(0)
    own = folder / "scenes"
    save_weights(Generator(SIZES), own / "generator.safetensors", eight_bits=True)
    save_weights(Matching(SIZES), own / "matching.safetensors", eight_bits=True)
    WORDS.save(str(own / "tokenizer.json"))
    story = {"matching": {"steps": 2}, "steps": 3, "batch": 2, "sizes": asdict(SIZES), "hardware": "a machine"}
    story |= {"seconds": {"matching": 60, "painting": 120}}
    (own / "run.json").write_text(json.dumps(story))


def a_dalle(_name: str) -> PictureDrawer:
    config = DALLEConfig(words=WORDS.get_vocab_size(), width=16, heads=2, masks=("row", "column"))
    coder = DiscreteVAE(DiscreteVAEConfig(width=8, code_width=8, blocks=1))
    return PictureDrawer("scenes", "A small one", WORDS, DALLE(config), PictureCoder("scenes", "codes", coder))


@pytest.mark.parametrize("judged", [True, False])
def test_what_is_there_is_installed_measured_and_can_be_read(tmp_path, monkeypatch, judged):
    runs_in(tmp_path / "runs")
    if judged:
        save_weights(SceneReader(), tmp_path / "scene-reader" / "model.safetensors")
    monkeypatch.setattr(report, "CANDIDATES", {"test": 2, "pairs": 1, "relations": 1})
    monkeypatch.setattr(crowds, "ALIKE_SENTENCES", 2)
    for module in (report, crowds):
        monkeypatch.setattr(module, "TRIED", 2)
    monkeypatch.setattr(report, "seconds_of", lambda _: 0.5)
    monkeypatch.setattr(crowds, "load_dalle", a_dalle)
    options = {"--run": tmp_path / "runs", "--out": tmp_path / "attention-gan", "--readers": tmp_path}
    options |= {"--sentences": 3, "--crowd": 4}
    monkeypatch.setattr(sys, "argv", ["report", *(str(part) for pair in options.items() for part in pair)])
    report.main()
    assert available(tmp_path) == ("scenes",)
    results = attention_gan_results.results(tmp_path / "attention-gan")
    assert results.painters["scenes"].seconds == {1: 0.5, 4: 0.5, 16: 0.5}
    card = (tmp_path / "attention-gan" / "CARD.md").read_text()
    assert "| scenes | 2 | 1 | 3 | 2 | 2 | a machine |" in card
    if not judged:
        assert not results.held
        assert not results.crowds
        assert "Not measured: the reader was not there." in card
        return
    assert set(results.held) == {"test", "pairs", "relations"}
    assert set(results.held["test"]) == {"1", "2", CHANCE, DIRECT}
    assert results.held["test"]["1"][WHOLE_SENTENCE].asked == 3
    assert set(results.looks) == set(WORD_ATTENTION)
    assert set(results.crowds) == set(CROWDS)
    assert results.crowds[TRUE].pictures == 4
    assert "| test | best of 2 |" in card


def test_features_are_compared_as_the_reader_has_them():
    reader, pictures = SceneReader().eval(), torch.rand(3, 3, 64, 64)
    features = crowds.features(reader, pictures)
    with torch.no_grad():
        expected = reader.features(pictures).clamp_min(0).flatten(2).mean(dim=2)
    assert torch.allclose(features, expected, atol=1e-5)
    other = torch.rand(5, 3, 64, 64)
    against = crowds.features(reader, other)
    own = crowds.crowd(reader, pictures, against, 0.25)
    assert own == {"pictures": 3, "frechet": round(frechet_distance(features, against), 4), "diversity": 0.25}


def test_paintings_of_a_text_differ_by_their_noise_alone():
    torch.manual_seed(0)
    painter = StagePainter("scenes", "A small one", WORDS, Generator(SIZES), Matching(SIZES).text)
    one, other = crowds.paintings_of(painter, ["a red star", "a blue star"], 2)
    assert one.shape == (2, 3, 64, 64)
    assert not torch.equal(one[0], one[1])
    again, _ = crowds.paintings_of(painter, ["a red star", "a green star"], 2)
    assert torch.equal(one, again)
    assert not torch.equal(other, one)


def test_results_that_are_wrong_or_missing_are_named(tmp_path):
    with pytest.raises(ModelError, match=r"python -m training\.attention_gan\.report"):
        attention_gan_results.results(tmp_path)
    (tmp_path / "results.json").write_text('{"painters": {}}')
    with pytest.raises(ModelError, match="nothing was measured"):
        attention_gan_results.results(tmp_path)
