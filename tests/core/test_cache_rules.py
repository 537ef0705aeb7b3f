"""Caches that forget: the steps at which keys are dropped, and runs that attend only to what is kept."""

import math

import pytest
import torch

from core.capture import edit_attention, record_attention
from core.efficient.model_loss import surprises
from core.errors import InputError, ModelError
from core.long_context import cache_rules, forgetting
from core.long_context.cache_rules import (
    RULES,
    Everything,
    HeavyHitters,
    RandomKeys,
    SmallNorms,
    Window,
    kept_at,
    visible,
)
from core.long_context.forgetting import attend_kept, forget, keep_everything, kept_map
from tests.core.tiny_long_models import cut, family

LENGTH, BUDGET = 60, 12


def random_head(seed: int = 0) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries (3 heads of keys, 2 query heads each), keys and values of 60 tokens in double precision."""
    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(3, 2, LENGTH, 4, generator=generator, dtype=torch.float64) * 2
    key, value = torch.randn(2, 3, LENGTH, 4, generator=generator, dtype=torch.float64)
    return query, key, value


def by_hand(query, key, budget, *, choose) -> list[int]:
    """The steps of one head by a plain loop: `choose(kept, step, received)` names the key that goes."""
    kept, received, dropped = [], {}, [len(key)] * len(key)
    for step in range(len(key)):
        kept.append(step)
        received[step] = 0.0
        for head in query:
            scores = [float(head[step] @ key[place]) / math.sqrt(len(key[0])) for place in kept]
            sums = sum(math.exp(score) for score in scores)
            for place, score in zip(kept, scores, strict=True):
                received[place] += math.exp(score) / sums
        if len(kept) == budget and step + 1 < len(key):
            gone = choose(kept, step, received)
            kept.remove(gone)
            dropped[gone] = step + 1
    return dropped


@pytest.mark.parametrize("newest", [0.0, 0.25, 0.5])
def test_rules_that_score_drop_the_keys_of_a_plain_loop(newest, monkeypatch):
    monkeypatch.setattr(cache_rules, "ROWS", 5)
    query, key, _ = random_head()
    heavy = HeavyHitters(newest).dropped(query, key, BUDGET)
    norms = SmallNorms(newest).dropped(query, key, BUDGET)

    def old(kept, step):
        return [place for place in kept if place <= step + 1 - int(newest * BUDGET)]

    for head in range(3):
        expected = by_hand(
            query[head], key[head], BUDGET, choose=lambda kept, step, got: min(old(kept, step), key=got.__getitem__)
        )
        assert heavy[head].tolist() == expected
        length_of = key[head].norm(dim=-1).tolist()
        expected = by_hand(
            query[head],
            key[head],
            BUDGET,
            choose=lambda kept, step, _: max(old(kept, step), key=length_of.__getitem__),  # noqa: B023
        )
        assert norms[head].tolist() == expected


@pytest.mark.parametrize("sinks", [0, 4])
def test_a_window_drops_the_oldest_key_that_is_no_sink(sinks):
    query, key, _ = random_head()
    steps = Window(sinks).dropped(query, key, BUDGET)
    expected = by_hand(
        query[0], key[0], BUDGET, choose=lambda kept, _step, _got: min(place for place in kept if place >= sinks)
    )
    assert steps.tolist() == [expected] * 3


def test_random_keys_are_a_uniform_sample_of_all_keys_but_the_newest():
    length, budget, seeds = 200, 20, 100
    key = torch.zeros(4, length, 2)
    counts = torch.zeros(length)
    for seed in range(seeds):
        steps = RandomKeys(seed=seed).dropped(key[:, None], key, budget, layer=3)
        assert steps.tolist() == RandomKeys(seed=seed).dropped(key[:, None], key, budget, layer=3).tolist()
        counts += (steps == length).sum(0)
    assert counts[-10:].tolist() == [4 * seeds] * 10
    old = counts[:-10].unflatten(0, (10, 19)).sum(1)  # each tenth of the text: expected 4 * seeds * 10 / 10
    assert (old - 4 * seeds).abs().max() < 5 * math.sqrt(4 * seeds)
    one, other = (RandomKeys().dropped(key[:, None], key, budget, layer=layer) for layer in (0, 1))
    assert (one != other).any()
    assert (one[0] != one[1]).any()


@pytest.mark.parametrize("name", RULES)
def test_every_query_sees_its_own_key_and_as_many_as_the_budget_allows(name):
    query, key, _ = random_head()
    steps = RULES[name].dropped(query, key, BUDGET)
    for head in range(3):
        for step in range(LENGTH):
            kept = kept_at(steps[head], step)
            assert len(kept) == min(step + 1, BUDGET)
            assert kept[-1] == step


@pytest.mark.parametrize("name", RULES)
def test_attention_over_kept_keys_is_that_of_a_masked_dense_map(name, monkeypatch):
    monkeypatch.setattr(forgetting, "BLOCK", 7)
    query, key, value = random_head()
    steps = RULES[name].dropped(query, key, BUDGET)
    positions = torch.arange(LENGTH)
    is_visible = visible(steps, positions, positions)
    scores = query @ key[:, None].mT / 2
    dense = scores.masked_fill(~is_visible[:, None], -torch.inf).softmax(-1) @ value[:, None]
    torch.testing.assert_close(attend_kept(query, key, value, steps), dense)


def test_a_budget_that_is_too_small_is_refused_in_a_sentence():
    query, key, _ = random_head()
    for rule in RULES.values():
        with pytest.raises(InputError, match="at least 8"):
            rule.dropped(query, key, 7)


@pytest.mark.parametrize("name", ["gpt", "rotary", "gpt2", "llama"])
def test_a_budget_as_large_as_the_text_gives_the_plain_model(name):
    model = family(name)
    tokens = cut(model, 300)
    full = keep_everything(model, tokens)
    plain = surprises(model, tokens) / math.log(2)
    torch.testing.assert_close(full.losses, plain, atol=1e-5, rtol=1e-5)
    for rule in (*RULES.values(), Everything()):
        run = forget(model, tokens, rule, 300, full=full)
        torch.testing.assert_close(run.losses, plain, atol=1e-5, rtol=1e-5)
        assert run.bytes == full.bytes
        assert run.mean_lost < 1e-5


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", ["rotary", "llama"])
def test_lost_attention_and_bytes_are_counts_over_the_dense_maps(name, rule, monkeypatch):
    monkeypatch.setattr(forgetting, "BLOCK", 32)
    model, count, budget = family(name), 120, 24
    tokens = cut(model, count)
    full = keep_everything(model, tokens)
    progress = []
    run = forget(
        model, tokens, RULES[rule], budget, full=full, progress=lambda done, total: progress.append((done, total))
    )
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    key_heads = 2 if name == "llama" else 4
    assert run.bytes == 2 * 2 * key_heads * budget * 8 * 4  # keys and values, layers, heads, keys, channels, bytes
    assert progress == sorted(progress)
    assert progress[-1] == (2 * count, 2 * count)
    positions = torch.arange(count)
    for layer in range(2):
        assert run.dropped[layer].shape == (key_heads, count)
        for head in range(4):
            weights = record.calls[layer].weights(head).double()
            steps = run.dropped[layer][head // (4 // key_heads)]
            gone = steps <= positions[:, None]
            torch.testing.assert_close(run.lost[layer][head].double(), (weights * gone).sum(1), atol=1e-5, rtol=1e-4)
    first = [float(call.weights(head)[30:, :4].sum(1).mean()) for call in record.calls for head in range(4)]
    assert full.attention_to_first(4, after=30) == pytest.approx(sum(first) / len(first), rel=1e-4)
    assert run.mean_lost == pytest.approx(float(torch.stack([*run.lost]).mean()), rel=1e-5)


@pytest.mark.parametrize("name", ["gpt", "llama"])
def test_the_run_of_a_window_is_that_of_a_model_with_a_banded_mask(name):
    model, count, budget = family(name), 100, 16
    tokens = cut(model, count)
    full = keep_everything(model, tokens)
    run = forget(model, tokens, Window(), budget, full=full)
    positions = torch.arange(count)
    band = (positions <= positions[:, None]) & (positions > positions[:, None] - budget)

    def banded(weights: torch.Tensor) -> torch.Tensor:
        return weights * band / (weights * band).sum(-1, keepdim=True)

    paths = [layer.place.path for layer in full.layers]
    with edit_attention(model.network, {(path, head): banded for path in paths for head in range(4)}):
        expected = surprises(model, tokens) / math.log(2)
    torch.testing.assert_close(run.losses, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("size", [60, 16, 7])
def test_cells_of_the_kept_map_are_sums_over_the_dense_map(size, monkeypatch):
    monkeypatch.setattr(forgetting, "BLOCK", 8)
    model = family("llama")
    full = keep_everything(model, cut(model, LENGTH))
    run = forget(model, cut(model, LENGTH), HeavyHitters(), BUDGET, full=full)
    steps, layer = run.dropped[1][1], full.layers[1]
    cells = kept_map(layer, 3, steps, size)
    block, positions = math.ceil(LENGTH / size), torch.arange(LENGTH)
    dense = layer.head(3).weights(slice(None), slice(None))
    causal, is_visible = positions <= positions[:, None], visible(steps[None], positions, positions)[0]
    assert cells.block == block
    assert len(cells.kept_attention) == math.ceil(LENGTH / block)
    for row in range(len(cells.kept_attention)):
        for column in range(len(cells.kept_attention)):
            place = slice(row * block, (row + 1) * block), slice(column * block, (column + 1) * block)
            if column > row:
                assert cells.entries[row, column].isnan()
                assert cells.lost_attention[row, column].isnan()
                continue
            queries = len(dense[place])
            assert float(cells.lost_attention[row, column]) == pytest.approx(
                float((dense * ~is_visible)[place].sum()) / queries, abs=1e-6
            )
            assert float(cells.kept_attention[row, column]) == pytest.approx(
                float((dense * is_visible)[place].sum()) / queries, abs=1e-6
            )
            assert float(cells.entries[row, column]) == pytest.approx(
                float(is_visible[place].sum() / causal[place].sum())
            )
    total = cells.lost_attention.nan_to_num().sum(1)
    lost = run.lost[1][3].split(block)
    torch.testing.assert_close(total, torch.stack([rows.mean() for rows in lost]), atol=1e-4, rtol=1e-3)


def test_models_and_texts_without_a_loss_are_refused_and_progress_can_stop_a_run():
    with pytest.raises(ModelError, match="next token"):
        keep_everything(family("bert"), cut(family("bert"), 20))
    model = family("gpt")
    with pytest.raises(InputError, match="2 tokens"):
        keep_everything(model, cut(model, 1))
    tokens = cut(model, 40)
    full = keep_everything(model, tokens)

    def stop(_done: int, _total: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        forget(model, tokens, Window(), 8, full=full, progress=stop)
    torch.testing.assert_close(keep_everything(model, tokens).losses, full.losses)  # and the model is as it was
