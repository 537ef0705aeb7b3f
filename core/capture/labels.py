"""Labels of tokens, as they are given to a record or to a view."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import CaptureError


def read_labels(tokens: Any) -> tuple[Any, ...]:
    """One string for each token of one input, or a tuple of them for each input; CaptureError for anything else."""
    labels = _listed(tokens)
    if labels and isinstance(labels[0], Sequence | np.ndarray) and not isinstance(labels[0], str):
        return tuple(strings(row) for row in labels)
    return strings(labels)


def strings(tokens: Any) -> tuple[str, ...]:
    """One string for each token of one input; CaptureError for anything else, such as the numbers of tokens."""
    labels = _listed(tokens)
    for place, label in enumerate(labels):
        if not isinstance(label, str):
            raise CaptureError(
                f"Labels are strings, one for each token, and the one of token {place} is {label!r:.60}: turn numbers "
                "into tokens first, as with tokenizer.convert_ids_to_tokens(ids)."
            )
    return tuple(labels)


def _listed(tokens: Any) -> list[Any]:
    try:
        return list(tokens)
    except TypeError as error:
        raise CaptureError(f"Labels are strings, one for each token, not {tokens!r:.60}.") from error
