"""How large a transformer is: parameters, memory and work of each part, by formula and by count."""

from core.sizes.bill import PARTS, Line
from core.sizes.counted import count_flops, count_parameters
from core.sizes.flops import crossing, flops
from core.sizes.parameters import parameters, total
from core.sizes.reading import shape_of
from core.sizes.shape import Shape, bert, gpt, t5, vit
from core.sizes.weights_and_cache import PRECISIONS, memory

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
