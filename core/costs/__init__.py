"""The size of a transformer and the costs of its layers: memory and operations by formula and by count."""

from .bill import PARTS, Line
from .counts import count_flops, count_parameters
from .flops import crossing, flops
from .parameters import parameters, total
from .shape import Shape, bert, gpt, t5, vit
from .shape_of_network import shape_of
from .weights_and_cache import PRECISIONS, memory

__all__ = [
    "PARTS",
    "PRECISIONS",
    "Line",
    "Shape",
    "bert",
    "count_flops",
    "count_parameters",
    "crossing",
    "flops",
    "gpt",
    "memory",
    "parameters",
    "shape_of",
    "t5",
    "total",
    "vit",
]
