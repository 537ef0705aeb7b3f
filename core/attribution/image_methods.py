"""What the verdict of a picture model rests on: one map for each way to tell, from attention or from convolutions."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..capture import AttentionCall, Record, record_attention
from ..errors import ModelError
from ..images import Patches
from ..vision.logits import scores_of
from ..zoo.image_models import ImageModel
from .aggregation import last_attention, mean_over_heads, read_tokens, rolled_out
from .class_activation import class_activation

# The explanations by the names that files and addresses use.
ATTENTION, ROLLOUT, RELEVANCE, ACTIVATION = "attention", "rollout", "relevance", "activation"

MOST_WEIGHTS = 2**27  # of all layers and heads together: with their gradients they take about 2 GB


@dataclass(frozen=True, eq=False)
class Explanations:
    """Maps by name; `classes` are those explained, `scores` their logits; `read`: the tokens whose rows are read."""

    maps: dict[str, Float[Tensor, "batch row column"]]
    classes: Int[Tensor, " batch"] | None = None
    scores: Float[Tensor, "batch class"] | None = None
    read: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Attended:
    """The attention of all layers, and how the score of the class in question changes with each weight."""

    weights: tuple[Float[Tensor, "batch head token token"], ...]
    gradients: tuple[Float[Tensor, "batch head token token"], ...]
    read: Bool[Tensor, " token"]


def explain(
    model: ImageModel,
    pixels: Float[Tensor, "batch channel row column"],
    patches: Patches,
    classes: Int[Tensor, " batch"] | None = None,
) -> Explanations:
    """All explanations that the model has, for one class of each picture: the most probable one, if none is given.

    Of convolutional models: class activation maps. Of models that know no classes: what needs none. ModelError if
    not every query sees the whole picture.
    """
    if not model.attends:
        with torch.no_grad():
            scores = scores_of(model.network, pixels)
        classes = scores.argmax(dim=-1) if classes is None else classes
        maps = {ACTIVATION: class_activation(model.network, pixels, classes)}
        return Explanations(maps, classes, scores)
    if not model.classes:
        return _without_classes(model.network, pixels, patches)
    attended, classes, scores = attend(model.network, pixels, patches, classes)
    maps = {
        ATTENTION: last_attention(attended.weights, attended.read),
        ROLLOUT: rolled_out(attended.weights, attended.read),
        RELEVANCE: relevance(attended.weights, attended.gradients, attended.read),
    }
    named = {name: on_patches(row, patches) for name, row in maps.items()}
    return Explanations(named, classes, scores, names_of(attended.read, patches))


def attend(
    network: nn.Module,
    pixels: Float[Tensor, "batch channel row column"],
    patches: Patches,
    classes: Int[Tensor, " batch"] | None = None,
) -> tuple[Attended, Int[Tensor, " batch"], Float[Tensor, "batch class"]]:
    """Run the network with its attention written out, and follow the logits of the classes back to the weights.

    Also the classes and the logits.
    """
    check_whole(watch(network, pixels[:1]), patches)
    with torch.enable_grad(), record_attention(network, differentiable=True) as record:
        scores = scores_of(network, pixels)
    classes = scores.argmax(dim=-1) if classes is None else classes
    gradients = tuple(record.gradients(scores.gather(1, classes[:, None]).sum()).values())
    written = [call.written for call in record.calls]
    weights = tuple(each.weights.detach() for each in written if each is not None)
    read = read_tokens(gradients[-1])
    return Attended(weights, gradients, read if read.any() else first_tokens(patches)), classes, scores.detach()


def watch(network: nn.Module, pixels: Float[Tensor, "batch channel row column"]) -> Record:
    """What the network attends to, by its own fast kernel."""
    with torch.no_grad(), record_attention(network) as record:
        network(pixels)
    return record


def check_whole(record: Record, patches: Patches) -> None:
    """ModelError unless each query of each layer sees the whole picture, of one picture at a time."""
    for call in record.calls:
        if (call.batch_size, call.query_length, call.key_length) != (1, len(patches), len(patches)):
            raise ModelError(_seen_in_part(call, patches))
    if (held := sum(call.heads for call in record.calls) * len(patches) ** 2) > MOST_WEIGHTS:
        raise ModelError(
            f"All heads together have {held / 1e6:,.0f} million weights at {len(patches):,} tokens; at most "
            f"{MOST_WEIGHTS / 1e6:,.0f} million are followed back. Choose fewer patches, or a smaller model."
        )


def _seen_in_part(call: AttentionCall, patches: Patches) -> str:
    if call.batch_size > 1:
        return (
            f"This model looks through windows: '{call.path}' sees {call.batch_size} parts of {call.key_length} places "
            "each. These explanations need queries that see the whole picture; the page Swin puts windows together."
        )
    return (
        f"'{call.path}' has {call.query_length:,} queries and {call.key_length:,} keys, but the picture has "
        f"{len(patches):,} tokens. These explanations need layers in which every token sees all of them."
    )


def first_tokens(patches: Patches) -> Bool[Tensor, " token"]:
    """What is read where no score tells: the first token before the patches, or all patches where there is none."""
    return torch.arange(len(patches)) < (1 if patches.prefix else len(patches))


def names_of(read: Bool[Tensor, " token"], patches: Patches) -> tuple[str, ...]:
    """The labels of the prefix tokens that are read, and "patches" if patches are."""
    prefix = len(patches.prefix)
    named = [label for label, one in zip(patches.prefix, read.tolist(), strict=False) if one]
    return (*named, "patches") if read[prefix:].any() else tuple(named)


def relevance(
    weights: tuple[Float[Tensor, "batch head token token"], ...],
    gradients: tuple[Float[Tensor, "batch head token token"], ...],
    read: Bool[Tensor, " token"],
) -> Float[Tensor, "batch token"]:
    """Gradient x attention (Chefer, Gur and Wolf 2021, "Generic Attention-model Explainability", equations 5 and 6).

    R = I at the input; then in each layer R = R + A' R, where A' is the mean over heads of the positive part of
    gradient times weight. The rows that are read, without the I that they began with.
    """
    identity = torch.eye(weights[0].shape[-1], device=weights[0].device).expand_as(weights[0][:, 0])
    relevant = identity
    for layer, gradient in zip(weights, gradients, strict=True):
        relevant = relevant + mean_over_heads((gradient * layer).clamp(min=0)) @ relevant
    return (relevant - identity)[:, read].mean(dim=1)


def on_patches(row: Float[Tensor, "batch token"], patches: Patches) -> Float[Tensor, "batch row column"]:
    """What falls on patches, where it belongs; prefix tokens have no place on the picture."""
    return row[:, len(patches.prefix) :].unflatten(1, (patches.rows, patches.columns))


def _without_classes(network: nn.Module, pixels: Tensor, patches: Patches) -> Explanations:
    """Attention and rollout of each picture, read at the first token before the patches, or at all patches."""
    maps: dict[str, list[Tensor]] = {ATTENTION: [], ROLLOUT: []}
    read = first_tokens(patches)
    for picture in pixels.split(1):
        record = watch(network, picture)
        check_whole(record, patches)
        weights = tuple(torch.stack([call.weights(head) for head in range(call.heads)])[None] for call in record.calls)
        maps[ATTENTION].append(on_patches(last_attention(weights, read), patches))
        maps[ROLLOUT].append(on_patches(rolled_out(weights, read), patches))
    return Explanations({name: torch.cat(found) for name, found in maps.items()}, read=names_of(read, patches))


def grid_for(model: ImageModel, patches: Patches) -> tuple[int, int]:
    """Rows and columns of the patches that are taken away to test an explanation: the model's own.

    Of a convolutional model: twice as many as its last feature map has, which is about as many as a transformer's.
    """
    finer = 1 if model.attends else 2
    return finer * patches.rows, finer * patches.columns
