"""What a masked autoencoder makes of a photograph, and what its layers read: kept for the next visitor."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, UInt8
from torch import Tensor

from core.attribution.masked_patch_sources import (
    AutoencoderLayer,
    DecoderAttentionShares,
    decoder_attention_shares,
    layers_over_all_patches,
)
from core.capture import record_attention
from core.images import open_example, open_picture
from core.vision.fillings import FILLINGS
from core.vision.patch_masks import error_of, errors_of_patches, pixel_mask
from core.zoo.image_models import PreparedPicture
from dashboard.cache.memo import cached
from dashboard.cache.models import autoencoder
from dashboard.recordings.watched import Picture
from pages.vision.reconstruction.hidden import Hidden


@cached("Opening the picture …")
def prepare(name: str, picture: Picture) -> PreparedPicture:
    """A photograph as an autoencoder takes it."""
    opened = open_example(picture) if isinstance(picture, str) else open_picture(picture.content)
    return autoencoder(name).prepare(opened)


@dataclass(frozen=True, eq=False)
class Filled:
    """A photograph and what stands in for its hidden patches; all values from 0 to 1.

    `guesses`: every patch as the network guesses it, by target. `fillings` need no network. `errors`: the mean squared
    error over what is hidden, by target or by filling; none where nothing is hidden.
    """

    truth: Float[Tensor, "channel row column"]
    where: Bool[Tensor, "row column"]
    patch: int
    guesses: Mapping[str, Float[Tensor, "channel row column"]]
    fillings: Mapping[str, Float[Tensor, "channel row column"]]
    errors: Mapping[str, float]

    def mixed(self, target: str) -> Float[Tensor, "channel row column"]:
        """Guesses where patches are hidden, the photograph elsewhere."""
        return torch.where(self.where, self.guesses[target], self.truth)

    def patch_errors(self, target: str) -> Float[Tensor, "row column"]:
        """The mean squared error of each patch as it is guessed."""
        return errors_of_patches(self.guesses[target], self.truth, self.patch)


@cached("Filling the gaps …")
def fill(hidden: Hidden) -> Filled:
    """What the network and the fillings put where patches are hidden."""
    model, prepared, mask = hidden.model, prepare(hidden.name, hidden.picture), hidden.mask
    truth = model.colours(prepared.pixels[0])
    where = pixel_mask(mask, model.grid, model.grid, model.patch)
    guesses = model.run(prepared.pixels, mask)
    if not hidden.places:
        return Filled(truth, where, model.patch, guesses, {}, {})
    fillings = {name: filling(truth, mask, model.patch) for name, filling in FILLINGS.items()}
    errors = {name: error_of(guess, truth, where) for name, guess in {**guesses, **fillings}.items()}
    return Filled(truth, where, model.patch, guesses, fillings, errors)


@dataclass(frozen=True, eq=False)
class Read:
    """What each layer read while the gaps were filled, and what hidden patches looked at, layer by layer."""

    layers: tuple[AutoencoderLayer, ...]
    shares: tuple[DecoderAttentionShares, ...]


@cached("Looking …")
def read(hidden: Hidden) -> Read:
    """Run the network once more, and watch it."""
    model, mask = hidden.model, hidden.mask
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(prepare(hidden.name, hidden.picture).pixels, mask)
    layers = layers_over_all_patches(record, mask)
    return Read(layers, decoder_attention_shares(layers, mask))


def as_picture(values: Float[Tensor, "channel row column"], side: int = 448) -> UInt8[np.ndarray, "_ _ channel"]:
    """Values from 0 to 1 as a picture of about `side` pixels, each of its own pixels kept apart."""
    colours = (255 * values).round().to(torch.uint8).permute(1, 2, 0).numpy()
    times = max(1, round(side / len(colours)))
    return np.ascontiguousarray(colours.repeat(times, axis=0).repeat(times, axis=1))
