"""Model folders whose weights or files are made to break whatever opens them: headers, indexes, pipes, links."""

import json
from collections.abc import Iterator
from math import inf, nan
from typing import Any

from benchmarks.hostile import Case
from benchmarks.hostile.model_files import Special, spoiled, tiny, weights_of


def cases() -> Iterator[Case]:
    """Yield every folder."""
    for make in (_headers, _indexes, _files):
        yield from make()


def _headers() -> Iterator[Case]:
    options: Any
    kind = "header of a safetensors file"
    tensor = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    for name, header, options in (
        ("100,000 brackets", b"[" * 100_000, {}),
        ("100,000 braces", b'{"a":' * 100_000, {}),
        ("a list", b"[]", {}),
        ("a number", b"7", {}),
        ("no text", b"\xff" * 100, {}),
        ("longer than the file", {}, {"length": 10**6}),
        ("longer than memory", {}, {"length": 2**63}),
        *(
            (f"data_offsets {value}", {"a": {**tensor, "data_offsets": value}}, {"trailing": bytes(8)})
            for value in _OFFSETS
        ),
        *((f"shape {str(value)[:40]}", {"a": {**tensor, "shape": value}}, {"trailing": bytes(8)}) for value in _SHAPES),
        *((f"dtype {value}", {"a": {**tensor, "dtype": value}}, {"trailing": bytes(8)}) for value in _TYPES),
        ("two tensors in one place", {"a": tensor, "b": tensor}, {"trailing": bytes(8)}),
        ("a gap", {"a": {**tensor, "data_offsets": [8, 16]}}, {"trailing": bytes(16)}),
        ("tensors that are numbers", {"a": 7}, {}),
        ("one name twice", b'{"a": 7, "a": 8}', {}),
        ("metadata that is a list", {"__metadata__": [1]}, {}),
        ("nothing in it", {}, {}),
    ):
        yield Case(kind, name, {**tiny("gpt2"), "model.safetensors": weights_of(header, **options)})
    good = tiny("gpt2")["model.safetensors"]
    for keep in (0, 7, 8, 100, len(good) - 1):
        yield Case(kind, f"cut after {keep} bytes", {**tiny("gpt2"), "model.safetensors": good[:keep]})
    kind = "weights that are no numbers"
    for model in ("gpt2", "classifier", "t5", "vit", "timm"):
        yield Case(kind, f"{model}: NaN", spoiled(tiny(model), nan))
        yield Case(kind, f"{model}: infinity", spoiled(tiny(model), inf))
        yield Case(kind, f"{model}: all NaN", spoiled(tiny(model), nan, every=True))


_OFFSETS: tuple[Any, ...] = ([], [8], [0, 8, 16], ["0", "8"], [-8, 0], [8, 0], [0, 10**30], [0, 8.5], None, "08", {})
_TYPES: tuple[Any, ...] = (None, 7, "X", [])
_SHAPES: tuple[Any, ...] = ([-2], [10**30], [2**40] * 50, ["2"], [2.0], "2", None, [True, 2], [[2]], [0] * 10_000)


def _indexes() -> Iterator[Case]:
    value: Any
    kind = "index of several weight files"
    without = {name: content for name, content in tiny("gpt2").items() if name != "model.safetensors"}
    good = {"one.safetensors": tiny("gpt2")["model.safetensors"]}
    for value in (
        *([], None, 7, "one.safetensors", {}, {"a": 7}, {"a": None}, {"a": ["one.safetensors"]}, {"a": {}}),
        *({"a": "../one.safetensors"}, {"a": "/etc/passwd"}, {"a": "one.bin"}, {"a": ""}, {"a": "two.safetensors"}),
        {"no.such.weight": "one.safetensors"},
    ):
        index = json.dumps({"weight_map": value}).encode()
        yield Case(kind, f"{value}", {**without, **good, "model.safetensors.index.json": index})
    for content in (b"[]", b"{}", b"[" * 100_000, b""):
        yield Case(kind, f"file {content[:2]!r}", {**without, **good, "model.safetensors.index.json": content})


def _files() -> Iterator[Case]:
    kind = "files that are none"
    for name in (
        "config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
        "generation_config.json",
    ):
        for special in (Special("pipe"), Special("folder"), Special("link", "/etc/passwd"), Special("link", name)):
            label = f"{name}: a {special.what} {special.target}".strip()
            yield Case(kind, label, {**tiny("gpt2"), name: special})
    for name in ("notes", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja", "vocab.txt"):
        yield Case(kind, f"{name}: a pipe beside the others", {**tiny("gpt2"), name: Special("pipe")})
    pickled = b"cos\nsystem\n(S'false'\ntR."
    without = {name: content for name, content in tiny("gpt2").items() if name != "model.safetensors"}
    yield Case("pickled weights", "instead of safetensors", {**without, "pytorch_model.bin": pickled})
    yield Case("pickled weights", "beside safetensors", {**tiny("gpt2"), "pytorch_model.bin": pickled})
