"""Attention that leaves something out, one readable file for each proposal.

variant = BigBird(block=16, window=3, random=2, global_tokens=16)
mixed = variant.output(query, key, value)  # (batch, head, query, each), with less work than the exact product
weights = variant.weights(query, key)  # the map that it stands for, written out
"""

from core.efficient.bigbird import BigBird
from core.efficient.clustered import Clustered
from core.efficient.exact import Fused, WrittenOut
from core.efficient.linformer import Linformer, Projection, causal_projected, projected
from core.efficient.low_rank import LowRank, factors
from core.efficient.performer import Performer
from core.efficient.sliding_window import SlidingWindow
from core.efficient.sparse import Sparse
from core.efficient.variant import Variant

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
    "causal_projected",
    "factors",
    "projected",
]
