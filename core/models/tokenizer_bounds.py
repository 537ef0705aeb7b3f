"""Bounds of an untrusted tokenizer, which may be built to inflate a text or to run for very long."""

import json
from base64 import b64decode
from collections.abc import Iterator
from math import prod
from typing import Any

from tokenizers import Tokenizer

from ..errors import ModelError

# Times as long as it was: "ﷺ" becomes 18 characters, and a line break may be spelled out.
MOST_GROWTH = 1_000
LONGEST_SPELLING = 256  # bytes that a character may become in SentencePiece's own table
LONGEST_WORD = 1_000  # characters: WordPiece tries all beginnings of a word
MOST_ADDED = 64  # special tokens around every text
STEPS = ("normalizer", "pre_tokenizer", "decoder")


def check_tokenizer(tokenizer: Tokenizer) -> None:
    """Raise ModelError if a short text could fill the memory, or special tokens the context.

    Regular expressions are not checked: the library's engine gives up after ten million steps.
    """
    description = json.loads(tokenizer.to_str())
    for part in STEPS:
        steps = list(_steps(description.get(part)))
        if prod(_growth(step) for step in steps) > MOST_GROWTH:
            raise ModelError(f"Its {part} makes texts more than {MOST_GROWTH:,} times as long.")
    if description["model"].get("max_input_chars_per_word", 0) > LONGEST_WORD:
        raise ModelError(f"Its tokenizer tries all parts of words of more than {LONGEST_WORD:,} characters.")
    if (added := tokenizer.num_special_tokens_to_add(is_pair=False)) > MOST_ADDED:
        raise ModelError(f"Its tokenizer adds {added:,} special tokens to every text; at most {MOST_ADDED} are taken.")


def _steps(description: Any) -> Iterator[dict[str, Any]]:
    """Every step of a description, those of sequences one after the other."""
    if isinstance(description, dict):
        yield description
    is_list = isinstance(description, list)
    for part in description.values() if isinstance(description, dict) else description if is_list else ():
        if isinstance(part, dict | list):
            yield from _steps(part)


def _growth(step: dict[str, Any]) -> float:
    """The largest factor by which one step can lengthen a text."""
    if "content" in step and "pattern" in step:  # a regular expression may match a single character
        literal = step["pattern"].get("String", "") if isinstance(step["pattern"], dict) else ""
        return max(1.0, len(step["content"]) / max(1, len(literal)))
    if step.get("type") == "Prepend":
        return max(1.0, len(step["prepend"]))
    if step.get("type") == "Precompiled":
        longest = max(map(len, _spellings(b64decode(step["precompiled_charsmap"]))), default=0)
        return 1.0 if longest <= LONGEST_SPELLING else longest
    return 1.0


def _spellings(table: bytes) -> list[bytes]:
    """The replacements of characters in a compiled table: the strings after the search tree, whose length is first."""
    return table[4 + int.from_bytes(table[:4], "little") :].split(b"\0")
