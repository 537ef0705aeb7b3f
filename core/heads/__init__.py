"""What each head does: measures, what it writes, and what the model loses without it."""

from ..former_names import former_names

__getattr__ = former_names(
    __name__, {"relevance": "..attribution.aggregation", "taken_together": "..attribution.record_aggregation"}
)
