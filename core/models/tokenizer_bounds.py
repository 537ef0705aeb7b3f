"""What a tokenizer may do to a text: a stranger's may be made to blow it up."""

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
    """Raise ModelError if a text of some letters could fill the memory, or the context stay without one.

    Patterns that would search for ever end by themselves: the library's engine gives up after ten million tries.
    """
    described = json.loads(tokenizer.to_str())
    for part in STEPS:
        steps = list(_steps(described.get(part)))
        if prod(_growth(step) for step in steps) > MOST_GROWTH:
            raise ModelError(f"Its {part} makes texts more than {MOST_GROWTH:,} times as long.")
    if described["model"].get("max_input_chars_per_word", 0) > LONGEST_WORD:
        raise ModelError(f"Its tokenizer tries all parts of words of more than {LONGEST_WORD:,} characters.")
    if (added := tokenizer.num_special_tokens_to_add(is_pair=False)) > MOST_ADDED:
        raise ModelError(f"Its tokenizer adds {added:,} special tokens to every text; at most {MOST_ADDED} are taken.")


def _steps(described: Any) -> Iterator[dict[str, Any]]:
    """Every step, those of sequences one after the other."""
    if isinstance(described, dict):
        yield described
    for part in described.values() if isinstance(described, dict) else described if isinstance(described, list) else ():
        if isinstance(part, dict | list):
            yield from _steps(part)


def _growth(step: dict[str, Any]) -> float:
    """How many times as long one step can make a text."""
    if "content" in step and "pattern" in step:  # a pattern that is no plain text may match a single character
        replaced = step["pattern"].get("String", "") if isinstance(step["pattern"], dict) else ""
        return max(1.0, len(step["content"]) / max(1, len(replaced)))
    if step.get("type") == "Prepend":
        return max(1.0, len(step["prepend"]))
    if step.get("type") == "Precompiled":
        longest = max(map(len, _spellings(b64decode(step["precompiled_charsmap"]))), default=0)
        return 1.0 if longest <= LONGEST_SPELLING else longest
    return 1.0


def _spellings(table: bytes) -> list[bytes]:
    """What characters become: the strings that follow the search tree, whose length comes first."""
    return table[4 + int.from_bytes(table[:4], "little") :].split(b"\0")
