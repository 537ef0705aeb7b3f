"""Every way of giving positions agrees with its paper, and with the library that made it known."""

import math

import pytest
import torch

from core.attention import positional_encodings
from tests.core.tiny_models import tiny_timm


def test_sinusoidal_is_the_formula_of_the_paper_written_out():
    length, width, base = 20, 12, 100.0
    written = torch.tensor(
        [
            [
                math.sin(pos / base ** (2 * (i // 2) / width))
                if i % 2 == 0
                else math.cos(pos / base ** ((i - 1) / width))
                for i in range(width)
            ]
            for pos in range(length)
        ]
    )
    assert torch.allclose(positional_encodings.sinusoidal(length, width, base), written, atol=1e-6)


def test_wavelengths_go_from_two_pi_to_the_base_times_two_pi():
    wavelengths = 2 * math.pi / positional_encodings.frequencies(512)
    assert wavelengths[0] == pytest.approx(2 * math.pi)
    assert wavelengths[-1] == pytest.approx(10_000 ** (510 / 512) * 2 * math.pi)


@pytest.mark.parametrize("width", [-2, 0, 1, 7])
def test_channels_that_cannot_be_paired_are_an_error_with_their_number(width):
    with pytest.raises(ValueError, match=f"{width} channels cannot be paired"):
        positional_encodings.frequencies(width)


@pytest.mark.parametrize("offset", [-7, 0, 1, 10, 150])
def test_one_turn_for_each_pair_moves_every_position_by_the_offset(offset):
    encoding = positional_encodings.sinusoidal(400, 64)
    unshifted, shifted = encoding[200:250], encoding[200 + offset : 250 + offset]
    assert (positional_encodings.shift_encoding(unshifted, offset) - shifted).abs().max() < 1e-6


def test_a_turn_is_a_rotation_and_turns_add_up():
    one, two = positional_encodings.rotation_matrix(0.3, 1), positional_encodings.rotation_matrix(0.3, 2)
    assert torch.allclose(one @ one.T, torch.eye(2, dtype=torch.float64))
    assert torch.linalg.det(one).item() == pytest.approx(1)
    assert torch.allclose(one @ one, two)


def test_the_product_of_two_encodings_depends_on_their_distance_only():
    encoding = positional_encodings.sinusoidal(120, 128)
    products = encoding @ encoding.T
    assert torch.allclose(
        products, positional_encodings.similarity_at(positional_encodings.distances(120, 120), 128), atol=1e-4
    )
    for distance in (0, 1, 17, 100):
        along = products.diagonal(distance)
        assert along.max() - along.min() < 1e-4


def test_rotary_is_the_rotary_embedding_of_llama_once_the_channels_are_reordered():
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    torch.manual_seed(0)
    head_dim, places = 16, torch.arange(30, 50)
    query, key = torch.randn(2, 1, 3, 20, head_dim)
    config = LlamaConfig(hidden_size=3 * head_dim, num_attention_heads=3, max_position_embeddings=64)
    cosine, sine = LlamaRotaryEmbedding(config)(query, places[None])
    order = torch.cat(
        [torch.arange(0, head_dim, 2), torch.arange(1, head_dim, 2)]
    )  # pairs stand at i and i + head_dim/2
    theirs = apply_rotary_pos_emb(query[..., order], key[..., order], cosine, sine)
    for ours, turned in zip((query, key), theirs, strict=True):
        assert torch.allclose(positional_encodings.rotary(ours, places)[..., order], turned, atol=1e-5)
    # Without the reordering the two differ: the pairing matters.
    unordered, _ = apply_rotary_pos_emb(query, key, cosine, sine)
    assert not torch.allclose(positional_encodings.rotary(query, places), unordered, atol=1e-2)


def test_a_rotary_score_depends_on_the_difference_of_the_places_only():
    torch.manual_seed(0)
    query, key = torch.randn(2, 32)
    places = torch.arange(40)
    scores = (
        positional_encodings.rotary(query.expand(40, -1), places)
        @ positional_encodings.rotary(key.expand(40, -1), places).T
    )
    for difference in range(-39, 40):
        along = scores.diagonal(difference)
        assert along.max() - along.min() < 1e-5 * 32
    assert scores[0].std() > 0.1  # and it does depend on it


def test_rotary_keeps_lengths_and_leaves_place_zero_alone():
    torch.manual_seed(0)
    x = torch.randn(2, 5, 8)
    turned = positional_encodings.rotary(x, torch.arange(5))
    assert torch.allclose(turned.norm(dim=-1), x.norm(dim=-1), atol=1e-5)
    assert torch.equal(turned[:, 0], x[:, 0])


def test_slopes_of_eight_heads_are_those_of_the_paper():
    published = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]
    assert positional_encodings.alibi_slopes(8).tolist() == published


def test_slopes_of_twelve_heads_are_those_of_the_authors_code():
    published = [2.0**-power for power in (1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5)]
    assert positional_encodings.alibi_slopes(12).tolist() == pytest.approx(published)


def test_alibi_takes_off_the_slope_for_each_token_of_distance():
    bias = positional_encodings.alibi(8, 4, 4)
    assert bias[0].tolist() == [[0, -0.5, -1, -1.5], [-0.5, 0, -0.5, -1], [-1, -0.5, 0, -0.5], [-1.5, -1, -0.5, 0]]
    assert positional_encodings.alibi(8, 1, 4)[0].tolist() == [[-1.5, -1, -0.5, 0]]  # one query, the last


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("buckets", "longest"), [(32, 128), (32, 256), (64, 128)])
def test_buckets_are_those_of_t5(bidirectional, buckets, longest):
    from transformers.models.t5.modeling_t5 import T5Attention

    distance = torch.arange(-300, 301)
    theirs = T5Attention._relative_position_bucket(distance, bidirectional, buckets, longest)
    ours = positional_encodings.relative_buckets(
        distance, buckets=buckets, longest=longest, bidirectional=bidirectional
    )
    assert torch.equal(ours, theirs)


def test_all_that_is_far_shares_the_last_bucket():
    distance = -torch.arange(0, 1000)
    buckets = positional_encodings.relative_buckets(distance, bidirectional=False)
    assert buckets[:16].tolist() == list(range(16))
    assert (buckets[128:] == 31).all()
    assert (buckets[1:] >= buckets[:-1]).all()


def test_window_index_is_that_of_swin_in_timm():
    swin = tiny_timm("swin")
    indices = {name: index for name, index in swin.named_buffers() if name.endswith("relative_position_index")}
    assert indices
    for index in indices.values():
        assert torch.equal(positional_encodings.window_index(4, 4), index)


def test_window_index_of_a_window_that_is_no_square():
    from timm.models.swin_transformer import get_relative_position_index

    index = positional_encodings.window_index(2, 5)
    assert torch.equal(index, get_relative_position_index(2, 5))
    assert index.unique().tolist() == list(range(3 * 9))


def test_distances_end_with_the_last_query_at_the_last_key():
    assert positional_encodings.distances(2, 3).tolist() == [[-1, 0, 1], [-2, -1, 0]]
