"""Where each approximation becomes exact, and how fast: claims of the papers."""

import pytest
import torch

from core.efficient import (
    BigBird,
    Clustered,
    Fused,
    Linformer,
    LowRank,
    Performer,
    SlidingWindow,
    WrittenOut,
    factors,
)
from core.efficient.performer import directions


def drawn(tokens=150, head_dim=16, batch=1, heads=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(3, batch, heads, tokens, head_dim, generator=generator).unbind()


def relative(approximate, exact):
    return float((approximate - exact).norm() / exact.norm())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda causal: WrittenOut(causal=causal),
        lambda causal: SlidingWindow(window=400, causal=causal),
        lambda causal: BigBird(block=16, window=2 * 10, random=0, global_tokens=0, causal=causal),
        lambda causal: BigBird(block=16, window=1, random=10, global_tokens=0, causal=causal),
        lambda causal: BigBird(block=16, window=1, random=0, global_tokens=150, causal=causal),
        lambda causal: Linformer(rank=150, projection="identity", causal=causal),
        lambda causal: Linformer(rank=150, projection="mean", causal=causal),
        lambda causal: LowRank(rank=150, causal=causal),
        lambda causal: Clustered(clusters=150, causal=causal),
    ],
)
def test_with_nothing_left_out_it_is_exact(make, causal):
    parts = drawn()
    torch.testing.assert_close(make(causal).output(*parts), Fused(causal=causal).output(*parts), atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("variant", [SlidingWindow(window=21), BigBird(block=8, window=3, random=2, global_tokens=5)])
def test_a_sparse_variant_is_exact_attention_under_its_mask(variant, causal):
    variant = type(variant)(**{**vars(variant), "causal": causal})
    query, key, value = drawn()
    mask = variant.allowed(150)
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(variant.output(query, key, value), expected, atol=1e-5, rtol=1e-4)
    assert mask.diagonal().all()
    assert 0 < mask.float().mean() < 0.5


@pytest.mark.parametrize("variant", [SlidingWindow(window=21), BigBird(block=8, window=3, random=2, global_tokens=5)])
def test_little_at_a_time_gives_the_same(variant, monkeypatch):
    parts = drawn()
    full_output = variant.output(*parts)
    monkeypatch.setattr("core.efficient.sparse.GATHERED", 5000)
    torch.testing.assert_close(variant.output(*parts), full_output)


def test_the_window_is_as_wide_as_it_says():
    ahead, both = SlidingWindow(window=5), SlidingWindow(window=5, causal=False)
    assert ahead.allowed(40)[20].nonzero().flatten().tolist() == [16, 17, 18, 19, 20]
    assert both.allowed(40)[20].nonzero().flatten().tolist() == [18, 19, 20, 21, 22]


def test_bigbird_has_the_three_parts_of_its_figure():
    variant = BigBird(block=4, window=3, random=2, global_tokens=6, causal=False)
    mask = variant.allowed(80)
    assert mask[:6].all()
    assert mask[:, :6].all()
    blocks = mask.unflatten(0, (20, 4)).unflatten(2, (20, 4)).all(dim=3).all(dim=1)
    for place in range(3, 19):
        visible = set(blocks[place].nonzero().flatten().tolist())
        assert {place - 1, place, place + 1} <= visible
        assert len(visible - {0, place - 1, place, place + 1}) == 2


def test_the_random_blocks_of_a_causal_text_stay_when_it_grows():
    variant = BigBird(block=8, window=1, random=3, global_tokens=0)
    assert torch.equal(variant.allowed(200)[:100, :100], variant.allowed(100))
    assert not torch.equal(BigBird(block=8, window=1, random=3, seed=1).allowed(200), variant.allowed(200))


@pytest.mark.parametrize("causal", [False, True])
def test_performer_comes_nearer_to_exact_attention_with_the_root_of_its_features(causal):
    parts = [0.4 * part for part in drawn(tokens=96)]  # longer ones have a heavy tail: the mean converges later
    exact = Fused(causal=causal).output(*parts)

    def error(features):
        seeds = range(12)
        differences = [
            relative(Performer(features=features, causal=causal, seed=seed).output(*parts), exact) for seed in seeds
        ]
        return sum(differences) / len(seeds)

    errors = torch.tensor([error(features) for features in (64, 256, 1024, 4096)])
    slope = (errors[1:] / errors[:-1]).log2() / 2  # each step has four times the features
    assert (slope < -0.35).all()
    assert (slope > -0.65).all()
    assert errors[-1] < 0.05


@pytest.mark.parametrize("orthogonal", [False, True])
def test_the_features_of_performer_are_unbiased(orthogonal):
    query, key, _ = (0.7 * part[0, 0].double() for part in drawn(tokens=6, head_dim=8))
    exact = (query @ key.mT / 8**0.5).exp()
    seeds = 1000
    kernels = torch.stack(
        [Performer(features=16, orthogonal=orthogonal, seed=seed).kernel(query, key) for seed in range(seeds)]
    )
    deviation = (kernels.mean(0) - exact).abs() / (kernels.std(0) / seeds**0.5)
    assert deviation.max() < 4.5  # standard errors, the largest of 36


def test_orthogonal_features_err_less_than_independent_ones():
    query, key, _ = (0.7 * part[0, 0].double() for part in drawn(tokens=20))
    exact = (query @ key.mT / 4).exp()

    def error(orthogonal):
        variants = [Performer(features=16, orthogonal=orthogonal, seed=seed) for seed in range(300)]
        return sum(float((variant.kernel(query, key) - exact).square().mean()) for variant in variants)

    assert error(orthogonal=True) < error(orthogonal=False)


def test_orthogonal_directions_are_at_right_angles_and_as_long_as_gaussian_ones():
    vectors = directions(4096, 16, True, 0)
    products = vectors[:16] @ vectors[:16].mT
    assert (products - products.diagonal().diag()).abs().max() < 1e-9
    assert abs(float(vectors.square().sum(1).mean()) - 16) < 0.5


def test_performer_survives_keys_that_are_far_longer_than_others():
    query, key, value = drawn(tokens=300)
    key = key.clone()
    key[:, :, 200] *= 30
    for causal in (False, True):
        assert Performer(causal=causal).output(query, 3 * key, value).isfinite().all()


def test_no_projection_to_rank_k_is_nearer_than_the_low_rank_map():
    query, key, _ = drawn()
    exact = WrittenOut(causal=False).weights(query, key)
    bound = relative(LowRank(rank=24, causal=False).weights(query, key), exact)
    for projection in ("mean", "random"):
        variant = Linformer(rank=24, projection=projection, causal=False)
        assert torch.linalg.matrix_rank(variant.weights(query, key)).max() <= 24
        assert relative(variant.weights(query, key), exact) > bound


def test_the_low_rank_map_errs_by_the_singular_values_that_it_leaves_out():
    query, key, _ = drawn()
    exact = WrittenOut().weights(query, key)
    left_out = torch.linalg.svdvals(exact)[..., 10:].square().sum(-1).sqrt()
    torch.testing.assert_close((LowRank(rank=10).weights(query, key) - exact).norm(dim=(-2, -1)), left_out)


def test_gradients_of_low_rank_are_finite_where_singular_values_meet():
    """Equal queries: all rows of the map are alike, all singular values but one are 0, and their vectors have none."""
    query, key, value = (part.requires_grad_() for part in drawn(heads=1))
    mixed = LowRank(rank=10, causal=False).output(query * 0, key, value)
    torch.testing.assert_close(mixed, value.mean(dim=-2, keepdim=True).expand_as(mixed))
    mixed.square().sum().backward()
    torch.testing.assert_close(value.grad, 2 * mixed.detach(), atol=1e-4, rtol=1e-4)
    assert query.grad.isfinite().all()
    assert key.grad.isfinite().all()


def test_kept_factors_give_the_same_map():
    query, key, value = drawn(heads=1)
    variant = LowRank(rank=10, factors=factors(query, key, causal=True))
    assert variant == LowRank(rank=10)
    torch.testing.assert_close(variant.output(query, key, value), LowRank(rank=10).output(query, key, value))
    torch.testing.assert_close(variant.weights(query[0, 0], key[0, 0]), LowRank(rank=10).weights(query, key)[0, 0])


def test_linformer_sees_keys_that_are_all_alike_as_what_they_are():
    query, key, value = drawn(tokens=256)
    key = key[..., :1, :].expand_as(key)
    output = Linformer(rank=32, block=32).output(query, key, value)
    # Every key has the same weight, also those that are seen as means only.
    running = value.cumsum(-2) / torch.arange(1, 257)[:, None]
    torch.testing.assert_close(output, running, atol=1e-5, rtol=1e-4)


def test_queries_of_one_cluster_share_a_row():
    query, key, _ = drawn()
    weights = Clustered(clusters=5, causal=False).weights(query, key)
    assert all(len(head.unique(dim=0)) <= 5 for head in weights[0])
    errors = [
        relative(Clustered(clusters=c, causal=False).weights(query, key), WrittenOut(causal=False).weights(query, key))
        for c in (2, 20, 100)
    ]
    assert errors == sorted(errors, reverse=True)
