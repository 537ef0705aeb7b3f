"""The models that come with the project: no network needed, loaded in less than half a second.

Each is a folder weights/<name>/ with model.safetensors (half precision), config.json and, for text, tokenizer.json;
training/<name>.py made it. To add one, train it, save it with a function below, and give it a line in TEXT or IMAGE.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from torch import nn

from core.errors import ModelError
from core.half_precision import load_weights, save_weights
from core.models.gpt import GPT, GPTConfig
from core.zoo.image_models import Framing, ImageModel
from core.zoo.text_models import NextToken, TextModel

WEIGHTS = Path(__file__).parents[2] / "weights"

TEXT = {"gpt-books": "GPT, trained on forty books"}
IMAGE = {"vit-tiny-imagenet": "Vision transformer, trained on Tiny ImageNet"}

# Where the positions of a small vision transformer may be stretched to, as multiples of the size it was trained at.
STRETCHES = (1, 1.5, 2, 3, 4)


def load_embedded_text(name: str, *, weights: Path = WEIGHTS) -> TextModel:
    """One of TEXT."""
    folder = weights / name
    config = _read_config(folder, "gpt")
    network = load_weights(lambda: GPT(GPTConfig(**config)), folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    return NextToken(name, TEXT.get(name, name), network, tokenizer, network.config.context)


def load_embedded_image(name: str, *, weights: Path = WEIGHTS) -> ImageModel:
    """One of IMAGE."""
    from timm.models.vision_transformer import VisionTransformer

    folder = weights / name
    config = _read_config(folder, "vit")
    sizes = config["timm"]

    def make() -> nn.Module:
        return VisionTransformer(**sizes, dynamic_img_size=True, weight_init="skip")

    size, patch = sizes["img_size"], sizes["patch_size"]
    return ImageModel(
        name=name,
        title=IMAGE.get(name, name),
        network=load_weights(make, folder / "model.safetensors"),
        framing=Framing((3, size, size), tuple(config["mean"]), tuple(config["deviation"])),
        patch=(patch, patch),
        prefix=("class",),
        classes=tuple(config["classes"]),
        resolutions=tuple(int(size * stretch) for stretch in STRETCHES if size * stretch % patch == 0),
    )


def save_text(network: GPT, tokenizer: Tokenizer, folder: Path) -> None:
    """What `load_embedded_text` reads."""
    _save(network, {"architecture": "gpt", **asdict(network.config)}, folder)
    tokenizer.save(str(folder / "tokenizer.json"))


def save_image(
    network: nn.Module,
    folder: Path,
    *,
    timm: dict[str, Any],
    mean: tuple[float, ...],
    deviation: tuple[float, ...],
    classes: tuple[str, ...],
) -> None:
    """What `load_embedded_image` reads; `timm` are the arguments of its VisionTransformer."""
    config = {"timm": timm, "mean": mean, "deviation": deviation, "classes": classes}
    _save(network, {"architecture": "vit", **config}, folder)


def _save(network: nn.Module, config: dict[str, Any], folder: Path) -> None:
    save_weights(network, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _read_config(folder: Path, architecture: str) -> dict[str, Any]:
    if not (folder / "model.safetensors").exists():
        raise ModelError(
            f"The weights of '{folder.name}' are missing from {folder.parent.name}/. "
            f"Fetch the project again, or train them: make train-{folder.name}."
        )
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.pop("architecture") != architecture:
        raise ModelError(f"'{folder.name}' is not a model of the kind '{architecture}'. Choose it on another page.")
    return config
