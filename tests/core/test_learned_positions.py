"""The table of positions is found in models of every library, and what stands for no position is left out."""

import pytest
import torch
from torch import nn

from core.attention.positional_encodings import sinusoidal
from core.order import learned_positions as learned
from tests.core.tiny_models import tiny_gpt, tiny_timm, tiny_transformers


@pytest.mark.parametrize(
    ("family", "paths", "length"),
    [
        ("bert", ["embeddings.position_embeddings"], 40),
        ("roberta", ["embeddings.position_embeddings"], 39),  # one row is for padding
        ("distilbert", ["embeddings.position_embeddings"], 512),
        ("gpt2", ["wpe"], 40),
        ("opt", ["decoder.embed_positions"], 40),  # 42 rows, two of them spare
        ("clip-text", ["embeddings.position_embedding"], 40),
        ("bart", ["encoder.embed_positions", "decoder.embed_positions"], 40),
        ("marian", ["encoder.embed_positions", "decoder.embed_positions"], 40),
    ],
)
def test_tables_of_text_models_are_found_by_name(family, paths, length):
    network = tiny_transformers(family)
    tables = learned.find_tables(network)
    assert [table.path for table in tables] == paths
    for table in tables:
        weight = network.get_submodule(table.path).weight
        assert torch.equal(table.vectors, weight[-length:])
        assert table.learned == (family != "marian")


def test_opt_starts_after_its_two_spare_rows():
    network = tiny_transformers("opt")
    [table] = learned.find_tables(network)
    module = network.decoder.embed_positions
    first = module(torch.ones(1, 1, dtype=torch.long), past_key_values_length=0)
    assert torch.equal(table.vectors[0], first[0, 0])


def test_our_own_gpt_has_a_table():
    [table] = learned.find_tables(tiny_gpt())
    assert table.path == "position_embedding"
    assert table.vectors.shape == (16, 32)


@pytest.mark.parametrize(
    ("make", "family", "prefix"),
    [
        (tiny_transformers, "vit", 1),
        (tiny_transformers, "clip-vision", 1),
        (tiny_timm, "vit", 1),
        (tiny_timm, "deit-distilled", 2),
        (tiny_timm, "dinov2", 1),
        (tiny_timm, "dinov2-registers", 0),
        (tiny_timm, "eva02", 1),
    ],
)
def test_tables_of_pictures_have_rows_and_columns(make, family, prefix):
    [table] = learned.find_tables(make(family), pictures=True)
    assert (table.grid, table.prefix) == ((4, 4), prefix)
    assert len(table.vectors) == 16 + prefix


@pytest.mark.parametrize(
    ("make", "family", "way"),
    [
        (tiny_transformers, "llama", "rotary"),
        (tiny_transformers, "gemma2", "rotary"),
        (tiny_transformers, "t5", "buckets"),
        (tiny_timm, "dinov3", "rotary"),
        (tiny_timm, "swin", "window"),
        (tiny_timm, "swinv2", "window"),
    ],
)
def test_models_without_a_table_say_what_they_use_instead(make, family, way):
    network = make(family)
    assert learned.find_tables(network) == ()
    assert learned.position_method(network) == way


def test_bloom_uses_alibi():
    from transformers import BloomConfig, BloomModel

    network = BloomModel(BloomConfig(vocab_size=64, hidden_size=32, n_layer=1, n_head=4))
    assert learned.find_tables(network) == ()
    assert learned.position_method(network) == "alibi"


def test_a_model_of_which_nothing_is_known_is_not_guessed_at():
    assert learned.position_method(nn.Linear(2, 2)) == "unknown"


def test_the_base_of_rotary_angles_is_read_from_the_model():
    assert learned.rotary_base(tiny_transformers("llama")) == 10_000
    assert learned.rotary_base(tiny_timm("vit")) is None


def test_biases_of_t5_are_found_with_their_direction():
    encoder, decoder = learned.find_bucket_biases(tiny_transformers("t5"))
    assert encoder.path.startswith("encoder.block.0")
    assert decoder.path.startswith("decoder.block.0")
    assert (encoder.bidirectional, decoder.bidirectional) == (True, False)
    assert encoder.bias.shape == (32, 4)
    assert encoder.longest == 128


def test_biases_of_swin_are_found_layer_by_layer():
    biases = learned.find_window_biases(tiny_timm("swin"))
    assert [tuple(layer.bias.shape) for layer in biases] == [(49, 2), (49, 2), (49, 4), (49, 4)]
    assert all((layer.rows, layer.columns) == (4, 4) for layer in biases)
    assert learned.find_window_biases(tiny_timm("vit")) == ()


def test_similarity_is_the_cosine():
    vectors = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])
    assert learned.similarity(vectors)[0].tolist() == [1, 1, 0, -1]


def test_waves_are_more_alike_the_nearer_they_are():
    near = learned.mean_by_distance(learned.similarity(sinusoidal(30, 64)))
    assert near[0].item() == pytest.approx(1)
    assert (near[1:6] < near[:5]).all()


def test_likeness_tells_lines_from_rings_and_from_nearness():
    row, column = torch.arange(6).repeat_interleave(8), torch.arange(8).repeat(6)
    lines = ((row[:, None] == row) | (column[:, None] == column)).float()
    similarity = learned.patch_similarity((6, 8), lines)
    assert (similarity.touching, similarity.same_line, similarity.same_ring, similarity.other) == (1, 1, 0, 0)
    edge = [min(r, c, 5 - r, 7 - c) for r in range(6) for c in range(8)]
    rings = torch.tensor([[float(one == other) for one in edge] for other in edge])
    similarity = learned.patch_similarity((6, 8), rings)
    assert (similarity.same_ring, similarity.other) == (1, 0)
    apart = ((row[:, None] - row) ** 2 + (column[:, None] - column) ** 2).sqrt()
    similarity = learned.patch_similarity((6, 8), (apart < 3).float())
    assert (similarity.touching, similarity.far) == (1, 0)


def test_long_tables_are_thinned_out_evenly():
    assert learned.evenly_spaced(5, 9).tolist() == [0, 1, 2, 3, 4]
    assert learned.evenly_spaced(10, 4).tolist() == [0, 3, 6, 9]
