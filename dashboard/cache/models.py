"""Models, cached once for all pages and visitors, who only read them.

Whether a visitor may open a model is checked at every call, also for a cached one.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core import zoo
from core.hub.permissions import Permission, Purpose
from core.models.scene_reader import SceneReader
from core.progress import Progress, no_progress
from core.zoo import in_memory, sentiment_classifiers
from core.zoo.attention_gans import StagePainter, load_attention_gan
from core.zoo.captioners import PictureWriter, load_captioner
from core.zoo.clips import CLIPS, PictureText, load_clip
from core.zoo.dalles import PictureCoder, PictureDrawer, load_coder, load_dalle, load_scene_reader
from core.zoo.embedded import LONGEST as USUAL_LENGTH
from core.zoo.image_gpts import PixelReader, load_image_gpt
from core.zoo.joint import JointReader, load_joint
from core.zoo.masked_autoencoders import AUTOENCODERS, AutoencoderReader, load_autoencoder
from core.zoo.names import find_source
from core.zoo.transformers_captioners import NamedPictureWriter, load_named_captioner
from core.zoo.transformers_clips import load_pair
from core.zoo.transformers_joint import NamedJointReader, load_named_joint
from dashboard.cache import waiting
from dashboard.cache.memo import cached
from dashboard.visitor import permission

LONGEST = 16_384  # tokens of the longest text that any other page than Long text reads
LONGEST_BOOK = 131_072  # tokens of the longest text that Long text reads
OURS = {**zoo.TEXT, **zoo.IMAGE, **sentiment_classifiers.titles()}
ASKING = "Asking what this model is …"


def inspect_model(
    name: str, purpose: Purpose, *, attends: bool = True, give_up: Callable[[], None] | None = None
) -> zoo.Offer:
    """The description and cost of a model; ModelError if it cannot be had, or not by this visitor.

    `give_up` is called by a button for visitors who do not want to wait for the hub any longer.
    """
    allowed = _check_permission(name, purpose)
    if offer := _inspected.peek(name, purpose, allowed, attends):
        return offer
    alternative = ("Cancel", give_up) if give_up else None
    with waiting.spinner(ASKING, unit="seconds", alternative=alternative) as progress:
        return _inspected(name, purpose, allowed, attends, progress)


def fetch_model(name: str, purpose: Purpose, progress: Progress) -> None:
    """Download a model once for all who ask for it at the same time; `progress` gets megabytes."""

    def report_megabytes(done: int, total: int) -> None:
        progress(round(done / 1e6), round(total / 1e6))

    allowed = _check_permission(name, purpose)
    _fetched.refresh(name, purpose, allowed, report_megabytes)
    for attends in (True, False):
        _inspected.forget(name, purpose, allowed, attends)
    _reads.forget(name)


def text_model(name: str) -> zoo.TextModel:
    """A language model for texts of the length that a page usually reads."""
    _check_permission(name, "text")
    return _text_model(name)


def long_text_model(name: str) -> zoo.TextModel:
    """A language model for texts of up to LONGEST tokens."""
    _check_permission(name, "text")
    return _long_text_model(name)


def book_model(name: str) -> zoo.TextModel:
    """A language model for texts of up to LONGEST_BOOK tokens."""
    _check_permission(name, "text")
    return _book_model(name)


def image_model(name: str) -> zoo.ImageModel:
    """An image model, with or without attention."""
    _check_permission(name, "image")
    return _image_model(name)


def named_translator(name: str) -> zoo.NamedTranslator:
    """A pretrained encoder-decoder."""
    _check_permission(name, "text")
    return _named_translator(name)


@cached("Loading the translators …", computes=False)
def translator(name: str) -> zoo.Translator:
    """One of `zoo.TRANSLATION`."""
    return zoo.load_translator(name)


@cached("Loading the captioner …", computes=False)
def captioner(name: str) -> PictureWriter:
    """One of `CAPTIONERS`."""
    return load_captioner(name)


def named_captioner(name: str) -> NamedPictureWriter:
    """Any captioner."""
    _check_permission(name, "both")
    return _named_captioner(name)


@cached("Loading the model …", computes=False)
def _named_captioner(name: str) -> NamedPictureWriter:
    return load_named_captioner(name, permission=permission())


def clip(name: str) -> PictureText:
    """One of `CLIPS`, or any other CLIP or SigLIP."""
    if name not in CLIPS:
        _check_permission(name, "both")
    return _clip(name)


@cached("Loading CLIP …", computes=False)
def _clip(name: str) -> PictureText:
    return load_clip(name) if name in CLIPS else load_pair(name, permission=permission())


def named_joint(name: str) -> NamedJointReader:
    """Any ViLT."""
    _check_permission(name, "both")
    return _named_joint(name)


@cached("Loading the model …", computes=False)
def _named_joint(name: str) -> NamedJointReader:
    return load_named_joint(name, permission=permission())


@cached("Loading the network …", computes=False)
def joint(name: str) -> JointReader:
    """One of `JOINT`."""
    return load_joint(name)


def autoencoder(name: str) -> AutoencoderReader:
    """One of `AUTOENCODERS`, or any ViT-MAE."""
    if name not in AUTOENCODERS:
        _check_permission(name, "gaps")
    return _autoencoder(name)


@cached("Loading the autoencoder …", computes=False)
def _autoencoder(name: str) -> AutoencoderReader:
    return load_autoencoder(name, permission=permission())


@cached("Loading image-GPT …", computes=False)
def image_gpt(name: str) -> PixelReader:
    """One of `IMAGE_GPTS`."""
    return load_image_gpt(name)


@cached("Loading the network …", computes=False)
def dalle(name: str) -> PictureDrawer:
    """One of `DALLES`."""
    return load_dalle(name)


@cached("Loading the network …", computes=False)
def picture_coder(name: str) -> PictureCoder:
    """One of `CODERS`."""
    return load_coder(name)


@cached("Loading the network …", computes=False)
def attention_gan(name: str) -> StagePainter:
    """One of `ATTENTION_GANS`."""
    return load_attention_gan(name)


@cached(computes=False)
def scene_reader() -> SceneReader | None:
    """The classifier that judges drawn scenes; None if its weights are missing."""
    return load_scene_reader()


def offered_names(purpose: Purpose) -> list[str]:
    """At home the names of the models in memory; else those on the host's list, unless known to be for other inputs."""
    permitted = permission()
    if purpose in ("text", "image") and permitted.folders:
        return in_memory.names(zoo.TextModel if purpose == "text" else zoo.ImageModel)
    kinds = ("image", "both", None) if purpose == "both" else (purpose, None)  # a CLIP is listed as an image model
    return [name for name in sorted(permitted.listed or ()) if _reads(name) in kinds]


def _check_permission(name: str, purpose: Purpose) -> Permission:
    """This visitor's permission; ModelError if it does not cover this model."""
    allowed = permission() if name not in OURS else Permission()  # ours are open to all
    find_source(name, purpose, allowed)
    return allowed


@cached(age=600, computes=False)
def _inspected(
    name: str, purpose: Purpose, allowed: Permission, attends: bool, progress: Progress = no_progress
) -> zoo.Offer:
    return zoo.inspect(name, purpose, permission=allowed, attends=attends, progress=progress)


@cached(computes=False)
def _reads(name: str) -> Purpose | None:
    return zoo.purpose_of(name)


@cached(computes=False)
def _fetched(name: str, purpose: Purpose, allowed: Permission, progress: Progress = no_progress) -> Path:
    return zoo.fetch(name, purpose, permission=allowed, progress=progress)


@cached("Loading the model …", computes=False)
def _text_model(name: str) -> zoo.TextModel:
    model = _long_text_model(name)
    return replace(model, context=min(model.context, USUAL_LENGTH))


@cached("Loading the model …", computes=False)
def _long_text_model(name: str) -> zoo.TextModel:
    model = _book_model(name)
    return replace(model, context=min(model.context, LONGEST))


@cached("Loading the model …", computes=False)
def _book_model(name: str) -> zoo.TextModel:
    return zoo.load_text(name, permission=permission(), longest=LONGEST_BOOK)


@cached("Loading the model …", computes=False)
def _image_model(name: str) -> zoo.ImageModel:
    return zoo.load_image(name, permission=permission(), attends=False)


@cached("Loading the model …", computes=False)
def _named_translator(name: str) -> zoo.NamedTranslator:
    return zoo.load_named_translator(name, permission=permission())
