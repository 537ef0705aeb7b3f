"""Read and edit attention in any PyTorch model.

with record_attention(model) as record:
    model(**inputs)
record.calls[0].weights(head=3)  # (query, key)
"""

from .call import AttentionCall
from .edit import edit_attention
from .edits import Cut, Only, Paste, Patch, Replace, Temperature
from .layer_numbers import by_layer, layer_numbers
from .record import Record, record_attention

__all__ = [
    "AttentionCall",
    "Cut",
    "Only",
    "Paste",
    "Patch",
    "Record",
    "Replace",
    "Temperature",
    "by_layer",
    "edit_attention",
    "layer_numbers",
    "record_attention",
]
