"""Readings of models that look at photographs; `picture` is the name of an example (core/images/opening.py)."""

from collections.abc import Sequence

import torch

from core.capture import record_attention
from core.images import open_example
from core.vision.fillings import FILLINGS
from core.vision.patch_masks import error_of, hide_patches, pixel_mask
from core.zoo.masked_autoencoders import PLAIN
from dashboard.cache.models import autoencoder, image_model
from dashboard.lessons.readings.answers import Amount, Choice, percent, quarters

VIT, SWIN = "vit-tiny-imagenet", "swin-tiny-imagenet"
RESOLUTION, WINDOWED = 96, 128  # pixels on a side
AUTOENCODER = "masked autoencoder"


def class_of(picture: str, model: str = VIT, resolution: int = RESOLUTION, options: Sequence[str] = ()) -> Choice:
    """The probability of each class by an image classifier; without `options`, of the six likeliest."""
    reader = image_model(model)
    run = reader.run(reader.prepare(open_example(picture), resolution=resolution))
    top = len(reader.classes) if options else 6
    values = {prediction.label: prediction.probability for prediction in reader.predictions(run, top)}
    return Choice(values, extra={"classes": f"{len(reader.classes):,}"})


def quarter_looked_at(picture: str, layer: int = -1, model: str = VIT, resolution: int = RESOLUTION) -> Choice:
    """The share of the class token's attention on each quarter of a photograph in a layer, the mean of all heads."""
    reader = image_model(model)
    prepared = reader.prepare(open_example(picture), resolution=resolution)
    with torch.inference_mode(), record_attention(reader.network) as record:
        reader.run(prepared)
    call, patches = record.calls[layer], prepared.patches
    rows = torch.stack([call.weights(head, queries=slice(0, 1)) for head in range(call.heads)]).mean(dim=0)[0]
    return quarters(rows[len(patches.prefix) :].reshape(patches.rows, patches.columns))


def patches_in_a_window(picture: str = "coffee", model: str = SWIN, resolution: int = WINDOWED) -> Amount:
    """The number of patches that a patch can attend to in the first block of a Swin: those of its window."""
    reader = image_model(model)
    prepared = reader.prepare(open_example(picture), resolution=resolution)
    with torch.inference_mode(), record_attention(reader.network) as record:
        reader.run(prepared)
    return Amount(float(record.calls[0].key_length), "patches", within=0.0)


def nearest_filling(picture: str, share: float = 0.75, way: str = "random", seed: int = 0) -> Choice:
    """The mean squared error over masked pixels of the autoencoder's guess, and of fillings without a network."""
    model = autoencoder("mae")
    pixels = model.prepare(open_example(picture)).pixels
    hidden = hide_patches(way, model.grid, model.grid, share, seed=seed)
    truth, where = model.colours(pixels[0]), pixel_mask(hidden, model.grid, model.grid, model.patch)
    guesses = {AUTOENCODER: model.run(pixels, hidden)[PLAIN]}
    guesses |= {name: fill(truth, hidden, model.patch) for name, fill in FILLINGS.items()}
    errors = {name: error_of(guess, truth, where) for name, guess in guesses.items()}
    plain = min(errors[name] for name in FILLINGS)
    return Choice(errors, "", least=True, extra={"best filling": f"{plain:,.3g}", "share": percent(share)})
