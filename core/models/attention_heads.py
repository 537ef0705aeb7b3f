"""Whether a network of any library has attention heads, told from what its modules and its config say."""

from typing import Any

from torch import nn

# How the libraries name the number of heads.
HEADS = ("num_attention_heads", "encoder_attention_heads", "num_heads", "n_head", "n_heads", "heads")


def has_heads(network: nn.Module) -> bool:
    """Whether any module says how many heads it has."""
    return any(isinstance(getattr(module, heads, None), int) for module in network.modules() for heads in HEADS)


def names_heads(*configs: Any) -> bool:
    """Whether any of these configs names a number of heads."""
    return any(hasattr(config, heads) for config in configs for heads in HEADS)
