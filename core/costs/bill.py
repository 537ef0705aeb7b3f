"""The parts of a transformer, and one line of a bill: a formula, the formula with numbers, and its value."""

import re
from dataclasses import dataclass

from .shape import Shape

EMBEDDING = "Token or patch embedding"
POSITIONS = "Positions"
QKV = "Query, key, value matrices"
SCORES = "Scores and weighted sum"
OUT = "Output matrix"
CROSS = "Cross-attention"
MLP = "MLP"
NORMS = "Norms"
HEAD = "Head"
OTHER = "Other"
PARTS = (EMBEDDING, POSITIONS, QKV, SCORES, OUT, CROSS, MLP, NORMS, HEAD, OTHER)

_HEADS = r"^(cls|lm_head|head|score|classifier|pre_classifier|vocab_\w+)(\.|$)|(^|\.)(pooler|head)(\.|$)"
# The first pattern that matches a path decides, because libraries use different names.
_NAMES = (
    (HEAD, re.compile(_HEADS)),
    (POSITIONS, re.compile(r"position|pos_embed|(^|\.)wpe|relative_attention_bias")),
    (NORMS, re.compile(r"norm|(^|\.)ln_", re.IGNORECASE)),
    (CROSS, re.compile(r"cross_?attention|encdecattention|encoder_attn", re.IGNORECASE)),
    (OUT, re.compile(r"(attn|attention)\w*\.((c_|o_|out_)?proj|out|o|output\.dense|out_lin)(\.|$)", re.IGNORECASE)),
    (QKV, re.compile(r"attn|attention", re.IGNORECASE)),
    (MLP, re.compile(r"mlp|intermediate|output\.dense|densereludense|ffn|feed_forward|(^|\.)fc\d", re.IGNORECASE)),
    (EMBEDDING, re.compile(r"embed|(^|\.)wte|(^|\.)shared|cls_token|reg_token|dist_token")),
)


def part_of(path: str) -> str:
    """The part of PARTS to which a module or a parameter belongs, by its path; OTHER if no pattern matches."""
    return next((part for part, pattern in _NAMES if pattern.search(path)), OTHER)


@dataclass(frozen=True)
class Line:
    """One line of a bill. `formula` is LaTeX in symbols, `filled` the same with this model's numbers."""

    part: str
    formula: str
    filled: str
    value: int


def line(part: str, template: str, value: int, shape: Shape, **extra: int) -> Line:
    """A line from a template of symbols in braces, `2\\,{n}\\,{d}`; `extra` adds symbols to those of the shape."""
    numbers = {
        "L": shape.layers,
        "d": shape.width,
        "h": shape.heads,
        "g": shape.key_heads or shape.heads,
        "k": shape.head_dim,
        "f": shape.hidden,
        "V": shape.vocabulary,
        **extra,
    }
    filled = {name: f"{number:,}".replace(",", "{,}") for name, number in numbers.items()}
    return Line(part, template.format_map({name: name for name in numbers}), template.format_map(filled), value)
