"""A record as one HTML file: all heads inside, labels as text, sentences where labels do not fit."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
import torch
from torch import nn

from core.capture import record_attention
from core.errors import CaptureError
from core.view import HtmlFile, Layer, PatchSequence, Scene, TextSequence, codec, html_file
from core.view.blocks import block_width, pool_into_blocks
from core.view.packing import overview_of

HOSTILE = "</script><script>window.__executed=1</script>"


def weights(tokens: int, seed: int, *, sharp: float = 3) -> np.ndarray:
    scores = np.random.default_rng(seed).normal(size=(tokens, tokens)) * sharp
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)


def causal_weights(tokens: int, seed: int) -> np.ndarray:
    lower = np.tril(weights(tokens, seed))
    return lower / lower.sum(axis=1, keepdims=True)


def scene(tokens: int, layers: int, heads: int, *, causal: bool = False, title: str = "") -> Scene:
    patterns = [(causal_weights if causal else weights)(tokens, seed) for seed in range(3)]
    made = tuple(
        Layer(str(place), "text", "text", heads, lambda head: patterns[head % 3], causal=causal)
        for place in range(layers)
    )
    return Scene({"text": TextSequence(tuple(f" w{place}" for place in range(tokens)))}, made, title=title)


def message(file: HtmlFile) -> dict:
    (json_text,) = re.findall(r'<script type="application/json" id="message">(.*?)</script>', file.text)
    return json.loads(json_text)


def unpacked(head: dict) -> np.ndarray:
    return codec.read(zlib.decompress(base64.b64decode(head["cells"])), head["code"])


def recorded(*lengths: tuple[int, int], heads: int = 2):
    """A record of attention with so many queries and keys, one call after another."""
    network = Attentions(heads)
    with record_attention(network) as record:
        network(lengths)
    return record


class Attentions(nn.Module):
    def __init__(self, heads: int):
        super().__init__()
        self.attention, self.width = Attention(heads), 4 * heads

    def forward(self, lengths) -> None:
        for queries, keys in lengths:
            x = torch.randn(1, queries, self.width)
            self.attention(x, x if keys == queries else torch.randn(1, keys, self.width))


class Attention(nn.Module):
    def __init__(self, heads: int):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(4 * heads, 4 * heads), nn.Linear(4 * heads, 4 * heads)

    def forward(self, x, memory) -> torch.Tensor:
        parts = (self.query(x), self.key(memory))
        query, key = (part.unflatten(-1, (self.heads, 4)).transpose(1, 2) for part in parts)
        return nn.functional.scaled_dot_product_attention(query, key, key)


def test_512_tokens_with_144_heads_are_less_than_three_megabytes():
    for causal in (False, True):
        file = html_file(scene(512, 12, 12, causal=causal))
        assert len(file.content) < 3_000_000
        assert len(message(file)["heads"]) == 144


def test_a_head_that_is_there_to_the_token_is_the_head_and_the_first_one_is_among_them():
    sent = message(html_file(scene(512, 12, 12, causal=True), start=(7, 1)))
    fine = sent["overview"]["blocks"]["fine"]
    assert [7, 1] in fine
    assert sent["overview"]["start"] == [7, 1]
    assert {tuple(map(int, name.split("/"))) for name, head in sent["heads"].items() if head["block"] == 1} == set(
        map(tuple, fine)
    )
    expected = causal_weights(512, 1)[np.tril_indices(512)]
    np.testing.assert_allclose(unpacked(sent["heads"]["7/1"]), expected, atol=np.sqrt(expected.max()) / 253 + 4e-6)


def test_a_head_in_blocks_holds_what_its_blocks_give_one_another():
    sent = message(html_file(scene(512, 12, 12)))
    name, head = next((name, head) for name, head in sent["heads"].items() if head["block"] > 1)
    width = head["block"]
    side = -(-512 // width)
    pattern = weights(512, int(name.split("/")[1]) % 3)
    expected = np.array(
        [
            [pattern[row : row + width, column : column + width].sum(axis=1).mean() for column in range(0, 512, width)]
            for row in range(0, 512, width)
        ]
    )
    np.testing.assert_allclose(unpacked(head).reshape(side, side), expected, atol=1 / 253)


def test_rows_of_blocks_sum_to_one_without_queries_that_are_no_number():
    pattern = causal_weights(10, 0)[None]
    pattern[0, 9] = np.nan
    pooled = pool_into_blocks(pattern, np.tri(10, dtype=bool), 3)
    np.testing.assert_allclose(np.maximum(pooled[0, :3], 0).sum(axis=1), 1, rtol=1e-6)
    assert np.isnan(pooled[0, 3]).all()
    np.testing.assert_array_equal(pooled[0, :3] < 0, ~np.tri(3, 4, dtype=bool))


def test_blocks_are_as_small_as_the_room_allows():
    many = scene(100, 2, 3)
    assert block_width(many, 6 * 100 * 100) == 1
    assert block_width(many, 6 * 100 * 100 - 1) == 2
    assert block_width(many, 1) == 100


def test_a_small_scene_is_inside_as_on_a_page():
    small = scene(12, 2, 2)
    sent = message(html_file(small))
    assert sent["overview"] == json.loads(json.dumps(overview_of(small)))
    assert sent["heads"] == {}
    assert not sent["options"]["address"]


def test_labels_and_titles_are_never_markup():
    record = recorded((2, 2))
    file = record.show([HOSTILE, "\ud800<!--"], title=HOSTILE)
    assert file.text.count("<script") == file.text.count("</script") == 2
    assert "<!--" not in file.text
    assert message(file)["overview"]["sequences"]["query"]["labels"] == [HOSTILE, "\ud800<!--"]
    assert "<script" not in file._repr_html_()


def test_nothing_is_fetched():
    text = html_file(scene(12, 2, 2)).text
    text = text.replace("http://www.w3.org/2000/svg", "")
    for forbidden in ("http:", "https:", "//cdn", "import ", "url("):
        assert forbidden not in text, forbidden
    assert "default-src 'none'" in text


def test_a_record_shows_itself_with_places_for_labels_and_saves_the_same(tmp_path):
    record = recorded((3, 3), (3, 3))
    assert record._repr_html_() == record.show()._repr_html_()
    assert record._repr_html_().startswith("<iframe srcdoc=")
    record.save_html(tmp_path / "attention.html", ["a", "b", "c"])
    assert (tmp_path / "attention.html").read_bytes() == record.show(["a", "b", "c"]).content
    assert message(record.show())["overview"]["sequences"]["query"]["labels"] == ["0", "1", "2"]
    assert len(message(record.show())["overview"]["layers"]) == 2


def test_labels_that_do_not_fit_are_an_error_with_the_numbers():
    with pytest.raises(CaptureError, match=r"4 tokens do not fit.*2 of self attention with 3 queries and 3 keys"):
        recorded((3, 3), (3, 3)).show(["a", "b", "c", "d"])
    with pytest.raises(CaptureError, match="give grid"):
        recorded((3, 3)).show(picture=np.zeros((4, 4, 3), np.uint8))
    with pytest.raises(CaptureError, match="begins with 'decoder'"):
        recorded((3, 3)).show(within="decoder")
    with pytest.raises(CaptureError, match="5,000 queries"):
        recorded((5000, 5000), heads=1).show()


def test_of_several_shapes_the_one_that_fits_is_shown_and_the_rest_named():
    record = recorded((3, 3), (3, 3), (5, 5), (5, 3))
    frequent = record.show()
    assert "2 of 4 attention calls are shown. Left out:" in frequent.text
    fitting = message(record.show(list("abcde")))
    assert [layer["label"] for layer in fitting["overview"]["layers"]] == ["2"]
    crossing = message(record.show(list("abcde"), key_tokens=list("xyz")))
    assert [layer["kind"] for layer in crossing["overview"]["layers"]] == ["cross"]
    assert crossing["overview"]["sequences"]["key"]["labels"] == ["x", "y", "z"]


def test_patches_are_shown_over_their_picture():
    picture = np.zeros((8, 12, 3), np.uint8)
    sent = message(recorded((7, 7)).show(grid=(2, 3), prefix=["class"], picture=picture))
    sequence = sent["overview"]["sequences"]["query"]
    assert (sequence["kind"], sequence["rows"], sequence["prefix"]) == ("patches", 2, ["class"])
    assert sequence["picture"].startswith("data:image/png;base64,")
    assert len(PatchSequence(2, 3, ("class",))) == 7


def test_gradients_do_not_stand_in_the_way():
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    with record_attention(layer) as record:
        inputs = torch.randn(1, 4, 8, requires_grad=True)
        layer(inputs, inputs, inputs)
    assert message(record.show(list("abcd")))["overview"]["layers"][0]["heads"] == 2
