"""The words, characters, bytes and tokens of a text, and their counts."""

from collections.abc import Mapping
from dataclasses import dataclass

from tokenizers import Tokenizer

from ..text import label_pieces
from .byte_pairs import model_of

UNITS = ("words", "characters", "bytes", "tokens")


@dataclass(frozen=True)
class Cuts:
    """One text cut into each of UNITS, with readable pieces, and the number of "unknown" tokens."""

    words: tuple[str, ...]  # separated by spaces: Chinese, Japanese and Thai write none
    characters: tuple[str, ...]
    bytes: tuple[str, ...]  # of UTF-8, in hexadecimal
    tokens: tuple[str, ...]
    unknown: int

    def count(self, unit: str) -> int:
        """The number of pieces of one of UNITS."""
        return len(getattr(self, unit))

    def per_character(self, unit: str) -> float:
        """Pieces of one of UNITS per character."""
        return self.count(unit) / len(self.characters)


def cut_text(tokenizer: Tokenizer, text: str, unknown: str | None = None) -> Cuts:
    """Cut a text of at least one character into all UNITS; `unknown` is the tokenizer's unknown token."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    return Cuts(
        words=tuple(text.split()),
        characters=tuple(text),
        bytes=tuple(f"{byte:02X}" for byte in text.encode()),
        tokens=tuple(label_pieces(tokenizer, encoding.ids, encoding.offsets)),
        unknown=encoding.tokens.count(unknown) if unknown else 0,
    )


def unknown_of(tokenizer: Tokenizer) -> str | None:
    """The unknown token of a tokenizer; None where it has none."""
    model = model_of(tokenizer)
    if (number := model.get("unk_id")) is not None:  # Unigram stores its index
        return model["vocab"][number][0]
    return model.get("unk_token")


@dataclass(frozen=True)
class Piece:
    """A token of a tokenizer without merges; `score` is its natural log-probability (Unigram only)."""

    label: str
    number: int
    score: float | None


def pieces_of(tokenizer: Tokenizer, text: str) -> tuple[Piece, ...]:
    """The tokens of a text, without special tokens."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    scores: Mapping[str, float] = dict(model["vocab"]) if (model := model_of(tokenizer))["type"] == "Unigram" else {}
    labels = label_pieces(tokenizer, encoding.ids, encoding.offsets)
    return tuple(
        Piece(label, number, scores.get(token))
        for label, number, token in zip(labels, encoding.ids, encoding.tokens, strict=True)
    )
