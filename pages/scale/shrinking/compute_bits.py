"""What is computed for Bits: a rounded matrix, and what the network says before and after."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.measured.shrinking_bits import Rounding, roundings
from core.shrinking.bits import matrices_of, round_matrix, round_network
from core.text import Tokens
from core.zoo import ImageModel, TextModel
from core.zoo.embedded import load_embedded_text
from dashboard.kept import keep
from dashboard.models import image_model, text_model
from dashboard.photograph import Photograph
from dashboard.watched import Text, content_of
from pages.scale.shrinking.words_bits import VERDICTS

COLUMNS = 60  # of the histogram


@dataclass(frozen=True)
class Choice:
    """A matrix of a model and how it is rounded; `alone`: whether no other matrix is."""

    model: str
    matrix: str
    bits: int
    grouping: str
    alone: bool

    @property
    def identity(self) -> Hashable:
        """What tells it from any other."""
        return self.model, self.matrix, self.bits, self.grouping, self.alone


@dataclass(frozen=True, eq=False)
class Levels:
    """A matrix as a histogram (`edges` has one more than `counts`), the levels of its first row, and its error.

    `error` and `size` are root mean squares; `moved` the largest step taken by a weight, in units of its own step;
    `whole` and `stored` bytes before and after.
    """

    edges: np.ndarray
    counts: np.ndarray
    levels: np.ndarray
    error: float
    size: float
    moved: float
    step: float
    whole: int
    stored: int
    identity: Hashable = field(kw_only=True)


@dataclass(frozen=True, eq=False)
class Answers:
    """Probabilities of the same answers before and after rounding."""

    labels: tuple[str, ...]
    before: Float[Tensor, " class"]
    after: Float[Tensor, " class"]


@keep("Loading the model …", computes=False)
def network_of(name: str) -> TextModel | ImageModel:
    """One of the three models of the section."""
    if name == "bert-tasks":
        return load_embedded_text(name)
    return image_model(name) if name.startswith("vit") else text_model(name)


@keep("Rounding …")
def levels(model: str, matrix: str, bits: int, grouping: str) -> Levels:
    """A matrix and what rounding does to it."""
    weights = matrices_of(network_of(model).network)[matrix].weight.detach()
    rounded = round_matrix(weights, bits, grouping)
    counts, edges = np.histogram(weights.numpy(), bins=COLUMNS)
    apart = weights - rounded.values
    steps = rounded.steps.clamp_min(1e-30)
    return Levels(
        edges=edges,
        counts=counts,
        levels=rounded.values[0].unique().numpy(),
        error=float(apart.square().mean().sqrt()),
        size=float(weights.square().mean().sqrt()),
        moved=float((apart.abs() / steps).max()),
        step=float(rounded.steps.max()),
        whole=4 * weights.numel(),
        stored=rounded.bytes,
        identity=(model, matrix, bits, grouping),
    )


@keep("Rounding the network …")
def rounded_network(choice: Choice) -> nn.Module:
    """The network with the chosen matrix rounded, or with all of them."""
    names = [choice.matrix] if choice.alone else None
    return round_network(network_of(choice.model).network, choice.bits, choice.grouping, names)[0].eval()


@keep("Reading …")
def read(name: str, text: Text) -> Tokens:
    """A text as the model reads it; InputError where there is nothing to read."""
    model = network_of(name)
    assert isinstance(model, TextModel)
    return model.encode(content_of(text))


@keep("Asking before and after …")
def said_of_text(choice: Choice, text: Text) -> Answers:
    """The next token, or the verdict on a text."""
    model, rounded = network_of(choice.model), rounded_network(choice)
    assert isinstance(model, TextModel)
    tokens = read(choice.model, text)
    with torch.inference_mode():
        if choice.model == "bert-tasks":
            ids = torch.tensor([tokens.ids])
            before, after = (each(ids)[1][0].softmax(dim=-1) for each in (model.network, rounded))
            return Answers(VERDICTS, before, after)
        before, after = (each.probabilities(each.run(tokens)) for each in (model, replace(model, network=rounded)))
    return Answers(tuple(model.label(number) for number in range(len(before))), before, after)


@keep("Asking before and after …")
def said_of_picture(choice: Choice, photograph: Photograph) -> Answers:
    """The class of a photograph."""
    model = photograph.model
    with torch.inference_mode():
        changed = replace(model, network=rounded_network(choice))
        before, after = (each.probabilities(each.run(photograph.prepared)) for each in (model, changed))
    return Answers(model.classes, before, after)


@keep(computes=False)
def measured(model: str) -> tuple[Rounding, ...]:
    """What was measured of a model."""
    return roundings(model)
