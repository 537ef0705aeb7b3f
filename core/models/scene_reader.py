"""A network that says what stands in a drawn scene: the judge of pictures that other networks make.

x      = convolutions(pixels)                          a grid of places, four pixels apart
x_p -> thing?, shape, colour, size, texture, offset    at each place: whether the middle of a thing is near, of which

Every place votes for itself, as in detectors without boxes to choose from (Zhou et al. 2019, "Objects as points"); of
places beside one another that all claim a thing the surest counts.
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
NOT_ASKED = -100


class SceneReader(nn.Module):
    """Pictures (0 to 1) in; for each place logits of a thing and of its kinds, and how far its middle is, out."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, WIDTH // 2, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(WIDTH // 2, WIDTH, 4, stride=2, padding=1),
        )
        # Wider and wider looks: the largest things cover six places.
        self.blocks = nn.ModuleList(Block(1 + number % 2) for number in range(BLOCKS))
        self.head = nn.Conv2d(WIDTH, 1 + sum(len(each) for each in KINDS.values()) + 2, 1)

    def forward(
        self, pixels: Float[Tensor, "batch channel row column"]
    ) -> dict[str, Float[Tensor, "batch _ down across"]]:
        """By name: "thing", each of KINDS, and "offset" (row, column; in pixels from the middle of the place)."""
        said = self.head(F.relu(self.features(pixels)))
        parts = said.split([1, *(len(each) for each in KINDS.values()), 2], dim=1)
        return dict(zip(("thing", *KINDS, "offset"), parts, strict=True))

    def features(self, pixels: Float[Tensor, "batch channel row column"]) -> Float[Tensor, "batch width down across"]:
        """What stands at each place before it is asked: pictures can be compared by it."""
        x = self.stem(2 * pixels - 1)
        for block in self.blocks:
            x = block(x)
        return x

    @torch.no_grad()
    def read(self, pixels: Float[Tensor, "batch channel row column"]) -> list[Scene]:
        """The scenes that pictures show, things by row and column; the ground is not read."""
        said = self(pixels)
        sure = said["thing"][:, 0].sigmoid()
        best = F.max_pool2d(sure[:, None], 3, stride=1, padding=1)[:, 0]
        found = []
        for item in range(len(pixels)):
            places = ((sure[item] > 0.5) & (sure[item] == best[item])).nonzero().tolist()
            found.append(Scene(tuple(_thing(said, item, row, column) for row, column in places)))
        return found


class Block(nn.Module):
    """x + conv(relu(conv(relu(x)))) with normed channels; `apart`: places between those that are looked at."""

    def __init__(self, apart: int):
        super().__init__()
        self.look = nn.Conv2d(WIDTH, WIDTH, 3, padding=apart, dilation=apart, bias=False)
        self.norm = nn.BatchNorm2d(WIDTH)
        self.out = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)

    def forward(self, x: Float[Tensor, "batch width row column"]) -> Float[Tensor, "batch width row column"]:
        return x + self.out(F.relu(self.norm(self.look(F.relu(x)))))


def loss_of(said: dict[str, Tensor], scenes: Sequence[Scene]) -> Float[Tensor, ""]:
    """Of the places: whether a thing is there, and, where one is, cross-entropy of its kinds and error of its place."""
    asked = targets_of(scenes)
    there = asked["shape"] != NOT_ASKED
    # One place in a hundred holds a thing: weighed, so that saying "nothing" everywhere does not pay.
    thing = F.binary_cross_entropy_with_logits(said["thing"][:, 0].float(), there.float(), pos_weight=torch.tensor(5.0))
    kinds = [F.cross_entropy(said[kind].float(), asked[kind], ignore_index=NOT_ASKED) for kind in KINDS]
    offset = (said["offset"].float() - asked["offset"]).abs().mean(dim=1)[there].mean() / CELL
    return 10 * thing + torch.stack(kinds).sum() + offset


def targets_of(scenes: Sequence[Scene]) -> dict[str, Tensor]:
    """What each place should say: numbers of KINDS (NOT_ASKED where no middle lies), and offsets in pixels."""
    shape = (len(scenes), GRID, GRID)
    asked = {kind: torch.full(shape, NOT_ASKED) for kind in KINDS}
    offset = torch.zeros(len(scenes), 2, GRID, GRID)
    for item, scene in enumerate(scenes):
        for thing in scene.things:
            row, column = (min(GRID - 1, each // CELL) for each in (thing.row, thing.column))
            for kind, values in KINDS.items():
                asked[kind][item, row, column] = values.index(getattr(thing, kind))
            middle = torch.tensor([thing.row - _middle(row), thing.column - _middle(column)])
            offset[item, :, row, column] = middle
    return asked | {"offset": offset}


def _middle(place: int) -> float:
    return place * CELL + (CELL - 1) / 2


def _thing(said: dict[str, Float[Tensor, "batch _ down across"]], item: int, row: int, column: int) -> Thing:
    kinds = {kind: values[int(said[kind][item, :, row, column].argmax())] for kind, values in KINDS.items()}
    down, across = said["offset"][item, :, row, column].tolist()
    at = [min(SIDE - 1, max(0, round(_middle(place) + away))) for place, away in ((row, down), (column, across))]
    return Thing(**kinds, row=at[0], column=at[1])
