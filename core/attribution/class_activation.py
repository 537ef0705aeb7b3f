"""Gradient-weighted class activation maps: which places of the last feature map speak for a class."""

import copy
import math
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..errors import ModelError
from ..vision.logits import scores_of


def class_activation(
    network: nn.Module, pixels: Float[Tensor, "batch channel row column"], classes: Int[Tensor, " batch"]
) -> Float[Tensor, "batch _ _"]:
    """Grad-CAM of one class of each picture (Selvaraju et al. 2017, equations 1 and 2), by captum's LayerGradCam.

    Each channel of the last feature map is weighted with the mean over its places of the gradient of the class's
    logit; of their sum the positive part stays. As many rows and columns as that feature map has.
    """
    from captum.attr import LayerGradCam  # here, because it takes seconds

    own = hookable(network)
    layer = own.get_submodule(last_feature_map(network, pixels[:1]))

    with torch.enable_grad():
        found = LayerGradCam(partial(scores_of, own), layer).attribute(
            pixels.clone().requires_grad_(), classes, relu_attributions=True
        )
    return found[:, 0].detach()


def last_feature_map(network: nn.Module, pixels: Float[Tensor, "batch channel row column"]) -> str:
    """The path of the last module that hands on a map (batch, channel, row, column) of more than one place."""
    own, seen = hookable(network), []

    def note(path: str):
        def look(_module: nn.Module, _given: object, output: object) -> None:
            if isinstance(output, Tensor) and output.ndim == 4 and math.prod(output.shape[2:]) > 1:
                seen.append(path)

        return look

    for path, module in own.named_modules():
        if path:
            module.register_forward_hook(note(path))
    with torch.no_grad():
        own(pixels)
    if not seen:
        raise ModelError(
            f"No module of this network hands on a feature map of more than one place at {pixels.shape[-2]} × "
            f"{pixels.shape[-1]} pixels, so it has no class activation map. Choose a larger picture, or another model."
        )
    return seen[-1]


def hookable(network: nn.Module) -> nn.Module:
    """A copy on which hooks may be set, while others use the network; the numbers themselves are shared."""
    shared = [*network.parameters(), *network.buffers()]
    return copy.deepcopy(network, {id(tensor): tensor for tensor in shared})
