"""The folder of a model, fetched where needed, and all checks of it before any tensor is read."""

from pathlib import Path
from threading import Lock

from torch import nn

from ..hub import repositories
from ..hub.architectures import AUTOENCODER, BOTH, Kind, Task, read_kind
from ..hub.bounds import check_size
from ..hub.failures import as_model_error
from ..hub.folders import check_files, check_memory, read_weights
from ..hub.permissions import Permission, Purpose
from ..models import from_timm, from_transformers
from ..models.meta_outlines import size_of
from . import embedded
from .masked_language_models import MaskedLanguageModel
from .names import Source
from .text_models import CausalLanguageModel, Classifier, Encoder, EncoderDecoder, TextModel

# The tasks of models that read text, each with its class here and that of transformers. A new task is a line here.
TEXT_MODELS: dict[Task, tuple[type[TextModel], str]] = {
    "next token": (CausalLanguageModel, "AutoModelForCausalLM"),
    "missing token": (MaskedLanguageModel, "AutoModelForMaskedLM"),
    "source to target": (EncoderDecoder, "AutoModelForSeq2SeqLM"),
    "classes": (Classifier, "AutoModelForSequenceClassification"),
    "encoder": (Encoder, "AutoModel"),
}

# Names of models that work without the hub, for error messages, by what they read.
EMBEDDED: dict[Purpose, tuple[str, ...]] = {
    "text": tuple(embedded.TEXT),
    "image": tuple(embedded.IMAGE),
    "both": ("the models of the page",),
    "gaps": ("the models of the page",),
}

# While a model is built, the libraries change settings of the process (default dtype, initialisation).
ONE_AT_A_TIME = Lock()


def folder_of(source: Source, purpose: Purpose, permission: Permission, *, attends: bool = True) -> Path:
    """Where a model of the hub or of a folder lies; one of the hub is fetched, after `inspect_repository`."""
    if source.kind == "folder":
        return Path(source.location)
    if folder := repositories.find_fetched(source.location):
        return folder
    repositories.inspect_repository(
        source.location, purpose, permission, attends=attends, alternatives=EMBEDDED[purpose]
    )
    return repositories.fetch_repository(source.location, permission, alternatives=EMBEDDED[purpose])


def check_folder(folder: Path, name: str, purpose: Purpose, *, attends: bool = True) -> tuple[Kind, int]:
    """The kind and the number of parameters of a model in a folder, after all checks, before any tensor is read."""
    check_files(folder, name)
    kind, weights = read_kind(folder, name, purpose, attends=attends), read_weights(folder, name)
    check_memory(name, weights.parameters)
    with ONE_AT_A_TIME, as_model_error(name, "be loaded", folder=str(folder)):
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
