"""What recording costs, against the plain forward pass and against the library's own `output_attentions`."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode
from transformers import GPT2Config, GPT2Model

from benchmarks.measure import peak_memory, times
from benchmarks.server import ROOT
from benchmarks.table import Row
from core.capture import Record, record_attention

# GPT-2 small's shape (12 layers of 12 heads, width 768) with random weights: speed does not depend on their values.
LENGTHS = (128, 512, 2048)
SAVED_TOKENS = 512  # tokens of a record that is saved


def rows() -> Iterator[Row]:
    """Recording at each length, then against `output_attentions=True` at the longest."""
    torch.manual_seed(0)
    fused, eager = (_gpt2(implementation) for implementation in ("sdpa", "eager"))
    for length in LENGTHS:
        tokens = torch.randint(0, 50257, (1, length))
        repeats = 7 if length > 1000 else 21
        works = (partial(way, fused, tokens) for way in (_plain, _recorded, _under_an_empty_mode))
        plain, recorded, empty = times(*works, repeats=repeats)
        yield Row(
            f"recording, {length:,} tokens: time",
            recorded / plain,
            "x",
            1.10,
            detail=f"plain forward {plain:.2f} s; under a mode that does nothing {empty / plain:.2f} x",
        )
        held_bytes, needed_bytes = _held_bytes(_recorded(fused, tokens)), 3 * 12 * length * 768 * 4
        yield Row(
            f"recording, {length:,} tokens: memory held, against q, k and v",
            held_bytes / needed_bytes,
            "x",
            2.0,
            detail=f"{held_bytes / 1e6:.0f} MB",
        )
    yield from _against_output_attentions(fused, eager, tokens)
    yield from _as_files(fused, eager, torch.randint(0, 50257, (1, SAVED_TOKENS)))


def _as_files(fused, eager, tokens) -> Iterator[Row]:
    """A record as a file, beside all attention weights saved with torch.save."""
    record, weights = _recorded(fused, tokens), _output_attentions(eager, tokens)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "record.safetensors", Path(folder) / "attentions.pt"
        saved = times(partial(record.save, ours), partial(torch.save, weights, theirs), repeats=5)
        read = times(partial(_one_head_of, ours), partial(_one_head_of_all, theirs), repeats=5)
        sizes = [file.stat().st_size for file in (ours, theirs)]
    what = f"{SAVED_TOKENS} tokens, 144 heads"
    against = "against `torch.save` of `attentions`"
    yield Row(
        f"`record.save`, {what}: bytes, {against}", sizes[1] / sizes[0], "x", 1.0, at_least=True,
        detail=f"{sizes[1] / 1e6:.0f} MB against {sizes[0] / 1e6:.0f} MB",
    )  # fmt: skip
    yield Row(
        f"`record.save`, {what}: time, {against}", saved[1] / saved[0], "x", 1.0, at_least=True,
        detail=f"{1000 * saved[1]:.0f} ms against {1000 * saved[0]:.0f} ms",
    )  # fmt: skip
    yield Row(
        f"`Record.load` and one head, {what}: time, against `torch.load`", read[1] / read[0], "x", 1.0, at_least=True,
        detail=f"{1000 * read[1]:.0f} ms against {1000 * read[0]:.1f} ms",
    )  # fmt: skip


def _one_head_of(file: Path) -> torch.Tensor:
    return Record.load(file)[7].weights(head=3)


def _one_head_of_all(file: Path) -> torch.Tensor:
    return torch.load(file)[7][0, 3].clone()


def _against_output_attentions(fused, eager, tokens) -> Iterator[Row]:
    ours, theirs = times(partial(_recorded, fused, tokens), partial(_output_attentions, eager, tokens), repeats=3)
    yield Row(
        "`output_attentions=True`, 2,048 tokens: time, against recording",
        theirs / ours,
        "x",
        2.0,
        at_least=True,
        detail=f"{theirs:.2f} s against {ours:.2f} s",
    )
    ours, theirs = _extra_memory(**os.environ)
    ours_without_gaps, theirs_without_gaps = _extra_memory(**os.environ | {"MALLOC_MMAP_THRESHOLD_": "1000000"})
    yield Row(
        "`output_attentions=True`, 2,048 tokens: extra peak memory, against recording",
        theirs / ours,
        "x",
        8.0,
        at_least=True,
        detail=f"{theirs / 1e6:.0f} MB against {ours / 1e6:.0f} MB beyond the plain forward pass, of which q, k and v "
        f"are {3 * 12 * LENGTHS[-1] * 768 * 4 / 1e6:.0f} MB, and the rest gaps that glibc leaves between them; without "
        f"the gaps (MALLOC_MMAP_THRESHOLD_=1000000) {theirs_without_gaps / ours_without_gaps:.1f} x",
    )


def _extra_memory(**environment: str) -> tuple[int, int]:
    """Bytes that recording, and that `output_attentions`, takes beyond the plain forward pass."""
    plain, recorded, output_attentions = (
        _peak_of(way, environment) for way in ("plain", "recorded", "output_attentions")
    )
    return max(recorded - plain, 1), output_attentions - plain


def _peak_of(way: str, environment: dict[str, str]) -> int:
    """Bytes by which a process of its own grows, so that no memory that was freed before is used again."""
    command = [sys.executable, "-m", "benchmarks.recording", way]
    return int(subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout)


def tile_rows() -> Iterator[Row]:
    """A map of 32,768 x 32,768: the first overview, then an exact tile."""
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 1, 1, 32_768, 64).unbind(0)
    attention = _Attention()
    with torch.inference_mode(), record_attention(attention) as record:
        attention(query, key, value)
    call = record.calls[0]
    (overview,) = times(lambda: call.overview(size=512), repeats=1)
    (tile,) = times(lambda: call.weights(0, queries=slice(20_000, 20_512), keys=slice(9_000, 9_512)), repeats=9)
    yield Row("overview of a causal head of 32,768 tokens (512 x 512)", overview, "s")
    yield Row("one exact 512 x 512 tile of it", tile * 1000, "ms", 50)


class _Attention(torch.nn.Module):
    """Nothing but the fused kernel."""

    def forward(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)


def _gpt2(implementation: str) -> GPT2Model:
    torch.manual_seed(0)
    model = GPT2Model(GPT2Config(n_positions=2048, use_cache=False)).eval()
    model.set_attn_implementation(implementation)
    return model


@torch.inference_mode()
def _plain(model, tokens):
    return model(tokens)


@torch.inference_mode()
def _output_attentions(model, tokens):
    return model(tokens, output_attentions=True).attentions


class _Empty(TorchFunctionMode):
    """A mode that only passes on every call of torch: the least overhead of any recorder of this kind."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


@torch.inference_mode()
def _under_an_empty_mode(model, tokens):
    with _Empty():
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


if __name__ == "__main__":
    tokens = torch.randint(0, 50257, (1, LENGTHS[-1]))
    model = _gpt2("eager" if sys.argv[1] == "output_attentions" else "sdpa")
    work = {"plain": _plain, "recorded": _recorded, "output_attentions": _output_attentions}[sys.argv[1]]
    work(model, tokens[:, :8])  # what is allocated once, whatever the length
    print(peak_memory(partial(work, model, tokens)))
