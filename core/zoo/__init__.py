"""Models for the app and the library: those that come with the project, and any by name or folder.

    model = load_text("gpt-books")              # or "gpt2", "google-bert/bert-base-uncased", a folder
    tokens = model.encode("Who listens to whom?")
    run = model.run(tokens)                     # within core.capture.record_attention(model.network) to record it
    model.predictions(run, position=-1)

A model of the project is a line in embedded.py; a new kind of text model is a class in text_models.py and a line in
TEXT_MODELS of checked_folders.py; the task of an architecture of transformers is a line in TASKS of
core/hub/architectures.py.
"""

from ..hub.permissions import AT_HOME, Permission
from ..hub.repositories import Offer
from ..translation.translator_maps import UNCHANGED, Aligned, Changes
from .embedded import GLOBAL_ATTENTION, IMAGE, MASKED, TEXT
from .image_models import ImageModel, ImageRun, PreparedPicture
from .loading import load_image, load_text
from .masked_autoencoders import load_autoencoder
from .offers import fetch, inspect, purpose_of
from .sentiment_classifiers import REVIEWERS
from .text_models import Classifier, Prediction, TextModel, TextRun
from .transformers_captioners import load_named_captioner
from .transformers_clips import load_pair
from .transformers_joint import load_named_joint
from .transformers_translators import EXAMPLES as TRANSLATOR_EXAMPLES
from .transformers_translators import NamedTranslator, check_translates, inspect_translator, load_named_translator
from .translators import TRANSLATION, Translator, load_translator
from .wrapping import wrap

__all__ = [
    "AT_HOME",
    "GLOBAL_ATTENTION",
    "IMAGE",
    "MASKED",
    "REVIEWERS",
    "TEXT",
    "TRANSLATION",
    "TRANSLATOR_EXAMPLES",
    "UNCHANGED",
    "Aligned",
    "Changes",
    "Classifier",
    "ImageModel",
    "ImageRun",
    "NamedTranslator",
    "Offer",
    "Permission",
    "Prediction",
    "PreparedPicture",
    "TextModel",
    "TextRun",
    "Translator",
    "check_translates",
    "fetch",
    "inspect",
    "inspect_translator",
    "load_autoencoder",
    "load_image",
    "load_named_captioner",
    "load_named_joint",
    "load_named_translator",
    "load_pair",
    "load_text",
    "load_translator",
    "purpose_of",
    "wrap",
]
