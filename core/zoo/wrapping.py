"""A model that is in memory already, wrapped as one of the zoo: for measures, ablation, contributions and relevance."""

from typing import Any

from tokenizers import Tokenizer
from torch import nn

from ..capture.hooked_copy import weight_sharing_copy
from ..errors import ModelError
from ..hub.architectures import Task, task_of
from ..hub.failures import as_model_error
from ..hub.modalities import modalities_of
from ..models import from_timm, from_transformers
from ..text import LARGEST_TEXT
from .checked_folders import TEXT_MODELS
from .image_models import ImageModel
from .loading import as_framing, labels_of
from .text_models import TextModel


def wrap(
    model: nn.Module,
    *,
    tokenizer: Any = None,
    processor: Any = None,
    task: Task | None = None,
    classes: tuple[str, ...] = (),
    context: int | None = None,
    name: str = "yours",
) -> TextModel | ImageModel:
    """A model with its tokenizer, or with its image processor, as the functions of this library take it.

    `tokenizer` is one of the library tokenizers, or a fast one of transformers; `processor` an image processor of
    transformers, or None for a model of timm. The task of a model of texts ("next token", "missing token", "source to
    target", "classes" or "encoder") follows from its class in transformers; for any other module that returns logits
    (batch, token, vocabulary) `task` is required. The model itself is not changed: what is wrapped is a copy in
    evaluation mode that shares its weights, without gradients.

    Raises ModelError for arguments that do not fit together, and for a model that cannot be run.
    """
    if tokenizer is None and processor is None and not hasattr(model, "pretrained_cfg"):
        raise ModelError(
            "A model that reads text is wrapped with its tokenizer, one of transformers that sees with its processor."
        )
    places = {str(parameter.device) for parameter in model.parameters()} - {"cpu"}
    if places:
        raise ModelError(
            f"'{name}' is on {', '.join(sorted(places))}, and here models compute on the processor: "
            "wrap(model.cpu(), …)."
        )
    copy = weight_sharing_copy(model, detached=True)
    with as_model_error(name, "be wrapped"):
        wrapped = (
            _wrap_text_model(copy, tokenizer, task, classes, context, name)
            if tokenizer
            else _wrap_image_model(copy, processor, name)
        )
        wrapped.try_once()
        return wrapped


def _wrap_text_model(
    network: nn.Module, tokenizer: Any, task: Task | None, classes: tuple[str, ...], context: int | None, name: str
) -> TextModel:
    config = getattr(network, "config", None)
    architecture = type(network).__name__
    is_pair = getattr(config, "is_encoder_decoder", False) is True
    task = task or task_of(architecture, modalities_of(architecture, config), is_pair=is_pair)
    if task not in TEXT_MODELS:
        raise ModelError(f"Say what it does with a text: task={', '.join(map(repr, TEXT_MODELS))}.")
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(backend, Tokenizer):
        raise ModelError(f"Its tokenizer is a {type(tokenizer).__name__}, and one of the library tokenizers is needed.")
    if context is None:
        longest = from_transformers.text_limit(getattr(tokenizer, "model_max_length", None), default=LARGEST_TEXT)
        context = from_transformers.context_of(config, network, longest)  # type: ignore[arg-type]  # any or none will do
    make, _ = TEXT_MODELS[task]
    return make(
        name=name,
        title=name,
        network=network,
        tokenizer=Tokenizer.from_str(backend.to_str()),  # a copy: changes of the other do not reach it
        context=context,
        classes=classes or (labels_of(config) if task == "classes" and config is not None else ()),
        foreign=True,
    )


def _wrap_image_model(network: Any, processor: Any, name: str) -> ImageModel:
    if processor is None:
        from timm.data import resolve_model_data_config

        framing = as_framing(resolve_model_data_config(network))
        _, height, width = framing.input_size
        rows, columns = from_timm.grid_of(network, (height, width))
        patch, prefix = (height // rows, width // columns), from_timm.prefix_of(network)
        classes = from_timm.classes_of(network)
    else:
        framing, patch = as_framing(from_transformers.framing_by(processor)), from_transformers.patch_of(network.config)
        prefix = from_transformers.prefix_of(network)
        classes = labels_of(network.config) if hasattr(network, "classifier") else ()
    return ImageModel(
        name=name,
        title=name,
        network=network,
        framing=framing,
        patch=patch,
        prefix=prefix,
        classes=classes,
        foreign=True,
    )
