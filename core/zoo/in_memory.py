"""Models in the memory of this process, offered by their names as those in folders are: what somebody has wrapped."""

from ..errors import ModelError
from .embedded import IMAGE, TEXT
from .image_models import ImageModel
from .sentiment_classifiers import titles
from .text_models import TextModel

_OFFERED: dict[str, TextModel | ImageModel] = {}


def offer(model: TextModel | ImageModel) -> str:
    """Let a wrapped model be opened by its name, by whoever may open folders of this computer; the name.

    ModelError if another model has that name: what was computed of that one is kept under it.
    """
    taken = model.name in TEXT or model.name in IMAGE or model.name in titles()
    if taken or _OFFERED.setdefault(model.name, model) is not model:
        raise ModelError(f"Another model is called '{model.name}'. Give this one a name: wrap(..., name='mine').")
    return model.name


def offered(name: str) -> TextModel | ImageModel | None:
    """The model of a name, if there is one."""
    return _OFFERED.get(name)


def names(kind: type[TextModel] | type[ImageModel]) -> list[str]:
    """The names of those of a kind, in the order in which they were offered."""
    return [name for name, model in _OFFERED.items() if isinstance(model, kind)]
