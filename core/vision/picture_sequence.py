"""How a picture becomes a sequence in a vision transformer: every stage, as the model computes it.

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
from ..interpretability.trace import Addition, tokens_of
from ..zoo.image_models import ImageModel, PreparedPicture
from .patches import Projection, cut
from .vit_layout import Layout, StageTensors


@dataclass(frozen=True, eq=False)
class Positions:
    """The vectors that are added to the first prefix tokens, if they have any, and to all patches.

    `order`: whether they are added "after" the prefix tokens are concatenated, to the whole sequence, or "before", to
    the patches alone.
    """

    prefix: Float[Tensor, "_ width"]
    patches: Float[Tensor, "patch width"]
    order: Literal["before", "after"]


@dataclass(frozen=True, eq=False)
class PictureSequence:
    """The stages of a picture in a vision transformer. Shared by all visitors: never changed.

    `cut` are the patches of the picture; in a hybrid `features` are what its convolutional network gives, and `cut` are
    the patches of these.
    `patches` are the grid and the labels of the prefix tokens that enter the encoder. `joined` is the sequence
    of prefix tokens and patches with positions, `encoder_input` is the input of the first block: the same, unless a
    norm stands between. `encoded` is the output of the last block (fewer and wider tokens where patches are merged),
    `normed` the output of the norm after it. `read` says what the head reads: labels of prefix tokens, or a mean.
    `calls` holds, for each attention layer, the numbers of windows, and of queries and keys in each.
    """

    pixels: Float[Tensor, "channel _ _"]
    features: Float[Tensor, "width_in _ _"] | None
    patches: Patches
    cut: Float[Tensor, "patch _ row column"]
    projection: Projection
    projected: Float[Tensor, "patch width"]  # flattened @ weight.T + bias
    embedded: Float[Tensor, "patch width"] | None  # after the patch embedding's own norm, where it has one
    prefix: Float[Tensor, "_ width"]  # before positions
    positions: Positions | None
    joined: Float[Tensor, "token width"]
    encoder_input: Float[Tensor, "token width"]
    blocks: int
    encoded: Float[Tensor, "_ _"]
    normed: Float[Tensor, "_ _"] | None
    read: tuple[str, ...]
    logits: Float[Tensor, " class"] | None
    calls: tuple[tuple[int, int, int], ...]

    @property
    def flattened(self) -> Float[Tensor, "patch width_in"]:
        """Each patch as one vector: all of red, then green, then blue, row by row; or one feature after another."""
        return self.cut.flatten(1)

    @property
    def width(self) -> int:
        """The channels of a token as it enters the encoder."""
        return self.encoder_input.shape[1]

    @property
    def is_merged(self) -> bool:
        """Whether the encoder merges tokens (Swin)."""
        return len(self.encoded) != len(self.encoder_input)

    def token_of(self, patch: int) -> int:
        """The index of a patch among the tokens."""
        return len(self.patches.prefix) + patch


@torch.inference_mode()
def layout_of(model: ImageModel, prepared: PreparedPicture) -> Layout:
    """The layout of the stages for pictures of this size.

    Raises ModelError where the patch embedding is not a single linear map.
    """
    if not model.attends:
        raise ModelError(
            f"{model.title} is a convolutional network: it never makes a sequence of the picture. "
            "Choose a vision transformer."
        )
    return Layout.of(model, prepared)


@torch.inference_mode()
def sequence_of(model: ImageModel, prepared: PreparedPicture, layout: Layout | None = None) -> PictureSequence:
    """Run the model and collect the stages of a picture.

    Raises ModelError as `layout_of` does, or where its tokens are not its patches. With the `layout` of another picture
    of the same size the model runs once instead of twice.
    """
    layout = layout or layout_of(model, prepared)
    projection = layout.projection
    tensors = StageTensors(layout, model, prepared)
    features = None if projection.body is None else tensors.inputs[projection.path][0][0]
    patches = cut(prepared.pixels[0] if features is None else features, projection.patch)
    projected = projection(patches)
    count = len(patches)
    encoder_input = tokens_of(stream_in(tensors.inputs[layout.first]))
    prefix_length = len(encoder_input) - count
    if not 0 <= prefix_length <= len(prepared.patches.prefix):
        raise ModelError(
            f"{model.title} cuts this picture into {count} patches, but {len(encoder_input)} tokens enter its first "
            "block: its tokens are not its patches. Choose a plain vision transformer."
        )
    norm = layout.norm_after(count, prefix_length)
    joined = encoder_input if norm is None else tokens_of(stream_in(tensors.inputs[norm]))
    own_norm = layout.norm_before(count, norm)
    embedded = None if own_norm is None else tokens_of(stream_in(tensors.outputs[own_norm]))
    prefix, positions = _prefix_and_positions(layout.position_addition(count), joined, prefix_length, count)
    encoded = tokens_of(stream_in(tensors.outputs[layout.last]))
    normed = tensors.normed(len(encoded))
    labels = prepared.patches.prefix[:prefix_length]
    return PictureSequence(
        pixels=prepared.pixels[0],
        features=features,
        patches=Patches(prepared.patches.rows, prepared.patches.columns, labels),
        cut=patches,
        projection=projection,
        projected=projected,
        embedded=embedded,
        prefix=prefix,
        positions=positions,
        joined=joined,
        encoder_input=encoder_input,
        blocks=layout.blocks,
        encoded=encoded,
        normed=normed,
        read=tensors.read(encoded if normed is None else normed, labels),
        logits=tensors.logits,
        calls=layout.calls,
    )


def _prefix_and_positions(
    addition: Addition | None, joined: Tensor, prefix_length: int, count: int
) -> tuple[Tensor, Positions | None]:
    """The prefix tokens without positions, and the positions, from the operands of the model's addition."""
    if addition is None:
        return joined[:prefix_length].clone(), None
    before, vectors = tokens_of(addition.before.tensor), tokens_of(addition.added.tensor)
    with_positions = len(vectors) - count  # prefix tokens with a position
    prefix = torch.cat([before[:with_positions], joined[with_positions:prefix_length]])
    order: Literal["before", "after"] = "after" if with_positions else "before"
    return prefix, Positions(vectors[:with_positions].clone(), vectors[with_positions:].clone(), order)
