"""How tokenizers cut words and sentences, and how surprised a model is by a text, kept for the next visitor."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from core.errors import InputError, ModelError
from core.hub.failures import as_model_error
from core.text import Tokens, label_pieces
from core.tokens.byte_pairs import BytePairs, MergedWord, model_of
from core.tokens.pieces import Cuts, Piece, cut_text, pieces_of, unknown_of
from core.tokens.surprise import bits
from dashboard.cache.memo import cached
from dashboard.cache.models import text_model
from dashboard.recordings.watched import Text, content_of
from pages.language.next_word.prose import PAGE

SYMBOLS = 64  # at the most in one drawing: more could not be told apart
NO_TOKENS = "This model's tokenizer sees nothing in this word. Type another one."


@dataclass(frozen=True, eq=False)
class Merged:
    """What a tokenizer that merges pairs made of a short text: its words in order, as far as they are drawn."""

    words: tuple[MergedWord, ...]
    labels: Mapping[str, str]  # of each symbol and piece, as a person reads it
    rules: int  # in the tokenizer's list of merges
    left_out: int  # words for which there was no room
    agrees: bool  # whether the library that runs the tokenizer gives the same tokens


@dataclass(frozen=True, eq=False)
class Surprised:
    """The tokens of a text and how many bits each cost; NaN for the first."""

    tokens: Tokens
    bits: Float[Tensor, " token"]
    characters: int  # of the text that was read
    vocabulary: int  # tokens that the model could have expected


@cached(computes=False)
def kind_of(name: str) -> str:
    """How a model's tokenizer makes tokens: "BPE", "Unigram", "WordPiece" or "WordLevel"."""
    return str(model_of(text_model(name).tokenizer)["type"])


@cached("Reading the list of merges …", computes=False)
def byte_pairs(name: str) -> BytePairs:
    """The merges of a tokenizer of the kind "BPE"."""
    return BytePairs(text_model(name).tokenizer)


@cached()
def merged(name: str, text: str) -> Merged:
    """Merge the words of a short text, step by step; InputError if nothing is left of it."""
    tokenizer, pairs = text_model(name).tokenizer, byte_pairs(name)
    with as_model_error(name, "cut this text"):
        spelled = [pairs.spell(word) for word in pairs.words(text)]
        expected = tokenizer.encode(text, add_special_tokens=False).tokens
    if not any(word.symbols for word in spelled):
        raise InputError(NO_TOKENS)
    symbols, drawn = 0, list[MergedWord]()
    for word in spelled:
        symbols += len(word.symbols)
        if drawn and symbols > SYMBOLS:
            break
        drawn.append(word)
    pieces = {piece for word in drawn for piece in (*word.symbols, *(merge.piece for merge in word.merges))}
    labels = {piece: _label(tokenizer, piece) for piece in pieces}
    agrees = [piece for word in spelled for piece in word.pieces] == expected
    return Merged(tuple(drawn), labels, len(pairs), len(spelled) - len(drawn), agrees)


def _label(tokenizer, piece: str) -> str:
    number = tokenizer.token_to_id(piece)
    return piece if number is None else label_pieces(tokenizer, [number])[0]


@cached()
def pieces(name: str, text: str) -> tuple[Piece, ...]:
    """The tokens of a short text, where the tokenizer does not merge; InputError if there are none."""
    with as_model_error(name, "cut this text"):
        text_pieces = pieces_of(text_model(name).tokenizer, text)
    if not text_pieces:
        raise InputError(NO_TOKENS)
    return text_pieces


@cached("Cutting …")
def cuts(name: str, texts: tuple[str, ...]) -> tuple[Cuts, ...]:
    """Each text in four ways."""
    tokenizer = text_model(name).tokenizer
    with as_model_error(name, "cut this text"):
        unknown = unknown_of(tokenizer)
        return tuple(cut_text(tokenizer, text, unknown) for text in texts)


@cached("Reading …")
def surprised(name: str, text: Text) -> Surprised:
    """Read a text and look up how probable each of its tokens was; InputError for a single token."""
    model, content = text_model(name), content_of(text)
    tokens = model.encode(content)
    if len(tokens) < 2:
        raise InputError(
            "Nothing is predicted about the first token: type at least two tokens, for instance two words."
        )
    with torch.inference_mode():
        logits = model.run(tokens).logits
    if logits is None:
        raise ModelError(PAGE.text("Not a causal language model", title=model.title))
    read = tokens.cut.character if tokens.cut else len(content)
    return Surprised(tokens, bits(logits, torch.tensor(tokens.ids)), read, logits.shape[-1])
