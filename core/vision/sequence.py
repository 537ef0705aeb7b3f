"""How a picture becomes a sequence in a vision transformer: every stage as the model computed it.

sequence = sequence_of(model, prepared)
sequence.flattened @ sequence.projection.weight.T + sequence.projection.bias     # the network's own patch embedding
"""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.anatomy.parts import is_linear, is_norm, stacks_of
from core.anatomy.stream import stream_in
from core.anatomy.trace import Ran, Summed, Trace, tensors_in, tokens_of, trace
from core.errors import ModelError
from core.images import Patches
from core.twin import seeing
from core.vision.patches import Projection, cut, projection_of
from core.zoo.image_models import ImageModel, PreparedPicture


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
    it. `read` says what the head reads: labels of prefix tokens, or what the patches are pooled to.
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
def sequence_of(model: ImageModel, prepared: PreparedPicture) -> PictureSequence:
    """Follow a picture through the model; ModelError where no single linear map makes tokens of its patches."""
    if not model.attends:
        raise ModelError(
            f"{model.title} is a convolutional network: it never makes a sequence of the picture. "
            "Choose a vision transformer."
        )
    seen = trace(model.network, lambda network: network(prepared.pixels))
    projection = projection_of(model, seen, prepared)
    layout = _Layout.of(model, seen)
    kept = _Kept(layout, model, prepared)
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


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where in the model things happen: its first and last block, and what runs before the first."""

    first: str
    last: str
    blocks: int
    early: tuple[Ran | Summed, ...]  # everything before the first block
    norms: frozenset[str]

    @classmethod
    def of(cls, model: ImageModel, seen: Trace) -> "_Layout":
        stacks = stacks_of(model.network, frozenset(call.path for call in seen.calls))
        ran = [event.path for event in seen.events if isinstance(event, Ran)]
        blocks = [path for path in ran if any(path in block for block in stacks.values())]
        if not blocks:
            raise ModelError(f"{model.title} has no repeated blocks that attend. Choose a plain vision transformer.")
        begin = next(place for place, event in enumerate(seen.events) if _inside(_place(event), blocks[0]))
        norms = frozenset(path for path, module in model.network.named_modules() if is_norm(module))
        return cls(blocks[0], blocks[-1], len(blocks), tuple(seen.events[:begin]), norms)

    def sum_of(self, count: int) -> Summed | None:
        """Where positions are added: the sum over at least `count` tokens, outside of all blocks."""
        return next((event for event in self.early if isinstance(event, Summed) and _is_sum(event, count)), None)

    def norm_after(self, count: int, own: int) -> str | None:
        """The norm between the joined sequence, patches and `own` prefix tokens, and the first block (CLIP's)."""
        for event in reversed(self.early):
            if _is_sum(event, count):
                return None
            if self._norms(event, own + count) and (own or self.sum_of(count)):
                return _place(event)
        return None

    def norm_before(self, count: int, after: str | None) -> str | None:
        """The norm of the patch embedding itself (Swin has one)."""
        for event in self.early:
            if _is_sum(event, count):
                return None
            if self._norms(event, count) and _place(event) != after:
                return _place(event)
        return None

    def _norms(self, event: Ran | Summed, tokens: int) -> bool:
        if not isinstance(event, Ran) or event.path not in self.norms or not event.outputs:
            return False
        shape = event.outputs[0]
        return len(shape) > 2 and torch.Size(shape[1:-1]).numel() == tokens


class _Kept:
    """The tensors that the stages are made of, from one more run on a twin."""

    def __init__(self, layout: _Layout, model: ImageModel, prepared: PreparedPicture):
        self.given: dict[str, tuple[Tensor, ...]] = {}
        self.made: dict[str, tuple[Tensor, ...]] = {}
        self._late: list[tuple[nn.Module, Tensor, Tensor]] = []  # what runs after the last block
        self._classes = len(model.classes)
        wanted = {layout.first, layout.last} | layout.norms

        def see(path: str, module: nn.Module, args: tuple, kwargs: dict, output: object) -> None:
            given, made = tensors_in((args, kwargs)), tensors_in(output)
            if path in wanted:
                self.given[path], self.made[path] = _copies(given), _copies(made)
            if layout.last in self.made and given and made and (is_norm(module) or is_linear(module)):
                self._late.append((module, given[0].clone(), made[0].clone()))

        with seeing(model.network, see) as double:
            output = double(prepared.pixels)
        scores = output if isinstance(output, Tensor) else getattr(output, "logits", None)
        self.logits = scores[0].clone() if scores is not None and self._classes else None

    def normed(self, count: int) -> Tensor | None:
        """What the last norm makes of all tokens."""
        for module, _, made in self._late:
            if is_norm(module) and made.ndim > 2 and len(tokens := tokens_of(made)) == count:
                return tokens.clone()
        return None

    def read(self, tokens: Tensor, labels: tuple[str, ...]) -> tuple[str, ...]:
        """What each head reads, found by comparing: a prefix token, or a mean. Empty if it is neither."""
        means = {"mean of the patches": tokens[len(labels) :].mean(0), "mean of all tokens": tokens.mean(0)}
        known = dict(zip(labels, tokens, strict=False)) | means
        heads = [given for module, given, made in self._late if is_linear(module) and made.shape[-1] == self._classes]
        norms = [given for module, given, _ in self._late if is_norm(module) and given.ndim == 2]
        return tuple(name for head in heads if (name := _same(head, known) or _first_same(norms, known)))


def _first_same(vectors: list[Tensor], known: dict[str, Tensor]) -> str | None:
    return next((name for vector in vectors if (name := _same(vector, known))), None)


def _same(vector: Tensor, known: dict[str, Tensor]) -> str | None:
    """The name of the known vector that this one is."""
    if vector.ndim != 2:
        return None
    for name, other in known.items():
        if other.shape == vector[0].shape and torch.allclose(vector[0].float(), other, rtol=1e-4, atol=1e-5):
            return name
    return None


def _is_sum(event: Ran | Summed, count: int) -> bool:
    return isinstance(event, Summed) and len(tokens_of(event.added.tensor)) >= count


def _place(event: Ran | Summed) -> str:
    return event.path if isinstance(event, Ran) else event.inside


def _inside(path: str, place: str) -> bool:
    return path == place or path.startswith(place + ".")


def _copies(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(tensor.clone() for tensor in tensors)
