"""What a model predicts without what one head, or one key in it, writes at one token: measured by leaving it out.

The part is subtracted from what goes into W_O, and the model runs once more. Nothing has to be a sum of what the heads
write, so this holds for post-norm models (Vaswani et al. 2017; BERT) too, and for the heads of an encoder.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from ..capture.hooked_copy import weight_sharing_copy
from ..errors import CaptureError
from .contributions import HeadOutputs
from .weight_explanation import WeightExplanation, values_of_head

ReadLogits = Callable[[nn.Module], Float[Tensor, "row vocabulary"]]

OUT_OF_REACH = (
    "The output projection '{path}' ran {count} times as a module of its own, and to leave a part of one head out it "
    "must run once. So what the prediction would be without it cannot be measured."
)


@dataclass(frozen=True, eq=False)
class Removal:
    """The logits as they are, without the output of a head at one token, and without the part of one key in it."""

    plain: Float[Tensor, "row vocabulary"]
    without_head: Float[Tensor, "row vocabulary"]
    without_cell: Float[Tensor, "row vocabulary"]


def remove_parts(
    network: nn.Module, read_logits: ReadLogits, outputs: HeadOutputs, explanation: WeightExplanation
) -> Removal:
    """Run the model three times: as it is, and without the output of the explained head, and of its key, at its query.

    `read_logits(network)` runs a copy of the network on the input of `outputs`, which are those of the explained call.
    Raises CaptureError, with the reason, where the layer has no map W_O, or none that runs once as a module.
    """
    call, head = explanation.call, explanation.head
    values = values_of_head(call, head, explanation.item).float()
    weights = explanation.weights.float().nan_to_num(nan=0.0)
    with torch.inference_mode():
        plain = read_logits(weight_sharing_copy(network)).float()
        without_head, without_cell = (
            _logits_without(network, read_logits, outputs, explanation, part)
            for part in (weights @ values, weights[explanation.key] * values[explanation.key])
        )
    return Removal(plain, without_head, without_cell)


def _logits_without(
    network: nn.Module,
    read_logits: ReadLogits,
    outputs: HeadOutputs,
    explanation: WeightExplanation,
    part: Float[Tensor, " value_dim"],
) -> Float[Tensor, "row vocabulary"]:
    joined, output_map, _ = outputs.input_map_output
    copy, runs = weight_sharing_copy(network), 0
    first = explanation.head * len(part)

    def subtract(module: nn.Module, args: tuple) -> tuple:
        nonlocal runs
        del module
        runs += 1
        changed = args[0].clone(memory_format=torch.contiguous_format)
        rows = changed.view(*joined.shape[:2], -1)
        rows[explanation.item, explanation.query, first : first + len(part)] -= part.to(changed.dtype)
        return (changed, *args[1:])

    copy.get_submodule(output_map.path).register_forward_pre_hook(subtract)
    logits = read_logits(copy).float()
    if runs != 1:
        raise CaptureError(OUT_OF_REACH.format(path=output_map.path, count=runs))
    return logits
