"""Explanations of the prediction of an image classifier, as maps: from attention or from convolutions."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from ..capture import AttentionCall, Record, record_attention
from ..errors import ModelError
from ..images import Patches
from ..vision.logits import scores_of
from ..zoo.image_models import ImageModel
from .aggregation import last_layer_attention, mean_over_heads, readout_tokens, rollout_of_tokens
from .class_activation import class_activation

# The explanations by the names that files and addresses use.
ATTENTION, ROLLOUT, RELEVANCE, ACTIVATION = "attention", "rollout", "relevance", "activation"

MOST_WEIGHTS = 2**27  # of all layers and heads together: with their gradients they take about 2 GB


@dataclass(frozen=True, eq=False)
class Explanations:
    """Maps by name; `classes` are those explained, `scores` their logits; `read`: the tokens that the head reads."""

    maps: dict[str, Float[Tensor, "batch row column"]]
    classes: Int[Tensor, " batch"] | None = None
    scores: Float[Tensor, "batch class"] | None = None
    read: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class AttentionGradients:
    """The attention weights of all layers, and the gradient of the class's logit with respect to them."""

    weights: tuple[Float[Tensor, "batch head token token"], ...]
    gradients: tuple[Float[Tensor, "batch head token token"], ...]
    read: Bool[Tensor, " token"]


def explain(
    model: ImageModel,
    pixels: Float[Tensor, "batch channel row column"],
    patches: Patches,
    classes: Int[Tensor, " batch"] | None = None,
) -> Explanations:
    """All explanations that the model has, for one class of each picture: by default the most probable one.

    Of convolutional models: class activation maps. Of models without classes: attention and rollout. Raises ModelError
    if not every query attends to the whole picture.
    """
    if not model.attends:
        with torch.no_grad():
            scores = scores_of(model.network, pixels)
        classes = scores.argmax(dim=-1) if classes is None else classes
        maps = {ACTIVATION: class_activation(model.network, pixels, classes)}
        return Explanations(maps, classes, scores)
    if not model.classes:
        return _without_classes(model.network, pixels, patches)
    attention, classes, scores = compute_attention_gradients(model.network, pixels, patches, classes)
    maps = {
        ATTENTION: last_layer_attention(attention.weights, attention.read),
        ROLLOUT: rollout_of_tokens(attention.weights, attention.read),
        RELEVANCE: relevance(attention.weights, attention.gradients, attention.read),
    }
    named = {name: on_patches(row, patches) for name, row in maps.items()}
    return Explanations(named, classes, scores, read_token_names(attention.read, patches))


def compute_attention_gradients(
    network: nn.Module,
    pixels: Float[Tensor, "batch channel row column"],
    patches: Patches,
    classes: Int[Tensor, " batch"] | None = None,
) -> tuple[AttentionGradients, Int[Tensor, " batch"], Float[Tensor, "batch class"]]:
    """Run the network, and compute the gradients of the classes' logits with respect to the attention weights.

    Returns weights and gradients, the classes and the logits.
    """
    check_global_attention(record_run(network, pixels[:1]), patches)
    with torch.enable_grad(), record_attention(network, differentiable=True) as record:
        scores = scores_of(network, pixels)
    classes = scores.argmax(dim=-1) if classes is None else classes
    gradients = tuple(record.gradients(scores.gather(1, classes[:, None]).sum()).values())
    written = [call.written for call in record.calls]
    weights = tuple(softmax.weights.detach() for softmax in written if softmax is not None)
    read = readout_tokens(gradients[-1])
    return (
        AttentionGradients(weights, gradients, read if read.any() else first_tokens(patches)),
        classes,
        scores.detach(),
    )


def record_run(network: nn.Module, pixels: Float[Tensor, "batch channel row column"]) -> Record:
    """Record the attention of one forward pass, without gradients."""
    with torch.no_grad(), record_attention(network) as record:
        network(pixels)
    return record


def check_global_attention(record: Record, patches: Patches) -> None:
    """Raise ModelError unless every query attends to all tokens of one picture, and the weights fit in memory."""
    for call in record.calls:
        if (call.batch_size, call.query_length, call.key_length) != (1, len(patches), len(patches)):
            raise ModelError(_not_global(call, patches))
    if (weight_count := sum(call.heads for call in record.calls) * len(patches) ** 2) > MOST_WEIGHTS:
        raise ModelError(
            f"All heads together have {weight_count / 1e6:,.0f} million weights at {len(patches):,} tokens; at most "
            f"{MOST_WEIGHTS / 1e6:,.0f} million are followed back. Choose fewer patches, or a smaller model."
        )


def _not_global(call: AttentionCall, patches: Patches) -> str:
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
    """The tokens that are read where no gradient says so: the first prefix token, or all patches if there is none."""
    return torch.arange(len(patches)) < (1 if patches.prefix else len(patches))


def read_token_names(read: Bool[Tensor, " token"], patches: Patches) -> tuple[str, ...]:
    """The labels of the prefix tokens that are read, and "patches" if any patch is."""
    prefix = len(patches.prefix)
    labels = [label for label, is_read in zip(patches.prefix, read.tolist(), strict=False) if is_read]
    return (*labels, "patches") if read[prefix:].any() else tuple(labels)


def relevance(
    weights: tuple[Float[Tensor, "batch head token token"], ...],
    gradients: tuple[Float[Tensor, "batch head token token"], ...],
    read: Bool[Tensor, " token"],
) -> Float[Tensor, "batch token"]:
    """Gradient x attention (Chefer, Gur and Wolf 2021, "Generic Attention-model Explainability", equations 5 and 6).

    R = I at the input; then in each layer R = R + A' R, where A' is the mean over heads of the positive part of
    gradient times weight. Returns the mean over the rows that are read of R - I.
    """
    identity = torch.eye(weights[0].shape[-1], device=weights[0].device).expand_as(weights[0][:, 0])
    relevant = identity
    for layer, gradient in zip(weights, gradients, strict=True):
        relevant = relevant + mean_over_heads((gradient * layer).clamp(min=0)) @ relevant
    return (relevant - identity)[:, read].mean(dim=1)


def on_patches(row: Float[Tensor, "batch token"], patches: Patches) -> Float[Tensor, "batch row column"]:
    """The values of the patches as a grid; those of prefix tokens are dropped."""
    return row[:, len(patches.prefix) :].unflatten(1, (patches.rows, patches.columns))


def _without_classes(network: nn.Module, pixels: Tensor, patches: Patches) -> Explanations:
    """Attention and rollout of each picture, read at the first token before the patches, or at all patches."""
    maps: dict[str, list[Tensor]] = {ATTENTION: [], ROLLOUT: []}
    read = first_tokens(patches)
    for picture in pixels.split(1):
        record = record_run(network, picture)
        check_global_attention(record, patches)
        weights = tuple(torch.stack([call.weights(head) for head in range(call.heads)])[None] for call in record.calls)
        maps[ATTENTION].append(on_patches(last_layer_attention(weights, read), patches))
        maps[ROLLOUT].append(on_patches(rollout_of_tokens(weights, read), patches))
    return Explanations(
        {name: torch.cat(pictures) for name, pictures in maps.items()}, read=read_token_names(read, patches)
    )


def grid_for(model: ImageModel, patches: Patches) -> tuple[int, int]:
    """Rows and columns of the patches that are deleted to test an explanation: those of the model.

    Of a convolutional model: twice those of its last feature map, about as many as a transformer has.
    """
    finer = 1 if model.attends else 2
    return finer * patches.rows, finer * patches.columns
