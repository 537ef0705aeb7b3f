"""Models, kept once for all pages and visitors: they are only ever read."""

from dataclasses import replace

from core import zoo
from core.zoo.embedded import LONGEST as USUAL
from core.zoo.names import Purpose
from dashboard.kept import keep

LONGEST = 16_384  # tokens of the longest text that any page reads


@keep("Asking what this model is …", age=600, computes=False)
def inspect_model(name: str, purpose: Purpose, *, allow_folders: bool, attends: bool = True) -> zoo.Offer:
    """What a model is and what it costs; ModelError if it cannot be had."""
    return zoo.inspect(name, purpose, allow_folders=allow_folders, attends=attends)


@keep("Loading the model …", computes=False)
def text_model(name: str) -> zoo.TextModel:
    """A language model that `inspect_model` has let pass, for texts of the length that a page usually reads."""
    model = long_text_model(name)
    return replace(model, context=min(model.context, USUAL))


@keep("Loading the model …", computes=False)
def long_text_model(name: str) -> zoo.TextModel:
    """The same model, for texts of up to LONGEST tokens."""
    return zoo.load_text(name, allow_folders=True, longest=LONGEST)


@keep("Loading the model …", computes=False)
def image_model(name: str) -> zoo.ImageModel:
    """An image model that `inspect_model` has let pass, with or without attention."""
    return zoo.load_image(name, allow_folders=True, attends=False)


@keep("Loading the translators …", computes=False)
def translator(name: str) -> zoo.Translator:
    """One of `zoo.TRANSLATION`."""
    return zoo.load_translator(name)
