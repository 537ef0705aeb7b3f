"""Efficient approximations of attention, one file for each method.

variant = BigBird(block=16, window=3, random=2, global_tokens=16)
mixed = variant.output(query, key, value)  # (batch, head, query, head_dim), with less work than the exact product
weights = variant.weights(query, key)  # the weights that the output stands for, (batch, head, query, key)
"""

from .bigbird import BigBird
from .clustered import Clustered
from .exact import Fused, WrittenOut
from .linformer import Linformer, Projection, causal_linformer_attention, linformer_attention
from .low_rank import LowRank, factors
from .performer import Performer
from .sliding_window import SlidingWindow
from .sparse import Sparse
from .variant import Variant

__all__ = [
    "BigBird",
    "Clustered",
    "Fused",
    "Linformer",
    "LowRank",
    "Performer",
    "Projection",
    "SlidingWindow",
    "Sparse",
    "Variant",
    "WrittenOut",
    "causal_linformer_attention",
    "factors",
    "linformer_attention",
]
