"""From a name to a model: find it, fetch it where needed, check it, build it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer
from torch import nn

from ..errors import ModelError
from ..hub.architectures import Kind, Task, check_task, no_autoencoder
from ..hub.failures import as_model_error
from ..hub.folders import read_weights, shorten
from ..hub.permissions import AT_HOME, Permission
from ..models import from_timm, from_transformers
from ..models.marian_tokenizers import has_marian_tokenizers, load_marian_tokenizers
from ..models.nonfinite import describe_nonfinite_weights
from ..models.tokenizer_bounds import check_tokenizer
from . import sentiment_classifiers
from .checked_folders import ONE_AT_A_TIME, TEXT_MODELS, check_folder, folder_of
from .embedded import LONGEST, load_embedded_image, load_embedded_text
from .image_models import Framing, ImageModel
from .in_memory import offered_for
from .names import find_source
from .text_models import TextModel

LONGEST_LABEL = 200  # characters of a class; ImageNet's longest name has 175, with all of its synonyms


def load_text(name: str, *, permission: Permission = AT_HOME, longest: int = LONGEST) -> TextModel:
    """A model that reads text: one of the project, of the hub (fetched if it is not here), or of a folder."""
    source = find_source(name, "text", permission)
    if source.kind == "embedded" and source.location in sentiment_classifiers.titles():
        return sentiment_classifiers.load_reviewer(source.location, longest=longest)
    if source.kind == "embedded":
        return load_embedded_text(source.location, longest=longest)
    if source.kind == "memory":
        wrapped = offered_for(name, "text")
        return replace(wrapped, context=min(wrapped.context, longest))
    folder = folder_of(source, "text", permission)
    kind, _ = check_folder(folder, name, "text")
    make, auto_class = TEXT_MODELS[kind.task]
    with ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
        config = from_transformers.read_config(folder)
        (tokenizer, limit), arguments = _tokenizers(folder, config.model_type)
        network = from_transformers.load_network(folder, auto_class)
        rows = network.get_input_embeddings().num_embeddings
        if tokenizer.get_vocab_size() > rows:
            raise ModelError(f"Its tokenizer has {tokenizer.get_vocab_size():,} tokens, its network only {rows:,}.")
        context = from_transformers.context_of(config, network, min(limit, longest))
        if kind.task == "source to target":
            from_transformers.restrict_generation(network)
        if kind.task == "missing token" and config.model_type == "bert":
            files = read_weights(folder, name).files
            arguments["next_sentence"] = from_transformers.load_next_sentence(files, config.hidden_size)
        classes = labels_of(config) if kind.task == "classes" else ()
        model = make(
            name=name,
            title=_title(name),
            network=network,
            tokenizer=tokenizer,
            context=context,
            classes=classes,
            warnings=_warnings(name, network),
            foreign=True,
            **arguments,
        )
        model.try_once()
        return model


def load_image(name: str, *, permission: Permission = AT_HOME, attends: bool = True) -> ImageModel:
    """A model that reads pictures: one of the project, timm, the hub, or a folder; `attends` as in `inspect`."""
    source = find_source(name, "image", permission)
    if source.kind == "embedded":
        return load_embedded_image(source.location)
    if source.kind == "memory":
        return offered_for(name, "image", attends=attends)
    folder = folder_of(source, "image", permission, attends=attends)
    kind, _ = check_folder(folder, name, "image", attends=attends)
    with ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
        model = _load_timm(name, folder) if kind.library == "timm" else _load_vision(name, folder, kind)
        model.try_once()
        return model


@dataclass(frozen=True)
class PictureParts:
    """The parts of a model that reads pictures; `warnings`: sentences for the user."""

    title: str
    network: Any
    framing: Framing
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Parts(PictureParts):
    """The parts of a model of pictures and texts."""

    tokenizer: Tokenizer


@contextmanager
def load_parts(name: str, required: Task, *, permission: Permission = AT_HOME) -> Iterator[Parts]:
    """The parts of a model of pictures and texts with the `required` task: of the hub (fetched if it is not here), or a
    folder. Exceptions within the block become ModelErrors too: build the model there, and try it once.
    """
    source = find_source(name, "both", permission)
    if source.kind == "embedded":
        check_task(name, source.location, None, required)
    folder = folder_of(source, "both", permission)
    kind, _ = check_folder(folder, name, "both")
    check_task(name, kind.architecture, kind.task, required)
    with ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
        tokenizer, _ = from_transformers.load_tokenizer(folder)
        check_tokenizer(tokenizer)
        network = from_transformers.load_network(folder, kind.architecture)
        framing = as_framing(from_transformers.framing_of(folder))
        yield Parts(_title(name), network, framing, _warnings(name, network), tokenizer)


@contextmanager
def load_autoencoder_parts(name: str, *, permission: Permission = AT_HOME) -> Iterator[PictureParts]:
    """The parts of a masked autoencoder of transformers, of the hub or of a folder; otherwise as `load_parts`."""
    source = find_source(name, "gaps", permission)
    if source.kind == "embedded":
        raise no_autoencoder(name, source.location)
    folder = folder_of(source, "gaps", permission)
    kind, _ = check_folder(folder, name, "gaps")
    with ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
        network = from_transformers.load_network(folder, kind.architecture)
        framing = as_framing(from_transformers.framing_of(folder))
        yield PictureParts(_title(name), network, framing, _warnings(name, network))


def _tokenizers(folder: Path, model_type: str) -> tuple[tuple[Tokenizer, int], dict[str, Any]]:
    """The tokenizer with its longest text in tokens, and further arguments of the model (`reader` for Marian)."""
    if model_type == "marian" and has_marian_tokenizers(folder):
        tokenizers = load_marian_tokenizers(folder)
        check_tokenizer(tokenizers.source)
        return (tokenizers.source, tokenizers.limit), {"reader": tokenizers.target}
    tokenizer, limit = from_transformers.load_tokenizer(folder)
    check_tokenizer(tokenizer)
    return (tokenizer, limit), {}


def _load_timm(name: str, folder: Path) -> ImageModel:
    from timm.data import resolve_model_data_config

    network = from_timm.load_network(folder)
    framing = as_framing(resolve_model_data_config(network))
    _, height, width = framing.input_size
    rows, columns = from_timm.grid_of(network, (height, width))
    return ImageModel(
        name=name,
        title=_title(name),
        network=network,
        framing=framing,
        patch=(height // rows, width // columns),
        prefix=from_timm.prefix_of(network),
        classes=tuple(shorten(label, LONGEST_LABEL) for label in from_timm.classes_of(network)),
        warnings=_warnings(name, network),
        foreign=True,
    )


def _load_vision(name: str, folder: Path, kind: Kind) -> ImageModel:
    auto_class = from_transformers.vision_class(folder, kind.architecture)
    network = from_transformers.load_network(folder, auto_class)
    config = network.config
    return ImageModel(
        name=name,
        title=_title(name),
        network=network,
        framing=as_framing(from_transformers.framing_of(folder)),
        patch=from_transformers.patch_of(config),
        prefix=from_transformers.prefix_of(network),
        classes=labels_of(config) if hasattr(network, "classifier") else (),
        warnings=_warnings(name, network),
        foreign=True,
    )


def as_framing(config: dict[str, Any]) -> Framing:
    """The Framing of a config with timm's names, whose lists become tuples."""
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in config.items()}
    return Framing(**values)


def labels_of(config: Any) -> tuple[str, ...]:
    """The name of each class; those that have none are numbered."""
    names = config.id2label or {}
    return tuple(shorten(names.get(number, f"class {number}"), LONGEST_LABEL) for number in range(config.num_labels))


def _warnings(name: str, network: nn.Module) -> tuple[str, ...]:
    description = describe_nonfinite_weights(network)
    return (f"'{name}' {description} What it computes with them is no number either.",) if description else ()


def _title(name: str) -> str:
    return name.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
