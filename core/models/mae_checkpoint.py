"""The weights of a ViT-MAE of transformers, loaded into `core/models/mae.py` (He et al. 2022)."""

import re

import torch
from torch import Tensor

from .mae import MAEConfig, MaskedAutoencoder


def load_mae(
    weights: dict[str, Tensor], *, heads: tuple[int, int], side: int, target: str = "normalised", epsilon: float = 1e-12
) -> MaskedAutoencoder:
    """Our network with the weights of a ViT-MAE of transformers; `heads`: of its encoder and of its decoder.

    ValueError where a weight is missing or unknown. `weights` is the `state_dict` of ViTMAEForPreTraining.
    """
    width, _, patch, _ = weights["vit.embeddings.patch_embeddings.projection.weight"].shape
    config = MAEConfig(
        side,
        patch,
        width,
        _count(weights, r"^vit\.(?:encoder\.layer|layers)\.(\d+)\."),
        heads[0],
        weights["decoder.mask_token"].numel(),
        _count(weights, r"^decoder\.decoder_layers\.(\d+)\."),
        heads[1],
        targets=(target,),
        epsilon=epsilon,
    )
    network = MaskedAutoencoder(config)
    renamed = {}
    for name, weight in weights.items():
        if re.search(r"position_embeddings|decoder_pos_embed|\.(key|k_proj|value|v_proj)\.", name):
            continue
        query = re.search(r"\.(query|q_proj)\.", name)
        if query:  # one matrix for all three here
            others = {"query": ("key", "value"), "q_proj": ("k_proj", "v_proj")}[query[1]]
            parts = [weight, *(weights[name.replace(query[1], other)] for other in others)]
            renamed[_state_name(name)] = torch.cat(parts)
        elif name.endswith("projection.weight"):
            renamed[_state_name(name)] = weight.permute(0, 2, 3, 1).flatten(1)  # channels last, as patches are cut
        elif name.endswith(("cls_token", "mask_token")):
            renamed[_state_name(name)] = weight.flatten()
        else:
            renamed[_state_name(name)] = weight
    missing, unknown = network.load_state_dict(renamed, strict=False)
    if missing or unknown:
        raise ValueError(f"These weights do not fit a masked autoencoder: missing {missing}, unknown {unknown}.")
    network.encoder.positions = weights["vit.embeddings.position_embeddings"][0].clone()
    network.decoder.positions = weights["decoder.decoder_pos_embed"][0].clone()
    return network.eval().requires_grad_(False)


def _count(weights: dict[str, Tensor], pattern: str) -> int:
    """The number of layers: how many different numbers the first group of `pattern` matches in the names."""
    return len({match[1] for name in weights if (match := re.match(pattern, name))})


# What transformers calls the parts of a ViT-MAE, and what they are called here.
_NAMES = (
    (r"^vit\.embeddings\.patch_embeddings\.projection", "encoder.patches"),
    (r"^vit\.embeddings\.cls_token", "encoder.class_token"),
    (r"^vit\.(encoder\.layer|layers)\.", "encoder.blocks."),
    (r"^vit\.layernorm", "encoder.norm"),
    (r"^decoder\.decoder_layers\.", "decoder.blocks."),
    (r"^decoder\.decoder_embed", "decoder.narrow"),
    (r"^decoder\.mask_token", "decoder.hidden"),
    (r"^decoder\.decoder_norm", "decoder.norm"),
    (r"^decoder\.decoder_pred", "decoder.pixels"),
    (r"attention\.(attention\.query|q_proj)", "attention.qkv"),
    (r"attention\.(output\.dense|o_proj)", "attention.out"),
    (r"layernorm_before", "attention_norm"),
    (r"layernorm_after", "mlp_norm"),
    (r"(intermediate\.dense|mlp\.fc1)", "mlp.up"),
    (r"(?<!attention\.)(output\.dense|mlp\.fc2)", "mlp.out"),
)


def _state_name(name: str) -> str:
    for pattern, replacement in _NAMES:
        name = re.sub(pattern, replacement, name)
    return name
