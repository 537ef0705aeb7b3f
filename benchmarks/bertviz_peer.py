"""The view against BertViz's `head_view`: build time, and the bytes that the browser reads."""

import json
from collections.abc import Iterator
from functools import partial

import numpy as np
import torch
from bertviz import head_view
from transformers import GPT2Config, GPT2Model

from benchmarks.measure import times
from benchmarks.table import Row
from core.capture import record_attention
from core.view import Layer
from core.view.packing import pack
from core.view.view_request import ViewRequest
from dashboard.components.attention_view import Scene, TextSequence

LAYERS, HEADS = 12, 12


def rows() -> Iterator[Row]:
    """Build time and bytes of both, for 12 x 12 heads."""
    for length in (64, 128, 256):
        torch.manual_seed(0)
        attention = tuple(torch.randn(1, HEADS, length, length).softmax(dim=-1) for _ in range(LAYERS))
        tokens = [f"word{place}" for place in range(length)]
        seconds = times(partial(_ours, attention, tokens), partial(_bertviz, attention, tokens), repeats=1)
        sizes = [len(_ours(attention, tokens)), len(_bertviz(attention, tokens))]
        yield Row(
            f"BertViz `head_view`, {length} tokens, 144 heads: build time, against ours",
            seconds[1] / seconds[0],
            "x",
            1.0,
            at_least=True,
            detail=f"{seconds[1]:.2f} s against {seconds[0]:.3f} s",
        )
        yield Row(
            f"BertViz `head_view`, {length} tokens, 144 heads: bytes for the browser, against ours",
            sizes[1] / sizes[0],
            "x",
            1.0,
            at_least=True,
            detail=f"{sizes[1] / 1e6:.1f} MB against {sizes[0] / 1e6:.2f} MB",
        )
    yield _longest()
    yield from _files()


def _longest() -> Row:
    attention = tuple(torch.randn(1, HEADS, 512, 512).softmax(dim=-1) for _ in range(LAYERS))
    size = len(_ours(attention, [f"word{place}" for place in range(512)]))
    return Row("our view, 512 tokens, 144 heads: sent to the browser", size / 1e6, "MB", 2.0)


def _files() -> Iterator[Row]:
    """`record.show`, from the recorded queries and keys to one HTML file, beside the HTML of BertViz."""
    torch.manual_seed(0)
    model = GPT2Model(GPT2Config(use_cache=False)).eval()  # GPT-2 small's shape
    for length in (256, 512):
        with torch.inference_mode(), record_attention(model) as record:
            model(torch.randint(0, 50257, (1, length)))
        tokens = [f"word{place}" for place in range(length)]
        ours, size = times(partial(record.show, tokens), repeats=3)[0], len(record.show(tokens).content)
        if length == 256:
            attention = tuple(torch.stack([call.weights(head) for head in range(HEADS)])[None] for call in record.calls)
            theirs = times(partial(_bertviz, attention, tokens), repeats=1)[0]
            detail = f"BertViz's `head_view`: {theirs:.1f} s, {len(_bertviz(attention, tokens)) / 1e6:.0f} MB"
        else:
            detail = "144 heads: the sharpest with every weight, the others in blocks of tokens"
        yield Row(f"`record.show`, {length} tokens, 144 heads: the file", size / 1e6, "MB", 3.0, detail=detail)
        yield Row(f"`record.show`, {length} tokens, 144 heads: time", ours, "s", 2.0, detail=detail)


def _ours(attention: tuple, tokens: list[str]) -> str:
    """The message of the atlas's view."""
    layers = tuple(
        Layer(label=str(place), query="text", key="text", heads=HEADS, weights=partial(_head, layer))
        for place, layer in enumerate(attention)
    )
    return json.dumps(pack(Scene({"text": TextSequence(tuple(tokens))}, layers), ViewRequest()))


def _head(layer: torch.Tensor, head: int) -> np.ndarray:
    return layer[0, head].numpy()


def _bertviz(attention: tuple, tokens: list[str]) -> str:
    """The HTML of BertViz's view."""
    return head_view(attention, tokens, html_action="return").data
