"""Attention heads: measures of their patterns, their outputs, and the loss of the model without them."""

from ..former_names import former_names

__getattr__ = former_names(
    __name__, {"relevance": "..attribution.aggregation", "taken_together": "..attribution.record_aggregation"}
)
