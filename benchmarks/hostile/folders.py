"""Model folders that are made to break whatever opens them: five tiny models, each with something changed."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from math import nan
from pathlib import Path
from typing import Any

from benchmarks.hostile import Case, weight_files
from benchmarks.hostile.model_files import (
    WIDTHS,
    changed,
    is_picture,
    tiny,
    use,
    write,
)
from core.errors import AtlasError

HUGE = 200_000_000
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def cases() -> Iterator[Case]:
    """Yield every folder."""
    for make in (_configs, _architectures, _outlines, _pictures, _tokenizers, _settings, weight_files.cases):
        yield from make()


def try_one(case: Case) -> str:
    """Inspect, load and run the model of a folder: "result", or the error message."""
    with tempfile.TemporaryDirectory() as place:
        folder = write(case.content, Path(place) / "model")
        try:
            use(folder, is_picture=is_picture(case.content))
        except AtlasError as error:
            return str(error).replace(str(folder), "model")
    return "result"


def _one_by_one(
    kind: str, model: str, file: str, pairs: Iterable[tuple[str, Any]], *, within: str = ""
) -> Iterator[Case]:
    """Yield a tiny model for each name and value, with this entry of one of its files changed."""
    for name, value in pairs:
        yield Case(kind, f"{name} is {str(value)[:40]}", changed(tiny(model), file, **{f"{within}{name}": value}))


def _configs() -> Iterator[Case]:
    value: Any
    kind = "config.json with numbers beyond any model's"
    for model, name in (
        *(("gpt2", name) for name in ("n_layer", "n_head", "n_embd", "n_inner", "n_positions", "vocab_size")),
        *(("classifier", name) for name in (*WIDTHS, "type_vocab_size", "num_labels")),
        *(("t5", name) for name in ("num_layers", "num_decoder_layers", "num_heads", "d_kv", "d_ff")),
        *(("t5", f"relative_attention_{name}") for name in ("num_buckets", "max_distance")),
    ):
        for value in (HUGE, -1, 10**30):
            yield Case(kind, f"{model}: {name} is {value:.0e}", changed(tiny(model), "config.json", **{name: value}))
    yield Case(kind, "gpt2: two million layers", changed(tiny("gpt2"), "config.json", n_layer=2_000_000))
    yield Case(kind, "gpt2: a vocabulary of a million", changed(tiny("gpt2"), "config.json", vocab_size=1_000_000))
    yield Case(kind, "gpt2: a thousand layers", changed(tiny("gpt2"), "config.json", n_layer=1_000))
    yield Case(kind, "gpt2: no layers", changed(tiny("gpt2"), "config.json", n_layer=0))
    kind = "config.json with values of another type"
    for name in ("n_layer", "n_head", "n_embd", "vocab_size", "activation_function", "layer_norm_epsilon", "dtype"):
        for value in (None, "many", 1.5, [2, 2], {"a": 1}, True, nan):
            yield Case(kind, f"gpt2: {name} is {value}", changed(tiny("gpt2"), "config.json", **{name: value}))
    kind = "config.json that is no such file"
    for name, content in (
        *(("empty", b""), ("zeros", bytes(1_000)), ("a list", b"[]"), ("brackets", b'{"a":' * 100_000)),
        *(("a number of 5,000 digits", b'{"n_layer": ' + b"9" * 5_000 + b"}"), ("no text", b"\xff\xfe{}")),
        *(("six megabytes", b'{"a": "' + b"x" * 6_000_000 + b'"}'), ("nested", b'{"a":' * 200 + b"1" + b"}" * 200)),
    ):
        yield Case(kind, name, {**tiny("gpt2"), "config.json": content})


def _architectures() -> Iterator[Case]:
    value: Any
    kind = "architectures that are none"
    for value in (
        7,
        [7],
        [7, 8],
        None,
        [],
        [None],
        {},
        "GPT2LMHeadModel",
        [["GPT2LMHeadModel"]],
        [MARKUP],
        ["x" * 5_000],
    ):
        yield Case(kind, str(value)[:40], changed(tiny("gpt2"), "config.json", architectures=value))
    for value in (7, None, [], {}, "", "x" * 5_000, MARKUP, "../../etc/passwd"):
        yield Case(kind, f"model_type {str(value)[:40]}", changed(tiny("gpt2"), "config.json", model_type=value))
        yield Case(kind, f"timm's {str(value)[:40]}", changed(tiny("timm"), "config.json", architecture=value))
    yield Case(kind, "is_encoder_decoder", changed(tiny("gpt2"), "config.json", is_encoder_decoder=True))
    yield Case(kind, "methods", changed(tiny("gpt2"), "config.json", to_dict=1, get_text_config=None, sub_configs=3))
    kind = "config.json that chooses files or code"
    for entries in (
        {"transformers_weights": "pytorch_model.bin"},
        {"auto_map": {"AutoModelForCausalLM": "evil.Model"}},
        {"attn_implementation": "evil/kernel"},
        {"quantization_config": {"quant_method": "bitsandbytes"}},
    ):
        yield Case(kind, next(iter(entries)), changed(tiny("gpt2"), "config.json", **entries))


def _outlines() -> Iterator[Case]:
    value: Any
    kind = "timm's arguments"
    for name, values in {
        "depth": (HUGE, -1, "two", None),
        "embed_dim": (HUGE, -16, 0),
        "num_heads": (HUGE, -2, 0, 3),
        "img_size": (HUGE, -32, 0, [32], 10**5, "32"),
        "patch_size": (HUGE, 0, -16, 1, "a"),
        "mlp_ratio": (1e9, -4, nan),
        "in_chans": (10**6, 0, 1),
        "num_classes": (10**9, -3),
        "reg_tokens": (HUGE,),
        "block_fn": ("os.system",),
        "pretrained_strict": (False,),
        "no_such_argument": (1,),
    }.items():
        for value in values:
            entries = {f"model_args__{name}": value}
            yield Case(kind, f"{name} is {value}", changed(tiny("timm"), "config.json", **entries))
    yield Case(kind, "all a list", changed(tiny("timm"), "config.json", model_args=[1]))
    pairs: tuple[tuple[str, Any], ...] = (
        *(("input_size", [3, 10**9, 10**9]), ("input_size", [3, 0, 0]), ("input_size", 7), ("input_size", [3])),
        *(("mean", [0.5, 0.5]), ("std", [0, 0, 0]), ("mean", [nan] * 3), ("mean", "grey"), ("crop_pct", 1e-9)),
        *(("crop_pct", -1), ("crop_mode", "spiral"), ("interpolation", "magic"), ("url", "http://127.0.0.1:1/x")),
        *(("file", "/etc/passwd"), ("state_dict", {"a": 1}), ("custom_load", True), ("source", "hf-hub")),
        *(("label_names", [MARKUP] * 3), ("label_names", 7), ("label_descriptions", [1]), ("first_conv", 5)),
    )
    yield from _one_by_one(kind, "timm", "config.json", pairs, within="pretrained_cfg__")


def _pictures() -> Iterator[Case]:
    value: Any
    kind = "preprocessor_config.json"
    pairs: tuple[tuple[str, Any], ...] = (
        *(("size", {"height": 10**9, "width": 10**9}), ("size", {"height": 0, "width": 0}), ("size", "large")),
        *(("size", {"height": -8, "width": 8}), ("size", {"height": "32", "width": "32"}), ("size", {})),
        *(("image_mean", [0.5, 0.5]), ("image_mean", "grey"), ("image_std", [0, 0, 0]), ("image_std", [nan] * 3)),
        *(("resample", "best"), ("resample", 10**9), ("image_processor_type", 7), ("do_resize", "no")),
    )
    yield from _one_by_one(kind, "vit", "preprocessor_config.json", pairs)
    for content in (b"", b"[]", b"\0", b"{" * 100_000):
        yield Case(kind, f"{content[:3]!r}", {**tiny("vit"), "preprocessor_config.json": content})
    kind = "sizes of pictures and patches"
    for name, value in (
        *(("patch_size", HUGE), ("patch_size", 0), ("patch_size", -8), ("patch_size", "8"), ("patch_size", [8])),
        *(("image_size", HUGE), ("image_size", 0), ("image_size", 7), ("num_channels", 10**6), ("num_channels", 1)),
    ):
        yield Case(kind, f"vit: {name} is {value}", changed(tiny("vit"), "config.json", **{name: value}))


def _tokenizers() -> Iterator[Case]:
    entries: Any
    kind = "tokenizer.json"
    split = {"type": "Split", "behavior": "Isolated", "invert": False}
    grow = {"type": "Replace", "pattern": {"Regex": "."}, "content": "a" * 1_000}
    for name, entries in {
        "pattern without an end": {"pre_tokenizer": {**split, "pattern": {"Regex": "(e|e*)+\\d"}}},
        "pattern that is none": {"pre_tokenizer": {**split, "pattern": {"Regex": "("}}},
        "a text grows a thousand million times": {"normalizer": {"type": "Sequence", "normalizers": [grow] * 3}},
        "padding to a million million": {
            "padding": {"strategy": {"Fixed": 10**12}, "direction": "Right", "pad_to_multiple_of": None}
            | {"pad_id": 0, "pad_type_id": 0, "pad_token": "<s>"}
        },
        "truncation to nothing": {
            "truncation": {"max_length": 0, "stride": 0, "strategy": "LongestFirst", "direction": "Right"}
        },
        "a number that the network lacks": {"model__vocab__a": 10**6},
        "numbers below 0": {"model__vocab__a": -1},
        "no vocabulary": {"model__vocab": {}},
        "no model": {"model": None},
        "another model": {"model__type": "Oracle"},
        "1,000 special tokens": {
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "</s>", "type_id": 0}}] * 1_000
                + [{"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}},
            }
        },
        "special tokens that the network lacks": {
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [{"SpecialToken": {"id": "x", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"x": {"id": "x", "ids": [10**9], "tokens": ["x"]}},
            }
        },
    }.items():
        yield Case(kind, name, changed(tiny("gpt2"), "tokenizer.json", **entries))
    for content in (b"", b"[]", b"7", b"{" * 100_000, b'{"normalizer":' * 200, b"\xff"):
        yield Case(kind, f"{content[:3]!r}", {**tiny("gpt2"), "tokenizer.json": content})
    more = {f"word{number}": 100 + number for number in range(1_000)}
    words = json.loads(tiny("gpt2")["tokenizer.json"])["model"]["vocab"]
    yield Case(
        kind, "more tokens than the network", changed(tiny("gpt2"), "tokenizer.json", model__vocab={**words, **more})
    )
    kind = "tokenizer_config.json"
    pairs: tuple[tuple[str, Any], ...] = (
        *(("model_max_length", value) for value in _LIMITS),
        *(("tokenizer_class", value) for value in (7, None, "os.system", "BertTokenizer", "GPT2Tokenizer")),
        *(("auto_map", {"AutoTokenizer": ["evil.T", None]}), ("added_tokens_decoder", {"0": 1}), ("pad_token", 7)),
    )
    yield from _one_by_one(kind, "gpt2", "tokenizer_config.json", pairs)


_LIMITS: tuple[Any, ...] = (-1, 0, 1, 2, "long", None, [], 1e300, nan)


def _settings() -> Iterator[Case]:
    value: Any
    kind = "generation_config.json"
    pairs: tuple[tuple[str, Any], ...] = (
        *(("eos_token_id", None), ("eos_token_id", "end"), ("eos_token_id", -5), ("eos_token_id", 10**12)),
        *(("decoder_start_token_id", value) for value in (None, 10**6, -1, "x", [0, 0])),
        *(("max_length", 10**9), ("min_length", 10**9), ("num_beams", 10**6), ("num_return_sequences", 10**6)),
        *(("bad_words_ids", [[5]] * 5_000), ("bad_words_ids", "bad"), ("suppress_tokens", [10**9])),
        *(("cache_implementation", "static"), ("prompt_lookup_num_tokens", 5), ("guidance_scale", 7.5)),
        *(("penalty_alpha", 0.6), ("dola_layers", "high"), ("no_repeat_ngram_size", 10**9), ("compile_config", {})),
        *(("do_sample", True), ("assistant_early_exit", 1), ("length_penalty", nan), ("repetition_penalty", 0)),
    )
    yield from _one_by_one(kind, "t5", "generation_config.json", pairs)
    for content in (b"", b"[]", b"{" * 100_000):
        yield Case(kind, f"{content[:2]!r}", {**tiny("t5"), "generation_config.json": content})
    yield Case(kind, "prefix that is none", changed(tiny("t5"), "config.json", task_specific_params={"translation": 7}))
    kind = "names of classes"
    for value in (
        {"0": MARKUP, "1": f"[x](javascript:alert(1)) {MARKUP}", "2": "![](http://127.0.0.1/x)"},
        *({"0": "x" * 1_000_000, "1": "\u202e", "2": "\0"}, {"0": 7, "1": None, "2": ["a"]}, {"a": "b"}, [], {}, 7),
        *({"0": "a"}, {"5": "a", "6": "b", "7": "c"}, {str(number): "x" for number in range(1_000)}),
    ):
        yield Case(kind, f"{str(value)[:40]}", changed(tiny("classifier"), "config.json", id2label=value))
        yield Case(kind, f"vit: {str(value)[:40]}", changed(tiny("vit"), "config.json", id2label=value))
