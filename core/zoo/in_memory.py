"""Wrapped models in the memory of this process, which can be opened by name."""

from typing import Any

from ..errors import ModelError
from ..hub.architectures import no_autoencoder, not_both, wrong_page
from ..hub.permissions import Purpose
from ..models.attention_heads import has_heads
from .embedded import IMAGE, TEXT
from .image_models import ImageModel
from .sentiment_classifiers import titles
from .text_models import TextModel

_OFFERED: dict[str, TextModel | ImageModel] = {}


def offer(model: TextModel | ImageModel) -> str:
    """Let a wrapped model be opened by its name, by users who may open folders of this computer; returns the name.

    ModelError if another model has that name: its results are cached under it.
    """
    is_embedded = model.name in TEXT or model.name in IMAGE or model.name in titles()
    if is_embedded or _OFFERED.setdefault(model.name, model) is not model:
        raise ModelError(f"Another model is called '{model.name}'. Give this one a name: wrap(..., name='mine').")
    return model.name


def offered_model(name: str) -> TextModel | ImageModel | None:
    """The model of a name; None if there is none."""
    return _OFFERED.get(name)


def offered_for(name: str, purpose: Purpose, *, attends: bool = True) -> Any:
    """A wrapped model that reads what `purpose` says; ModelError if it reads something else."""
    model: Any = offered_model(name)
    reads: Purpose = "image" if isinstance(model, ImageModel) else "text"
    architecture = type(model.network).__name__
    if purpose in ("both", "gaps"):
        raise (not_both if purpose == "both" else no_autoencoder)(name, architecture)
    if purpose != reads:
        raise wrong_page(name, architecture, reads)
    if purpose == "image" and attends and not has_heads(model.network):
        raise ModelError(f"'{name}' ({architecture}) has no attention heads to look at.")
    return model


def names(kind: type[TextModel] | type[ImageModel]) -> list[str]:
    """The names of the models of a class, in the order in which they were offered."""
    return [name for name, model in _OFFERED.items() if isinstance(model, kind)]
