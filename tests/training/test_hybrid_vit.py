"""The training of the hybrid vision transformer, with few pictures, against the networks' own passes."""

import numpy as np
import pytest
import torch

from core.zoo.embedded import BODY, load_embedded_image
from training.captioning.data import PLACES, Captioned, pooled_places
from training.hybrid_vit import report, train
from training.hybrid_vit.train import SIDE, TaughtPictures, class_vectors, crops_of, untrained


@pytest.fixture(scope="module")
def hybrid():
    torch.manual_seed(0)
    return untrained().eval()


@pytest.fixture(scope="module")
def places(hybrid):
    """The pixels of two pictures, and their features, place by place."""
    pixels = torch.randn(2, 3, SIDE, SIDE, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        return pixels, hybrid.patch_embed.backbone(pixels).flatten(2).transpose(1, 2)


def test_the_pass_over_features_is_the_network_s_own_pass_over_pixels(hybrid, places):
    pixels, features = places
    with torch.inference_mode():
        vectors = class_vectors(hybrid, features, torch.arange(PLACES))
        torch.testing.assert_close(vectors, hybrid.forward_features(pixels)[:, 0])
        torch.testing.assert_close(hybrid.head(vectors), hybrid(pixels))


def test_places_that_are_left_out_change_nothing_wherever_they_lie(hybrid, places):
    _, features = places
    place_numbers = torch.tensor([3, 77, 150])
    with torch.inference_mode():
        one = class_vectors(hybrid, features[:, place_numbers], place_numbers)
        other = class_vectors(hybrid, features[:, place_numbers.flip(0)], place_numbers.flip(0))
    torch.testing.assert_close(one, other)


def test_what_is_learned_from_are_the_vectors_to_which_efficientnet_gives_classes(places):
    pixels, features = places
    classifier = load_embedded_image(BODY).network
    with torch.inference_mode():
        answers = classifier.classifier(pooled_places(classifier, features.numpy()))
        torch.testing.assert_close(answers, classifier(pixels), rtol=1e-4, atol=1e-4)


def test_the_convolutional_network_and_its_classifier_stay_as_they_are(monkeypatch, hybrid, places):
    monkeypatch.setattr(train, "BATCH", 2)
    _, features = places
    pooled = torch.rand(2, 1280)
    TaughtPictures((features.half().numpy(),), (pooled,)).loss(hybrid, 0).backward()
    learning = {name for name, weight in hybrid.named_parameters() if weight.grad is not None}
    assert {
        "cls_token",
        "pos_embed",
        "patch_embed.proj.weight",
        "blocks.3.attn.qkv.weight",
        "head.0.weight",
    } <= learning
    assert not [name for name in learning if name.startswith(("patch_embed.backbone", "head.2"))]
    hybrid.zero_grad()


def test_a_batch_is_drawn_from_all_parts():
    parts = tuple(np.full((count, 1, 1), value, np.float16) for value, count in ((1, 3), (2, 4)))
    pooled = tuple(torch.full((len(part), 1), float(part[0, 0, 0])) for part in parts)
    places, targets = TaughtPictures(parts, pooled).batch(torch.tensor([6, 0, 3, 2]))
    assert sorted(places.flatten().tolist()) == [1, 1, 2, 2]
    assert places.flatten().tolist() == targets.flatten().tolist()


def test_parts_of_photographs_are_the_same_for_a_seed_and_differ_from_the_whole():
    pictures = np.random.default_rng(0).integers(0, 256, (3, 3, SIDE, SIDE), dtype=np.uint8)
    photos = Captioned(pictures, [[[""]]] * 3)
    first, again, other = (crops_of(photos, seed) for seed in (0, 0, 1))
    assert first.dtype == np.uint8
    assert (first == again).all()
    assert (first != other).any()
    assert (first != pictures).any()


class Answers:
    """A model that always gives these scores."""

    def __init__(self, scores: list[list[float]]):
        self.scores = torch.tensor(scores)


def test_agreement_counts_first_answers_and_those_among_five(monkeypatch):
    monkeypatch.setattr(report, "scores", lambda model, _: model.scores)
    teacher = Answers([[1.0, 0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0, 0], [0, 1.0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1.0]])
    student = Answers([[9.0, 5, 4, 3, 2, 1], [5.0, 9, 4, 3, 2, 1], [1.0, 9, 5, 4, 3, 2], [9.0, 8, 7, 6, 5, 1]])
    shares = report.agreement(student, teacher, torch.zeros(4))
    assert shares == {"first": 0.5, "among five": 0.75, "commonest answer": 0.5, "pictures": 4}
