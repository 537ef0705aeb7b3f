"""The parts of Swin's attention scores on one picture, content and position bias; and patch merging between stages."""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import hooked_copy
from .position_bias import PositionBias, attention_of, scale_of
from .window_grid import PADDING
from .windows import WindowLayer

Content = Float[Tensor, "window head query key"]


@dataclass(frozen=True, eq=False)
class Merging:
    """Patch merging before a stage: 2 x 2 neighbours concatenated, then norm and linear map in either order."""

    before: Float[Tensor, "_ _ width"]  # the stage before, padded to even sides
    joined: Float[Tensor, "row column _"]
    steps: tuple[tuple[str, Float[Tensor, "row column _"]], ...]  # "norm" and "linear", as they ran

    def neighbours(self, row: int, column: int) -> Float[Tensor, "4 width"]:
        """The four places that are merged, in the order of concatenation: column by column."""
        square = self.before[2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        return square.transpose(0, 1).flatten(0, 1)


@dataclass(frozen=True, eq=False)
class WindowParts:
    """The content part of each block's scores on one picture, and the patch merging of each stage but the first."""

    content: tuple[Float[Tensor, "_ _ _ _"], ...]  # each (window, head, query, key)
    merging: dict[int, Merging]
    widths: dict[int, int]  # channels of each stage


@dataclass(frozen=True, eq=False)
class BiasShare:
    """The share of the position bias in a block's scores, for each head; over allowed keys and unpadded queries.

    Each row is centred, because the softmax does not depend on its mean. `share` = cov(bias, score) / var(score): it
    sums to 1 with that of the content, and it is negative where the bias opposes the content.
    """

    content: Float[Tensor, " head"]  # standard deviations
    bias: Float[Tensor, " head"]
    share: Float[Tensor, " head"]
    moved: Float[Tensor, " head"]  # mean share of each row's weight that moves when the bias is removed


def record_window_parts(
    network: nn.Module, pixels: Float[Tensor, "batch channel row column"], layers: tuple[WindowLayer, ...]
) -> WindowParts:
    """Run a copy of the network on one picture, and keep the content scores and the patch merging."""
    attentions = {id(attention_of(network, layer)): number for number, layer in enumerate(layers)}
    paths = {path: attentions[id(module)] for path, module in network.named_modules() if id(module) in attentions}
    grids = {layer.stage: (layer.rows, layer.columns) for layer in layers}
    content: dict[int, Content] = {}
    widths: dict[int, int] = {}
    merging: dict[int, Merging] = {}
    steps: list[tuple[str, Tensor]] = []

    def hook(path: str, module: nn.Module, args: tuple, kwargs: dict, output: Any) -> None:
        if path in paths:
            hidden_states = args[0] if args else kwargs["hidden_states"]
            content[paths[path]] = content_of(module, hidden_states)
            widths[layers[paths[path]].stage] = hidden_states.shape[-1]
        elif path.split(".")[-2:-1] == ["downsample"]:
            steps.append(("norm" if isinstance(module, nn.LayerNorm) else "linear", output))
        elif path.endswith(".downsample") and steps:
            stage = 1 + len(merging)
            before = args[0].unflatten(1, grids[stage - 1])[0] if args[0].ndim == 3 else args[0][0]
            merging[stage] = _merging(before, steps, grids[stage])
            steps.clear()

    with torch.inference_mode(), hooked_copy(network, hook) as copy:
        copy(pixels)
    return WindowParts(tuple(content[number] for number in range(len(layers))), merging, widths)


def content_of(module: Any, hidden_states: Float[Tensor, "window position width"]) -> Content:
    """The scores of queries and keys by the module's own weights, without bias and mask."""
    query, key = _query_and_key(module, hidden_states)
    if hasattr(module, "logit_scale"):
        cosine = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT
        return cosine * scale_of(module)[:, None, None]
    return query @ key.mT * query.shape[-1] ** -0.5


def bias_share(content: Content, bias: PositionBias, layer: WindowLayer) -> BiasShare:
    """Compare content and bias."""
    bias_scores = bias.matrix[None].expand_as(content)
    is_query = (layer.places != PADDING)[:, None, :, None]
    allowed = (layer.allowed[:, None] & is_query).expand_as(content)
    centred = [_centre_rows(part, allowed) for part in (content, bias_scores)]
    total_scores = centred[0] + centred[1]
    count = allowed.sum((0, 2, 3))

    def mean(values: Tensor) -> Tensor:
        return values.sum((0, 2, 3)) / count

    total = mean(total_scores**2)
    forbidden = ~layer.allowed[:, None]
    weights = (content + bias_scores).masked_fill(forbidden, -torch.inf).softmax(-1)
    without = content.masked_fill(forbidden, -torch.inf).softmax(-1)
    moved = ((weights - without).abs().sum(-1, keepdim=True) / 2 * is_query).sum((0, 2, 3)) / is_query.sum()
    return BiasShare(
        content=mean(centred[0] ** 2).sqrt(),
        bias=mean(centred[1] ** 2).sqrt(),
        share=mean(centred[1] * total_scores) / total,
        moved=moved,
    )


def _centre_rows(scores: Content, allowed: Tensor) -> Content:
    """Each row minus its mean over the allowed keys; 0 elsewhere."""
    allowed_scores = scores * allowed
    mean = allowed_scores.sum(-1, keepdim=True) / allowed.sum(-1, keepdim=True).clamp(min=1)
    return (scores - mean) * allowed


def _query_and_key(module: Any, hidden_states: Float[Tensor, "window position width"]) -> tuple[Tensor, Tensor]:
    """Query and key of timm's Swin and SwinV2 (one map for all three), transformers' Swin, and its Swinv2."""
    if hasattr(module, "qkv"):
        heads, projections = module.num_heads, module.qkv(hidden_states).chunk(3, dim=-1)[:2]
        if getattr(module, "q_bias", None) is not None:
            projections = projections[0] + module.q_bias, projections[1] + module.k_bias
    elif hasattr(module, "q_proj"):
        heads, projections = module.num_attention_heads, (module.q_proj(hidden_states), module.k_proj(hidden_states))
    else:
        heads, projections = module.num_attention_heads, (module.query(hidden_states), module.key(hidden_states))
    query, key = (part.unflatten(-1, (heads, -1)).transpose(1, 2).float() for part in projections)
    return query, key


def _merging(before: Tensor, steps: list[tuple[str, Tensor]], grid: tuple[int, int]) -> Merging:
    padded = F.pad(before, (0, 0, 0, before.shape[1] % 2, 0, before.shape[0] % 2))
    squares = padded.unflatten(1, (-1, 2)).unflatten(0, (-1, 2))  # row, 2, column, 2, width
    joined = squares.permute(0, 2, 3, 1, 4).flatten(2)
    outputs = tuple((name, output.reshape(*grid, output.shape[-1]).float()) for name, output in steps)
    return Merging(padded.float(), joined.float(), outputs)
