"""How a model knows the order of its tokens when it adds no vectors for positions, or besides adding them."""

from collections.abc import Mapping

from core.order.learned_positions import Way

# What `core.order.learned_positions.other_way` finds, as the end of a sentence about the model.
WAY_TOLD: Mapping[Way, str] = {
    "rotary": "it rotates queries and keys by their places (rotary)",
    "alibi": "it takes distance off its scores (ALiBi)",
    "buckets": "it adds a learned bias for each bucket of distances (T5)",
    "window": "it adds a bias for each difference of places in a window (Swin)",
    "disentangled": "it compares contents with learned vectors for distances (DeBERTa)",
    "unknown": "its parts do not show how it knows the order",
}
