"""What is computed of a photograph: its way to a sequence, what the verdict rests on, and what changes it."""

import time
from collections.abc import Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from jaxtyping import Float, UInt8
from PIL import Image
from torch import Tensor

from core.attribution.deletion_curves import Faithfulness, random_mean, random_orders
from core.attribution.image_methods import (
    ACTIVATION,
    ATTENTION,
    RELEVANCE,
    ROLLOUT,
    Explanations,
    explain,
    grid_for,
)
from core.attribution.patch_deletion import blur, delete_patches, first_patches, insert_patches, measure, order_of
from core.capture import edit_attention, record_attention
from core.order.learned_positions import PatchSimilarity, PositionMethod, patch_similarity, position_method, similarity
from core.progress import Progress, no_progress
from core.vision import receptive_field as receptive_fields
from core.vision.hidden_patches import Occlusion, hide, occlusion, probabilities
from core.vision.logits import probability_of, scores_of
from core.vision.patches import PrincipalFilters, principal_filters
from core.vision.picture_sequence import PictureSequence, layout_of, sequence_of
from core.vision.receptive_field import ReceptiveField
from core.vision.vit_layout import Layout
from core.zoo.image_models import Framing, ImageModel, PreparedPicture
from dashboard.cache.memo import cached
from dashboard.cache.models import image_model
from dashboard.components.attention_view import Scene
from dashboard.inputs.photograph import Photograph
from dashboard.recordings import scenes
from dashboard.recordings.watched import Head, silence

STEPS = 10  # points of a curve of faithfulness, besides the first
DRAWS = 3  # random orders
TITLES = {
    ATTENTION: "Attention, last layer",
    ROLLOUT: "Rollout",
    RELEVANCE: "Gradient × attention",
    ACTIVATION: "Class activation",
}


@dataclass(frozen=True, eq=False)
class Learned:
    """What a model does with every picture of one size: where its stages are, and what it has learned for them."""

    layout: Layout
    filters: PrincipalFilters | None  # of the projection; None for that of a hybrid, which reads features
    alike: Float[Tensor, "token token"] | None  # cosines between the positions of patches; None if none are added
    nearness: PatchSimilarity | None  # what they know of the picture
    position_method: PositionMethod  # how places are told apart besides, or instead of, added positions


@dataclass(frozen=True, eq=False)
class Followed:
    """A photograph on its way to a sequence."""

    model: ImageModel
    prepared: PreparedPicture
    sequence: PictureSequence
    learned: Learned


@cached("Cutting the picture …")
def follow(photograph: Photograph) -> Followed:
    """Follow a photograph through its model; ModelError where no single linear map makes tokens of patches."""
    model, prepared, known = photograph.model, photograph.prepared, learned(photograph.name, photograph.resolution)
    return Followed(model, prepared, sequence_of(model, prepared, known.layout), known)


@cached("Looking for the stages …")
def learned(name: str, resolution: int | None) -> Learned:
    """What is the same for all pictures, found with a grey one; ModelError as from `follow`."""
    model = image_model(name)
    grey = model.prepare(Image.new("RGB", (1, 1), "grey"), resolution=resolution)
    layout = layout_of(model, grey)
    positions = sequence_of(model, grey, layout).positions
    alike = None if positions is None else similarity(positions.patches)
    nearness = None if alike is None else patch_similarity((grey.patches.rows, grey.patches.columns), alike)
    filters = None if layout.projection.body else principal_filters(layout.projection)
    return Learned(layout, filters, alike, nearness, position_method(model.network))


@cached("Following the features back …")
def receptive_field(photograph: Photograph, place: tuple[int, int]) -> ReceptiveField:
    """How much each pixel counts for the features of a patch (row, column), in a hybrid."""
    projection = learned(photograph.name, photograph.resolution).layout.projection
    return receptive_fields.receptive_field(photograph.model, photograph.prepared, projection, place)


def as_colours(framing: Framing, pixels: Float[Tensor, "channel _ _"]) -> UInt8[np.ndarray, "_ _ channel"]:
    """A model's normalised pixels as colours again."""
    mean, std = (np.array(channels)[:, None, None] for channels in (framing.mean, framing.std))
    colours = np.clip((pixels.numpy() * std + mean) * 255, 0, 255).round().astype(np.uint8)
    return np.ascontiguousarray(colours.transpose(1, 2, 0))


def colour_of_zero(framing: Framing) -> tuple[int, ...]:
    """Red, green and blue (0 to 255) of what is 0 after a model's own normalisation."""
    return tuple(round(255 * mean) for mean in framing.mean)


def tell_colour(colour: Sequence[int]) -> str:
    """A colour (red, green, blue; 0 to 255) in words."""
    if len(set(colour)) == 1:
        return f"grey {colour[0]} (of 255)"
    red, green, blue = colour
    return f"the colour red {red}, green {green}, blue {blue} (of 255)"


@dataclass(frozen=True, eq=False)
class Explained:
    """A photograph, the class in question, and each explanation's map."""

    model: ImageModel
    prepared: PreparedPicture
    explanations: Explanations
    probabilities: Tensor | None  # (class); None where the model knows no classes
    number: int | None  # the class that is explained
    seconds: float  # one run of the network
    identity: Hashable = field(kw_only=True)  # of the photograph and the class: what tells it from any other

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of the patches that are taken away."""
        return grid_for(self.model, self.prepared.patches)

    @property
    def maps(self) -> dict[str, np.ndarray]:
        """The map (row, column) of each explanation."""
        return {name: maps[0].numpy() for name, maps in self.explanations.maps.items()}

    @property
    def waiting(self) -> float:
        """Seconds that measuring the faithfulness takes."""
        return self.seconds * (3 + (len(self.explanations.maps) + DRAWS) * 2 * (STEPS - 1))

    def order(self, name: str) -> Tensor:
        """The patches of the grid, what the explanation finds most important first."""
        return order_of(self.explanations.maps[name][0], self.grid)


@cached("Following the verdict back …")
def explain_photograph(photograph: Photograph, number: int | None = None) -> Explained:
    """Explain one class (None: the most probable one); ModelError if the model looks in windows."""
    model, prepared = photograph.model, photograph.prepared
    explanations = explain(model, prepared.pixels, prepared.patches, None if number is None else torch.tensor([number]))
    begin = time.perf_counter()
    with torch.no_grad():
        shares = scores_of(model.network, prepared.pixels)[0].float().softmax(dim=-1) if model.classes else None
    seconds = time.perf_counter() - begin
    number = None if explanations.classes is None else int(explanations.classes[0])
    return Explained(model, prepared, explanations, shares, number, seconds, identity=(photograph.identity, number))


@dataclass(frozen=True, eq=False)
class Curves:
    """Deletion and insertion by the order of each explanation, and by orders drawn at random."""

    explanations: dict[str, Faithfulness]
    draws: tuple[Faithfulness, ...]

    @property
    def random(self) -> Faithfulness:
        """The mean of the draws."""
        return random_mean(self.draws)

    def band(self, side: str) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest of the draws at each share; `side` is "deletion" or "insertion"."""
        drawn = np.stack([getattr(draw, side).numpy() for draw in self.draws])
        return drawn.min(axis=0), drawn.max(axis=0)


@cached("Taking patches away and putting them back …")
def measure_faithfulness(explained: Explained) -> Curves:
    """The curves of one photograph, for the class that is explained."""
    assert explained.number is not None
    orders = {name: explained.order(name) for name in explained.explanations.maps}
    rows, columns = explained.grid
    drawn = {str(draw): order for draw, order in enumerate(random_orders(rows * columns, DRAWS))}
    classify = probability_of(explained.model.network, explained.number)
    curves = measure(classify, explained.prepared.pixels, orders | drawn, explained.grid, STEPS)
    return Curves({name: curves[name] for name in orders}, tuple(curves[name] for name in drawn))


@cached("Looking again …")
def take_away(
    explained: Explained, name: str, share: float, *, insert: bool
) -> tuple[UInt8[np.ndarray, "_ _ channel"], int, Float[Tensor, " class"]]:
    """The picture without the share of its patches that an explanation finds most important; or, to `insert`, with
    nothing but them in a blurred copy. How many patches these are, and the probabilities of all classes then.
    """
    model, pixels = explained.model, explained.prepared.pixels
    order = explained.order(name)
    count = round(share * len(order))
    mask = first_patches(order, [count], explained.grid, pixels.shape[-2:])
    changed = insert_patches(pixels, mask, blur(pixels)) if insert else delete_patches(pixels, mask)
    with torch.inference_mode():
        says = scores_of(model.network, changed)[0].float().softmax(dim=-1)
    return as_colours(model.framing, changed[0]), count, says


@cached("Looking …")
def verdict(
    photograph: Photograph, silenced: tuple[Head, ...] = (), hidden: frozenset[int] = frozenset()
) -> Float[np.ndarray, " class"]:
    """The probability of each class, with these heads silent and these patches (counted row by row) at 0.

    CaptureError for a head that the model does not have, InputError for a patch; ModelError if it knows no classes.
    """
    model, prepared = photograph.model, photograph.prepared
    pixels = hide(prepared.pixels, model.patch, prepared.patches, hidden) if hidden else prepared.pixels
    edits = silence(photograph.watched().record, silenced) if silenced else {}
    with edit_attention(model.network, edits) if edits else nullcontext():
        return probabilities(model, pixels)[0].numpy()


@cached("Looking …")
def maps_after(photograph: Photograph, silenced: tuple[Head, ...], hidden: frozenset[int]) -> Scene:
    """Where every head looks with these heads silent and these patches hidden; errors as from `verdict`."""
    plain, model, prepared = photograph.watched(), photograph.model, photograph.prepared
    pixels = hide(prepared.pixels, model.patch, prepared.patches, hidden)
    edits = silence(plain.record, silenced)
    with torch.inference_mode(), edit_attention(model.network, edits), record_attention(model.network) as record:
        run = model.run(replace(prepared, pixels=pixels))
    return scenes.image_scene(model, prepared, run, record, plain.notice.start.place)


@cached("Hiding one after the other …", unit="squares")
def hide_each(photograph: Photograph, target: int, progress: Progress = no_progress) -> Occlusion:
    """What a class loses when each patch, or square of patches, is hidden alone."""
    return occlusion(photograph.model, photograph.prepared, target, progress)
