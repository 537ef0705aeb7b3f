"""A head of the model that comes with the atlas, and what it computed for the visitor's sentence."""

from typing import cast

import torch

from core.capture import AttentionCall, record_attention
from core.models.gpt import GPT
from core.text import Tokens
from dashboard.models import text_model
from pages.foundations.order import inputs


def layer_and_head() -> tuple[int, int]:
    """Which one."""
    config = cast(GPT, text_model(inputs.MODEL).network).config
    return inputs.number("Layer", config.layers, key="layer"), inputs.number("Head", config.heads, key="head")


def call(tokens: Tokens, layer: int) -> AttentionCall:
    """The attention of a layer, on these tokens."""
    model = text_model(inputs.MODEL)
    with torch.inference_mode(), record_attention(model.network) as record:
        model.run(tokens)
    return record.calls[layer]
