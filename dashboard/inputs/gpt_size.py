"""The sizes of a GPT that a visitor chooses: five numbers in a row."""

from core.costs import Shape, gpt
from core.errors import InputError
from dashboard.frame import layout
from dashboard.inputs import controls

# Name, key, least, most, default: those of GPT-3 175B.
_FIELDS = (
    ("Layers", "layers", 1, 1_000, 96),
    ("Width", "width", 8, 100_000, 12_288),
    ("Heads", "heads", 1, 1_000, 96),
    ("Vocabulary", "vocabulary", 2, 1_000_000, 50_257),
    ("Context", "context", 1, 1_000_000, 2_048),
)


def choose(prefix: str) -> tuple[Shape, int]:
    """The chosen shape and context, kept in the address under `prefix`; InputError if heads do not divide the width."""
    with layout.control_bar():
        layers, width, heads, vocabulary, context = (
            controls.number_box(name, least, most, first, key=f"{prefix}_{key}", width=150)
            for name, key, least, most, first in _FIELDS
        )
    if width % heads:
        raise InputError(f"{heads} heads cannot share {width:,} channels equally: choose a width that they divide.")
    return gpt(layers, width, heads, vocabulary=vocabulary, positions=context), context
