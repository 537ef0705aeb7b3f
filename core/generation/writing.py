"""The tokens that a model reads while it generates: the text and the generated tokens, within its context."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace

from jaxtyping import Float
from tokenizers import Tokenizer
from torch import Tensor

from ..hub.failures import as_model_error
from ..text import Tokens, read_tokens
from ..zoo.text_models import CausalLanguageModel
from .reader import Reader, steps_within
from .stepping import full_pass

Expect = Callable[[Sequence[int]], Float[Tensor, " vocabulary"]]

UNFINISHED = "\ufffd"  # the replacement character, for bytes that are no character
LONGEST_CHARACTER = 8  # tokens: four bytes, or an emoji of several parts


def encode_without_limit(model: CausalLanguageModel, text: str) -> Tokens:
    """All tokens of a text from `read_text`, also those beyond the context, without the end token.

    Raises InputError if the text has no tokens.
    """
    tokens = replace(model, context=10**9).encode(text)
    places = [place for place, special in enumerate(tokens.special) if not special]
    last = places[-1] + 1 if places else len(tokens)
    return Tokens(tokens.ids[:last], tokens.labels[:last], tokens.special[:last], tokens.words[:last])


def first_visible(total: int, room: int) -> int:
    """The index of the first of `total` tokens in a context of `room` tokens, which moves by half of the context.

    If it moved by one token at each step, all positions would change, and the cache could not be used.
    """
    half = max(1, room // 2)
    return half * -(-max(0, total - room) // half)


def read_ids(model: CausalLanguageModel, text_tokens: Tokens, written: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """The ids that the model reads, of a text (`encode_without_limit`) and the written tokens; and how many it skips.

    Special tokens at the beginning are always read.
    """
    special_count = _leading_special_count(text_tokens)
    ids = (*text_tokens.ids[special_count:], *written)
    first = first_visible(len(ids), model.context - special_count)
    return (*text_tokens.ids[:special_count], *ids[first:]), first


def append_written(model: CausalLanguageModel, text_tokens: Tokens, written: Sequence[int]) -> tuple[Tokens, int]:
    """As `read_ids`, but with the labels of the tokens."""
    ids, first = read_ids(model, text_tokens, written)
    read = read_tokens(model.tokenizer, ids)
    # Typed tokens keep their labels, because some tokenizers know the spaces only when they encode a text.
    special_count = _leading_special_count(text_tokens)
    typed = text_tokens.labels[:special_count] + text_tokens.labels[special_count + first :]
    return replace(read, labels=typed + read.labels[len(typed) :]), first


def _leading_special_count(text_tokens: Tokens) -> int:
    return next((place for place, special in enumerate(text_tokens.special) if not special), len(text_tokens))


def next_logits(model: CausalLanguageModel) -> Expect:
    """A function from the ids of all tokens to the logits of the next one, with a cache.

    Where the ids continue those of the previous call, only the new ones are read, with the same result; beyond what the
    network can read in steps, all are read again. It raises ModelError where a foreign model fails.
    """
    limit = steps_within(model.network, model.context)
    reader: Reader | None = None
    previous: tuple[int, ...] = ()

    def logits_after(ids: Sequence[int]) -> Float[Tensor, " vocabulary"]:
        nonlocal reader, previous
        with as_model_error(model.name, "run on this text") if model.foreign else nullcontext():
            if len(ids) > limit:
                return full_pass(model.network, ids)[-1]
            if reader is None or len(ids) <= len(previous) or tuple(ids[: len(previous)]) != previous:
                reader, previous = Reader(model.network, limit), ()
            logits = reader.read(ids[len(previous) :])[-1]
            previous = tuple(ids)
            return logits

    return logits_after


def pieces(tokenizer: Tokenizer, ids: Sequence[int]) -> list[tuple[str, int]]:
    """The written tokens as readable labels with their indices; tokens whose bytes form one character are joined.

    Bytes that form no character stay separate ("‹F0›").
    """
    labels = read_tokens(tokenizer, ids).labels
    labelled, place = [], 0
    while place < len(ids):
        count = _of_one_character(tokenizer, ids[place : place + LONGEST_CHARACTER])
        label = labels[place] if count == 1 else tokenizer.decode(list(ids[place : place + count]))
        labelled.append((label, place))
        place += count
    return labelled


def _of_one_character(tokenizer: Tokenizer, ids: Sequence[int]) -> int:
    """The number of tokens that form the first character, at least 1."""
    if UNFINISHED not in tokenizer.decode(list(ids[:1]), skip_special_tokens=False):
        return 1
    for count in range(2, len(ids) + 1):
        if UNFINISHED not in tokenizer.decode(list(ids[:count]), skip_special_tokens=False):
            return count
    return 1
