"""Clauses about how a model encodes the order of its tokens other than by adding vectors for positions."""

from collections.abc import Mapping

from core.order.learned_positions import PositionMethod

# What `core.order.learned_positions.position_method` finds, as the end of a sentence about the model.
ORDER_CLAUSES: Mapping[PositionMethod, str] = {
    "rotary": "it rotates queries and keys by their places (rotary)",
    "alibi": "it takes distance off its scores (ALiBi)",
    "buckets": "it adds a learned bias for each bucket of distances (T5)",
    "window": "it adds a bias for each difference of places in a window (Swin)",
    "disentangled": "it compares contents with learned vectors for distances (DeBERTa)",
    "unknown": "its parts do not show how it knows the order",
}
