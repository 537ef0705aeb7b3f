"""How a picture becomes a sequence in a vision transformer: every stage as the model computed it.

sequence = sequence_of(model, prepared)
sequence.flattened @ sequence.projection.weight.T + sequence.projection.bias     # the network's own patch embedding
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from ..errors import ModelError
from ..images import Patches
from ..interpretability.residual_stream import stream_in
from ..interpretability.trace import Summed, tokens_of
from ..zoo.image_models import ImageModel, PreparedPicture
from .patches import Projection, cut
from .vit_layout import Kept, Layout


@dataclass(frozen=True, eq=False)
class Positions:
    """The vectors that are added to the first prefix tokens, if they have any, and to all patches.

    `order`: whether they are added to the whole sequence ("after" the prefix tokens have joined it) or to the patches
    alone ("before").
    """

    prefix: Float[Tensor, "_ width"]
    patches: Float[Tensor, "patch width"]
    order: Literal["before", "after"]


@dataclass(frozen=True, eq=False)
class PictureSequence:
    """A picture on its way through a vision transformer. Shared by all visitors: never changed.

    `patches` are the grid and the labels of the prefix tokens that enter the encoder. `joined` is the sequence as
    the sum above made it, `entering` is what the first block gets: the same, unless a norm stands between. `encoded`
    is what the last block hands on (fewer and wider tokens where patches are merged), `normed` what its norm makes of
    it. `read` says what the head reads: labels of prefix tokens, or what the patches are pooled to. `calls` has the
    windows of each attention layer, and the queries and keys in each of them.
    """

    pixels: Float[Tensor, "channel _ _"]
    patches: Patches
    cut: Float[Tensor, "patch channel row column"]
    projection: Projection
    projected: Float[Tensor, "patch width"]  # written out: flattened @ weight.T + bias
    embedded: Float[Tensor, "patch width"] | None  # after the patch embedding's own norm, where it has one
    prefix: Float[Tensor, "_ width"]  # before positions
    positions: Positions | None
    joined: Float[Tensor, "token width"]
    entering: Float[Tensor, "token width"]
    blocks: int
    encoded: Float[Tensor, "_ _"]
    normed: Float[Tensor, "_ _"] | None
    read: tuple[str, ...]
    logits: Float[Tensor, " class"] | None
    calls: tuple[tuple[int, int, int], ...]

    @property
    def flattened(self) -> Float[Tensor, "patch width_in"]:
        """Each patch as one vector: all of red, then green, then blue, each row by row."""
        return self.cut.flatten(1)

    @property
    def width(self) -> int:
        """The channels of a token as it enters the encoder."""
        return self.entering.shape[1]

    @property
    def is_merged(self) -> bool:
        """Whether the encoder hands on other tokens than it got (Swin)."""
        return len(self.encoded) != len(self.entering)

    def token_of(self, patch: int) -> int:
        """The place of a patch among the tokens."""
        return len(self.patches.prefix) + patch


@torch.inference_mode()
def layout_of(model: ImageModel, prepared: PreparedPicture) -> Layout:
    """Where the stages are that a picture of this size goes through: the same for each of them.

    ModelError where no single linear map makes tokens of patches.
    """
    if not model.attends:
        raise ModelError(
            f"{model.title} is a convolutional network: it never makes a sequence of the picture. "
            "Choose a vision transformer."
        )
    return Layout.of(model, prepared)


@torch.inference_mode()
def sequence_of(model: ImageModel, prepared: PreparedPicture, layout: Layout | None = None) -> PictureSequence:
    """Follow a picture through the model; ModelError as from `layout_of`, or where its tokens are not its patches.

    With the `layout` of another picture of the same size the model runs once, and not twice.
    """
    layout = layout or layout_of(model, prepared)
    projection = layout.projection
    kept = Kept(layout, model, prepared)
    pieces = cut(prepared.pixels[0], projection.patch)
    projected = projection(pieces)
    count = len(pieces)
    entering = tokens_of(stream_in(kept.given[layout.first]))
    own = len(entering) - count
    if not 0 <= own <= len(prepared.patches.prefix):
        raise ModelError(
            f"{model.title} cuts this picture into {count} patches, but {len(entering)} tokens enter its first block: "
            "its tokens are not its patches. Choose a plain vision transformer."
        )
    norm = layout.norm_after(count, own)
    joined = entering if norm is None else tokens_of(stream_in(kept.given[norm]))
    own_norm = layout.norm_before(count, norm)
    embedded = None if own_norm is None else tokens_of(stream_in(kept.made[own_norm]))
    prefix, positions = _prefix_and_positions(layout.sum_of(count), joined, own, count)
    encoded = tokens_of(stream_in(kept.made[layout.last]))
    normed = kept.normed(len(encoded))
    labels = prepared.patches.prefix[:own]
    return PictureSequence(
        pixels=prepared.pixels[0],
        patches=Patches(prepared.patches.rows, prepared.patches.columns, labels),
        cut=pieces,
        projection=projection,
        projected=projected,
        embedded=embedded,
        prefix=prefix,
        positions=positions,
        joined=joined,
        entering=entering,
        blocks=layout.blocks,
        encoded=encoded,
        normed=normed,
        read=kept.read(encoded if normed is None else normed, labels),
        logits=kept.logits,
        calls=layout.calls,
    )


def _prefix_and_positions(
    added: Summed | None, joined: Tensor, own: int, count: int
) -> tuple[Tensor, Positions | None]:
    """The prefix tokens as they are without positions, and the positions, told from the sum that the model made."""
    if added is None:
        return joined[:own].clone(), None
    before, vectors = tokens_of(added.before.tensor), tokens_of(added.added.tensor)
    covered = len(vectors) - count  # prefix tokens that get a position too
    prefix = torch.cat([before[:covered], joined[covered:own]])
    order: Literal["before", "after"] = "after" if covered else "before"
    return prefix, Positions(vectors[:covered].clone(), vectors[covered:].clone(), order)
