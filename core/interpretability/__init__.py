"""The architecture of any PyTorch transformer, read off its modules and one forward pass.

walked = walk(model, lambda network: network(tokens))
walked.lanes[0]                     # from input to output: parts, blocks and additions
walked.part("blocks.2.mlp")         # its kind, class, parameters and shapes
arrays_of(walked, "blocks.2.mlp")   # what went in and what came out
"""

from .arrays import Arrays, arrays_of
from .flow import Block, Lane, Stack, Step
from .masks import kind_of_mask, mask_of, mean_attention, open_links
from .norms import NormReading, read_norm
from .parts import Kind, Part
from .residual_stream import BranchOutput, ResidualStream, stream_of
from .trace import Addition
from .walk import OUTPUT, ModelWalk, walk

__all__ = [
    "OUTPUT",
    "Addition",
    "Arrays",
    "Block",
    "BranchOutput",
    "Kind",
    "Lane",
    "ModelWalk",
    "NormReading",
    "Part",
    "ResidualStream",
    "Stack",
    "Step",
    "arrays_of",
    "kind_of_mask",
    "mask_of",
    "mean_attention",
    "open_links",
    "read_norm",
    "stream_of",
    "walk",
]
