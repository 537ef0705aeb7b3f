"""What every kind of efficient attention promises: the output of its map, no look ahead, and less work."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from core.efficient import (
    BigBird,
    Clustered,
    Fused,
    Linformer,
    LowRank,
    Performer,
    SlidingWindow,
    WrittenOut,
)
from core.errors import InputError

MAKERS = {
    "fused": Fused,
    "written out": WrittenOut,
    "window": lambda causal: SlidingWindow(window=9, causal=causal),
    "wide window": lambda causal: SlidingWindow(window=50, causal=causal),
    "bigbird": lambda causal: BigBird(block=8, window=3, random=2, global_tokens=4, causal=causal),
    "bigbird of blocks": lambda causal: BigBird(block=8, window=2, random=1, global_tokens=16, causal=causal),
    "linformer": lambda causal: Linformer(rank=16, block=16, causal=causal),
    "random linformer": lambda causal: Linformer(rank=16, block=16, projection="random", causal=causal),
    "performer": lambda causal: Performer(features=32, causal=causal),
    "low rank": lambda causal: LowRank(rank=8, causal=causal),
    "clustered": lambda causal: Clustered(clusters=6, causal=causal),
}
BLIND = [name for name, make in MAKERS.items() if not make(causal=True).looks_ahead]
LENGTHS = (1, 7, 64, 83, 150, 300)


def drawn(tokens, head_dim=12, batch=2, heads=3, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(3, batch, heads, tokens, head_dim, generator=generator).unbind()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("tokens", LENGTHS)
@pytest.mark.parametrize("name", MAKERS)
def test_output_is_the_map_times_the_values(name, tokens, causal):
    variant, (query, key, value) = MAKERS[name](causal=causal), drawn(tokens)
    torch.testing.assert_close(
        variant.output(query, key, value), variant.weights(query, key) @ value, atol=2e-5, rtol=1e-4
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", MAKERS)
def test_chosen_rows_are_rows_of_the_whole_map(name, causal):
    variant, (query, key, _), rows = MAKERS[name](causal=causal), drawn(83), torch.tensor([0, 17, 64, 82])
    full_map = variant.weights(query, key)
    torch.testing.assert_close(variant.weights(query, key, rows), full_map[..., rows, :], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("name", [name for name in MAKERS if "random" not in name and name != "low rank"])
@pytest.mark.parametrize("causal", [False, True])
def test_rows_of_the_map_sum_to_one(name, causal):
    weights = MAKERS[name](causal=causal).weights(*drawn(83)[:2])
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 83))
    assert (weights >= 0).all()


@pytest.mark.parametrize("name", BLIND)
def test_a_causal_output_has_no_gradient_from_later_tokens(name):
    query, key, value = (part.requires_grad_() for part in drawn(150))
    MAKERS[name](causal=True).output(query, key, value)[:, :, :101].square().sum().backward()
    for part in (query, key, value):
        assert not part.grad[:, :, 101:].any()
        assert part.grad[:, :, :101].any()


@pytest.mark.parametrize("name", BLIND)
def test_a_causal_output_stays_when_later_tokens_change(name):
    variant, before, other = MAKERS[name](causal=True), drawn(150), drawn(150, seed=1)
    after = [
        torch.cat([old[..., :101, :], 3 * new[..., 101:, :]], dim=-2) for old, new in zip(before, other, strict=True)
    ]
    torch.testing.assert_close(
        variant.output(*after)[..., :101, :], variant.output(*before)[..., :101, :], atol=1e-5, rtol=1e-4
    )
    assert not variant.weights(*after[:2]).triu(1).any()


@pytest.mark.parametrize("name", ["low rank", "clustered"])
def test_what_looks_ahead_says_so(name):
    variant, before, other = MAKERS[name](causal=True), drawn(64), drawn(64, seed=1)
    query = torch.cat([before[0][..., :40, :], other[0][..., 40:, :]], dim=-2)
    changed = (variant.output(query, *before[1:]) - variant.output(*before))[..., :40, :]
    assert variant.looks_ahead
    assert changed.abs().max() > 1e-3


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", [name for name in MAKERS if name != "low rank"])
def test_gradients_are_those_of_the_written_out_map(name, causal):
    variant, parts = MAKERS[name](causal=causal), [part.double() for part in drawn(83, batch=1, heads=2)]
    upstream = torch.randn(1, 2, 83, 12, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    fast, slow = ([part.clone().requires_grad_() for part in parts] for _ in range(2))
    (variant.output(*fast) * upstream).sum().backward()
    (variant.weights(*slow[:2]) @ slow[2] * upstream).sum().backward()
    for ours, theirs in zip(fast, slow, strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, atol=1e-8, rtol=1e-6)


@pytest.mark.parametrize("name", BLIND)
def test_half_precision_under_autocast_stays_near_full_precision(name):
    variant, (query, key, value) = MAKERS[name](causal=True), drawn(150)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = variant.output(*(part.bfloat16() for part in (query, key, value)))
    exact = variant.output(query, key, value)
    assert (half.float() - exact).norm() < 0.03 * exact.norm()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("name", [name for name in MAKERS if name not in ("fused", "low rank", "clustered")])
@pytest.mark.parametrize("tokens", [150, 256])
def test_the_formula_counts_the_multiplications_that_torch_makes(name, tokens, causal):
    variant, parts = MAKERS[name](causal=causal), drawn(tokens, batch=1, heads=1)
    counted = FlopCounterMode(display=False)
    with sdpa_kernel(SDPBackend.MATH), counted:
        variant.output(*parts)
    assert counted.get_total_flops() == 2 * variant.multiplications(tokens, head_dim=12)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "make",
    [
        lambda causal: SlidingWindow(window=64, causal=causal),
        lambda causal: BigBird(causal=causal),
        lambda causal: Performer(features=64, causal=causal),
        lambda causal: Linformer(rank=128, causal=causal),
    ],
)
def test_twice_the_text_is_about_twice_the_work(make, causal):
    variant = make(causal)
    work = [variant.multiplications(tokens, head_dim=48) for tokens in (4096, 8192)]
    assert 1.9 < work[1] / work[0] < 2.2
    assert work[1] < Fused(causal=causal).multiplications(8192, head_dim=48) / 4


def test_other_keys_than_queries_are_an_error_that_gives_the_numbers():
    query, key, value = drawn(8)
    with pytest.raises(InputError, match="not 5 queries and 8 keys"):
        SlidingWindow().output(query[..., :5, :], key, value)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: SlidingWindow(window=0), "'window' is at least 1, not 0"),
        (lambda: BigBird(global_tokens=-1), "'global tokens' is at least 0, not -1"),
        (lambda: Linformer(projection="identity", rank=4, causal=False).matrix(8), "8 keys to 8, not to 4"),
        (lambda: Performer(features=0), "'features' is at least 1, not 0"),
    ],
)
def test_a_setting_that_cannot_be_is_an_error_that_says_the_rule(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "low rank"])
def test_what_was_shown_can_be_trained_afterwards(name):
    tokens = 211  # of no other test: what is kept for this length is made in inference
    variant = MAKERS[name](causal=True)
    with torch.inference_mode():
        output = variant.output(*drawn(tokens))
    query, key, value = (part.requires_grad_() for part in drawn(tokens))
    trained = variant.output(query, key, value)
    trained.sum().backward()
    assert value.grad.abs().sum() > 0
    torch.testing.assert_close(trained.detach(), output)
