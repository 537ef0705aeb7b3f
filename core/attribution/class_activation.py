"""Gradient-weighted class activation maps (Grad-CAM) of the last feature map."""

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

    hooked = hookable_copy(network)
    layer = hooked.get_submodule(last_feature_map(network, pixels[:1]))

    with torch.enable_grad():
        maps = LayerGradCam(partial(scores_of, hooked), layer).attribute(
            pixels.clone().requires_grad_(), classes, relu_attributions=True
        )
    return maps[:, 0].detach()


def last_feature_map(network: nn.Module, pixels: Float[Tensor, "batch channel row column"]) -> str:
    """The path of the last module whose output is (batch, channel, row, column) with more than one position."""
    hooked, paths = hookable_copy(network), []

    def hook_for(path: str):
        def hook(_module: nn.Module, _inputs: object, output: object) -> None:
            if isinstance(output, Tensor) and output.ndim == 4 and math.prod(output.shape[2:]) > 1:
                paths.append(path)

        return hook

    for path, module in hooked.named_modules():
        if path:
            module.register_forward_hook(hook_for(path))
    with torch.no_grad():
        hooked(pixels)
    if not paths:
        raise ModelError(
            f"No module of this network hands on a feature map of more than one place at {pixels.shape[-2]} × "
            f"{pixels.shape[-1]} pixels, so it has no class activation map. Choose a larger picture, or another model."
        )
    return paths[-1]


def hookable_copy(network: nn.Module) -> nn.Module:
    """A copy for hooks, while other threads use the network; it shares parameters and buffers."""
    shared = [*network.parameters(), *network.buffers()]
    return copy.deepcopy(network, {id(tensor): tensor for tensor in shared})
