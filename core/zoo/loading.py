"""From a name to a model: find it, fetch it where needed, check it, build it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from tokenizers import Tokenizer
from torch import nn

from ..errors import ModelError
from ..hub import repositories
from ..hub.architectures import (
    AUTOENCODER,
    BOTH,
    Kind,
    Task,
    check_task,
    no_autoencoder,
    not_both,
    read_kind,
    wrong_page,
)
from ..hub.bounds import check_size
from ..hub.failures import as_model_error
from ..hub.folders import check_files, check_memory, read_weights, shorten
from ..hub.permissions import AT_HOME, Permission, Purpose
from ..models import from_timm, from_transformers
from ..models.attention_heads import has_heads
from ..models.marian_tokenizers import has_marian_tokenizers, load_marian_tokenizers
from ..models.meta_outlines import size_of
from ..models.nonfinite import describe_nonfinite_weights
from ..models.tokenizer_bounds import check_tokenizer
from ..progress import Progress, no_progress
from . import embedded, in_memory, sentiment_classifiers
from .embedded import LONGEST, load_embedded_image, load_embedded_text
from .image_models import Framing, ImageModel
from .masked_language_models import MaskedLanguageModel
from .names import Source, find_source
from .text_models import CausalLanguageModel, Classifier, Encoder, EncoderDecoder, TextModel

# The tasks of models that read text, each with its class here and that of transformers. A new task is a line here.
TEXT_MODELS: dict[Task, tuple[type[TextModel], str]] = {
    "next token": (CausalLanguageModel, "AutoModelForCausalLM"),
    "missing token": (MaskedLanguageModel, "AutoModelForMaskedLM"),
    "source to target": (EncoderDecoder, "AutoModelForSeq2SeqLM"),
    "classes": (Classifier, "AutoModelForSequenceClassification"),
    "encoder": (Encoder, "AutoModel"),
}

LONGEST_LABEL = 200  # characters of a class; ImageNet's longest name has 175, with all of its synonyms

# Names of models that work without the hub, for error messages, by what they read.
EMBEDDED: dict[Purpose, tuple[str, ...]] = {
    "text": tuple(embedded.TEXT),
    "image": tuple(embedded.IMAGE),
    "both": ("the models of the page",),
    "gaps": ("the models of the page",),
}

# While a model is built, the libraries change settings of the process (default dtype, initialisation).
_ONE_AT_A_TIME = Lock()


def inspect(
    name: str,
    purpose: Purpose = "text",
    *,
    permission: Permission = AT_HOME,
    attends: bool = True,
    progress: Progress = no_progress,
) -> repositories.Offer:
    """The kind of a model and its size, before anything large is fetched or loaded. ModelError if it is not available.

    `permission`: what the user may open. `attends`: whether the model must have attention heads; without it timm's
    convolutional networks are allowed too. `progress` is called with the seconds that the hub takes; an exception that
    it raises cancels the request.
    """
    source = find_source(name, purpose, permission)
    if source.kind == "hub":
        return repositories.inspect_repository(
            source.location, purpose, permission, attends=attends, alternatives=EMBEDDED[purpose], progress=progress
        )
    if source.kind == "embedded":
        if purpose == "text" and (title := sentiment_classifiers.titles().get(source.location)):
            return repositories.Offer(
                name, title, sentiment_classifiers.parameter_count(source.location), 0, "apache-2.0"
            )
        texts = embedded.TEXT | sentiment_classifiers.titles()
        if purpose in ("both", "gaps"):
            raise (not_both if purpose == "both" else no_autoencoder)(name, source.location)
        titles, others = (texts, embedded.IMAGE) if purpose == "text" else (embedded.IMAGE, texts)
        if source.location in others:
            raise wrong_page(name, others[source.location], "image" if purpose == "text" else "text")
        parameters = read_weights(embedded.WEIGHTS / source.location, name).parameters
        return repositories.Offer(name, titles[source.location], parameters, 0, "apache-2.0")
    if source.kind == "memory":
        model = _in_memory(name, purpose, attends=attends)
        tasks: list[Task] = [task for task, (make, _) in TEXT_MODELS.items() if make is type(model)]
        task = tasks[0] if tasks else "picture"
        return repositories.Offer(name, f"{type(model.network).__name__}: {task}", model.parameters, 0, task=task)
    kind, weights = _check(Path(source.location), name, purpose, attends=attends)
    return repositories.Offer(name, f"{kind.architecture}: {kind.task}", weights, 0, task=kind.task)


def fetch(
    name: str, purpose: Purpose = "text", *, permission: Permission = AT_HOME, progress: Progress = no_progress
) -> Path:
    """Fetch a model unless it is on this computer; returns its folder. Nothing is checked: call `inspect` first."""
    source = find_source(name, purpose, permission)
    if source.kind == "hub":
        return repositories.fetch_repository(
            source.location, permission, alternatives=EMBEDDED[purpose], progress=progress
        )
    if source.kind == "folder":
        return Path(source.location)
    if source.kind == "memory":
        raise ModelError(f"'{name}' is in memory, and in no folder.")
    return (
        sentiment_classifiers.FOLDER
        if source.location in sentiment_classifiers.titles()
        else embedded.WEIGHTS / source.location
    )


def purpose_of(name: str) -> Purpose | None:
    """What a model of the hub reads, without a request: by its name, or its files; None where it is not fetched yet."""
    purposes: tuple[Purpose, ...] = ("image", "text", "gaps", "both")  # a CLIP counts as "image"
    for purpose in purposes:
        with suppress(ModelError):
            source = find_source(name, purpose)
            if source.location.startswith("timm/"):
                return "image"
            if folder := repositories.find_fetched(source.location):
                read_kind(folder, name, purpose, attends=False)
                return purpose
    return None


def load_text(name: str, *, permission: Permission = AT_HOME, longest: int = LONGEST) -> TextModel:
    """A model that reads text: one of the project, of the hub (fetched if it is not here), or of a folder."""
    source = find_source(name, "text", permission)
    if source.kind == "embedded" and source.location in sentiment_classifiers.titles():
        return sentiment_classifiers.load_reviewer(source.location, longest=longest)
    if source.kind == "embedded":
        return load_embedded_text(source.location, longest=longest)
    if source.kind == "memory":
        wrapped = _in_memory(name, "text")
        return replace(wrapped, context=min(wrapped.context, longest))
    folder = _folder(source, "text", permission)
    kind, _ = _check(folder, name, "text")
    make, auto_class = TEXT_MODELS[kind.task]
    with _ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
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
        return _in_memory(name, "image", attends=attends)
    folder = _folder(source, "image", permission, attends=attends)
    kind, _ = _check(folder, name, "image", attends=attends)
    with _ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
        model = _load_timm(name, folder) if kind.library == "timm" else _load_vision(name, folder, kind)
        model.try_once()
        return model


def check_offer(offer: repositories.Offer, required: Task) -> None:
    """Raise ModelError if the task of a model of pictures and texts is not the `required` one (`check_task`)."""
    check_task(offer.name, offer.what.partition(":")[0], offer.task, required)


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
    folder = _folder(source, "both", permission)
    kind, _ = _check(folder, name, "both")
    check_task(name, kind.architecture, kind.task, required)
    with _ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
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
    folder = _folder(source, "gaps", permission)
    kind, _ = _check(folder, name, "gaps")
    with _ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
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


def _in_memory(name: str, purpose: Purpose, *, attends: bool = True) -> Any:
    """A wrapped model that reads what `purpose` says; ModelError if it reads something else."""
    model: Any = in_memory.offered_model(name)
    reads: Purpose = "image" if isinstance(model, ImageModel) else "text"
    architecture = type(model.network).__name__
    if purpose in ("both", "gaps"):
        raise (not_both if purpose == "both" else no_autoencoder)(name, architecture)
    if purpose != reads:
        raise wrong_page(name, architecture, reads)
    if purpose == "image" and attends and not has_heads(model.network):
        raise ModelError(f"'{name}' ({architecture}) has no attention heads to look at.")
    return model


def _folder(source: Source, purpose: Purpose, permission: Permission, *, attends: bool = True) -> Path:
    if source.kind == "folder":
        return Path(source.location)
    if folder := repositories.find_fetched(source.location):
        return folder
    repositories.inspect_repository(
        source.location, purpose, permission, attends=attends, alternatives=EMBEDDED[purpose]
    )
    return repositories.fetch_repository(source.location, permission, alternatives=EMBEDDED[purpose])


def _check(folder: Path, name: str, purpose: Purpose, *, attends: bool = True) -> tuple[Kind, int]:
    """The kind and the number of parameters of a model in a folder, after all checks, before any tensor is read."""
    check_files(folder, name)
    kind, weights = read_kind(folder, name, purpose, attends=attends), read_weights(folder, name)
    check_memory(name, weights.parameters)
    with _ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
        size = size_of(_outline(folder, kind))
    check_size(name, size, weights.parameters)
    return kind, weights.parameters


def _outline(folder: Path, kind: Kind) -> nn.Module:
    if kind.library == "timm":
        return from_timm.outline(folder)
    if kind.task in BOTH.values() or kind.architecture == AUTOENCODER:
        auto_class = kind.architecture
    elif kind.task == "picture":
        auto_class = from_transformers.vision_class(folder, kind.architecture)
    else:
        auto_class = TEXT_MODELS[kind.task][1]
    return from_transformers.outline(folder, auto_class)


def _title(name: str) -> str:
    return name.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
