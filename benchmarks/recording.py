"""What recording costs, against the plain forward pass and against the library's own `output_attentions`."""

from collections.abc import Iterator
from functools import partial

import torch
from transformers import GPT2Config, GPT2Model

from benchmarks.measure import peak_memory, times
from benchmarks.table import Row
from core.capture import record_attention

# GPT-2 small's shape (12 layers of 12 heads, width 768) with random weights: speed does not depend on their values.
LENGTHS = (128, 512, 2048)


def rows() -> Iterator[Row]:
    """Recording at each length, then against `output_attentions=True` at the longest."""
    torch.manual_seed(0)
    fused, eager = (_gpt2(implementation) for implementation in ("sdpa", "eager"))
    for length in LENGTHS:
        tokens = torch.randint(0, 50257, (1, length))
        repeats = 5 if length > 1000 else 15
        plain, recorded = times(partial(_plain, fused, tokens), partial(_recorded, fused, tokens), repeats=repeats)
        yield Row(
            f"recording, {length:,} tokens: time", recorded / plain, "x", 1.10, detail=f"plain forward {plain:.2f} s"
        )
        held, needed = _held_bytes(_recorded(fused, tokens)), 3 * 12 * length * 768 * 4
        yield Row(
            f"recording, {length:,} tokens: memory held, against q, k and v",
            held / needed,
            "x",
            2.0,
            detail=f"{held / 1e6:.0f} MB",
        )
    yield from _against_output_attentions(fused, eager, tokens)


def _against_output_attentions(fused, eager, tokens) -> Iterator[Row]:
    ours, theirs = times(
        lambda: _recorded(fused, tokens), lambda: eager(tokens, output_attentions=True).attentions, repeats=3
    )
    yield Row(
        "`output_attentions=True`, 2,048 tokens: time, against recording",
        theirs / ours,
        "x",
        2.0,
        at_least=True,
        detail=f"{theirs:.2f} s against {ours:.2f} s",
    )
    plain = peak_memory(lambda: _plain(fused, tokens))
    ours = max(peak_memory(lambda: _recorded(fused, tokens)) - plain, 1)
    theirs = peak_memory(lambda: eager(tokens, output_attentions=True).attentions) - plain
    yield Row(
        "`output_attentions=True`, 2,048 tokens: extra peak memory, against recording",
        theirs / ours,
        "x",
        8.0,
        at_least=True,
        detail=f"{theirs / 1e6:.0f} MB against {ours / 1e6:.0f} MB beyond the plain forward pass",
    )


def tile_rows() -> Iterator[Row]:
    """A map of 32,768 x 32,768: the first overview, then an exact tile."""
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 1, 1, 32_768, 64).unbind(0)
    with torch.inference_mode(), record_attention(_Bare()) as record:
        torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    call = record.calls[0]
    (overview,) = times(lambda: call.overview(size=512), repeats=1)
    (tile,) = times(lambda: call.weights(queries=slice(20_000, 20_512), keys=slice(9_000, 9_512)), repeats=9)
    yield Row("overview of a causal head of 32,768 tokens (512 x 512)", overview, "s")
    yield Row("one exact 512 x 512 tile of it", tile * 1000, "ms", 50)


class _Bare(torch.nn.Module):
    """No layers: the call is made beside it."""


def _gpt2(implementation: str) -> GPT2Model:
    torch.manual_seed(0)
    model = GPT2Model(GPT2Config(n_positions=2048, use_cache=False)).eval()
    model.set_attn_implementation(implementation)
    return model


@torch.inference_mode()
def _plain(model, tokens):
    return model(tokens)


@torch.inference_mode()
def _recorded(model, tokens):
    with record_attention(model) as record:
        model(tokens)
    return record


def _held_bytes(record) -> int:
    """Bytes of all storages that the record keeps alive, each counted once."""
    storages = {}
    for call in record.calls:
        for tensor in (call.query, call.key, call.value):
            storage = tensor.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
    return sum(storages.values())
