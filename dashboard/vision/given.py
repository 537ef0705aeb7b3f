"""What the visitor gives: a photograph, a model, and how finely it is cut."""

from collections.abc import Sequence
from dataclasses import dataclass

from core import zoo
from dashboard import controls, examples, layout, runs
from dashboard.runs import Head, WatchedImage

TRANSFORMERS = ("vit-tiny-imagenet",)
CLASSIFIERS = (*TRANSFORMERS, "resnet-tiny-imagenet", "plain-tiny-imagenet")
WINDOWED = ("swin-tiny-imagenet",)


@dataclass(frozen=True)
class Given:
    """A photograph (the name of an example, or the bytes of a file) and the model that looks at it."""

    name: str
    picture: str | bytes
    resolution: int | None

    @property
    def model(self) -> zoo.ImageModel:
        """The model, shared by all visitors."""
        return runs.image_model(self.name)

    def watched(self, silenced: tuple[Head, ...] = ()) -> WatchedImage:
        """What it attends to; CaptureError if it does not attend to anything."""
        return runs.watch_image(self.name, self.picture, self.resolution, silenced)


# A picture of which Swin's windows fill every stage, and leave something to shift.
PIXELS_OF_WINDOWS = 128


def choose(offered: Sequence[str], *, attends: bool = True) -> Given:
    """The row of controls above a figure: the same keys, so the same choice, in every section of a page."""
    with layout.control_bar():
        picture = controls.picture()
        name = controls.model("image", offered=offered, attends=attends)
        first = PIXELS_OF_WINDOWS if offered == WINDOWED else examples.RESOLUTION
        resolution = controls.resolution(runs.image_model(name), first=first)
    return Given(name, picture, resolution)
