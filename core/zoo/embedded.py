"""The models that come with the project: offline, loaded in less than half a second.

Each is a folder weights/<name>/ with model.safetensors (8 bits or half precision), config.json and, for text,
tokenizer.json; training/<name>/ made it. To add one, train it, save it with a function below, and give it a line in
TEXT or IMAGE.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from torch import nn

from ..errors import ModelError
from ..models.bert import BERT, BERTConfig, PretrainingBERT
from ..models.bert_inference import InferenceBERT
from ..models.bert_tasks import TasksBERT
from ..models.gpt import GPT, GPTConfig
from ..models.gpt_rotary import RotaryGPT, RotaryGPTConfig
from ..models.image_classifiers import MAKERS, make_image_classifier, patch_of
from ..models.stored_weights import load_weights, save_weights
from ..paths import WEIGHTS
from .image_models import Framing, ImageModel
from .masked_language_models import MaskedLanguageModel
from .text_models import CausalLanguageModel, Encoder, TextModel

BOOKS = 39  # of Standard Ebooks, the training data of the language models of books (weights/gpt-books/CARD.md)

# Only those whose weights exist.
TEXT = {
    name: title
    for name, title in {
        "gpt-books": f"GPT, trained on {BOOKS} books",
        "gpt-books-long": "GPT for long texts, trained on the same books",
        "bert-books": "BERT, trained on the same books",
        "bert-pairs": "BERT, trained once more on English-French pairs",
    }.items()
    if (WEIGHTS / name).is_dir()
}
# Masked language models for any text; `bert-pairs` was trained on sentences beside their translations.
MASKED = tuple(name for name in TEXT if name == "bert-books")
IMAGE = {
    "hybrid-vit": "Hybrid vision transformer, which names 1,000 things",
    "vit-tiny-imagenet": "Vision transformer, trained on Tiny ImageNet",
    "swin-tiny-imagenet": "Swin transformer, trained on Tiny ImageNet",
    "resnet-tiny-imagenet": "Residual network, trained on Tiny ImageNet",
}

# The vision encoder of captioners and of the CLIP of photographs: convolutional, without attention of its own.
BODY = "efficientnet-lite0"
# What reads the sentences of the CLIP of photographs.
SENTENCES = "minilm"

# Those in which a query attends to all patches of a picture.
GLOBAL_ATTENTION = ("hybrid-vit", "vit-tiny-imagenet")

NETWORKS: dict[str, tuple[Any, Any]] = {
    "gpt": (GPT, GPTConfig),
    "gpt_rotary": (RotaryGPT, RotaryGPTConfig),
    "bert": (PretrainingBERT, BERTConfig),
    "bert_body": (BERT, BERTConfig),
    "bert_tasks": (TasksBERT, BERTConfig),
    "bert_inference": (InferenceBERT, BERTConfig),
}
LONGEST = 4096  # tokens: on two cores a longer text would take a minute, whatever the model could hold

SIDE = 64  # pixels of the pictures that the models of Tiny ImageNet were trained on
# The sizes of pictures that these take, as multiples of it; a vision transformer's positions are resized.
STRETCHES = (1, 1.5, 2, 3, 4, 5)


def load_embedded_text(name: str, *, longest: int = LONGEST, weights: Path = WEIGHTS) -> TextModel:
    """The model of a name in TEXT, `bert-tasks`, `bert-inference` or SENTENCES.

    A text is cut after `longest` tokens, or where the model's context ends.
    """
    folder = weights / name
    config = _read_config(folder, *NETWORKS)
    make, settings = NETWORKS[config.pop("architecture")]
    network = load_weights(lambda: make(settings(**config)), folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    title, context = TEXT.get(name, name), min(longest, network.config.context)
    if isinstance(network, PretrainingBERT):
        # Trained on translations as second texts, it has no next sentence prediction.
        next_sentence = None if network.config.restarts else network.next_sentence
        return MaskedLanguageModel(name, title, network, tokenizer, context, next_sentence=next_sentence)
    if isinstance(
        network, BERT | TasksBERT | InferenceBERT
    ):  # core.probing.fine_tuning reads the heads of the last two
        return Encoder(name, title, network, tokenizer, context)
    return CausalLanguageModel(name, title, network, tokenizer, context)


def load_embedded_image(name: str, *, weights: Path = WEIGHTS) -> ImageModel:
    """The model of a name in IMAGE, or BODY."""
    folder = weights / name
    config = _read_config(folder, *MAKERS)
    architecture, sizes = config["architecture"], config["sizes"]
    network = load_weights(lambda: make_image_classifier(architecture, sizes), folder / "model.safetensors")
    size, patch = config.get("side", SIDE), patch_of(sizes)
    resolutions = tuple(int(SIDE * stretch) for stretch in STRETCHES if SIDE * stretch % patch == 0)
    return ImageModel(
        name=name,
        title=IMAGE.get(name, name),
        network=network,
        framing=Framing((3, size, size), tuple(config["mean"]), tuple(config["deviation"])),
        patch=(patch, patch),
        prefix=("class",) if architecture in ("vit", "hybrid") else (),
        classes=tuple(config["classes"]),
        resolutions=resolutions if size == SIDE else (),
    )


def save_text(
    network: GPT | RotaryGPT | PretrainingBERT | BERT | TasksBERT | InferenceBERT,
    tokenizer: Tokenizer,
    folder: Path,
    *,
    eight_bits: bool = False,
) -> None:
    """Write the files that `load_embedded_text` reads."""
    architecture = next(name for name, (make, _) in NETWORKS.items() if type(network) is make)
    _save(network, {"architecture": architecture, **asdict(network.config)}, folder, eight_bits=eight_bits)
    tokenizer.save(str(folder / "tokenizer.json"))


def save_image(
    network: nn.Module,
    folder: Path,
    *,
    architecture: str,
    sizes: dict[str, Any],
    mean: tuple[float, ...],
    deviation: tuple[float, ...],
    classes: Sequence[str],
    side: int = SIDE,
    eight_bits: bool = False,
) -> None:
    """Write the files that `load_embedded_image` reads; `architecture`, `sizes` as for `make_image_classifier`.

    `side`: of its pictures, in pixels; only those that learned at SIDE take other sizes too.
    """
    config: dict[str, Any] = {"architecture": architecture, "sizes": sizes, "mean": mean, "deviation": deviation}
    config["classes"] = classes
    if side != SIDE:
        config["side"] = side
    _save(network, config, folder, eight_bits=eight_bits)


def _save(network: nn.Module, config: dict[str, Any], folder: Path, *, eight_bits: bool) -> None:
    save_weights(network, folder / "model.safetensors", eight_bits=eight_bits)
    (folder / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_settings(file: Path) -> dict[str, Any]:
    """The config.json beside a file of weights of the project; ModelError where the weights are missing."""
    folder = file.parent
    if not file.exists():
        raise ModelError(
            f"Weights are missing: there is no {folder.name}/{file.name}. Fetch the project again, or train them: make "
            f"train-{folder.name}."
        )
    return json.loads((folder / "config.json").read_text(encoding="utf-8"))


def _read_config(folder: Path, *architectures: str) -> dict[str, Any]:
    config = read_settings(folder / "model.safetensors")
    if config["architecture"] not in architectures:
        raise ModelError(f"'{folder.name}' is not a model of the kind {' or '.join(architectures)}. Choose another.")
    return config
