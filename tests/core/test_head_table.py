"""Every measure of every head, in every kind of model: the right value, or plainly none."""

import pytest
import torch

from core.capture import record_attention
from core.heads import measures
from core.heads.contributions import watch_outputs
from core.heads.head_table import (
    attention_moved_between,
    induction_scores,
    is_punctuation,
    measure_heads,
    repeated_tokens,
    shares_of_output,
)
from core.images import open_example
from core.zoo import load_image, load_text
from core.zoo.embedded import load_embedded_image, load_embedded_text
from tests.core.saved_models import save_text_model, save_timm_model
from tests.core.tiny_models import all_weights

SENTENCE = "The cat, that the dogs chased, sat down. The cat"
LINE = {"entropy", "punctuation", "same_token", "previous_token", "first_token", "mean_distance"}
PLANE = {"entropy", "same_token", "mean_distance_in_plane", "class_token"}


def table_of(model, inputs):
    with torch.inference_mode(), record_attention(model.network) as record:
        run = model.run(inputs)
    return measure_heads(model, run, record), record


@pytest.fixture(scope="module")
def gpt():
    return load_embedded_text("gpt-books")


def test_the_table_holds_what_the_measures_say_of_the_whole_maps(gpt):
    tokens = gpt.encode(SENTENCE)
    table, record = table_of(gpt, tokens)
    assert set(table.values) == LINE
    assert table.rows is None
    weights = torch.stack([all_weights(call)[0] for call in record.calls])
    signs = torch.tensor([label.strip() in {",", "."} for label in tokens.labels])
    assert torch.allclose(table.values["entropy"], measures.entropy(weights).mean(dim=-1))
    assert torch.allclose(table.values["punctuation"], weights[..., signs].sum(dim=-1).mean(dim=-1))
    assert torch.allclose(table.values["mean_distance"], measures.mean_distance(weights))
    assert torch.allclose(table.values["previous_token"], measures.previous_token(weights))


def test_a_long_map_is_measured_by_rows_that_are_evenly_spread(gpt, monkeypatch):
    tokens = gpt.encode("word " * 200)
    full_table, _ = table_of(gpt, tokens)
    monkeypatch.setattr("core.heads.head_table.FULL_LENGTH", 100)
    sample, _ = table_of(gpt, tokens)
    assert sample.rows is not None
    assert sample.rows < len(tokens)
    for name in LINE - {"punctuation"}:
        assert torch.allclose(sample.values[name], full_table.values[name], rtol=0.1, atol=0.05), name


def test_a_picture_is_measured_in_its_plane():
    model = load_embedded_image("vit-tiny-imagenet")
    table, record = table_of(model, model.prepare(open_example("cat")))
    assert set(table.values) == PLANE
    weights = torch.stack([all_weights(call)[0] for call in record.calls])
    assert torch.allclose(table.values["class_token"], weights[:, :, 1:, 0].mean(dim=-1))
    for name in ("entropy", "mean_distance_in_plane"):
        assert (table.values[name] <= table.largest[name]).all()


def test_windows_are_measured_as_small_pictures(tmp_path):
    model = load_image(str(save_timm_model("swin", tmp_path / "swin")))
    table, record = table_of(model, model.prepare(open_example("cat")))
    assert record.calls[0].batch_size == 4
    assert table.values["entropy"].shape == (2, 2)
    assert table.values["entropy"][0, 1].isnan()  # the first stage has one head only
    assert not table.values["mean_distance_in_plane"][0, 0].isnan()
    assert "class_token" not in table.values


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_cross_attention_has_entropy_but_no_distance(kind, tmp_path):
    model = load_text(str(save_text_model(kind, tmp_path / kind)))
    table, record = table_of(model, model.encode("Who listens to whom? The lazy dog."))
    cross = torch.tensor([call.kind == "cross" for call in record.calls])
    assert cross.sum() == 2
    assert table.values["mean_distance"][cross].isnan().all()
    assert not table.values["mean_distance"][~cross].isnan().any()
    assert not table.values["entropy"].isnan().any()
    induction = induction_scores(model)
    assert induction[cross].isnan().all()
    assert not induction[~cross].isnan().any()


@pytest.mark.parametrize("kind", ["gpt2", "llama", "bert", "bert-headless", "bert-classifier", "roberta"])
def test_every_kind_of_text_model_has_every_measure_of_a_text(kind, tmp_path):
    model = load_text(str(save_text_model(kind, tmp_path / kind)))
    table, _ = table_of(model, model.encode("Who listens to whom? The lazy dog."))
    assert set(table.values) == LINE
    assert not any(values.isnan().any() for values in table.values.values())
    assert induction_scores(model).shape == table.values["entropy"].shape


def test_repeated_tokens_are_ordinary_ones_each_drawn_once_and_said_twice(tmp_path):
    model = load_text(str(save_text_model("bert", tmp_path / "bert")))
    rows = repeated_tokens(model).tolist()
    for row in rows:
        assert len(row) <= model.context
        first, second = row[: len(row) // 2], row[len(row) // 2 :]
        assert first == second
        assert len(set(first)) == len(first)
        assert not set(first) & set(model.tokenizer.get_added_tokens_decoder())
    assert rows[0] != rows[1]
    assert repeated_tokens(model).tolist() == rows
    assert repeated_tokens(model, seed=1).tolist() != rows


def test_the_induction_head_that_the_model_s_card_names_is_found(gpt):
    scores = induction_scores(gpt)
    layer, head = divmod(int(scores.argmax()), 6)
    assert (layer, head) == (5, 2)
    assert scores[layer, head] > 0.1
    assert scores.median() < 0.02


def test_shares_of_the_output_sum_to_one_in_each_layer(gpt):
    tokens = gpt.encode(SENTENCE)
    outputs = watch_outputs(gpt.network, lambda network: network(torch.tensor([tokens.ids])))
    shares = shares_of_output(outputs)
    assert torch.allclose(shares.sum(dim=1), torch.ones(6))


def test_only_later_heads_move_when_one_is_silenced(gpt):
    from core.capture import edit_attention

    tokens = gpt.encode(SENTENCE)
    _, before = table_of(gpt, tokens)
    with edit_attention(gpt.network, {(before.calls[2].path, 1): "silence"}):
        _, after = table_of(gpt, tokens)
    moved = attention_moved_between(before, after)
    assert torch.count_nonzero(moved[:2]) == 0
    assert moved[2, 1] == pytest.approx(0.5)  # all it had, and nothing instead
    assert (moved[3:] > 0).all()


def test_punctuation_is_what_has_signs_but_no_letter_or_digit():
    assert all(map(is_punctuation, [".", " ,", "…", "«", "😀", " --"]))
    assert not any(map(is_punctuation, ["a.", " it's", "3", "猫", "", " ", "\n", "‹E2›", "[SEP]"]))
