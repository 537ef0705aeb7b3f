"""Pre-training: who wins where follows from the paper's table; the gains of more data from timm's."""

import json

import pytest

from pages.scale.scaling_comparison import words as page
from pages.scale.scaling_comparison import words_transfer as said
from tests.pages.scaling import PAGE, drawn, families, numbers, original, prose

TABLE = original("vit_vs_cnn_transfer.csv")


@pytest.fixture
def transfer(visit):
    return lambda part, **query: visit(PAGE, show=page.TRANSFER, transfer_part=part, **query)


def accuracy(model):
    return {of["dataset"]: float(of["accuracy"]) for of in TABLE if of["model"] == model}


def bars(app):
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    names = spec["layout"]["yaxis"]["ticktext"]
    return dict(zip(names, numbers(spec["data"][0]["x"]), strict=True))


def test_the_bars_are_differences_of_the_two_models(transfer):
    app = transfer(said.DUEL)
    vit, bit = accuracy("ViT-H/14 (JFT)"), accuracy("BiT-L (ResNet152x4)")
    assert bars(app) == pytest.approx({name: vit[name] - bit[name] for name in vit})
    assert "is ahead on **7 of 7** data sets" in prose(app)
    assert "2,500 core-days of TPUv3 against 9,900: the rival cost **4.0 times as much**" in prose(app)


def test_with_less_data_the_transformer_loses_where_the_table_says(transfer):
    app = transfer(said.DUEL, duel_own="ViT-L/16 (ImageNet-21k)")
    own, bit = accuracy("ViT-L/16 (ImageNet-21k)"), accuracy("BiT-L (ResNet152x4)")
    lost = [name for name in own if own[name] < bit[name]]
    assert lost
    assert f"behind on {', '.join(lost)}." in prose(app)


def test_a_rival_with_two_results_is_compared_on_these_and_itself_on_none(transfer):
    app = transfer(said.DUEL, duel_other="Noisy Student (EfficientNet-L2)")
    assert set(bars(app)) == {"ImageNet", "ImageNet ReaL"}
    assert "published deviations" not in prose(app).split("Whiskers")[0]
    assert said.SAME in prose(transfer(said.DUEL, duel_other="ViT-H/14 (JFT)"))


def test_accuracy_stands_against_core_days_for_the_chosen_data_set(transfer):
    app = transfer(said.COST, transfer_dataset="CIFAR-100")
    rows = [of for of in TABLE if of["dataset"] == "CIFAR-100"]
    assert sorted(drawn(app).values()) == sorted((float(of["tpuv3_core_days"]), float(of["accuracy"])) for of in rows)
    assert "Best of those shown, by data set (1): **ViT-H/14 (JFT)** on 1." in prose(app)


def test_a_gain_is_the_best_with_more_data_minus_the_best_without(transfer):
    app = transfer(said.GAINS, gains_search="vit_base_patch32_224")
    rows = [of for of in original("image_models.csv") if of["teacher"] == "no" and of["resolution"] == "224"]
    same = [of for of in rows if of["model"].partition(".")[0] == "vit_base_patch32_224"]
    alone = max(float(of["top1"]) for of in same if of["data"] == "ImageNet-1k")
    more = max(float(of["top1"]) for of in same if of["data"] == "ImageNet-21k")
    assert [y for _, y in drawn(app).values()] == pytest.approx([more - alone])
    assert families(app) == {"transformer": 1}
