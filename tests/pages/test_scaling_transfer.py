"""Pre-training: who wins where follows from the paper's table; the gains of more data from timm's."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pages.scale.scaling_comparison import compute, duel, transfer
from tests.pages.conftest import prose
from tests.pages.scaling import PAGE, chosen, has_no_number, original, placed, plain

TABLE = original("vit_vs_cnn_transfer.csv")
MODELS = list(dict.fromkeys(of["model"] for of in TABLE))


def of(model, column):
    return {row["dataset"]: float(row[column]) for row in TABLE if row["model"] == model and row[column]}


@pytest.mark.parametrize(("own", "other"), [*product(MODELS, MODELS)])
def test_who_is_ahead_and_what_may_be_chance_are_counted_row_by_row(own, other):
    rows = duel.between(compute.transfer(), own, other)
    text = plain(duel.notice(own, other, rows))
    assert not has_no_number(text)
    if own == other:
        assert text == duel.SECTION.text("A model against itself")
        return
    first, second = of(own, "accuracy"), of(other, "accuracy")
    shared = [name for name in first if name in second]
    assert f"is ahead on **{sum(first[name] > second[name] for name in shared)} of {len(shared)}** data sets" in text
    lost = [name for name in shared if first[name] < second[name]]
    even = [name for name in shared if first[name] == second[name]]
    assert (f"behind on {', '.join(lost)}" in text) == bool(lost)
    assert (f"equal on {', '.join(even)}" in text) == bool(even)
    # A mean of three runs is off by the deviation of a run over the root of three.
    one, two = of(own, "accuracy_std"), of(other, "accuracy_std")
    errors = {name: math.sqrt(one[name] ** 2 / 3 + two[name] ** 2 / 3) for name in shared if name in one.keys() & two}
    clear = sum(abs(first[name] - second[name]) > 2 * error for name, error in errors.items())
    known = f"Of the {len(errors)} with published deviations of both, **{clear}** differ by more than twice"
    assert (known in text) == bool(errors)
    assert ("the rest may be chance" in text) == (clear < len(errors))
    assert rows.set_index("dataset").error.dropna().to_dict() == pytest.approx(errors)


def test_the_error_of_a_difference_is_that_of_means_of_three_drawn_runs():
    random = np.random.default_rng(0)
    rows = duel.between(compute.transfer(), "ViT-H/14 (JFT)", duel.RIVAL).set_index("dataset")
    row = rows.loc["Oxford-IIIT Pets"]
    drawn = [random.normal(0, sd, (100_000, 3)).mean(axis=1) for sd in (row.deviation, row.deviation_other)]
    assert (drawn[0] - drawn[1]).std() == pytest.approx(row.error, rel=0.01)


def test_the_price_is_a_ratio_that_is_never_below_one():
    table = compute.transfer()
    cheap, dear = "ViT-H/14 (JFT)", duel.RIVAL
    assert "the rival cost **4.0 times as much**" in plain(duel.notice(cheap, dear, duel.between(table, cheap, dear)))
    assert "the first cost **4.0 times as much**" in plain(duel.notice(dear, cheap, duel.between(table, dear, cheap)))


def test_the_duel_opens_with_its_numbers_and_a_model_meets_itself_in_a_sentence(visit):
    text = prose(visit(PAGE, show="Pre-training"))
    assert "is ahead on **7 of 7** data sets" in text
    itself = visit(PAGE, show="Pre-training", duel_other="ViT-H/14 (JFT)")
    assert duel.SECTION.text("A model against itself") in prose(itself)


@pytest.mark.parametrize("dataset", ["CIFAR-100", "ImageNet ReaL"])
def test_accuracy_stands_against_core_days_and_all_that_are_best_are_named(dataset):
    rivals = ("ViT-L/16 (JFT)", duel.RIVAL)
    selection = chosen(transfer.results(), only={"dataset": (dataset,)})
    rows = [row for row in TABLE if row["dataset"] == dataset]
    assert placed(selection) == sorted((float(row["tpuv3_core_days"]), float(row["accuracy"])) for row in rows)
    assert "by data set (1): **ViT-H/14 (JFT)** on 1." in plain(transfer.about_cost(selection))
    table = transfer.results()
    table = replace(table, rows=table.rows[table.rows.model.isin(rivals)])
    best = plain(transfer.about_cost(chosen(table, only={"dataset": (dataset,)})))
    assert all(f"**{name}** on 1" in best for name in (rivals if dataset == "ImageNet ReaL" else rivals[:1]))


def test_data_are_called_different_only_where_they_are():
    table = transfer.results()
    assert "on different data (4 on JFT-300M, 1 on ImageNet-21k)" in transfer.hides_of_results(chosen(table))[0]
    alike = transfer.hides_of_results(chosen(table, only={"data": ("ImageNet-21k",)}))[0]
    assert alike == "Pre-trained: 1 on ImageNet-21k."


@pytest.mark.parametrize("name", ["vit_base_patch32_224", "convnext_tiny"])
def test_a_gain_is_the_best_with_more_data_minus_the_best_without(name):
    selection = chosen(transfer.gains(), "resolution", "gain", search=f"{name}, 224 ImageNet-21k")
    rows = [row for row in original("image_models.csv") if row["teacher"] == "no" and row["resolution"] == "224"]
    same = [row for row in rows if row["model"].partition(".")[0] == name]
    alone, more = (
        max(float(row["top1"]) for row in same if row["data"] == data) for data in ("ImageNet-1k", "ImageNet-21k")
    )
    assert [gain for _, gain in placed(selection)] == pytest.approx([more - alone])
    assert "Most gained" not in plain(transfer.about_gains(selection))


def test_medians_of_gains_are_compared_with_their_sign():
    selection = chosen(transfer.gains())
    by = {name: rows.gain.tolist() for name, rows in selection.placed.groupby("family")}
    ahead = float(np.median(by["transformer"]) - np.median(by["convolutional"]))
    errors = [np.sqrt(np.pi / 2) * np.std(by[name], ddof=1) / len(by[name]) ** 0.5 for name in transfer.FIRST_TWO]
    text = plain(transfer.about_gains(selection))
    is_clear = abs(ahead) > 2 * np.hypot(*errors)
    word = "more" if ahead > 0 else "less"
    assert (f"transformers gained {abs(ahead):.1f} points {word} than convolutional networks" in text) == is_clear
    assert ("within two standard errors" in text) == (not is_clear)
