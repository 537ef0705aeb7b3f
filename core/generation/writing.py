"""What a model reads while it writes: the text and its own tokens, as far as its context holds them."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace

from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from ..hub.failures import as_sentence
from ..text import Tokens, read_tokens
from ..zoo.text_models import NextToken
from .reader import Reader, steps_within
from .stepping import full_pass

Expect = Callable[[Sequence[int]], Float[Tensor, " vocabulary"]]

UNFINISHED = "\ufffd"  # what a decoder writes for bytes that are no character
LONGEST_CHARACTER = 8  # tokens: four bytes, or an emoji of several parts


def whole(model: NextToken, text: str) -> Tokens:
    """All tokens of a text from `read_text`, also those for which the model has no room, and no end mark.

    InputError if the tokenizer sees nothing in the text.
    """
    tokens = replace(model, context=10**9).encode(text)
    own = [place for place, special in enumerate(tokens.special) if not special]
    last = own[-1] + 1 if own else len(tokens)
    return Tokens(tokens.ids[:last], tokens.labels[:last], tokens.special[:last], tokens.words[:last])


def first_read(total: int, room: int) -> int:
    """The first of `total` tokens that is read where there is room for fewer: then half of the room is cleared.

    By one token at a time the window would move at each step, and with it every position: all would be read anew.
    """
    half = max(1, room // 2)
    return half * -(-max(0, total - room) // half)


def read_ids(model: NextToken, given: Tokens, written: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """What the model reads of a text from `whole` and of what was written after it, and how many tokens it does not.

    Special tokens that begin the text are always read.
    """
    lead = _leading(given)
    own = (*given.ids[lead:], *written)
    first = first_read(len(own), model.context - lead)
    return (*given.ids[:lead], *own[first:]), first


def with_written(model: NextToken, given: Tokens, written: Sequence[int]) -> tuple[Tokens, int]:
    """The same with all that is known of the tokens."""
    ids, first = read_ids(model, given, written)
    read = read_tokens(model.tokenizer, ids)
    # What the visitor typed keeps its labels: some tokenizers tell only of a text where its spaces were.
    lead = _leading(given)
    typed = given.labels[:lead] + given.labels[lead + first :]
    return replace(read, labels=typed + read.labels[len(typed) :]), first


def _leading(given: Tokens) -> int:
    return next((place for place, special in enumerate(given.special) if not special), len(given))


def expected_after(model: NextToken) -> Expect:
    """A function from the numbers of all tokens to the logits for the next one, for somebody who writes step by step.

    Where the tokens go on from those of the step before, only the new ones are read, with the same result; beyond what
    the network can read in steps, all are read anew. What a foreign model cannot do is a ModelError.
    """
    within = steps_within(model.network, model.context)
    reader: Reader | None = None
    known: tuple[int, ...] = ()

    def expect(ids: Sequence[int]) -> Float[Tensor, " vocabulary"]:
        nonlocal reader, known
        with as_sentence(model.name, "run on this text") if model.foreign else nullcontext():
            if len(ids) > within:
                return full_pass(model.network, ids)[-1]
            if reader is None or len(ids) <= len(known) or tuple(ids[: len(known)]) != known:
                reader, known = Reader(model.network, within), ()
            logits = reader.read(ids[len(known) :])[-1]
            known = tuple(ids)
            return logits

    return expect


def pieces(tokenizer: Tokenizer, ids: Sequence[int]) -> list[tuple[str, int]]:
    """Written tokens as a person reads them, and the place of each; those whose bytes make one character are one.

    Bytes that make no character, even together, stay apart ("‹F0›").
    """
    labels = read_tokens(tokenizer, ids).labels
    found, place = [], 0
    while place < len(ids):
        count = _of_one_character(tokenizer, ids[place : place + LONGEST_CHARACTER])
        label = labels[place] if count == 1 else tokenizer.decode(list(ids[place : place + count]))
        found.append((label, place))
        place += count
    return found


def _of_one_character(tokenizer: Tokenizer, ids: Sequence[int]) -> int:
    """How many of these tokens make the first character, if it is more than one; else 1."""
    if UNFINISHED not in tokenizer.decode(list(ids[:1]), skip_special_tokens=False):
        return 1
    for count in range(2, len(ids) + 1):
        if UNFINISHED not in tokenizer.decode(list(ids[:count]), skip_special_tokens=False):
            return count
    return 1
