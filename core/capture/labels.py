"""Labels of tokens for a record or a view."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import CaptureError


def read_labels(tokens: Any) -> tuple[Any, ...]:
    """A tuple of strings, one for each token, or a tuple of such tuples, one for each input.

    Raises CaptureError for anything else.
    """
    labels = _listed(tokens)
    if labels and isinstance(labels[0], Sequence | np.ndarray) and not isinstance(labels[0], str):
        return tuple(strings(row) for row in labels)
    return strings(labels)


def strings(tokens: Any) -> tuple[str, ...]:
    """A tuple of strings, one for each token; CaptureError for anything else, such as token ids."""
    labels = _listed(tokens)
    for index, label in enumerate(labels):
        if not isinstance(label, str):
            raise CaptureError(
                f"Labels are strings, one for each token, and the one of token {index} is {label!r:.60}: turn numbers "
                "into tokens first, as with tokenizer.convert_ids_to_tokens(ids)."
            )
    return tuple(labels)


def _listed(tokens: Any) -> list[Any]:
    try:
        return list(tokens)
    except TypeError as error:
        raise CaptureError(f"Labels are strings, one for each token, not {tokens!r:.60}.") from error
