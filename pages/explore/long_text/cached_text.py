"""A text in which the keys of a cache are highlighted and the dropped ones are grey."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from dashboard import typeset


def cached_text(labels: Sequence[str], is_kept: np.ndarray) -> str:
    """The tokens in Markdown, kept ones highlighted; line breaks are written as signs, so that none ends a mark."""
    pieces = []
    for highlighted, run in groupby(zip(labels, is_kept.tolist(), strict=True), key=lambda pair: pair[1]):
        text = " ".join("".join(label for label, _ in run).replace("\n", " ↵ ").replace("\t", " ").split(" "))
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        inner = typeset.plain(text.strip()) or "␣"
        pieces.append(f"{before}:{'blue-background' if highlighted else 'gray'}[{inner}]{after}")
    return "".join(pieces)
