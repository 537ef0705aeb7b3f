"""The training of the CLIP of photographs, with few random features, and the stored model beside it."""

import json
from dataclasses import asdict

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from core.models.clip import EncoderConfig
from core.models.efficientnet import CHANNELS
from core.models.locked_clip import LockedCLIPConfig, TunedLayers
from core.models.stored_weights import load_weights, save_weights
from core.zoo.clips import load_clip
from core.zoo.embedded import BODY, SENTENCES, WEIGHTS
from training.captioning.data import PLACES, LabelledPlaces
from training.clip import photographs
from training.clip.photographs import LockedPairs, locked_variant
from training.clip.report import CARD, tables_of

CONFIG = LockedCLIPConfig(EncoderConfig(8, 1, 2), adapter=12)
COUNT = 8  # pictures
TEXTS = ["a dog on the beach", "two children play"]


@pytest.fixture
def pairs(monkeypatch):
    """Random features of a few pictures, with captions of length 1, two templates and five names."""
    monkeypatch.setattr(photographs, "CAPTIONED", 4)
    monkeypatch.setattr(photographs, "NAMED", 4)
    generator = torch.Generator().manual_seed(0)

    def vectors(*shape: int) -> torch.Tensor:
        return torch.nn.functional.normalize(torch.randn(*shape, CONFIG.space, generator=generator), dim=-1)

    places = [torch.randn(COUNT, PLACES, CHANNELS, generator=generator).numpy().astype(np.float16) for _ in range(3)]
    probabilities = [torch.randn(COUNT, 5, generator=generator).softmax(dim=-1).half() for _ in range(3)]
    labelled = LabelledPlaces(places[2], np.arange(COUNT) % 3, ("cat", "dog", "ship"))
    return LockedPairs(tuple(places[:2]), vectors(COUNT, 5), labelled, vectors(2, 3), vectors(5), tuple(probabilities))


def loss_of(pairs: LockedPairs, network: TunedLayers) -> torch.Tensor:
    torch.manual_seed(1)
    return pairs.loss(network, 3)


def test_transformer_and_adapter_learn_from_the_same_loss(pairs):
    torch.manual_seed(0)
    network = TunedLayers(CONFIG)
    loss_of(pairs, network).backward()
    for learned in (network.places.projection, network.adapter.out):
        assert float(learned.weight.grad.norm()) > 0


def test_the_loss_of_names_counts_with_its_weight_from_the_first_step(pairs, monkeypatch):
    torch.manual_seed(0)
    network, losses = TunedLayers(CONFIG), {}
    for weight in (0.0, 0.3, 1.0):
        monkeypatch.setattr(photographs, "NAMES_WEIGHT", weight)
        losses[weight] = loss_of(pairs, network).item()
    assert losses[1.0] > losses[0.0]
    assert losses[0.3] - losses[0.0] == pytest.approx(0.3 * (losses[1.0] - losses[0.0]), rel=1e-3)


def test_the_stored_model_gives_texts_the_vectors_that_training_gave_them(tmp_path):
    torch.manual_seed(0)
    tuned = TunedLayers(CONFIG)
    torch.nn.init.normal_(tuned.adapter.out.weight)
    for name in (BODY, SENTENCES):
        (tmp_path / name).symlink_to(WEIGHTS / name)
    file = tmp_path / "clip" / "photographs.safetensors"
    save_weights(tuned, file, eight_bits=True)
    (file.parent / "config.json").write_text(json.dumps({"photographs": {"sizes": asdict(CONFIG)}}))
    # As `locked_pairs` computes them: MiniLM's own vectors, through an adapter that has not learned.
    variant = locked_variant(CONFIG, TunedLayers(CONFIG))
    sentences = variant.texts(variant.network, TEXTS)
    trained = load_weights(lambda: TunedLayers(CONFIG), file)
    assert_close(load_clip("photographs", weights=tmp_path).texts(TEXTS), trained.text(sentences))
    assert not torch.allclose(trained.text(sentences), sentences, atol=0.01)


def test_the_card_holds_the_figures_of_the_stored_results():
    results = json.loads((WEIGHTS / "clip" / "results.json").read_text())
    assert (WEIGHTS / "clip" / "CARD.md").read_text() == CARD.format_map(results | tables_of(results))


def test_the_stored_layers_were_trained_by_the_plan():
    trained = json.loads((WEIGHTS / "clip" / "results.json").read_text())["photographs"]
    assert trained["plan"] == asdict(photographs.PLAN)
    assert trained["sizes"] == asdict(LockedCLIPConfig())
    layers = TunedLayers(LockedCLIPConfig())
    assert trained["parameters"] == sum(weight.numel() for weight in layers.parameters())
