"""A visitor's photograph, the model that looks at it, and how finely it is cut."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core import zoo
from core.errors import ModelError
from core.results import classifier_results
from core.zoo.embedded import IMAGE, WEIGHTS
from dashboard.cache.memo import Upload
from dashboard.cache.models import image_model
from dashboard.frame import layout
from dashboard.inputs import controls, model_name
from dashboard.number_format import CLEAR
from dashboard.recordings.watched import Head, Picture, WatchedImage, prepare, watch_image

TRANSFORMERS = ("vit-tiny-imagenet",)
CLASSIFIERS = (*TRANSFORMERS, "resnet-tiny-imagenet", "plain-tiny-imagenet")
WINDOWED = ("swin-tiny-imagenet",)
RIGHT = (
    "Its first answer is right for {right} of 100 photographs of its classes that it did not learn from, "
    "give or take {error} ({pictures:,} were tried, {at} {side} × {side} pixels)."
)
PIXELS_OF_WINDOWS = 128  # a picture of which Swin's windows fill every stage, and leave something to shift


@dataclass(frozen=True)
class Photograph:
    """A photograph and the model that looks at it: what its pages compute with, and know it by."""

    name: str  # of the model
    picture: Picture
    resolution: int | None  # pixels on a side, where the model leaves a choice

    @property
    def identity(self) -> Hashable:
        """What tells it from any other."""
        known = self.picture.identity if isinstance(self.picture, Upload) else self.picture
        return self.name, known, self.resolution

    @property
    def model(self) -> zoo.ImageModel:
        """The model, shared by all visitors."""
        return image_model(self.name)

    @property
    def prepared(self) -> zoo.PreparedPicture:
        """The picture as the model takes it."""
        return prepare(self.name, self.picture, self.resolution)

    def watched(self, silenced: tuple[Head, ...] = ()) -> WatchedImage:
        """What the model attends to, with some heads silenced; CaptureError if it does not attend to anything."""
        return watch_image(self.name, self.picture, self.resolution, silenced)


def how_often_right(name: str, side: int, weights: Path = WEIGHTS) -> str:
    """How often the first answer of a model of ours is right at a size, with two standard errors, a sentence.

    `side`: pixels of a side of the picture that it reads; "" of a model or a size that was not measured here.
    """
    if name not in IMAGE:
        return ""
    try:
        found = classifier_results.quality(weights / name).at(side)
    except ModelError:  # it has not been measured, or its file makes no sense: the page has its figures without it
        return ""
    if found is None:
        return ""
    return RIGHT.format(
        right=f"{100 * found.top1:.0f}",
        error=f"{100 * CLEAR * found.standard_error:.0f}",
        pictures=found.pictures,
        at="at" if side == classifier_results.SIDE else "enlarged to",
        side=side,
    )


def choose(offered: Sequence[str] = (), *, attends: bool = True) -> Photograph:
    """The row of controls above a figure: the same keys, so the same choice, in every section of a page.

    `offered`: which of our models are on the list; `attends`: whether a model without attention is refused.
    """
    with layout.control_bar():
        picture = controls.picture()
        name = model_name.model("image", offered=offered, attends=attends)
        first = PIXELS_OF_WINDOWS if offered == WINDOWED else controls.FIRST_RESOLUTION
        resolution = controls.resolution(image_model(name), first=first)
    return Photograph(name, picture, resolution)
