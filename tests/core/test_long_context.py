"""Long texts: what is kept of a reading gives the same maps as a dense computation in double precision."""

import math

import pytest
import torch
import torch.nn.functional as F

from core.capture import record_attention
from core.errors import ModelError
from core.long_context import HeadMap, LongReading, check, head_map, read
from core.long_context import blockwise as blockwise_module
from core.long_context.blockwise import attend
from core.long_context.distances import distances
from core.long_context.links import links_of, strongest_links
from core.models.gpt import SelfAttention
from tests.core.tiny_long_models import cut, family


def random_head(length: int, *, causal: bool = True, seed: int = 0) -> tuple[HeadMap, torch.Tensor]:
    """A head with random queries and keys, and its dense map in double precision."""
    query, key = torch.randn(2, length, 8, generator=torch.Generator().manual_seed(seed)) * 2
    scores = query.double() @ key.double().T / math.sqrt(8)
    if causal:
        scores = scores.masked_fill(torch.ones(length, length, dtype=torch.bool).triu(1), -torch.inf)
    head = HeadMap(query, key, scores.logsumexp(-1).float(), causal)
    return head, scores.softmax(-1)


def dense_cells(weights: torch.Tensor, depth: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sums and maxima of all blocks of a dense map, by loops."""
    block = 2**depth
    parts = [rows.split(block, dim=1) for rows in weights.split(block)]
    sums = torch.tensor([[part.sum() for part in row] for row in parts])
    return sums, torch.tensor([[part.max() for part in row] for row in parts])


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("length", [1, 2, 37, 100])
def test_cells_of_every_depth_are_those_of_the_dense_map(length, causal, monkeypatch):
    monkeypatch.setattr(head_map, "TABLE", 16)
    monkeypatch.setattr(head_map, "CHUNK", 8)
    monkeypatch.setattr(head_map, "TILE", 5)
    head, dense = random_head(length, causal=causal)
    pyramid = head.pyramid()
    assert len(pyramid.tables) == head.deepest - pyramid.first + 1
    for depth in range(head.deepest + 1):
        sums, maxima = dense_cells(dense, depth)
        for row in range(math.ceil(len(sums) / 5)):
            for column in range(math.ceil(len(sums) / 5)):
                place = slice(5 * row, 5 * row + 5), slice(5 * column, 5 * column + 5)
                for tile in (head.tile(depth, row, column), head.tile(depth, row, column, pyramid)):
                    torch.testing.assert_close(tile.sums, sums[place].float(), atol=1e-5, rtol=1e-5)
                    torch.testing.assert_close(tile.maxima, maxima[place].float(), atol=1e-5, rtol=1e-5)
        if depth >= pyramid.first:
            assert pyramid.shares(depth).sum(1).sub(1).abs().max() < 1e-5  # every row of cells shares out all attention
    assert head.tile(0, 50, 0).sums.numel() == 0  # beyond the text


@pytest.mark.parametrize("causal", [True, False])
def test_attention_by_blocks_is_that_of_all_rows_at_once(causal, monkeypatch):
    monkeypatch.setattr(blockwise_module, "QUERIES", 16)
    query, key, value = torch.randn(3, 1, 3, 50, 8, generator=torch.Generator().manual_seed(0))
    rows = []
    output, normaliser = attend(query, key, value, causal=causal, progress=rows.append)
    scores = query.double() @ key.double().mT / math.sqrt(8)
    if causal:
        scores = scores.masked_fill(torch.ones(50, 50, dtype=torch.bool).triu(1), -torch.inf)
    torch.testing.assert_close(output, (scores.softmax(-1) @ value.double()).float())
    torch.testing.assert_close(normaliser, scores.logsumexp(-1).float())
    assert rows == sorted(rows)
    assert len(rows) >= 4
    assert rows[-1] == 50


@pytest.mark.parametrize("causal", [True, False])
def test_heads_that_share_keys_in_half_precision_attend_as_those_with_their_own(causal, monkeypatch):
    monkeypatch.setattr(blockwise_module, "QUERIES", 16)
    query, value = torch.randn(2, 1, 6, 50, 8, generator=torch.Generator().manual_seed(0))
    key = torch.randn(1, 2, 50, 8, generator=torch.Generator().manual_seed(1))
    shared = attend(query.half(), key.half(), value, causal=causal)
    own = attend(query.half().float(), key.half().float().repeat_interleave(3, dim=1), value, causal=causal)
    for of_shared, of_own in zip(shared, own, strict=True):
        torch.testing.assert_close(of_shared, of_own)


@pytest.mark.parametrize(("apart", "from_key"), [(-1, 0), (20, 0), (20, 5), (98, 0)])
def test_the_strongest_links_are_those_of_the_sorted_dense_map(apart, from_key, monkeypatch):
    monkeypatch.setattr(head_map, "TABLE", 16)
    head, dense = random_head(100)
    row, column = torch.meshgrid(torch.arange(100), torch.arange(100), indexing="ij")
    allowed = (row - column > apart) & (column >= from_key) & (column <= row)
    expected = sorted(((dense[q, k].item(), q, k) for q, k in allowed.nonzero().tolist()), reverse=True)[:30]
    links = strongest_links(head, head.pyramid(), 30, farther_than=apart, from_key=from_key)
    assert [(link.query, link.key) for link in links] == [(q, k) for _, q, k in expected]
    assert [link.weight for link in links] == pytest.approx([weight for weight, _, _ in expected], rel=1e-4)


@pytest.mark.parametrize("nearby", [1, 4])
def test_links_near_a_stronger_one_are_left_out(nearby, monkeypatch):
    monkeypatch.setattr(head_map, "TABLE", 16)
    head, dense = random_head(100)
    expected: list[tuple[int, int]] = []
    for _weight, query, key in sorted(
        ((dense[q, k].item(), q, k) for q in range(100) for k in range(q + 1)), reverse=True
    ):
        if all(max(abs(query - other), abs(key - far)) > nearby for other, far in expected):
            expected.append((query, key))
    pyramid = head.pyramid()
    everything = strongest_links(head, pyramid, 10_000, nearby=nearby)
    assert [(link.query, link.key) for link in everything] == expected
    assert strongest_links(head, pyramid, 30, nearby=nearby) == everything[:30]


def test_links_of_a_row_leave_out_what_is_excluded():
    links = links_of(torch.tensor([0.5, 0.0, 0.2, 0.3]), 3, excluded=[0])
    assert [position for position, _ in links] == [3, 2]
    assert [weight for _, weight in links] == pytest.approx([0.3, 0.2])


def test_distances_are_sums_over_the_dense_map():
    head, dense = random_head(100)
    measured = distances(head, rows=100)
    apart = (torch.arange(100)[:, None] - torch.arange(100)).abs()
    for edge, following, share in zip(measured.edges, (*measured.edges[1:], 101), measured.shares, strict=True):
        assert share == pytest.approx(float(dense[(apart >= edge) & (apart < following)].sum()) / 100, abs=1e-5)
    assert measured.first_token == pytest.approx(float(dense[:, 0].mean()), abs=1e-6)
    without = dense[:, 1:]
    rows = (without * apart[:, 1:]).sum(1) / without.sum(1).clamp(min=1e-12)
    assert measured.mean == pytest.approx(float(rows.mean()), rel=1e-4)
    far = (apart > 25) & (torch.arange(100) > 0)
    assert measured.strongest_far == pytest.approx(float(dense[far].max()), rel=1e-4)
    assert measured.beyond(32) == pytest.approx(float(dense[apart >= 32].sum()) / 100, abs=1e-5)


def test_a_thumbnail_of_all_rows_is_the_table_of_shares():
    head, dense = random_head(96)
    sums, _ = dense_cells(dense, 4)
    torch.testing.assert_close(head.thumbnail(6, sampled=16), (sums / 16).float(), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("count", [300, 2048, 16_384])
@pytest.mark.parametrize("name", ["rotary", "gpt2", "llama", "bert"])
def test_what_is_kept_gives_the_maps_of_the_run(name, count):
    model = family(name)
    reading = LongReading(cut(model, count))
    progress = []
    read(model, reading, lambda done, total: progress.append((done, total)))
    assert len(reading) == count
    assert progress == sorted(progress)
    assert progress[-1] == (2 * count, 2 * count)
    assert [layer.query.dtype for layer in reading.layers] == [torch.float16] * 2
    assert {layer.key.shape[0] for layer in reading.layers} == {2 if name == "llama" else 4}
    generator = torch.Generator().manual_seed(count)
    for layer, number in ((0, 1), (1, 3)):
        stored = reading.layers[layer]
        head = stored.head(number)
        rows = torch.randint(count, (20,), generator=generator)
        key = stored.key[number // (4 // len(stored.key))].double()
        scores = stored.query[number, rows].double() @ key.T / math.sqrt(8)
        if name != "bert":
            scores = scores.masked_fill(torch.arange(count) > rows[:, None], -torch.inf)
        dense = scores.softmax(-1)
        columns = torch.randint(count, (50,), generator=generator)
        torch.testing.assert_close(head.weights(rows, columns), dense[:, columns].float(), atol=2e-5, rtol=1e-3)
        depth = 3
        for row, weights in zip(rows.tolist()[:5], dense[:5], strict=True):  # a row of cells holds this row
            cells = head.cells(0, slice(row, row + 1), slice(None)).pooled(1)
            torch.testing.assert_close(cells.sums[0], weights.float(), atol=2e-5, rtol=1e-3)
            wide = head.cells(depth, slice(row >> depth, (row >> depth) + 1), slice(None))
            assert float(wide.sums.sum()) == pytest.approx(min(8, count - (row >> depth) * 8), rel=1e-3)


@pytest.mark.parametrize("name", ["gpt", "rotary", "gpt2", "llama"])
def test_half_precision_changes_maps_and_losses_little(name):
    model = family(name)
    tokens = cut(model, 200)
    reading = LongReading(tokens)
    read(model, reading)
    with torch.inference_mode(), record_attention(model.network) as record:
        logits = model.run(tokens).logits
    for layer, call in zip(reading.layers, record.calls, strict=True):
        assert layer.place.path == call.path
        for number in range(4):
            difference = layer.head(number).weights(slice(None), slice(None)) - call.weights(number)
            assert difference.abs().max() < 0.02
    losses = F.cross_entropy(logits[:-1], torch.tensor(tokens.ids[1:]), reduction="none")
    torch.testing.assert_close(reading.losses, losses / math.log(2), atol=0.05, rtol=0.01)


class SharedProjections(SelfAttention):
    """Two of query, key and value are one tensor, and the module adds the query and the key to its output."""

    def __init__(self, width: int, heads: int, order: tuple[int, int, int]):
        super().__init__(width, heads)
        self.order = order

    def forward(self, x, _cache=None):
        parts = [self._split(part) for part in self.qkv(x).chunk(3, dim=-1)]
        query, key, value = (parts[number] for number in self.order)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True) + query + key
        return self.out(mixed.transpose(1, 2).flatten(start_dim=2))


@pytest.mark.parametrize("order", [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0, 0)])
def test_a_model_that_needs_its_queries_and_keys_once_more_is_read_as_it_runs(order):
    model = family("gpt")
    for block in model.network.blocks:
        state = block.attention.state_dict()
        block.attention = SharedProjections(32, 4, order)
        block.attention.load_state_dict(state)
    tokens = cut(model, 200)
    reading = LongReading(tokens)
    read(model, reading)
    losses = F.cross_entropy(model.run(tokens).logits[:-1], torch.tensor(tokens.ids[1:]), reduction="none")
    torch.testing.assert_close(reading.losses, losses / math.log(2), atol=0.05, rtol=0.01)


def test_models_that_cannot_read_long_texts_are_refused_in_a_sentence(monkeypatch):
    with pytest.raises(ModelError, match="window"):
        check(family("mistral"), 100)
    with pytest.raises(ModelError, match="bias"):
        check(family("deberta-v2"), 100)
    model = family("gpt")
    with pytest.raises(ModelError, match="20,001"):
        check(model, 20_001)
    monkeypatch.setattr("core.long_context.reading.free_memory", lambda: 10**6)
    with pytest.raises(ModelError, match=r"0\.0 GB are free"):
        check(model, 10_000)


def test_a_reading_that_is_stopped_keeps_the_layers_that_were_read():
    model = family("gpt")
    reading = LongReading(cut(model, 300))

    def stop(done: int, _total: int) -> None:
        if done > 300:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        read(model, reading, stop)
    assert len(reading.layers) == 1
    assert reading.losses is None
    read(model, LongReading(reading.tokens))  # and the model is as it was
