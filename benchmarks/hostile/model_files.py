"""Tiny models as the files of their folders: make, change, write and use them."""

import json
import os
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch
from PIL import Image
from safetensors.torch import load, save
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

from core import zoo

Folder = dict[str, Any]  # the bytes of each file, or a Special in its place
OPEN: dict[str, Any] = {"permission": zoo.AT_HOME}  # what core.zoo must be told so that it opens folders
TEXT = "The cat listens to whom it likes."


@dataclass(frozen=True)
class Special:
    """An entry of a folder that is no regular file: a "pipe", a "folder", or a "link" to `target`."""

    what: str
    target: str = ""


def is_picture(folder: Folder) -> bool:
    """Whether the files of a folder declare a model for pictures."""
    config = folder.get("config.json", b"")
    return "preprocessor_config.json" in folder or (isinstance(config, bytes) and b'"architecture"' in config)


def use(folder: Path, *, is_picture: bool) -> None:
    """Inspect, load and run a model as the pages do; AtlasError where core.zoo refuses it."""
    name = str(folder)
    if is_picture:
        zoo.inspect(name, "image", **OPEN, attends=False)
        image_model = zoo.load_image(name, **OPEN, attends=False)
        image_run = image_model.run(image_model.prepare(Image.new("RGB", (50, 40), "teal")))
        image_model.predictions(image_run)
        return
    offer = zoo.inspect(name, **OPEN)
    model = zoo.load_text(name, **OPEN)
    run = model.run(model.encode(TEXT))
    model.predictions(run)
    if offer.task == "source to target":
        zoo.inspect_translator(name, **OPEN)
        translator = zoo.load_named_translator(name, **OPEN)
        source = translator.encode(TEXT)
        best = translator.write(source, beam=2).best.tokens
        translator.text(best)
        if best:
            translator.align(source, translator.tokens(best))


def write(folder: Folder, path: Path) -> Path:
    """Write a folder to the disk."""
    path.mkdir()
    for name, content in folder.items():
        if isinstance(content, bytes):
            (path / name).write_bytes(content)
        elif content.what == "pipe":
            os.mkfifo(path / name)
        elif content.what == "folder":
            (path / name).mkdir()
        else:
            (path / name).symlink_to(content.target)
    return path


@cache
def tiny(kind: str) -> Folder:
    """A small valid model, always the same: "gpt2", "classifier", "t5", "vit" or "timm"."""
    import timm
    import transformers
    from timm.models import save_for_hf

    with tempfile.TemporaryDirectory() as place:
        torch.manual_seed(0)
        if kind == "timm":
            sizes: dict[str, Any] = {"img_size": 32, "embed_dim": 16, "num_heads": 2, "depth": 2, "num_classes": 3}
            network = timm.create_model("vit_tiny_patch16_224", **sizes)
            save_for_hf(network, place, model_args=sizes, safe_serialization=True)
        else:
            architecture, settings = _TINY[kind]
            network_class = getattr(transformers, architecture)
            network_class(network_class.config_class(**settings)).save_pretrained(place)
            if kind == "vit":
                transformers.ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(place)
        files = {path.name: path.read_bytes() for path in Path(place).iterdir() if path.name != "README.md"}
    if kind in ("gpt2", "classifier", "t5"):
        files["tokenizer.json"] = _tokenizer().to_str().encode()
        files["tokenizer_config.json"] = b'{"tokenizer_class": "PreTrainedTokenizerFast"}'
    return files


WIDTHS = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
_TINY: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": (
        "GPT2LMHeadModel",
        {"vocab_size": 32, "n_positions": 32, "n_embd": 16, "n_layer": 2, "n_head": 2, "bos_token_id": 0}
        | {"eos_token_id": 1},
    ),
    "classifier": (
        "BertForSequenceClassification",
        {**WIDTHS, "vocab_size": 32, "max_position_embeddings": 32, "id2label": {0: "bad", 1: "good", 2: "neither"}},
    ),
    "t5": (
        "T5ForConditionalGeneration",
        {"vocab_size": 32, "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2, "pad_token_id": 0}
        | {"decoder_start_token_id": 0, "eos_token_id": 1},
    ),
    "vit": ("ViTForImageClassification", {**WIDTHS, "image_size": 32, "patch_size": 8, "num_labels": 3}),
}


def _tokenizer() -> Tokenizer:
    words = ["<s>", "</s>", "<unk>", *(f"▁{word}" for word in (*TEXT.rstrip(".").split(), "a")), *"abcdefghij."]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<unk>"))
    tokenizer.add_special_tokens(words[:3])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tokenizer


def changed(folder: Folder, file: str, **entries: Any) -> Folder:
    """A copy of a folder with new values of some entries of a JSON file; "__" in a name goes down one level."""
    content = json.loads(folder.get(file, b"{}"))
    for name, value in entries.items():
        *above, last = name.split("__")
        place = content
        for part in above:
            place = place.setdefault(part, {})
        place[last] = value
    return {**folder, file: json.dumps(content).encode()}


def weights_of(header: Any, *, length: int | None = None, trailing: bytes = b"") -> bytes:
    """A safetensors file with this header (bytes, or an object that is written as JSON) and `trailing` behind it."""
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(raw) if length is None else length) + raw + trailing


def with_weights(folder: Folder, change: Callable[[dict[str, torch.Tensor]], None]) -> Folder:
    """A copy of a folder with its weights changed in place by `change`."""
    weights = {name: weight.clone() for name, weight in load(folder["model.safetensors"]).items()}
    change(weights)
    return {**folder, "model.safetensors": save(weights, metadata={"format": "pt"})}


def spoiled(folder: Folder, value: float, *, every: bool = False) -> Folder:
    """A copy of a folder with one weight, or with `every` all of them, set to `value`."""

    def change(weights: dict[str, torch.Tensor]) -> None:
        for weight in weights.values() if every else [weights[min(weights)]]:
            weight.view(-1)[: None if every else 1] = value

    return with_weights(folder, change)
