"""What image models say when heads are silent or patches are hidden, kept for the next visitor."""

import hashlib
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
import streamlit as st
from jaxtyping import Float

from core.capture import edit_attention
from core.images import open_example, open_picture
from core.progress import Progress
from core.vision.hidden_patches import Occlusion, hide, occlusion, probabilities
from core.zoo import ImageModel, PreparedPicture
from dashboard.kept import Upload, computing
from dashboard.models import image_model
from dashboard.watched import Head, silence, watch_image

Hidden = frozenset[int]  # patches, counted row by row


@dataclass(frozen=True, eq=False)
class Verdict:
    """A model, a picture, and how probable the model says each class is. Shared by all visitors: never changed."""

    model: ImageModel
    given: PreparedPicture
    probabilities: Float[np.ndarray, " class"]

    @property
    def first(self) -> int:
        """The number of the most probable class."""
        return int(self.probabilities.argmax())


@st.cache_resource(max_entries=48, show_spinner="Looking …")
def verdict(
    name: str,
    picture: str | Upload,
    resolution: int | None,
    silenced: tuple[Head, ...] = (),
    hidden: Hidden = frozenset(),
) -> Verdict:
    """What a model says of a picture, with these heads silent and these patches at the mean colour.

    CaptureError for a head that it does not have, InputError for a patch; ModelError if it knows no classes.
    """
    model = image_model(name)
    given = prepared(name, picture, resolution)
    pixels = hide(given.pixels, model.patch, given.patches, hidden) if hidden else given.pixels
    edits = silence(watch_image(name, picture, resolution).record, silenced) if silenced else {}
    with computing(), edit_attention(model.network, edits) if edits else nullcontext():
        return Verdict(model, given, probabilities(model, pixels)[0].numpy())


@st.cache_resource(max_entries=8, show_spinner=False)
def prepared(name: str, picture: str | Upload, resolution: int | None) -> PreparedPicture:
    """A picture as a model takes it."""
    opened = open_example(picture) if isinstance(picture, str) else open_picture(picture.content)
    return image_model(name).prepare(opened, resolution=resolution)


def heads_of(name: str, picture: str | Upload, resolution: int | None) -> tuple[int, ...]:
    """How many heads each layer of a model has, the layers in the order in which they run; none without attention."""
    if not image_model(name).attends:
        return ()
    return tuple(call.heads for call in watch_image(name, picture, resolution).record.calls)


def known_occlusion(seen: Verdict, target: int) -> Occlusion | None:
    """What each patch is worth for a class, if somebody has asked before."""
    return _occlusions(_identity(seen), target).get("map")


def measure_occlusion(seen: Verdict, target: int, progress: Progress) -> None:
    """Hide each patch in turn; `progress` may stop it by an exception, and then nothing is kept."""
    kept = _occlusions(_identity(seen), target)
    if "map" not in kept:
        with computing():
            kept["map"] = occlusion(seen.model, seen.given, target, progress)


def _identity(seen: Verdict) -> tuple[str, str]:
    pixels = seen.given.pixels.contiguous().numpy()
    return seen.model.name, hashlib.blake2b(pixels.tobytes(), digest_size=16).hexdigest()


@st.cache_resource(max_entries=32, show_spinner=False)
def _occlusions(identity: tuple[str, str], target: int) -> dict[str, Occlusion]:
    """An empty place, shared by all who ask for the same."""
    del identity, target
    return {}
