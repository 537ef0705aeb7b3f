"""The kind of a model by its config.json: its library, architecture and task."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import ModelError
from ..models.attention_heads import has_heads, names_heads
from .bounds import check_numbers
from .folders import read_config, shorten
from .modalities import join_names, modalities_of
from .permissions import Purpose

Task = Literal[
    "next token",
    "missing token",
    "source to target",
    "classes",
    "encoder",
    "picture",
    "agreement",
    "caption",
    "joint",
    "hidden patches",
]

# The task of a model of texts by the end of its class's name in transformers, the first that fits: "BertForMaskedLM"
# predicts masked tokens. Its modalities are read from the class itself (modalities.py), not from its name.
TASKS: dict[str, Task] = {
    "ForCausalLM": "next token",
    "LMHeadModel": "next token",
    "ForMaskedLM": "missing token",
    "ForPreTraining": "missing token",
    "ForConditionalGeneration": "source to target",
    "MTModel": "source to target",
    "ForSequenceClassification": "classes",
    # Their heads classify tokens or mark spans, which no page shows; the attention of the network below them is shown.
    "ForTokenClassification": "encoder",
    "ForQuestionAnswering": "encoder",
    "Model": "encoder",
}

# Architectures that read pictures and texts, and their tasks. On other pages one of their encoders may be opened.
BOTH: dict[str, Task] = {
    "CLIPModel": "agreement",
    "SiglipModel": "agreement",
    "BlipForConditionalGeneration": "caption",
    "GitForCausalLM": "caption",
    "VisionEncoderDecoderModel": "caption",
    "ViltModel": "joint",
    "ViltForMaskedLM": "joint",
    "ViltForQuestionAnswering": "joint",
    "ViltForImageAndTextRetrieval": "joint",
}

VISION_ENCODERS = ("CLIPModel",)  # of these Explore / Image opens the vision encoder, which is a model of its own
PAGES: dict[Task, str] = {
    "agreement": "Words and pictures / CLIP",
    "caption": "Words and pictures / Captioning",
    "joint": "Words and pictures / Vision-language model",
}

# A masked autoencoder with its decoder; an encoder alone is saved as another architecture.
AUTOENCODER = "ViTMAEForPreTraining"
MOST_HIDEABLE, WIDEST = 1_024, 4_096  # patches of its pictures, and channels: the library fills tables of both


@dataclass(frozen=True)
class Kind:
    """A model's library, architecture and task."""

    library: Literal["transformers", "timm"]
    architecture: str
    task: Task


def read_kind(folder: Path, name: str, purpose: Purpose, *, attends: bool = True) -> Kind:
    """Read config.json; ModelError if the model is for another purpose or, with `attends`, has no attention."""
    config = read_config(folder, name)
    check_numbers(config, name)
    if "model_type" in config:
        kind = _read_transformers(folder, name, config, purpose)
    elif "architecture" in config:
        kind = _read_timm(folder, name, shorten(config["architecture"]), attends)
    else:
        raise ModelError(f"config.json of '{name}' is neither transformers' nor timm's. Choose another model.")
    if purpose == "gaps" and kind.task != "hidden patches":
        raise no_autoencoder(name, kind.architecture)
    if purpose == "both" and kind.task not in BOTH.values():
        raise not_both(name, kind.architecture)
    if purpose in ("text", "image") and (kind.task == "picture") != (purpose == "image"):
        raise wrong_page(name, kind.architecture, "image" if kind.task == "picture" else "text")
    return kind


def task_of(architecture: str, modalities: frozenset[str] = frozenset(), *, is_pair: bool) -> Task | None:
    """The task of an architecture of transformers by its modalities and its name; None where no page has such inputs.

    With empty (unknown) `modalities` the name decides. `is_pair`: whether it is an encoder-decoder.
    """
    if modalities == {"pictures"} or architecture in VISION_ENCODERS:
        return "picture"
    if modalities and "texts" not in modalities:
        return None
    task = next((task for ending, task in TASKS.items() if architecture.endswith(ending)), None)
    if task == "encoder" and len(modalities) > 1 and architecture.endswith("Model"):
        return None  # it needs the pictures, or the sound, too
    if task == "encoder" and is_pair:
        return "source to target"
    return None if task == "source to target" and not is_pair else task


def not_both(name: str, architecture: str) -> ModelError:
    """The error for a model that does not read pictures and texts together."""
    return ModelError(
        f"'{name}' ({architecture}) does not read pictures and texts together. Name a CLIP or a SigLIP on the page "
        "CLIP, a BLIP or a GIT on the page Captioning, a ViLT on the page Vision-language model."
    )


def no_autoencoder(name: str, architecture: str) -> ModelError:
    """The error for a model that is no masked autoencoder."""
    return ModelError(
        f"'{name}' ({architecture}) does not fill in hidden patches. Name a ViT-MAE with its decoder, such as "
        "facebook/vit-mae-base."
    )


def check_task(name: str, architecture: str, task: Task | None, required: Task) -> None:
    """Raise ModelError if the task of a model of pictures and texts is not the `required` one of BOTH."""
    if task != required:
        does, examples = _REQUIRED[required]
        raise ModelError(f"'{name}' ({architecture}) does not {does}. Name {examples}.")


# For each task of BOTH: what a model does, and examples to name.
_REQUIRED: dict[Task, tuple[str, str]] = {
    "agreement": (
        "compare pictures with texts",
        "a CLIP or a SigLIP, such as openai/clip-vit-base-patch32 or google/siglip-base-patch16-224",
    ),
    "caption": (
        "describe pictures",
        "a BLIP, a GIT or a ViT with a GPT-2, such as Salesforce/blip-image-captioning-base",
    ),
    "joint": (
        "read words and patches in one sequence",
        "a ViLT, such as dandelin/vilt-b32-mlm or dandelin/vilt-b32-finetuned-vqa",
    ),
}


def wrong_page(name: str, architecture: str, purpose: Purpose) -> ModelError:
    """The error for a model whose `purpose` is not that of the page."""
    reads, page = ("pictures", "Image") if purpose == "image" else ("text", "Text")
    return ModelError(f"'{name}' ({architecture}) reads {reads}. Open it in Explore / {page}.")


def _no_page(name: str, architecture: str, modalities: frozenset[str]) -> ModelError:
    """The error for a model with inputs that no page has; it names the modalities where they are known."""
    if modalities == {"texts"} or not modalities:
        return ModelError(
            f"'{name}' is a {architecture}, which this page cannot feed. Choose a language model (causal, masked or "
            "encoder-decoder), a text classifier or a vision transformer."
        )
    return ModelError(
        f"'{name}' ({architecture}) reads {join_names(modalities)}, and no page here can feed it. In a notebook "
        "record_attention of attention_atlas.capture shows its attention on an input of your own."
    )


def _read_transformers(folder: Path, name: str, raw_config: dict[str, Any], purpose: Purpose) -> Kind:
    from ..models.from_transformers import read_config as build_config

    names = raw_config.get("architectures")
    if names is not None and not (isinstance(names, list) and all(isinstance(entry, str) for entry in names)):
        raise ModelError(f"config.json of '{name}' does not name its architecture in words. Choose another model.")
    try:
        config = build_config(folder)
    except Exception as error:  # whatever a library does with a broken file
        raise ModelError(f"The installed transformers does not know the kind of model that '{name}' is.") from error
    architecture = shorten((names or [type(config).__name__.replace("Config", "Model")])[0])
    if purpose == "both" and architecture in BOTH:
        return Kind("transformers", architecture, BOTH[architecture])
    if architecture.startswith("ViTMAE"):
        return _read_autoencoder(name, architecture, config, purpose)
    if purpose == "gaps":
        raise no_autoencoder(name, architecture)
    if architecture in BOTH and not (purpose == "image" and architecture in VISION_ENCODERS):
        raise ModelError(f"'{name}' ({architecture}) reads pictures and texts. Open it in {PAGES[BOTH[architecture]]}.")
    modalities = modalities_of(architecture, config)
    task = task_of(architecture, modalities, is_pair=config.is_encoder_decoder is True)
    if task is None and modalities:
        raise _no_page(name, architecture, modalities)
    configs = [config, *(getattr(config, part, None) for part in ("text_config", "vision_config"))]
    if not names_heads(*configs):
        raise _no_attention(name, architecture, "image" if task == "picture" else purpose)
    if task is None:
        raise _no_page(name, architecture, modalities)
    return Kind("transformers", architecture, task)


def _read_autoencoder(name: str, architecture: str, config: Any, purpose: Purpose) -> Kind:
    """The kind of a ViT-MAE; ModelError on other pages than those of masked autoencoders, or for unusual sizes."""
    if purpose != "gaps":
        raise ModelError(
            f"'{name}' ({architecture}) is a masked autoencoder: it is shown a part of a picture. Name it on the page "
            "Reconstruction."
        )
    if architecture != AUTOENCODER:
        raise ModelError(
            f"'{name}' ({architecture}) is the encoder of a masked autoencoder alone, and its decoder guesses what is "
            f"hidden. Name a whole one ({AUTOENCODER}), such as facebook/vit-mae-base."
        )
    sides = (config.image_size, config.patch_size)
    widths = (config.hidden_size, config.decoder_hidden_size)
    if not all(type(side) is int and side > 0 for side in sides) or (sides[0] // sides[1]) ** 2 > MOST_HIDEABLE:
        raise ModelError(
            f"'{name}' cuts a picture of {shorten(sides[0])} pixels into patches of {shorten(sides[1])}; here both are "
            f"whole numbers, and there are at most {MOST_HIDEABLE:,} patches. Choose another model."
        )
    if not all(type(width) is int and 0 < width <= WIDEST for width in widths) or config.num_channels != 3:
        raise ModelError(
            f"'{name}' has vectors of {shorten(widths[0])} and {shorten(widths[1])} channels, and pictures of "
            f"{shorten(config.num_channels)}; here it is at most {WIDEST:,}, and 3. Choose another model."
        )
    return Kind("transformers", architecture, "hidden patches")


def _read_timm(folder: Path, name: str, architecture: str, attends: bool) -> Kind:
    from ..models.from_timm import outline

    try:
        network = outline(folder)
    except Exception as error:
        raise ModelError(f"The installed timm does not know the architecture of '{name}' ({architecture}).") from error
    if attends and not has_heads(network):
        raise _no_attention(name, architecture, "image")
    return Kind("timm", architecture, "picture")


def _no_attention(name: str, architecture: str, purpose: Purpose) -> ModelError:
    alternative = (
        "Vision / Vision transformer shows what other networks for pictures see."
        if purpose == "image"
        else "Foundations / RNNs, LSTMs, convolutions shows how networks without it carry what they have read."
    )
    reason = f"'{name}' ({architecture}) is not a transformer: it has no attention heads to look at."
    return ModelError(f"{reason} {alternative}")
