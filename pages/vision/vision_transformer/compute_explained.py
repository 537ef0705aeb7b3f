"""What the verdict on a picture rests on, and how faithful each explanation is: kept for the next visitor."""

import time
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch
from torch import Tensor

from core import zoo
from core.images import open_example, open_picture
from core.vision.explain import Explanations, explain, grid_for
from core.vision.faithfulness import (
    Faithfulness,
    blurred,
    deleted,
    first_patches,
    inserted,
    measure,
    order_of,
    random_mean,
    random_orders,
)
from core.vision.logits import probability_of, scores_of
from dashboard.kept import Upload, computing
from dashboard.models import image_model

STEPS = 10  # points of a curve, besides the first
DRAWS = 3  # random orders


@dataclass(frozen=True, eq=False)
class ExplainedPicture:
    """A picture, the class in question, and each explanation's map. Shared by all visitors: never changed."""

    model: zoo.ImageModel
    given: zoo.PreparedPicture
    found: Explanations
    probabilities: Tensor | None  # (class); None where the model knows no classes
    number: int | None  # the class that is explained
    seconds: float  # one run of the network

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of the patches that are taken away."""
        return grid_for(self.model, self.given.patches)

    @property
    def maps(self) -> dict[str, np.ndarray]:
        """The map (row, column) of each explanation."""
        return {name: maps[0].numpy() for name, maps in self.found.maps.items()}

    @property
    def waiting(self) -> float:
        """Seconds that measuring the faithfulness takes."""
        return self.seconds * (3 + (len(self.found.maps) + DRAWS) * 2 * (STEPS - 1))

    def order(self, name: str) -> Tensor:
        """The patches of the grid, what the explanation finds most important first."""
        return order_of(self.found.maps[name][0], self.grid)


@dataclass(frozen=True, eq=False)
class MeasuredPicture:
    """The curves of each explanation for one picture, and those of random orders."""

    curves: dict[str, Faithfulness]
    draws: tuple[Faithfulness, ...]

    @property
    def random(self) -> Faithfulness:
        """The mean of the draws."""
        return random_mean(self.draws)

    def band(self, side: str) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest of the draws at each share; `side` is "deletion" or "insertion"."""
        drawn = np.stack([getattr(draw, side).numpy() for draw in self.draws])
        return drawn.min(axis=0), drawn.max(axis=0)


@dataclass(frozen=True, eq=False)
class ChangedPicture:
    """A picture as the model sees it after some patches were taken away or put back, and what it says of it."""

    shown: np.ndarray  # (row, column, channel) uint8, the model's own pixels
    patches: int
    probabilities: Tensor  # (class)


@st.cache_resource(max_entries=16, show_spinner=False)
def explain_picture(
    name: str, picture: str | Upload, resolution: int | None, number: int | None = None
) -> ExplainedPicture:
    """Explain one class (by default the most probable one) of a picture; ModelError if the model looks in windows."""
    model = image_model(name)
    opened = open_example(picture) if isinstance(picture, str) else open_picture(picture.content)
    given = model.prepare(opened, resolution=resolution)
    classes = None if number is None else torch.tensor([number])
    with computing():
        found = explain(model, given.pixels, given.patches, classes)
        begin = time.perf_counter()
        with torch.no_grad():
            scores = scores_of(model.network, given.pixels) if model.classes else None
        seconds = time.perf_counter() - begin
    probabilities = None if scores is None else scores[0].float().softmax(dim=-1)
    chosen = None if found.classes is None else int(found.classes[0])
    return ExplainedPicture(model, given, found, probabilities, chosen, seconds)


@st.cache_resource(max_entries=16, show_spinner=False)
def measure_picture(
    name: str, picture: str | Upload, resolution: int | None, number: int | None = None
) -> MeasuredPicture:
    """Deletion and insertion of the same explanations, and of random orders."""
    explained = explain_picture(name, picture, resolution, number)
    assert explained.number is not None
    rows, columns = explained.grid
    orders = {name: explained.order(name) for name in explained.found.maps}
    drawn = {str(draw): order for draw, order in enumerate(random_orders(rows * columns, DRAWS))}
    classify = probability_of(explained.model.network, explained.number)
    with computing():
        found = measure(classify, explained.given.pixels, orders | drawn, explained.grid, STEPS)
    return MeasuredPicture({name: found[name] for name in orders}, tuple(found[name] for name in drawn))


@st.cache_resource(max_entries=64, show_spinner=False)
def change_picture(
    name: str,
    picture: str | Upload,
    resolution: int | None,
    number: int | None,
    explanation: str,
    share: float,
    *,
    insert: bool,
) -> ChangedPicture:
    """The picture without, or with nothing but, the share of its patches that an explanation finds most important."""
    explained = explain_picture(name, picture, resolution, number)
    pixels, order = explained.given.pixels, explained.order(explanation)
    count = round(share * len(order))
    mask = first_patches(order, [count], explained.grid, pixels.shape[-2:])
    changed = inserted(pixels, mask, blurred(pixels)) if insert else deleted(pixels, mask)
    with computing(), torch.inference_mode():
        probabilities = scores_of(explained.model.network, changed)[0].float().softmax(dim=-1)
    return ChangedPicture(_seen(explained.model, changed), count, probabilities)


def _seen(model: zoo.ImageModel, pixels: Tensor) -> np.ndarray:
    """The model's pixels as colours."""
    mean, deviation = (torch.tensor(values).view(3, 1, 1) for values in (model.framing.mean, model.framing.std))
    colours = (pixels[0] * deviation + mean).clamp(0, 1).mul(255).round()
    return colours.permute(1, 2, 0).to(torch.uint8).numpy()
