"""Bytes of a cache: what the formula says is what a running model holds."""

import pytest

from core.costs import memory
from core.costs.weights_and_cache import CACHE
from core.generation.shared_heads import CacheShape, cache_bytes, measure_cache_bytes
from core.published import key_value_heads, model_sizes


@pytest.mark.parametrize("key_heads", [1, 2, 4])
@pytest.mark.parametrize("window", [0, 5, 16, 64])
def test_formula_and_count_of_a_running_model_agree_to_the_byte(key_heads, window):
    of = CacheShape(layers=2, heads=4, key_heads=key_heads, head_dim=8, window=window)
    lengths = (1, 2, 5, 6, 15, 16, 17, 40)
    assert measure_cache_bytes(of, lengths) == tuple(cache_bytes(of, length, 4) for length in lengths)


@pytest.mark.parametrize("published", model_sizes(), ids=lambda row: row.model)
def test_the_formula_is_that_of_the_page_on_sizes(published):
    shape = published.shape
    if shape.decoder_layers or not shape.vocabulary:
        return
    of = CacheShape(shape.layers, shape.heads, shape.key_heads or shape.heads, shape.head_dim)
    (line,) = (row for row in memory(shape, 700, "fp16") if row.part == CACHE)
    assert cache_bytes(of, 700, 2) == line.value


def test_sharing_is_named_by_the_heads():
    assert [CacheShape(1, 8, groups, 4).sharing for groups in (8, 2, 1)] == [
        "multi-head",
        "grouped-query",
        "multi-query",
    ]


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((0, 4, 4, 8), "at least 1 for 'layers', not 0"),
        ((2, 4, 3, 8), "4 heads of queries cannot share 3 of keys"),
        ((2, 4, 4, 8, -1), "not -1"),
    ],
)
def test_sizes_that_cannot_be_are_refused(sizes, words):
    with pytest.raises(ValueError, match=words):
        CacheShape(*sizes)


def test_published_shapes_that_stand_in_two_tables_are_the_same():
    shapes = {row.model: row.shape for row in model_sizes()}
    both = [row for row in key_value_heads() if row.model in shapes]
    assert {row.model for row in both} == {"GPT-2 XL", "GPT-3 175B"}
    for row in both:
        shape = shapes[row.model]
        assert (row.heads.layers, row.heads.heads, row.heads.head_dim) == (shape.layers, shape.heads, shape.head_dim)


def test_a_published_row_whose_heads_cannot_be_shared_is_named(tmp_path):
    file = tmp_path / "key_value_heads.csv"
    file.write_text("model,year,layers,heads,key_heads,each,window,source\nOdd,2024,2,4,3,8,0,nowhere\n")
    with pytest.raises(ValueError, match="line 2: 4 heads of queries cannot share 3"):
        key_value_heads(file)
