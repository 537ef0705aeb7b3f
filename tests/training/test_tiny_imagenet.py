"""The script that trains the image classifiers: its batches, its crops, its teacher, its cards."""

import json
import math
import shutil
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from core.models.image_classifiers import make_image_classifier
from core.results.classifier_results import Accuracy, Quality
from core.zoo.embedded import WEIGHTS
from training.common.loop import Plan, train
from training.common.pictures import batch_at, vary
from training.tiny_imagenet.cards import CARD, by_size, fairness, write_cards
from training.tiny_imagenet.data import normalise
from training.tiny_imagenet.report import enlarged
from training.tiny_imagenet.train import BATCH, RECIPES, distance, first_run
from training.translation.report import write_translation_card


def test_an_epoch_shows_each_picture_once_and_the_next_in_another_order():
    count = 3 * BATCH
    first = torch.cat([batch_at(step, count, BATCH, 0) for step in range(3)])
    second = torch.cat([batch_at(step, count, BATCH, 0) for step in range(3, 6)])
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(count))
    assert first.tolist() != second.tolist()


@pytest.mark.parametrize("size", [48, 64])
def test_a_changed_picture_has_the_size_that_was_asked_for_and_stays_a_picture(size):
    torch.manual_seed(0)
    changed = vary(torch.rand(5, 3, 64, 64), size)
    assert changed.shape == (5, 3, size, size)
    assert changed.min() >= 0
    assert changed.max() <= 1


def test_a_picture_of_one_colour_keeps_it_but_for_the_light():
    torch.manual_seed(0)
    changed = vary(torch.full((4, 3, 64, 64), 0.4))
    assert (changed.flatten(1).std(dim=1) < 1e-6).all()
    assert changed.amax() <= 0.5 + 1e-6
    assert changed.amin() >= 0.3 - 1e-6


def test_the_mean_colour_becomes_zero():
    mean = torch.tensor([0.480, 0.448, 0.398]).view(1, 3, 1, 1).expand(1, 3, 2, 2)
    torch.testing.assert_close(normalise(mean), torch.zeros(1, 3, 2, 2))


def test_the_distance_to_the_teacher_is_the_divergence_in_nats():
    logits = torch.tensor([[0.0, 0.0], [0.0, 0.0]])
    taught = torch.tensor([[0.9, 0.1], [0.5, 0.5]]).log()
    expected = (0.9 * math.log(0.9 / 0.5) + 0.1 * math.log(0.1 / 0.5)) / 2
    assert distance(logits, taught).item() == pytest.approx(expected, rel=1e-5)
    assert distance(taught, taught).item() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("model", RECIPES)
def test_every_network_has_about_the_same_size_and_reads_larger_pictures(model):
    recipe = RECIPES[model]
    torch.manual_seed(0)
    network = make_image_classifier(recipe.architecture, recipe.sizes).eval()
    assert sum(weights.numel() for weights in network.parameters()) == pytest.approx(4.9e6, rel=0.04)
    with torch.inference_mode():
        assert network(torch.zeros(1, 3, 64, 64)).shape == network(torch.zeros(1, 3, 96, 128)).shape == (1, 100)


def test_convolutions_learn_by_momentum_and_their_norms_do_not_decay(tmp_path):
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 2, 1), torch.nn.BatchNorm2d(2))
    before = [parameter.detach().clone() for parameter in network.parameters()]
    plan = Plan(steps=3, learning_rate=0.1, weight_decay=0.5, warm_up=1, optimiser="sgd")
    # A loss without a gradient of its own: all that moves is what decays.
    train(network, lambda _: sum(parameter.sum() * 0 for parameter in network.parameters()), plan, tmp_path)
    convolution, bias, scale, shift = network.parameters()
    assert convolution.abs().sum() < before[0].abs().sum()
    for parameter, old in zip((bias, scale, shift), before[1:], strict=True):
        assert torch.equal(parameter, old)


def test_what_the_first_run_reached_stays_known(tmp_path):
    results = {"plan": {"steps": 7}, "seconds": 60.0, "validation": {"top1": 0.5, "top5": 0.8}, "batch": 192}
    (tmp_path / "results.json").write_text(json.dumps(results))
    assert first_run(None) is None
    assert first_run(tmp_path / "model.safetensors") == {key: results[key] for key in ("plan", "seconds", "validation")}


TOLD = {
    "plan": {"steps": 2600, "seed": 0, "learning_rate": 0.1, "weight_decay": 0.0005},
    "logistic_regression": {"top1": 0.1, "top5": 0.3},
    **{"batch": 192, "pictures": 50_000, "epochs": 10.0, "minutes": 30, "seconds": 1800.0, "hardware": "a processor"},
    **{"torch": "2.15.0", "teacher": None, "first_run": None},
    **{"parameters": 4_900_000, "macs": 290_000_000, "images_per_second": 123.4},
}
TAUGHT = {"teacher": "resnet", "first_run": {"plan": {"steps": 3600}, "seconds": 600.0}}


def test_all_cards_hold_the_same_table_and_no_brace(tmp_path):
    for number, recipe in enumerate(RECIPES.values()):
        (tmp_path / recipe.name).mkdir()
        results = TOLD | {"validation": {"top1": 0.5 + number / 100, "top5": 0.8, "pictures": 5000}}
        (tmp_path / recipe.name / "results.json").write_text(json.dumps(results | (TAUGHT if number == 0 else {})))
    write_cards(tmp_path, [recipe.name for recipe in RECIPES.values()])
    cards = [(tmp_path / recipe.name / "CARD.md").read_text() for recipe in RECIPES.values()]
    for row in ("swin-tiny-imagenet | 51.0% | 80.0% | 4.90 M | 290 M | 123 | 1,800 |", "| 2,400 |"):
        assert all(row in card and "{" not in card for card in cards)
    assert CARD.count("{") > 0


def test_the_same_order_is_claimed_only_of_models_with_one_run_and_no_teacher():
    alone = dict.fromkeys(("swin", "resnet", "plain"), TOLD)
    paragraph = " ".join(fairness(alone).split())
    assert paragraph.endswith("`swin`, `resnet` and `plain` also in the same order and for the same 2,600 steps.")
    assert "order" not in fairness({"swin": TOLD, "resnet": TOLD | {"plan": {"steps": 5}}})
    mixed = " ".join(fairness({"vit": TOLD | TAUGHT, **alone}).split())
    assert "`vit` learned otherwise: in two runs of 3,600 and 2,600 steps, in the second one from the answers" in mixed
    assert "`vit`" not in mixed.partition(" learned otherwise")[0].partition(". ")[0]


def test_the_cards_of_the_project_are_those_that_the_script_writes(tmp_path):
    names = [recipe.name for recipe in RECIPES.values()]
    shutil.copytree(WEIGHTS, tmp_path, ignore=shutil.ignore_patterns("*.safetensors", "*.md"), dirs_exist_ok=True)
    write_cards(tmp_path, names)
    write_translation_card(tmp_path / "translation")
    for name in (*names, "translation"):
        assert (tmp_path / name / "CARD.md").read_text() == (WEIGHTS / name / "CARD.md").read_text()


class Brightest(nn.Module):
    """Takes a picture for the class of its brightest channel; notes the sizes that it was given."""

    def __init__(self):
        super().__init__()
        self.sides: list[int] = []

    def forward(self, pixels):
        self.sides.append(pixels.shape[-1])
        return nn.functional.pad(pixels.mean(dim=(2, 3)), (0, 3), value=-100.0)


def test_larger_pictures_are_measured_on_every_nth_one_enlarged():
    labels = torch.arange(32) % 3
    pictures = torch.zeros(32, 3, 64, 64, dtype=torch.uint8)
    pictures[torch.arange(32), labels] = 255
    wrong = labels.clone()
    wrong[:16] = (labels[:16] + 1) % 3
    network = Brightest()
    model = SimpleNamespace(name="brightest", resolutions=(64, 128, 256), network=network)
    assert enlarged(model, pictures, labels)["128"] == {"top1": 1.0, "top5": 1.0, "pictures": 8}
    assert enlarged(model, pictures, wrong)["256"] == {"top1": 0.5, "top5": 1.0, "pictures": 2}
    assert set(network.sides) == {128, 256}


def test_the_card_has_a_column_for_each_size_that_was_measured():
    one = Quality("vit-tiny-imagenet", 0.5, 0.8, 5000, enlarged={96: Accuracy(0.36, 0.6, 2500)})
    rows = by_size([one, Quality("swin-tiny-imagenet", 0.5, 0.8, 5000)])
    assert "| 64 x 64, 5,000 | 96 x 96, 2,500 |" in rows
    assert "| 50.0% ± 0.7 | 36.0% ± 1.0 |" in rows
    assert "Not measured" in by_size([Quality("swin-tiny-imagenet", 0.5, 0.8, 5000)])
