"""Texts of up to 131,072 tokens: read layer by layer, and any part of any head's map computed when somebody looks.

reading = LongReading(tokens)
read(model, reading)                        # layers appear in `reading.layers` while the text is read
head = reading.layers[2].head(3)
head.weights(slice(0, 256), slice(0, 256))  # exact
"""

from .head_map import HeadMap
from .reading import LongReading, StoredLayer, check, read

__all__ = ["HeadMap", "LongReading", "StoredLayer", "check", "read"]
