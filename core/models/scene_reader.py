"""A detector of the things in a drawn scene, with which pictures that other networks make are evaluated.

x      = convolutions(pixels)                          a grid of places, four pixels apart
x_p -> thing?, shape, colour, size, texture, offset    at each place: is the centre of a thing near, and of which thing

Each place predicts by itself, without anchor boxes (Zhou et al. 2019, "Objects as points"); of neighbouring places
that all detect a thing the one with the highest probability counts.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ..scenes.things import COLOURS, SHAPES, SIDE, SIZES, TEXTURES, Scene, Thing

CELL = 4  # pixels between two places
GRID = SIDE // CELL
KINDS = {"shape": SHAPES, "colour": tuple(COLOURS), "size": tuple(SIZES), "texture": TEXTURES}
WIDTH, BLOCKS = 64, 4
IGNORED = -100  # the target of a place without a thing: no loss for its kinds


class SceneReader(nn.Module):
    """Pictures (0 to 1) in; for each place logits of a thing and of its kinds, and the offset of its centre, out."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, WIDTH // 2, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(WIDTH // 2, WIDTH, 4, stride=2, padding=1),
        )
        # Dilations 1 and 2 in turn: the largest things cover six places.
        self.blocks = nn.ModuleList(Block(1 + number % 2) for number in range(BLOCKS))
        self.head = nn.Conv2d(WIDTH, 1 + sum(len(values) for values in KINDS.values()) + 2, 1)

    def forward(
        self, pixels: Float[Tensor, "batch channel row column"]
    ) -> dict[str, Float[Tensor, "batch _ down across"]]:
        """Outputs by name: "thing", each of KINDS, and "offset" (row, column; in pixels from the place's centre)."""
        channels = self.head(F.relu(self.features(pixels)))
        outputs = channels.split([1, *(len(values) for values in KINDS.values()), 2], dim=1)
        return dict(zip(("thing", *KINDS, "offset"), outputs, strict=True))

    def features(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width down across"]:
        """The feature map before the last layer, by which pictures can be compared."""
        x = self.stem(2 * pixels - 1)
        for block in self.blocks:
            x = block(x)
        return x

    @torch.no_grad()
    def read(self, pixels: Float[Tensor, "batch channel row column"]) -> list[Scene]:
        """The scenes that pictures show, things by row and column; the background is not read."""
        outputs = self(pixels)
        probabilities = outputs["thing"][:, 0].sigmoid()
        largest = F.max_pool2d(probabilities[:, None], 3, stride=1, padding=1)[:, 0]
        scenes = []
        for item in range(len(pixels)):
            places = ((probabilities[item] > 0.5) & (probabilities[item] == largest[item])).nonzero().tolist()
            scenes.append(Scene(tuple(_thing(outputs, item, row, column) for row, column in places)))
        return scenes


class Block(nn.Module):
    """x + conv(relu(norm(conv(relu(x))))); `dilation` is that of the first convolution."""

    def __init__(self, dilation: int):
        super().__init__()
        self.look = nn.Conv2d(WIDTH, WIDTH, 3, padding=dilation, dilation=dilation, bias=False)
        self.norm = nn.BatchNorm2d(WIDTH)
        self.out = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)

    def forward(self, x: Float[Tensor, "batch width row column"]) -> Float[Tensor, "batch width row column"]:
        return x + self.out(F.relu(self.norm(self.look(F.relu(x)))))


def loss_of(outputs: dict[str, Tensor], scenes: Sequence[Scene]) -> Float[Tensor, ""]:
    """Binary cross-entropy of things over all places, and, where there is one, that of its kinds and its offset."""
    targets = targets_of(scenes)
    positive = targets["shape"] != IGNORED
    # One place in a hundred holds a thing: weighed, so that predicting "nothing" everywhere does not pay.
    thing = F.binary_cross_entropy_with_logits(
        outputs["thing"][:, 0].float(), positive.float(), pos_weight=torch.tensor(5.0)
    )
    kinds = [F.cross_entropy(outputs[kind].float(), targets[kind], ignore_index=IGNORED) for kind in KINDS]
    offset = (outputs["offset"].float() - targets["offset"]).abs().mean(dim=1)[positive].mean() / CELL
    return 10 * thing + torch.stack(kinds).sum() + offset


def targets_of(scenes: Sequence[Scene]) -> dict[str, Tensor]:
    """The targets of each place: indices into KINDS (IGNORED where no centre lies), and offsets in pixels."""
    shape = (len(scenes), GRID, GRID)
    targets = {kind: torch.full(shape, IGNORED) for kind in KINDS}
    offset = torch.zeros(len(scenes), 2, GRID, GRID)
    for item, scene in enumerate(scenes):
        for thing in scene.things:
            row, column = (min(GRID - 1, coordinate // CELL) for coordinate in (thing.row, thing.column))
            for kind, values in KINDS.items():
                targets[kind][item, row, column] = values.index(getattr(thing, kind))
            offset[item, :, row, column] = torch.tensor([thing.row - _centre(row), thing.column - _centre(column)])
    return targets | {"offset": offset}


def _centre(place: int) -> float:
    """The pixel coordinate of a place's centre."""
    return place * CELL + (CELL - 1) / 2


def _thing(outputs: dict[str, Float[Tensor, "batch _ down across"]], item: int, row: int, column: int) -> Thing:
    """The most probable thing at a place of picture `item`."""
    kinds = {kind: values[int(outputs[kind][item, :, row, column].argmax())] for kind, values in KINDS.items()}
    down, across = outputs["offset"][item, :, row, column].tolist()
    centre = [
        min(SIDE - 1, max(0, round(_centre(place) + offset))) for place, offset in ((row, down), (column, across))
    ]
    return Thing(**kinds, row=centre[0], column=centre[1])
