"""What a model is made of, drawn from its own modules and from what ran: for any PyTorch transformer.

walked = walk(model, lambda network: network(tokens))
walked.lanes[0]                     # the way from input to output: parts, blocks, and where things are added
walked.part("blocks.2.mlp")         # its kind, class, parameters and shapes
arrays_of(walked, "blocks.2.mlp")   # what went in and what came out
"""

from .arrays import Arrays, arrays_of
from .flow import Block, Lane, Stack, Step
from .masks import kind_of_mask, mask_of
from .norms import NormReading, read_norm
from .parts import Kind, Part
from .residual_stream import Added, Stream, stream_of
from .trace import Summed
from .walk import OUTPUT, Walked, walk

__all__ = [
    "OUTPUT",
    "Added",
    "Arrays",
    "Block",
    "Kind",
    "Lane",
    "NormReading",
    "Part",
    "Stack",
    "Step",
    "Stream",
    "Summed",
    "Walked",
    "arrays_of",
    "kind_of_mask",
    "mask_of",
    "read_norm",
    "stream_of",
    "walk",
]
