"""A text cut into sentences, and which of its words lie in each."""

import re
from collections.abc import Sequence
from itertools import pairwise

from tokenizers import Tokenizer

from core.text import Tokens

# A sign that ends a sentence, with what closes a quotation, before a space.
END = re.compile(r"(?<=[.!?…])[\"'”’»)]*\s+|\n+")


def cut(text: str) -> list[str]:
    """The sentences of a text, each with the space before it; what holds no letter belongs to the one before."""
    sentences: list[str] = []
    begin = 0
    for end in [*(match.end() for match in END.finditer(text)), len(text)]:
        part, begin = text[begin:end], end
        if sentences and not any(letter.isalnum() for letter in part):
            sentences[-1] += part
        elif part:
            sentences.append(part)
    return sentences


def places(tokenizer: Tokenizer, tokens: Tokens, sentences: Sequence[str]) -> list[range]:
    """Which tokens lie in each sentence; empty for those that the model did not read.

    A sentence begins after a space, where every tokenizer begins a new word: so the tokens of the text up to there are
    the first ones of the whole.
    """
    first = next((place for place, own in enumerate(tokens.special) if not own), 0)
    last = max((place for place, own in enumerate(tokens.special) if not own), default=-1) + 1
    ends, text = [first], ""
    for sentence in sentences:
        text += sentence
        ends.append(min(last, first + len(tokenizer.encode(text.rstrip(), add_special_tokens=False).ids)))
    if tokens.cut is None:
        ends[-1] = last  # with what stands behind the last sentence
    return [range(begin, end) for begin, end in pairwise(ends)]
