"""A visitor's photograph, the model that reads it, and the resolution."""

from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from streamlit.delta_generator import DeltaGenerator

from core import zoo
from core.errors import ModelError
from core.images import EXAMPLES
from core.results import classifier_results
from core.zoo.embedded import IMAGE, WEIGHTS
from dashboard.cache.models import image_model
from dashboard.cache.upload import Upload
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.number_format import CLEAR
from dashboard.recordings.watched import Head, Picture, WatchedImage, prepare, watch_image

CLASSIFIERS = (*zoo.GLOBAL_ATTENTION, "resnet-tiny-imagenet")
WINDOWED = ("swin-tiny-imagenet",)
RIGHT = (
    "Its first answer is right for {right} of 100 photographs of its classes that it did not learn from, give or take "
    "{error} ({pictures:,} were tried, {at} {side} × {side} pixels)."
)
RIGHT_OF_NAMES = (
    "Of {pictures:,} small photographs, enlarged to {side} × {side} pixels, it names {right} of 100 right, give or "
    "take {error}; the convolutional network in it may have learned from some of them at full size."
)
UNSURE = "**It is unsure**: all other answers together are more probable than its first."
CANNOT_KNOW = "**It cannot know this.** The picture shows {shows}, and none of its {count:,} classes is right."
WRONG = "**It is wrong.** The picture shows {shows}; “{name}” is one of its classes."
PIXELS_OF_WINDOWS = 128  # a picture of which Swin's windows fill every stage, and leave something to shift


@dataclass(frozen=True)
class Photograph:
    """A photograph and the model that reads it: the input of the pages about vision, and the key of their caches."""

    name: str  # of the model
    picture: Picture
    resolution: int | None  # pixels on a side, where the model leaves a choice

    @property
    def identity(self) -> Hashable:
        """The key in caches."""
        picture = self.picture.identity if isinstance(self.picture, Upload) else self.picture
        return self.name, picture, self.resolution

    @property
    def model(self) -> zoo.ImageModel:
        """The model, shared by all visitors."""
        return image_model(self.name)

    @property
    def prepared(self) -> zoo.PreparedPicture:
        """The picture as the model takes it."""
        return prepare(self.name, self.picture, self.resolution)

    def watched(self, silenced: tuple[Head, ...] = ()) -> WatchedImage:
        """The recorded attention of the model, with some heads silenced; CaptureError if it has none."""
        return watch_image(self.name, self.picture, self.resolution, silenced)


def accuracy_sentence(name: str, side: int, weights: Path = WEIGHTS) -> str:
    """A sentence with the top-1 accuracy of a model of ours at a size, with two standard errors.

    `side`: pixels of a side of the picture that it reads; "" for a model or a size that was not measured.
    """
    if name not in IMAGE:
        return ""
    try:
        quality = classifier_results.quality(weights / name)
    except ModelError:  # it has not been measured, or its file is invalid: the page works without it
        return ""
    accuracy = quality.at(side)
    if accuracy is None:
        return ""
    sentence = RIGHT if quality.side == classifier_results.SIDE else RIGHT_OF_NAMES
    return sentence.format(
        right=f"{100 * accuracy.top1:.0f}",
        error=f"{100 * CLEAR * accuracy.standard_error:.0f}",
        pictures=accuracy.pictures,
        at="at" if side == classifier_results.SIDE else "enlarged to",
        side=side,
    )


def doubt_sentence(largest: float) -> str:
    """A sentence about an answer whose probability, the largest of all classes, is below a half; "" for others."""
    return UNSURE if largest < 0.5 else ""


def failure_sentence(model: zoo.ImageModel, example: str, answer: str) -> str:
    """A sentence about a wrong first answer of a model of ours to an example photograph, and the reason where known.

    `example`: its name, "" for other pictures; `answer`: the class. "" for an answer that is right or is not judged.
    """
    if example not in EXAMPLES or model.name not in IMAGE:
        return ""
    picture = EXAMPLES[example]
    right = picture.right_names(model.classes)
    if answer in right:
        return ""
    if not right:
        sentence = CANNOT_KNOW.format(shows=picture.shows, count=len(model.classes))
    else:
        sentence = WRONG.format(shows=picture.shows, name=right[0].partition(",")[0])
    return f"{sentence} {picture.reason}".rstrip()


def choose(offered: Sequence[str] = (), *, attends: bool = True) -> Photograph:
    """Draw the row of controls above a figure; its keys, and so the choices, are the same in every section of a page.

    `offered`: which of our models are on the list; `attends`: whether a model without attention is refused.
    """
    with layout.control_bar():
        return choose_in_bar(offered, attends=attends)


def choose_in_bar(
    offered: Sequence[str] = (),
    *,
    attends: bool = True,
    models_in: DeltaGenerator | None = None,
    patches_in: DeltaGenerator | None = None,
) -> Photograph:
    """Draw the controls of `choose` in a control bar; lists of models and sizes may stand in a menu instead."""
    picture = controls.picture()
    name = model_name.model("image", offered=offered, attends=attends, menu=models_in, width=200)
    first = PIXELS_OF_WINDOWS if offered == WINDOWED else controls.FIRST_RESOLUTION
    with patches_in.container() if patches_in else nullcontext():  # some models have no choice of a resolution
        resolution = controls.resolution(image_model(name), first=first)
    return Photograph(name, picture, resolution)
