"""A text in bytes, characters, words and tokens, counted beside one another."""

from collections.abc import Mapping
from dataclasses import dataclass

from tokenizers import Tokenizer

from ..text import label_pieces
from .byte_pairs import model_of

WAYS = ("words", "characters", "bytes", "tokens")


@dataclass(frozen=True)
class Cuts:
    """The pieces of one text in four ways, as a person reads them, and how many tokens are "unknown"."""

    words: tuple[str, ...]  # what stands between spaces: Chinese, Japanese and Thai write none
    characters: tuple[str, ...]
    bytes: tuple[str, ...]  # of UTF-8, in hexadecimal
    tokens: tuple[str, ...]
    unknown: int

    def count(self, way: str) -> int:
        """How many pieces there are in one of WAYS."""
        return len(getattr(self, way))

    def per_character(self, way: str) -> float:
        """Pieces a character."""
        return self.count(way) / len(self.characters)


def cut(tokenizer: Tokenizer, text: str, unknown: str | None = None) -> Cuts:
    """The four ways to cut a text that has a character at least; `unknown` is what stands for what has no token."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    return Cuts(
        words=tuple(text.split()),
        characters=tuple(text),
        bytes=tuple(f"{byte:02X}" for byte in text.encode()),
        tokens=tuple(label_pieces(tokenizer, encoding.ids, encoding.offsets)),
        unknown=encoding.tokens.count(unknown) if unknown else 0,
    )


def unknown_of(tokenizer: Tokenizer) -> str | None:
    """The token that stands for what a tokenizer has no token for; None where it can spell everything."""
    model = model_of(tokenizer)
    if (number := model.get("unk_id")) is not None:  # Unigram names it by its place
        return model["vocab"][number][0]
    return model.get("unk_token")


@dataclass(frozen=True)
class Piece:
    """A token of a tokenizer that does not merge; `score` is its natural log-probability, where it has one."""

    label: str
    number: int
    score: float | None


def pieces_of(tokenizer: Tokenizer, text: str) -> tuple[Piece, ...]:
    """The tokens of a text, without special ones."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    scores: Mapping[str, float] = dict(model["vocab"]) if (model := model_of(tokenizer))["type"] == "Unigram" else {}
    labels = label_pieces(tokenizer, encoding.ids, encoding.offsets)
    return tuple(
        Piece(label, number, scores.get(token))
        for label, number, token in zip(labels, encoding.ids, encoding.tokens, strict=True)
    )
