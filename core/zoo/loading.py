"""From a name to a model that is ready: look it up, fetch it if need be, check it, build it."""

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
from ..hub.bounds import check_promise
from ..hub.failures import as_sentence
from ..hub.folders import check_files, check_memory, read_weights, shorten
from ..hub.permissions import AT_HOME, Permission, Purpose
from ..models import from_timm, from_transformers
from ..models.attention_heads import has_heads
from ..models.marian_tokenizers import has_marian_tokenizers, load_marian_tokenizers
from ..models.meta_outlines import promise_of
from ..models.nonfinite import describe_odd_weights
from ..models.tokenizer_bounds import check_tokenizer
from ..progress import Progress, no_progress
from . import embedded, in_memory, sentiment_classifiers
from .embedded import LONGEST, load_embedded_image, load_embedded_text
from .image_models import Framing, ImageModel
from .masked_language_models import MissingToken
from .names import Source, find_source
from .text_models import Classifier, Encoder, NextToken, SourceToTarget, TextModel

# What can be done with a text, and the class of transformers that does it. A new kind of model is a line here.
TEXT_MODELS: dict[Task, tuple[type[TextModel], str]] = {
    "next token": (NextToken, "AutoModelForCausalLM"),
    "missing token": (MissingToken, "AutoModelForMaskedLM"),
    "source to target": (SourceToTarget, "AutoModelForSeq2SeqLM"),
    "classes": (Classifier, "AutoModelForSequenceClassification"),
    "encoder": (Encoder, "AutoModel"),
}

LONGEST_LABEL = 200  # characters of a class; ImageNet's longest name has 175, with all of its synonyms

# While a model is built, the libraries change settings of the whole process (default type, initialisation).
# What comes with the project, by what it reads; pages of both, and of gaps, say what they have themselves.
EMBEDDED: dict[Purpose, tuple[str, ...]] = {
    "text": tuple(embedded.TEXT),
    "image": tuple(embedded.IMAGE),
    "both": ("the models of the page",),
    "gaps": ("the models of the page",),
}

_ONE_AT_A_TIME = Lock()


def inspect(
    name: str,
    purpose: Purpose = "text",
    *,
    permission: Permission = AT_HOME,
    attends: bool = True,
    progress: Progress = no_progress,
) -> repositories.Offer:
    """What a model is and what it costs, before anything large is fetched or loaded. ModelError if it cannot be had.

    `permission`: what whoever asks may open. `attends`: whether the model must have attention heads; without it timm's
    convolutional networks are welcome too. `progress` is told the seconds that the hub takes, and may give up.
    """
    source = find_source(name, purpose, permission)
    if source.kind == "hub":
        return repositories.inspect_repository(
            source.where, purpose, permission, attends=attends, instead=EMBEDDED[purpose], progress=progress
        )
    if source.kind == "embedded":
        if purpose == "text" and (title := sentiment_classifiers.titles().get(source.where)):
            return repositories.Offer(name, title, sentiment_classifiers.parameter_count(source.where), 0, "apache-2.0")
        texts = embedded.TEXT | sentiment_classifiers.titles()
        if purpose in ("both", "gaps"):
            raise (not_both if purpose == "both" else no_autoencoder)(name, source.where)
        offered, other = (texts, embedded.IMAGE) if purpose == "text" else (embedded.IMAGE, texts)
        if source.where in other:
            raise wrong_page(name, other[source.where], "image" if purpose == "text" else "text")
        what = offered[source.where]
        return repositories.Offer(
            name, what, read_weights(embedded.WEIGHTS / source.where, name).parameters, 0, "apache-2.0"
        )
    if source.kind == "memory":
        model = _in_memory(name, purpose, attends=attends)
        does: list[Task] = [task for task, (make, _) in TEXT_MODELS.items() if make is type(model)]
        task = does[0] if does else "picture"
        return repositories.Offer(name, f"{type(model.network).__name__}: {task}", model.parameters, 0, task=task)
    kind, weights = _check(Path(source.where), name, purpose, attends=attends)
    return repositories.Offer(name, f"{kind.architecture}: {kind.task}", weights, 0, task=kind.task)


def fetch(
    name: str, purpose: Purpose = "text", *, permission: Permission = AT_HOME, progress: Progress = no_progress
) -> Path:
    """Make sure that a model is on this computer; its folder. `inspect` it first: this one fetches what it is told."""
    source = find_source(name, purpose, permission)
    if source.kind == "hub":
        return repositories.fetch_repository(source.where, permission, instead=EMBEDDED[purpose], progress=progress)
    if source.kind == "folder":
        return Path(source.where)
    if source.kind == "memory":
        raise ModelError(f"'{name}' is in memory, and in no folder.")
    return (
        sentiment_classifiers.FOLDER
        if source.where in sentiment_classifiers.titles()
        else embedded.WEIGHTS / source.where
    )


def purpose_of(name: str) -> Purpose | None:
    """What a model of the hub reads, as far as it can be known without asking: from its name, or once it is fetched."""
    purposes: tuple[Purpose, ...] = ("image", "text", "gaps", "both")  # a CLIP is known as one that sees
    for purpose in purposes:
        with suppress(ModelError):
            source = find_source(name, purpose)
            if source.where.startswith("timm/"):
                return "image"
            if folder := repositories.find_fetched(source.where):
                read_kind(folder, name, purpose, attends=False)
                return purpose
    return None


def load_text(name: str, *, permission: Permission = AT_HOME, longest: int = LONGEST) -> TextModel:
    """A model that reads text: one of ours, one of the hub (fetched if it is not here), or a folder."""
    source = find_source(name, "text", permission)
    if source.kind == "embedded" and source.where in sentiment_classifiers.titles():
        return sentiment_classifiers.load_reviewer(source.where, longest=longest)
    if source.kind == "embedded":
        return load_embedded_text(source.where, longest=longest)
    if source.kind == "memory":
        held = _in_memory(name, "text")
        return replace(held, context=min(held.context, longest))
    folder = _folder(source, "text", permission)
    kind, _ = _check(folder, name, "text")
    make, auto_class = TEXT_MODELS[kind.task]
    with _ONE_AT_A_TIME, as_sentence(name, "be loaded", folder=str(folder)):
        config = from_transformers.read_config(folder)
        (tokenizer, limit), more = _tokenizers(folder, config.model_type)
        network = from_transformers.load_network(folder, auto_class)
        rows = network.get_input_embeddings().num_embeddings
        if tokenizer.get_vocab_size() > rows:
            raise ModelError(f"Its tokenizer has {tokenizer.get_vocab_size():,} tokens, its network only {rows:,}.")
        context = from_transformers.context_of(config, network, min(limit, longest))
        if kind.task == "source to target":
            from_transformers.tame_generation(network)
        if kind.task == "missing token" and config.model_type == "bert":
            files = read_weights(folder, name).files
            more["next_sentence"] = from_transformers.load_next_sentence(files, config.hidden_size)
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
            **more,
        )
        model.try_once()
        return model


def load_image(name: str, *, permission: Permission = AT_HOME, attends: bool = True) -> ImageModel:
    """A model that reads pictures: one of ours, one of timm or of the hub, or a folder; `attends` as for `inspect`."""
    source = find_source(name, "image", permission)
    if source.kind == "embedded":
        return load_embedded_image(source.where)
    if source.kind == "memory":
        return _in_memory(name, "image", attends=attends)
    folder = _folder(source, "image", permission, attends=attends)
    kind, _ = _check(folder, name, "image", attends=attends)
    with _ONE_AT_A_TIME, as_sentence(name, "be loaded", folder=str(folder)):
        model = _load_timm(name, folder) if kind.library == "timm" else _load_vision(name, folder, kind)
        model.try_once()
        return model


def check_offer(offer: repositories.Offer, asked: Task) -> None:
    """Raise ModelError if a model does something else with pictures and texts than is asked (kinds.py)."""
    check_task(offer.name, offer.what.partition(":")[0], offer.task, asked)


@dataclass(frozen=True)
class PictureParts:
    """What a model that sees is made of; `warnings` are for whoever opens it, in sentences."""

    title: str
    network: Any
    framing: Framing
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Parts(PictureParts):
    """What a model of pictures and texts is made of."""

    tokenizer: Tokenizer


@contextmanager
def opened_for(name: str, asked: Task, *, permission: Permission = AT_HOME) -> Iterator[Parts]:
    """A model that reads pictures and texts and does with them what is asked: of the hub (fetched if it is not here),
    or a folder. What goes wrong within the block is a ModelError too: make the model there, and try it once.
    """
    source = find_source(name, "both", permission)
    if source.kind == "embedded":
        check_task(name, source.where, None, asked)
    folder = _folder(source, "both", permission)
    kind, _ = _check(folder, name, "both")
    check_task(name, kind.architecture, kind.task, asked)
    with _ONE_AT_A_TIME, as_sentence(name, "be loaded", folder=str(folder)):
        tokenizer, _ = from_transformers.load_tokenizer(folder)
        check_tokenizer(tokenizer)
        network = from_transformers.load_network(folder, kind.architecture)
        framing = as_framing(from_transformers.framing_of(folder))
        yield Parts(_title(name), network, framing, _warnings(name, network), tokenizer)


@contextmanager
def opened_autoencoder(name: str, *, permission: Permission = AT_HOME) -> Iterator[PictureParts]:
    """A masked autoencoder of transformers: of the hub (fetched if it is not here), or a folder; as `opened_for`."""
    source = find_source(name, "gaps", permission)
    if source.kind == "embedded":
        raise no_autoencoder(name, source.where)
    folder = _folder(source, "gaps", permission)
    kind, _ = _check(folder, name, "gaps")
    with _ONE_AT_A_TIME, as_sentence(name, "be loaded", folder=str(folder)):
        network = from_transformers.load_network(folder, kind.architecture)
        framing = as_framing(from_transformers.framing_of(folder))
        yield PictureParts(_title(name), network, framing, _warnings(name, network))


def _tokenizers(folder: Path, model_type: str) -> tuple[tuple[Tokenizer, int], dict[str, Any]]:
    """The tokenizer and the longest text it is meant for; for Marian, also the one that reads what was written."""
    if model_type == "marian" and has_marian_tokenizers(folder):
        found = load_marian_tokenizers(folder)
        check_tokenizer(found.source)
        return (found.source, found.limit), {"reader": found.target}
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
    """How a model wants its pictures, from timm's names for it."""
    fixed: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in config.items()}
    return Framing(**fixed)


def labels_of(config: Any) -> tuple[str, ...]:
    """The name of each class; those that have none are numbered."""
    named = config.id2label or {}
    return tuple(shorten(named.get(number, f"class {number}"), LONGEST_LABEL) for number in range(config.num_labels))


def _warnings(name: str, network: nn.Module) -> tuple[str, ...]:
    odd = describe_odd_weights(network)
    return (f"'{name}' {odd} What it computes with them is no number either.",) if odd else ()


def _in_memory(name: str, purpose: Purpose, *, attends: bool = True) -> Any:
    """A wrapped model of the kind that is asked for; ModelError if it is another."""
    model: Any = in_memory.offered(name)
    reads: Purpose = "image" if isinstance(model, ImageModel) else "text"
    what = type(model.network).__name__
    if purpose in ("both", "gaps"):
        raise (not_both if purpose == "both" else no_autoencoder)(name, what)
    if purpose != reads:
        raise wrong_page(name, what, reads)
    if purpose == "image" and attends and not has_heads(model.network):
        raise ModelError(f"'{name}' ({what}) has no attention heads to look at.")
    return model


def _folder(source: Source, purpose: Purpose, permission: Permission, *, attends: bool = True) -> Path:
    if source.kind == "folder":
        return Path(source.where)
    if folder := repositories.find_fetched(source.where):
        return folder
    repositories.inspect_repository(source.where, purpose, permission, attends=attends, instead=EMBEDDED[purpose])
    return repositories.fetch_repository(source.where, permission, instead=EMBEDDED[purpose])


def _check(folder: Path, name: str, purpose: Purpose, *, attends: bool = True) -> tuple[Kind, int]:
    """All rules for a folder, before any of its tensors is read."""
    check_files(folder, name)
    kind, weights = read_kind(folder, name, purpose, attends=attends), read_weights(folder, name)
    check_memory(name, weights.parameters)
    with _ONE_AT_A_TIME, as_sentence(name, "be loaded", folder=str(folder)):
        promise = promise_of(_outline(folder, kind))
    check_promise(name, promise, weights.parameters)
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
