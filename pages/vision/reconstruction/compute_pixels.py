"""What image-GPT makes of a photograph: completions, bits, hidden pixels, looks: kept for the next visitor."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from core.generation.rules import Rules
from core.images import open_example, open_picture
from core.vision.patch_masks import error_of
from core.vision.pixel_attention import PixelAttention, measure_pixel_attention
from core.vision.pixel_drawing import (
    NOT_DRAWN,
    FilledPicture,
    draw_rest,
    fill_hidden,
    fill_with_neighbours,
    hide_pixels,
    surprise,
)
from core.zoo.image_gpts import HIDDEN, NEXT, PixelPicture, as_picture
from dashboard.cache.memo import cached
from dashboard.cache.models import image_gpt
from dashboard.components.photo_maps import Factors, PhotoLayer, PhotoScene
from dashboard.components.photo_maps.packing import overview_of
from dashboard.output.streaming import NOBODY, StepObserver
from dashboard.recordings.watched import Picture

GREY = 0.82  # of what is not given, or not drawn yet
ENLARGED = 16  # how often each pixel is repeated under a map, so that it keeps its edges


@cached("Opening the picture …")
def read_picture(picture: Picture, name: str = NEXT) -> PixelPicture:
    """A photograph as an image-GPT reads it."""
    opened = open_example(picture) if isinstance(picture, str) else open_picture(picture.content)
    return image_gpt(name).prepare(opened)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Completions of a picture of which the first rows are given.

    `pictures` have values 0 to 1; `errors` are mean squared errors over what was drawn, against the truth in the
    palette; `even`: that of the mean colour of what is given; `apart`: the same between two completions, the mean over
    all pairs, None of a single one.
    """

    pictures: Float[Tensor, "draw channel row column"]
    errors: tuple[float, ...]
    even: float
    apart: float | None


@cached()
def draw(picture: Picture, rows: int, count: int, rules: Rules, seed: int, observer: StepObserver = NOBODY) -> Drawn:
    """Completions below the first rows; `observer` sees them grow row by row."""
    pixel_picture, network = read_picture(picture), image_gpt(NEXT).network
    side = network.config.side
    drawn = pixel_picture.colours[None]
    for step, drawn in enumerate(draw_rest(network, pixel_picture.colours[: rows * side], count, rules, seed=seed)):
        observer.report(step, [drawn])
    pictures, where = network.paint(drawn), below(rows, side)
    known_colours = pixel_picture.painted[:, ~where] if rows else torch.full((3, 1), 0.5)
    even = known_colours.mean(dim=1)[:, None, None].expand_as(pixel_picture.painted)
    pairs = [error_of(pictures[one], pictures[two], where) for one in range(count) for two in range(one)]
    return Drawn(
        pictures,
        tuple(error_of(completion, pixel_picture.painted, where) for completion in pictures),
        error_of(even, pixel_picture.painted, where),
        sum(pairs) / len(pairs) if pairs else None,
    )


def below(rows: int, side: int) -> Bool[Tensor, "row column"]:
    """The pixels below the first rows."""
    return (torch.arange(side) >= rows)[:, None].expand(side, side)


def unfinished(colours: Int[Tensor, "draw place"]) -> Float[Tensor, "draw channel row column"]:
    """Completions as far as they are drawn; the rest is grey."""
    network = image_gpt(NEXT).network
    painted = network.paint(colours.clamp_min(0))
    missing = (colours == NOT_DRAWN).unflatten(1, (network.config.side, -1))
    return torch.where(missing[:, None], torch.tensor(GREY), painted)


@cached("Reading the true picture …")
def bits(picture: Picture) -> Float[Tensor, "row column"]:
    """How surprising each pixel of the photograph is after those before it."""
    network = image_gpt(NEXT).network
    return surprise(network, read_picture(picture).colours[None])[0].unflatten(0, (network.config.side, -1))


@dataclass(frozen=True, eq=False)
class Guessed:
    """A picture with hidden pixels, filled in by the network and by the mean of neighbours; errors where hidden."""

    hidden: Bool[Tensor, "row column"]
    filled: FilledPicture
    neighbours: Float[Tensor, "channel row column"]
    errors: dict[str, float]  # by the names of `FilledPicture`, and "neighbours"
    right: float  # the share of hidden pixels whose most probable colour is the true one


@cached("Filling in …")
def guess(picture: Picture, percent: int, seed: int) -> Guessed:
    """So many per cent of the pixels hidden at random, and guessed all at once."""
    reader, pixel_picture = image_gpt(HIDDEN), read_picture(picture, HIDDEN)
    flat = hide_pixels(reader.side, percent / 100, seed=seed)
    hidden = flat.unflatten(0, (reader.side, -1))
    filled = fill_hidden(reader.network, pixel_picture.colours, flat, seed=seed)
    pictures = {name: getattr(filled, name) for name in ("best", "drawn", "mean")}
    pictures["neighbours"] = fill_with_neighbours(pixel_picture.painted, hidden)
    errors = {name: error_of(filling, pixel_picture.painted, hidden) for name, filling in pictures.items()}
    same = (filled.best == pixel_picture.painted).all(dim=0)[hidden]
    return Guessed(hidden, filled, pictures["neighbours"], errors, float(same.float().mean()))


@dataclass(frozen=True, eq=False)
class PixelAttentionMaps:
    """The attention of every head for each predicted pixel, and what each head attends to on average."""

    scene: PhotoScene
    heads: tuple[PixelAttention, ...]


@cached("Looking …")
def look(picture: Picture) -> PixelAttentionMaps:
    """Read a photograph, and watch."""
    reader, pixel_picture = image_gpt(NEXT), read_picture(picture)
    side = reader.side
    calls = reader.record(pixel_picture.colours).calls
    layers = []
    for number, call in enumerate(calls):
        query, key = call.query, call.key
        assert query is not None
        assert key is not None
        assert call.scale is not None
        # Token k asks for pixel k and holds pixel k - 1. The view has a token for each pixel after the start: the one
        # that asks for it, and, as a key, the one that holds it. Nobody sees the last pixel.
        asks = torch.cat([query[0, :, :1], query[0]], dim=1)
        holds = torch.nn.functional.pad(key[0], (0, 0, 0, 1))
        answers = Factors(asks.numpy(), holds.numpy(), call.scale, behind=1)
        layers.append(PhotoLayer(str(number), call.heads, side, side, answers, ("start",), call.path, unit="pixel"))
    heads = measure_pixel_attention(calls, side)
    first = max(heads, key=lambda head: head.above)
    place = (side // 2) * side + side // 2
    scene = PhotoScene(
        as_picture(pixel_picture.painted, enlarged=ENLARGED),
        tuple(layers),
        title=reader.title,
        start=(first.layer, first.head),
        place=place,
    )
    overview_of(scene)  # computed here, once, and not for each visitor
    return PixelAttentionMaps(scene, heads)
