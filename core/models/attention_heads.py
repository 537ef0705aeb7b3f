"""Whether a network of any library has attention heads, by the attributes of its modules and its config."""

from typing import Any

from torch import nn

# How the libraries name the number of heads.
HEADS = ("num_attention_heads", "encoder_attention_heads", "num_heads", "n_head", "n_heads", "heads")


def has_heads(network: nn.Module) -> bool:
    """Whether any module has a number of heads as an attribute."""
    return any(isinstance(getattr(module, heads, None), int) for module in network.modules() for heads in HEADS)


def names_heads(*configs: Any) -> bool:
    """Whether any of these configs has a number of heads as an attribute."""
    return any(hasattr(config, heads) for config in configs for heads in HEADS)
