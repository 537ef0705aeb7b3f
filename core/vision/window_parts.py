"""What the scores of a Swin are made of on one picture, content and place; and how patches merge between stages."""

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
    """How a stage begins: 2 x 2 neighbours of C channels laid side by side, then norm and linear map in its order."""

    before: Float[Tensor, "_ _ width"]  # the stage before, padded to even sides
    joined: Float[Tensor, "row column _"]
    steps: tuple[tuple[str, Float[Tensor, "row column _"]], ...]  # "norm" and "linear", as they ran

    def neighbours(self, row: int, column: int) -> Float[Tensor, "4 width"]:
        """The four places that become one, in the order in which they are laid side by side: column by column."""
        square = self.before[2 * row : 2 * row + 2, 2 * column : 2 * column + 2]
        return square.transpose(0, 1).flatten(0, 1)


@dataclass(frozen=True, eq=False)
class WindowParts:
    """Of one picture: the content part of each block's scores, and the merging that each stage but the first does."""

    content: tuple[Float[Tensor, "_ _ _ _"], ...]  # each (window, head, query, key)
    merging: dict[int, Merging]
    widths: dict[int, int]  # channels of each stage


@dataclass(frozen=True, eq=False)
class BiasShare:
    """How much of a block's scores is place, head by head; of keys that may be looked at, by places of the picture.

    Each row is taken without its mean, which the softmax does not see. `share` = cov(bias, score) / var(score): with
    the content's it adds up to 1, and it is negative where the bias works against the content.
    """

    content: Float[Tensor, " head"]  # standard deviations
    bias: Float[Tensor, " head"]
    share: Float[Tensor, " head"]
    moved: Float[Tensor, " head"]  # how much of each row's weight would go elsewhere without the bias, on average


def watch_parts(
    network: nn.Module, pixels: Float[Tensor, "batch channel row column"], layers: tuple[WindowLayer, ...]
) -> WindowParts:
    """Run a twin of the network on one picture, and keep what its attention and its merging are given."""
    attentions = {id(attention_of(network, layer)): number for number, layer in enumerate(layers)}
    paths = {path: attentions[id(module)] for path, module in network.named_modules() if id(module) in attentions}
    grids = {layer.stage: (layer.rows, layer.columns) for layer in layers}
    content: dict[int, Content] = {}
    widths: dict[int, int] = {}
    merging: dict[int, Merging] = {}
    steps: list[tuple[str, Tensor]] = []

    def see(path: str, module: nn.Module, args: tuple, kwargs: dict, output: Any) -> None:
        if path in paths:
            given = args[0] if args else kwargs["hidden_states"]
            content[paths[path]] = content_of(module, given)
            widths[layers[paths[path]].stage] = given.shape[-1]
        elif path.split(".")[-2:-1] == ["downsample"]:
            steps.append(("norm" if isinstance(module, nn.LayerNorm) else "linear", output))
        elif path.endswith(".downsample") and steps:
            stage = 1 + len(merging)
            before = args[0].unflatten(1, grids[stage - 1])[0] if args[0].ndim == 3 else args[0][0]
            merging[stage] = _merging(before, steps, grids[stage])
            steps.clear()

    with torch.inference_mode(), hooked_copy(network, see) as double:
        double(pixels)
    return WindowParts(tuple(content[number] for number in range(len(layers))), merging, widths)


def content_of(module: Any, given: Float[Tensor, "window position width"]) -> Content:
    """The part of the scores that queries and keys say, by the module's own weights: no bias, no mask."""
    query, key = _query_and_key(module, given)
    if hasattr(module, "logit_scale"):
        cosine = F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT
        return cosine * scale_of(module)[:, None, None]
    return query @ key.mT * query.shape[-1] ** -0.5


def bias_share(content: Content, bias: PositionBias, layer: WindowLayer) -> BiasShare:
    """Content and bias compared."""
    added = bias.added[None].expand_as(content)
    looks = (layer.places != PADDING)[:, None, :, None]
    allowed = (layer.allowed[:, None] & looks).expand_as(content)
    centred = [_centred(part, allowed) for part in (content, added)]
    both = centred[0] + centred[1]
    count = allowed.sum((0, 2, 3))

    def mean(values: Tensor) -> Tensor:
        return values.sum((0, 2, 3)) / count

    total = mean(both**2)
    forbidden = ~layer.allowed[:, None]
    weights = (content + added).masked_fill(forbidden, -torch.inf).softmax(-1)
    without = content.masked_fill(forbidden, -torch.inf).softmax(-1)
    moved = ((weights - without).abs().sum(-1, keepdim=True) / 2 * looks).sum((0, 2, 3)) / looks.sum()
    return BiasShare(
        content=mean(centred[0] ** 2).sqrt(),
        bias=mean(centred[1] ** 2).sqrt(),
        share=mean(centred[1] * both) / total,
        moved=moved,
    )


def _centred(scores: Content, allowed: Tensor) -> Content:
    """Each row without the mean of what it may look at; 0 elsewhere."""
    kept = scores * allowed
    mean = kept.sum(-1, keepdim=True) / allowed.sum(-1, keepdim=True).clamp(min=1)
    return (scores - mean) * allowed


def _query_and_key(module: Any, given: Float[Tensor, "window position width"]) -> tuple[Tensor, Tensor]:
    """In the words of timm's Swin and SwinV2 (one map for all three), of transformers' Swin, and of its Swinv2."""
    if hasattr(module, "qkv"):
        heads, both = module.num_heads, module.qkv(given).chunk(3, dim=-1)[:2]
        if getattr(module, "q_bias", None) is not None:
            both = both[0] + module.q_bias, both[1] + module.k_bias
    elif hasattr(module, "q_proj"):
        heads, both = module.num_attention_heads, (module.q_proj(given), module.k_proj(given))
    else:
        heads, both = module.num_attention_heads, (module.query(given), module.key(given))
    query, key = (part.unflatten(-1, (heads, -1)).transpose(1, 2).float() for part in both)
    return query, key


def _merging(before: Tensor, steps: list[tuple[str, Tensor]], grid: tuple[int, int]) -> Merging:
    padded = F.pad(before, (0, 0, 0, before.shape[1] % 2, 0, before.shape[0] % 2))
    squares = padded.unflatten(1, (-1, 2)).unflatten(0, (-1, 2))  # row, 2, column, 2, width
    joined = squares.permute(0, 2, 3, 1, 4).flatten(2)
    laid = tuple((name, output.reshape(*grid, output.shape[-1]).float()) for name, output in steps)
    return Merging(padded.float(), joined.float(), laid)
