"""A model that is in memory already, as one of the zoo: for measures, ablation, contributions and relevance."""

from typing import Any

from tokenizers import Tokenizer
from torch import nn

from ..capture.hooked_copy import weight_sharing_copy
from ..errors import ModelError
from ..hub.architectures import Task, task_of
from ..hub.failures import as_sentence
from ..hub.modalities import modalities_of
from ..models import from_timm, from_transformers
from ..text import LARGEST_TEXT
from .image_models import ImageModel
from .loading import TEXT_MODELS, as_framing, labels_of
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
    """A model with its tokenizer, or with what prepares its pictures, as the functions of this library take it.

    `tokenizer` is one of the library tokenizers, or a fast one of transformers; `processor` an image processor of
    transformers, or for a model of timm nothing. What the model does with a text ("next token", "missing token",
    "source to target", "classes" or "encoder") is told by its class in transformers; of any other module that gives
    logits (batch, token, vocabulary) the `task` has to be said. The model itself stays as it is: what is watched is a
    twin of it in evaluation, over the same memory, without gradients.

    Raises ModelError for what does not fit together, and for a model that cannot be run.
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
    own = weight_sharing_copy(model, detached=True)
    with as_sentence(name, "be wrapped"):
        wrapped = (
            _of_text(own, tokenizer, task, classes, context, name) if tokenizer else _of_pictures(own, processor, name)
        )
        wrapped.try_once()
        return wrapped


def _of_text(
    network: nn.Module, tokenizer: Any, task: Task | None, classes: tuple[str, ...], context: int | None, name: str
) -> TextModel:
    config = getattr(network, "config", None)
    what = type(network).__name__
    is_pair = getattr(config, "is_encoder_decoder", False) is True
    task = task or task_of(what, modalities_of(what, config), is_pair=is_pair)
    if task not in TEXT_MODELS:
        raise ModelError(f"Say what it does with a text: task={', '.join(map(repr, TEXT_MODELS))}.")
    pieces = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if not isinstance(pieces, Tokenizer):
        raise ModelError(f"Its tokenizer is a {type(tokenizer).__name__}, and one of the library tokenizers is needed.")
    if context is None:
        longest = from_transformers.text_limit(getattr(tokenizer, "model_max_length", None), usual=LARGEST_TEXT)
        context = from_transformers.context_of(config, network, longest)  # type: ignore[arg-type]  # any or none will do
    make, _ = TEXT_MODELS[task]
    return make(
        name=name,
        title=name,
        network=network,
        tokenizer=Tokenizer.from_str(pieces.to_str()),  # a copy: what is done with the other cannot disturb
        context=context,
        classes=classes or (labels_of(config) if task == "classes" and config is not None else ()),
        foreign=True,
    )


def _of_pictures(network: Any, processor: Any, name: str) -> ImageModel:
    if processor is None:
        from timm.data import resolve_model_data_config

        seen = as_framing(resolve_model_data_config(network))
        rows, columns = from_timm.grid_of(network, seen.input_size[1:])
        patch, prefix = (seen.input_size[1] // rows, seen.input_size[2] // columns), from_timm.prefix_of(network)
        classes = from_timm.classes_of(network)
    else:
        seen, patch = as_framing(from_transformers.framing_by(processor)), from_transformers.patch_of(network.config)
        prefix = from_transformers.prefix_of(network)
        classes = labels_of(network.config) if hasattr(network, "classifier") else ()
    return ImageModel(
        name=name, title=name, network=network, framing=seen, patch=patch, prefix=prefix, classes=classes, foreign=True
    )
